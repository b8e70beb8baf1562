#include "conformance/recordings/fields.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace cm {
namespace {

enum class Type : uint8_t { kText, kTextOrNull, kNumber, kBool };

struct LineField {
  std::string_view kind;  // of the line
  std::string_view key;
  Type type = Type::kText;
  int64_t low = 0;
  int64_t high = 0;
};

constexpr int64_t kIntLow = std::numeric_limits<int32_t>::min();
constexpr int64_t kIntHigh = std::numeric_limits<int32_t>::max();
constexpr int64_t kTimeHigh = int64_t{1} << 50;  // microseconds; 35 years

// clang-format off
constexpr auto kFields = std::to_array<LineField>({
    {"call", "t_us", Type::kNumber, 0, kTimeHigh},
    {"call", "fn"},
    {"call", "args"},
    {"call", "ret", Type::kNumber, kIntLow, kIntHigh},
    {"call", "errno"},
    {"event", "t_us", Type::kNumber, 0, kTimeHigh},
    {"event", "chan"},
    {"event", "type"},
    {"event", "num", Type::kNumber, kIntLow, kIntHigh},
    {"event", "status", Type::kNumber, kIntLow, kIntHigh},
    {"event", "id", Type::kTextOrNull},
    {"event", "listen_id", Type::kTextOrNull},
    {"event", "pdlen", Type::kNumber, 0, 255},
    {"event", "pd"},
    {"id_event", "id"},
    {"id_event", "event"},
    {"id_event", "status", Type::kNumber, kIntLow, kIntHigh},
    {"show", "t_us", Type::kNumber, 0, kTimeHigh},
    {"show", "id"},
    {"show", "verbs", Type::kTextOrNull},
    {"show", "port", Type::kNumber, 0, 255},
    {"show", "ps", Type::kNumber, 0, kIntHigh},
    {"show", "src"},
    {"show", "src_port", Type::kNumber, 0, 65535},
    {"show", "dst"},
    {"show", "dst_port", Type::kNumber, 0, 65535},
    {"show", "num_paths", Type::kNumber, 0, 255},
    {"show", "qp", Type::kTextOrNull},
    {"crash", "t_us", Type::kNumber, 0, kTimeHigh},
    {"crash", "line"},
    {"no_event", "t_us", Type::kNumber, 0, kTimeHigh},
    {"no_event", "chan"},
    {"no_event", "waited_ms", Type::kNumber, 0, kTimeHigh / 1000},
    {"quiet", "t_us", Type::kNumber, 0, kTimeHigh},
    {"quiet", "chan"},
    {"quiet", "ms", Type::kNumber, 0, kTimeHigh / 1000},
    {"sleep", "t_us", Type::kNumber, 0, kTimeHigh},
    {"sleep", "ms", Type::kNumber, 0, kTimeHigh / 1000},
    {"sh", "t_us", Type::kNumber, 0, kTimeHigh},
    {"sh", "cmd"},
    {"bg", "t_us", Type::kNumber, 0, kTimeHigh},
    {"bg", "name"},
    {"bg", "cmd"},
    {"wait", "t_us", Type::kNumber, 0, kTimeHigh},
    {"wait", "name"},
    {"wait", "done", Type::kBool},
});

constexpr auto kConnFields = std::to_array<LineField>({
    {"event", "rr", Type::kNumber, 0, 255},
    {"event", "depth", Type::kNumber, 0, 255},
    {"event", "fc", Type::kNumber, 0, 255},
    {"event", "retry", Type::kNumber, 0, 255},
    {"event", "rnr", Type::kNumber, 0, 255},
    {"event", "srq", Type::kNumber, 0, 255},
    {"event", "qpn", Type::kNumber, 0, 0xffffff},
});

constexpr LineField kMask{"call", "mask", Type::kNumber, 0, kIntHigh};
constexpr auto kDatagramFields = std::to_array<LineField>({
    {"event", "qpn", Type::kNumber, 0, 0xffffff},
    {"event", "qkey", Type::kNumber, 0, 0xffffffff},
    {"event", "is_global", Type::kNumber, 0, 1},
    {"event", "dgid"},
    {"event", "dlid", Type::kNumber, 0, 0xffff},
    {"event", "sl", Type::kNumber, 0, 15},
});

constexpr auto kQueuePairFields = std::to_array<LineField>({
    {"show", "q_timeout", Type::kNumber, 0, 255},
    {"show", "q_retry", Type::kNumber, 0, 255},
    {"show", "q_rnr", Type::kNumber, 0, 255},
    {"show", "q_rd", Type::kNumber, 0, 255},
    {"show", "q_drd", Type::kNumber, 0, 255},
});

constexpr LineField kDuration{"call", "dur_us", Type::kNumber, 0, kTimeHigh};
// clang-format on

bool IsNumberWithin(const nlohmann::json& value, int64_t low, int64_t high) {
  if (value.is_number_unsigned())
    return value.get<uint64_t>() <= static_cast<uint64_t>(high) &&
           value.get<uint64_t>() >= static_cast<uint64_t>(low < 0 ? 0 : low);
  return value.is_number_integer() && value.get<int64_t>() >= low && value.get<int64_t>() <= high;
}

std::string ProblemOf(const nlohmann::json& line, const LineField& field) {
  const auto found = line.find(field.key);
  if (found == line.end())
    return fmt::format("\"{}\" is missing from a line of kind \"{}\"", field.key, field.kind);
  switch (field.type) {
    case Type::kText:
      if (found->is_string()) return "";
      return fmt::format("\"{}\" is {}, not a text", field.key, found->dump());
    case Type::kTextOrNull:
      if (found->is_string() || found->is_null()) return "";
      return fmt::format("\"{}\" is {}, neither a text nor null", field.key, found->dump());
    case Type::kBool:
      if (found->is_boolean()) return "";
      return fmt::format("\"{}\" is {}, neither true nor false", field.key, found->dump());
    case Type::kNumber:
      if (IsNumberWithin(*found, field.low, field.high)) return "";
      return fmt::format("\"{}\" is {}, not a number from {} to {}", field.key, found->dump(),
                         field.low, field.high);
  }
  return "";
}

// Empty, or the error in the parameters of an event, if it has any under this name.
std::string ProblemOfParam(const nlohmann::json& line, std::string_view name,
                           std::span<const LineField> fields) {
  const auto param = line.find(name);
  if (param == line.end()) return "";
  if (!param->is_object()) return fmt::format("\"{}\" is {}, not an object", name, param->dump());
  for (const LineField& field : fields)
    if (std::string problem = ProblemOf(*param, field); !problem.empty()) return problem;
  return "";
}

}  // namespace

std::string ProblemOfFields(const nlohmann::json& line) {
  const auto kind = line.find("k");
  if (kind == line.end()) return "not a line of a recording: there is no \"k\"";
  if (!kind->is_string()) return "\"k\" is " + kind->dump() + ", not a text";
  const std::string_view of = kind->get_ref<const std::string&>();
  for (const LineField& field : kFields) {
    if (field.kind != of) continue;
    if (std::string problem = ProblemOf(line, field); !problem.empty()) return problem;
  }
  if (line.contains("dur_us"))
    if (std::string problem = ProblemOf(line, kDuration); !problem.empty()) return problem;
  if (const auto function = line.find("fn");
      function != line.end() && *function == "rdma_init_qp_attr") {
    if (std::string problem = ProblemOf(line, kMask); !problem.empty()) return problem;
  }
  if (line.contains("q_timeout")) {
    for (const LineField& field : kQueuePairFields)
      if (std::string problem = ProblemOf(line, field); !problem.empty()) return problem;
  }
  if (std::string problem = ProblemOfParam(line, "ud", kDatagramFields); !problem.empty())
    return problem;
  return ProblemOfParam(line, "conn", kConnFields);
}

std::string Text(const nlohmann::json& line, std::string_view key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_string() ? found->get<std::string>() : std::string();
}

int64_t Number(const nlohmann::json& line, std::string_view key, int64_t fallback) {
  const auto found = line.find(key);
  return found != line.end() && found->is_number_integer() ? found->get<int64_t>() : fallback;
}

}  // namespace cm
