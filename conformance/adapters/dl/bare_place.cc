#include <fmt/format.h>
#include <sys/utsname.h>

#include "conformance/adapters/dl/dl_adapter.h"
#include "model/vocabulary/call_addresses.h"
#include "model/vocabulary/sockaddr.h"

namespace cm {
namespace {

constexpr std::string_view kCannot = "nothing can be done to links and devices here";

// Empty when there is such an address on the site's network.
std::string WhyNotHere(const Address& address, const Topology& topology) {
  const bool only_set =
      address.kind == AddressKind::kUnroutable || address.kind == AddressKind::kSilent;
  const bool of_hosts =
      only_set || address.kind == AddressKind::kSide || address.kind == AddressKind::kForeign;
  const bool known = !only_set || HostSet(address.kind) != nullptr;
  if (!of_hosts || (known && !HostHere(address, topology).empty())) return {};
  const std::string name = ToString(address.WithPort(0), topology);
  return fmt::format("of the site's network no address {} is known",
                     name.substr(0, name.rfind(':')));
}

class BarePlace : public Place {
 public:
  std::string name() const override {
    utsname machine{};
    if (uname(&machine) != 0) return "an unknown kernel";
    return fmt::format("{} {}", machine.sysname, machine.release);
  }
  Capabilities capabilities() const override { return {}; }
  bool patient() const override { return false; }
  std::string Prepare(const Conversation& conversation) override {
    if (conversation.topology.built_in()) return {};
    // The topology of a site: which other addresses its network has, the site says.
    std::string why;
    for (const Line& line : conversation.lines)
      if (const auto* one = std::get_if<line::Calls>(&line))
        EachAddress(one->call, [&](const Address& address) {
          if (why.empty()) why = WhyNotHere(address, *conversation.topology);
        });
    return why;
  }
  seen::Done Inject(const Fault& /*fault*/) override {
    return {.ok = false, .note = std::string(kCannot)};
  }
  seen::Done Heal() override { return {}; }
  std::string PutRight() override { return {}; }
};

}  // namespace

std::unique_ptr<Place> MakeBarePlace() { return std::make_unique<BarePlace>(); }

}  // namespace cm
