#include <fmt/format.h>
#include <sys/utsname.h>

#include "conformance/adapters/dl/dl_adapter.h"
#include "model/conversation/print.h"

namespace cm {
namespace {

constexpr std::string_view kCannot = "nothing can be done to links and devices here";

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
    // The topology of a site: its addresses are there, but no others are known.
    const std::string text = ToText(conversation);
    for (const std::string_view unknown : {"silent", "unroutable"})
      if (text.find(fmt::format("={}", unknown)) != std::string::npos)
        return fmt::format("of the site's network no {} address is known", unknown);
    return {};
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
