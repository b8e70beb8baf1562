#include "tools/site/facts.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "model/base/json.h"

namespace cm::site {
namespace {

using Json = nlohmann::json;

constexpr const char* kVersionKey = "cmcheck_facts";
constexpr int kVersion = 1;
constexpr size_t kLongestText = 300;
constexpr int kMostBits = 128;

struct Binary {
  std::array<uint8_t, 16> bytes = {};
  int bits = 0;  // 0: no address
};

Binary BinaryOf(const std::string& text) {
  Binary binary;
  if (inet_pton(AF_INET, text.c_str(), binary.bytes.data()) == 1)
    binary.bits = 32;
  else if (inet_pton(AF_INET6, text.c_str(), binary.bytes.data()) == 1)
    binary.bits = kMostBits;
  return binary;
}

// Members of one object. Keeps the first problem.
class Members {
 public:
  Members(const Json& object, std::string* problem) : object_(object), problem_(*problem) {
    if (!object.is_object()) Wrong("it is no object");
  }
  std::string Text(const char* key) {
    const Json* const found = At(key);
    if (found == nullptr) return {};
    if (!found->is_string()) {
      Wrong(fmt::format("'{}' is no text", key));
      return {};
    }
    std::string text = found->get<std::string>();
    const bool plain = std::ranges::all_of(
        text, [](char c) { return std::isprint(static_cast<unsigned char>(c)) != 0; });
    if (!plain || text.size() > kLongestText) {
      Wrong(fmt::format("'{}' is no short plain text", key));
      return {};
    }
    return text;
  }
  // A name of a device or an interface. It may become a word of a command that is shown.
  std::string Name(const char* key) {
    std::string name = Text(key);
    const bool good = !name.empty() && name.front() != '-' && std::ranges::all_of(name, [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
             std::string_view("._-:@+").find(c) != std::string_view::npos;
    });
    if (!good) Wrong(fmt::format("'{}' is no name", key));
    return name;
  }
  int Number(const char* key, int highest) {
    const Json* const found = At(key);
    if (found == nullptr) return 0;
    if (!found->is_number_unsigned() || found->get<uint64_t>() > static_cast<uint64_t>(highest)) {
      Wrong(fmt::format("'{}' is no number up to {}", key, highest));
      return 0;
    }
    return found->get<int>();
  }
  bool Bool(const char* key) {
    const Json* const found = At(key);
    if (found != nullptr && !found->is_boolean()) Wrong(fmt::format("'{}' is no truth", key));
    return found != nullptr && found->is_boolean() && found->get<bool>();
  }
  // Its elements; none when it is no list.
  std::vector<Json> List(const char* key) {
    const Json* const found = At(key);
    if (found != nullptr && !found->is_array()) Wrong(fmt::format("'{}' is no list", key));
    return found != nullptr && found->is_array() ? found->get<std::vector<Json>>()
                                                 : std::vector<Json>();
  }
  std::string Ip(const char* key) {
    std::string text = Text(key);
    if (problem_.empty() && BinaryOf(text).bits == 0)
      Wrong(fmt::format("'{}' is '{}', which is no address", key, text));
    return text;
  }
  void Wrong(const std::string& what) {
    if (problem_.empty()) problem_ = what;
  }

 private:
  const Json* At(const char* key) {
    if (!problem_.empty()) return nullptr;
    const auto found = object_.find(key);
    if (found != object_.end()) return &*found;
    Wrong(fmt::format("'{}' is missing", key));
    return nullptr;
  }

  const Json& object_;
  std::string& problem_;
};

Json HostLine(const HostFacts& facts) {
  return {{kVersionKey, kVersion},        {"kernel", facts.kernel},
          {"system", facts.system},       {"glibc", facts.glibc},
          {"librdmacm", facts.librdmacm}, {"librdmacm_problem", facts.librdmacm_problem},
          {"boot", facts.boot},           {"control", facts.control},
          {"superuser", facts.superuser}, {"rdma_cm_problem", facts.rdma_cm_problem}};
}

void TakeHost(const Json& line, HostFacts* facts, std::string* problem) {
  Members members(line, problem);
  facts->kernel = members.Text("kernel");
  facts->system = members.Text("system");
  facts->glibc = members.Text("glibc");
  facts->librdmacm = members.Text("librdmacm");
  facts->librdmacm_problem = members.Text("librdmacm_problem");
  facts->boot = members.Text("boot");
  facts->control = members.Text("control");
  facts->superuser = members.Bool("superuser");
  facts->rdma_cm_problem = members.Text("rdma_cm_problem");
}

Json PortLine(const Port& port) {
  Json gids = Json::array();
  for (const Gid& gid : port.gids)
    gids.push_back(
        {{"index", gid.index}, {"gid", gid.gid}, {"type", gid.type}, {"interface", gid.interface}});
  return {{"device", port.device},     {"number", port.number},
          {"state", port.state},       {"link", port.link},
          {"kind", port.kind},         {"driver", port.driver},
          {"firmware", port.firmware}, {"interfaces", port.interfaces},
          {"gids", std::move(gids)}};
}

Port PortOf(const Json& object, std::string* problem) {
  Members members(object, problem);
  Port port{.device = members.Name("device"),
            .number = members.Number("number", 255),
            .state = members.Text("state"),
            .link = members.Text("link"),
            .kind = members.Text("kind"),
            .driver = members.Text("driver"),
            .firmware = members.Text("firmware"),
            .interfaces = {},
            .gids = {}};
  for (const Json& name : members.List("interfaces")) {
    const Json named = {{"interfaces", name}};
    port.interfaces.push_back(Members(named, problem).Name("interfaces"));
  }
  for (const Json& listed : members.List("gids")) {
    Members gid(listed, problem);
    port.gids.push_back({.index = gid.Number("index", 65535),
                         .gid = gid.Ip("gid"),
                         .type = gid.Text("type"),
                         .interface = gid.Text("interface")});
  }
  return port;
}

Json InterfaceLine(const Interface& interface) {
  Json addresses = Json::array();
  for (const Address& address : interface.addresses)
    addresses.push_back({{"ip", address.text}, {"prefix", address.prefix}});
  return {{"name", interface.name},
          {"mtu", interface.mtu},
          {"up", interface.up},
          {"addresses", std::move(addresses)}};
}

Interface InterfaceOf(const Json& object, std::string* problem) {
  Members members(object, problem);
  Interface interface {
    .name = members.Name("name"), .mtu = members.Number("mtu", 1 << 20), .up = members.Bool("up"),
    .addresses = {}
  };
  for (const Json& listed : members.List("addresses")) {
    Members address(listed, problem);
    Address taken{.text = address.Ip("ip"), .prefix = address.Number("prefix", kMostBits)};
    if (taken.prefix > BinaryOf(taken.text).bits) address.Wrong("'prefix' is too long");
    interface.addresses.push_back(std::move(taken));
  }
  return interface;
}

Reached ReachedOf(const Json& object, std::string* problem) {
  Members members(object, problem);
  return {.from = members.Ip("from"), .to = members.Ip("to"), .problem = members.Text("problem")};
}

// Adds what a line says; returns what is wrong with it.
std::string TakeLine(const std::string& text, bool first, HostFacts* facts) {
  const Json line = ParseJson(text);
  if (line.is_discarded() || !line.is_object()) return "it is no JSON";
  std::string problem;
  if (first) {
    if (line.value(kVersionKey, Json()) != kVersion)
      return fmt::format("no '{}' of {}: another release of cmcheck?", kVersionKey, kVersion);
    TakeHost(line, facts, &problem);
  } else if (line.contains("port")) {
    facts->ports.push_back(PortOf(line["port"], &problem));
  } else if (line.contains("interface")) {
    facts->interfaces.push_back(InterfaceOf(line["interface"], &problem));
  } else if (line.contains("reached")) {
    facts->reached.push_back(ReachedOf(line["reached"], &problem));
  } else {
    return "it is none of port, interface, reached, end";
  }
  return problem;
}

}  // namespace

bool IsV6(const Address& address) { return address.text.find(':') != std::string::npos; }

bool SameNetwork(const Address& a, const Address& b) {
  const Binary one = BinaryOf(a.text);
  const Binary other = BinaryOf(b.text);
  if (one.bits != other.bits || a.prefix != b.prefix) return false;
  for (int bit = 0; bit < a.prefix; ++bit) {
    const auto byte = static_cast<size_t>(bit / 8);
    const int mask = 0x80 >> (bit % 8);
    if ((one.bytes[byte] & mask) != (other.bytes[byte] & mask)) return false;
  }
  return true;
}

std::string ToLines(const HostFacts& facts) {
  std::vector<Json> lines = {HostLine(facts)};
  for (const Port& port : facts.ports) lines.push_back({{"port", PortLine(port)}});
  for (const Interface& interface : facts.interfaces)
    lines.push_back({{"interface", InterfaceLine(interface)}});
  for (const Reached& reached : facts.reached)
    lines.push_back(
        {{"reached", {{"from", reached.from}, {"to", reached.to}, {"problem", reached.problem}}}});
  lines.push_back({{"end", lines.size()}});
  std::string text;
  // What is no UTF-8 in a file of the host stands as a sign that it was none.
  for (const Json& line : lines)
    text += line.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
  return text;
}

bool EndsFacts(std::string_view line) {
  if (!line.starts_with('{')) return false;
  const Json json = ParseJson(line);
  return json.is_object() && json.contains("end");
}

std::variant<HostFacts, std::string> ParseFacts(const std::vector<std::string>& lines) {
  HostFacts facts;
  size_t count = 0;
  for (const std::string& line : lines) {
    if (!line.starts_with('{')) continue;
    if (EndsFacts(line)) {
      if (ParseJson(line)["end"] == count && count > 0) return facts;
      return fmt::format("{} lines of facts came, and the last one counts others", count);
    }
    if (const std::string problem = TakeLine(line, count == 0, &facts); !problem.empty())
      return fmt::format("line {} of the facts: {}", count + 1, problem);
    ++count;
  }
  if (count == 0) return "no facts came";
  return fmt::format("the facts end after {} lines, before their end", count);
}

}  // namespace cm::site
