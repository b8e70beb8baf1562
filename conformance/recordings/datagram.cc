#include <fmt/format.h>

#include <cstdlib>

#include "conformance/recordings/reader.h"
#include "model/base/json.h"

namespace cm {
namespace {

int64_t NumberAt(const nlohmann::json& line, std::string_view key) {
  return line.at(key).get<int64_t>();
}

}  // namespace

Address RecordingReader::AddressOfGid(const std::string& digits) const {
  constexpr std::string_view kMapped = "00000000000000000000ffff";
  constexpr size_t kDigits = 32;
  if (digits.empty()) return {};
  const Address unknown{.kind = AddressKind::kForeign};
  // GIDs of RoCE v2 are IPv4 addresses, mapped.
  if (digits.size() != kDigits || !digits.starts_with(kMapped)) return unknown;
  std::string host;
  for (size_t at = kMapped.size(); at < kDigits; at += 2) {
    if (!host.empty()) host += '.';
    host += std::to_string(std::strtoul(digits.substr(at, 2).c_str(), nullptr, 16));
  }
  return ReadAddress(host).value_or(unknown);
}

std::optional<Address> RecordingReader::DestinationOf(IdRef id) const {
  const std::vector<Line>& lines = recording_->history.conversation.lines;
  for (size_t i = lines.size(); i-- > 0;) {
    const auto* calls = std::get_if<line::Calls>(&lines[i]);
    const auto* resolve = calls ? std::get_if<call::ResolveAddr>(&calls->call) : nullptr;
    if (resolve != nullptr && resolve->id == id) return resolve->destination;
  }
  return std::nullopt;
}

void RecordingReader::ReadDatagram(const Json& ud, CmEvent* event) {
  event->qp_num = static_cast<uint32_t>(NumberAt(ud, "qpn"));
  event->qkey = static_cast<uint32_t>(NumberAt(ud, "qkey"));
  const Address at = AddressOfGid(ud.at("dgid"));
  const bool joined = event->type == EventType::kMulticastJoin;
  if (joined || event->type == EventType::kMulticastError) event->group = at;
  const bool answered = event->type == EventType::kEstablished;
  const auto contradict = [&](std::string_view field, std::string permitted) {
    Contradict(fmt::format("{} {}", field, JsonText(ud.at(field))), std::move(permitted),
               "linux 6.1 cma.c cma_sidr_rep_handler, cma_make_mc_event");
  };
  // An address handle over RoCE is global; LIDs and service levels are those of InfiniBand.
  const int64_t is_global = joined || answered ? 1 : 0;
  if (NumberAt(ud, "is_global") != is_global) contradict("is_global", fmt::format("{}", is_global));
  for (const std::string_view field : {"dlid", "sl"})
    if (NumberAt(ud, field) != 0) contradict(field, "0");
  if (answered) {
    std::optional<Address> peer = DestinationOf(event->id);
    if (peer) peer->port = 0;
    if (peer && *peer != at) contradict("dgid", "the GID of the address that was resolved");
  }
  const bool has_gid = at.kind != AddressKind::kNone;
  if (has_gid && is_global == 0) contradict("dgid", "none");
}

}  // namespace cm
