#include "hw_tests/lab/linux_place.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "model/base/duration.h"
#include "model/vocabulary/fault.h"
#include "model/vocabulary/protocol.h"

namespace lab {
namespace {

using cm::Capability;
using cm::Duration;
using cm::FaultKind;
using cm::seen::Done;

// A removal that cannot start has failed by this time; one that has started has notified all
// clients.
constexpr Duration kRemovalBegins = Duration::Milliseconds(50);
constexpr Duration kRemovalOfTheUnused = Duration::Milliseconds(200);
// The processes have been reaped by the time of this wait.
constexpr Duration kRemovalEnds = Duration::Seconds(10);

constexpr std::string_view kWrongAddress = "02:00:00:00:00:99";
// Delayed messages wait there, for up to an hour.
constexpr std::string_view kForgetHeldBack = "ip link set ifb0 down && ip link set ifb0 up";
constexpr std::string_view kPutRoutesRight = "sh /lab/net_routes.sh";

struct Network {
  std::string_view name;      // in /lab/topology
  std::string_view topology;  // of conversations
};
constexpr Network kNetworks[] = {{"pair", "one-kernel-two-devices"}, {"bond", "bond"}};

std::string_view Trimmed(std::string_view text) {
  const size_t end = text.find_last_not_of(" \n");
  return end == std::string_view::npos ? std::string_view() : text.substr(0, end + 1);
}

Done Failed(std::string_view why) { return {.ok = false, .note = std::string(why)}; }

// A bond counts as down until it has checked its links; a link whose other end is down stays down.
std::string Raise(const std::set<std::string>& links) {
  std::string command;
  for (const std::string& link : links) command += fmt::format("ip link set {} up && ", link);
  for (const std::string& link : links) {
    command += fmt::format(
        "for _ in 1 2 3 4 5; do read -r state </sys/class/net/{}/operstate; "
        "[ \"$state\" = down ] || break; sleep 0.1; done && ",
        link);
  }
  return command;
}

// What the filters do to a message that matches; none for what they cannot do.
std::optional<CmAction> ActionOf(cm::PacketEffect effect) {
  switch (effect) {
    case cm::PacketEffect::kLost:
      return CmAction::kDrop;
    case cm::PacketEffect::kLate:
      return CmAction::kDelay;
    case cm::PacketEffect::kDoubled:
      return CmAction::kDuplicate;
    case cm::PacketEffect::kOvertaken:
      return CmAction::kReorder;
    case cm::PacketEffect::kNone:
    case cm::PacketEffect::kCorrupt:
      return std::nullopt;
  }
  return std::nullopt;
}

// The facts that a tool printed, one a line, sorted, as net_reset.sh prints them: without device
// indices.
std::vector<std::string> FactsOf(const std::string& text) {
  std::vector<std::string> facts;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    std::string_view fact = Trimmed(line);
    const size_t number = fact.find_first_not_of("0123456789");
    if (number != 0 && fact.substr(std::min(number, fact.size())).starts_with(": "))
      fact.remove_prefix(number + 2);
    facts.emplace_back(fact);
  }
  std::stable_sort(facts.begin(), facts.end());
  return facts;
}

// The facts about RDMA devices: "link rxe0/1 state ACTIVE", "rxe0: pd 1 cq 1".
std::vector<std::string> AboutDevices(const std::vector<std::string>& facts,
                                      const cm::Topology& topology) {
  std::vector<std::string> chosen;
  for (const std::string& fact : facts) {
    const bool is_about_one = std::ranges::any_of(topology.devices, [&](const auto& device) {
      return fact.starts_with(fmt::format("{}: ", device.name)) ||
             fact.starts_with(fmt::format("link {}/", device.name));
    });
    if (is_about_one) chosen.push_back(fact);
  }
  return chosen;
}

// "not there: a; b", the first few lines that `all` has and `others` does not.
std::string Missing(std::string_view how, const std::vector<std::string>& all,
                    const std::vector<std::string>& others) {
  constexpr size_t kShown = 3;
  std::vector<std::string> lines;
  std::set_difference(all.begin(), all.end(), others.begin(), others.end(),
                      std::back_inserter(lines));
  if (lines.empty()) return {};
  std::string text(how);
  for (size_t i = 0; i < std::min(lines.size(), kShown); ++i)
    text.append(i == 0 ? ": " : "; ").append(lines[i]);
  if (lines.size() > kShown) text += fmt::format("; and {} more", lines.size() - kShown);
  return text;
}

// Deletes what the device's interface has of its neighbours; a wrong entry stays.
std::string Forget(const std::vector<cm::DeviceInfo>& devices, const cm::DeviceInfo& device) {
  std::string command;
  for (const cm::DeviceInfo& other : devices) {
    if (other.name == device.name) continue;
    for (const std::string_view address : {other.v4, other.v6})
      command +=
          fmt::format("ip neigh show {0} dev {1} | grep -q {2} || ip neigh del {0} dev {1}; ",
                      address, device.netdev, kWrongAddress);
  }
  return command + ":";
}

void Append(std::string& text, const std::string& more) {
  if (!text.empty() && !more.empty()) text += "; ";
  text += more;
}

}  // namespace

Outcome<std::unique_ptr<cm::Place>> LinuxPlace::Open() {
  Outcome<std::unique_ptr<GuestTools>> tools = MakeGuestTools();
  if (!tools.ok()) return tools.problem();
  // A user's kernel may have no such sockets: then no messages are seen.
  Outcome<std::unique_ptr<FrameTap>> tap = OpenFrameTap();
  utsname machine = {};
  uname(&machine);
  std::unique_ptr<cm::Place> place = std::make_unique<LinuxPlace>(
      std::move(tools.value()), fmt::format("{} {}", machine.sysname, machine.release),
      tap.ok() ? std::move(tap.value()) : nullptr);
  return place;
}

LinuxPlace::LinuxPlace(std::unique_ptr<GuestTools> tools, std::string name,
                       std::unique_ptr<FrameTap> tap)
    : tools_(std::move(tools)),
      name_(std::move(name)),
      tap_(std::move(tap)),
      network_(Trimmed(tools_->Read("/lab/topology"))),
      driver_(Trimmed(tools_->Read("/etc/rdma_driver"))) {}

cm::Capabilities GuestCapabilities(bool bonded, cm::Transport transport) {
  cm::Capabilities some{Capability::kLink, Capability::kRemoveDevice, Capability::kNeighbour,
                        Capability::kTime, Capability::kData};
  if (bonded) some = some.With(Capability::kFailOver);
  if (transport == cm::Transport::kIwarp) return some;
  return some.With({Capability::kDrop, Capability::kDropNth, Capability::kDelay,
                    Capability::kDuplicate, Capability::kReorder});
}

cm::Capabilities LinuxPlace::capabilities() const {
  return GuestCapabilities(network_ == "bond",
                           driver_ == "siw" ? cm::Transport::kIwarp : cm::Transport::kRoce);
}

std::string LinuxPlace::Prepare(const cm::Conversation& conversation) {
  const std::string_view wanted = conversation.topology->name;
  for (const Network& network : kNetworks) {
    if (network.name != network_ || network.topology != wanted) continue;
    topology_ = conversation.topology;
    TakeWire();  // of no conversation
    missed_ = false;
    return {};
  }
  return fmt::format("the guest's network is '{}', which is not {}", network_, wanted);
}

const cm::DeviceInfo& LinuxPlace::DeviceOf(const cm::Fault& fault) const {
  return topology_->devices[topology_->sides[fault.side].device];
}

Done LinuxPlace::Run(const std::string& command) {
  const Ran ran = tools_->Run(command);
  if (ran.status == 0) return {};
  return Failed(fmt::format("status {}: {}", ran.status, Trimmed(ran.printed)));
}

LinuxPlace::FaultHandler LinuxPlace::HandlerOf(FaultKind kind) {
  using cm::Fault;
  constexpr std::string_view kEndsNothing = "nothing of this place ends processes";
  constexpr std::string_view kNoFilter = "the filters of this place cannot do that";
  constexpr std::string_view kNotHere = "this place cannot do that";
  constexpr auto kInstalled = [](LinuxPlace& p, const Fault& f) { return p.Install(f); };
  static constexpr auto kHandlers = std::to_array<FaultHandler>({
      {FaultKind::kDrop, kInstalled},
      {FaultKind::kDelay, kInstalled},
      {FaultKind::kDuplicate, kInstalled},
      {FaultKind::kReorder, kInstalled},
      {FaultKind::kCorrupt, nullptr, kNoFilter},
      {FaultKind::kLinkDown,
       [](LinuxPlace& p, const Fault& f) {
         const std::string_view link = p.DeviceOf(f).netdev;
         p.used_up_ = true;
         p.down_.emplace(link);
         return p.Run(fmt::format("ip link set {} down", link));
       }},
      {FaultKind::kLinkUp,
       [](LinuxPlace& p, const Fault& f) {
         const std::string link(p.DeviceOf(f).netdev);
         p.down_.erase(link);
         return p.Run(Raise({link}).append(kPutRoutesRight));
       }},
      {FaultKind::kRemoveDevice,
       [](LinuxPlace& p, const Fault& f) { return p.RemoveDevice(p.DeviceOf(f)); }},
      {FaultKind::kAddDevice,
       [](LinuxPlace& p, const Fault& f) {
         const cm::DeviceInfo& device = p.DeviceOf(f);
         p.tools_->AwaitBehind(kRemovalOfTheUnused);
         return p.Run(fmt::format("rdma link add {} type {} netdev {}", device.name, p.driver_,
                                  device.netdev));
       }},
      {FaultKind::kFailOver,
       [](LinuxPlace& p, const Fault& f) { return p.FailOver(p.DeviceOf(f)); }},
      {FaultKind::kNeighbourChange,
       [](LinuxPlace& p, const Fault& f) { return p.ChangeNeighbours(p.DeviceOf(f)); }},
      {FaultKind::kNeighbourExpires,
       [](LinuxPlace& p, const Fault& f) {
         p.wrong_neighbours_ = true;  // until it heals
         return p.Run(Forget(p.topology_->devices, p.DeviceOf(f)));
       }},
      {FaultKind::kExit, nullptr, kEndsNothing},
      {FaultKind::kSilenceSm, nullptr, kNotHere},
      {FaultKind::kDuplicateAddress, nullptr, kNotHere},
      {FaultKind::kFlap, nullptr, kNotHere},
      {FaultKind::kCrash, nullptr, kEndsNothing},
      {FaultKind::kRestart, nullptr, kEndsNothing},
  });
  const auto* const row = std::ranges::find(kHandlers, kind, &FaultHandler::kind);
  return row == kHandlers.end() ? FaultHandler{.kind = kind} : *row;
}

Done LinuxPlace::Inject(const cm::Fault& fault) {
  if (topology_ == nullptr) return Failed("no conversation was prepared");
  const FaultHandler handler = HandlerOf(fault.kind);
  meddled_ |= !fault.OnPackets();
  return handler.act == nullptr ? Failed(handler.why_not) : handler.act(*this, fault);
}

Done LinuxPlace::Install(const cm::Fault& fault) {
  const std::optional<CmAction> action = ActionOf(fault.Effect());
  const bool rarer = fault.side == cm::kAnySide || fault.to != cm::kAnySide ||
                     fault.MostLate() > fault.by || fault.after > Duration();
  if (driver_ == "siw") return Failed("the filters of this place do not look into TCP");
  if (!action || rarer) return Failed("the filters of this place cannot do that");
  CmRule rule;
  // Filtered at ingress, so at the other side.
  rule.toward = fault.side == cm::kActiveSide ? Toward::kPassive : Toward::kActive;
  rule.kinds = fault.messages;
  rule.action = *action;
  rule.first = fault.first;
  rule.last = fault.last == 0 ? kEveryOne : fault.last;
  rule.delay_ns = static_cast<uint64_t>(fault.by.nanoseconds());
  if (fault.window != Duration::Max())
    rule.window_ns = static_cast<uint64_t>(fault.window.nanoseconds());
  if (const std::optional<Problem> problem = tools_->AddRule(rule)) return Failed(problem->line);
  if (rule.action == CmAction::kDuplicate) doubling_.push_back(rule);
  holds_back_ |= rule.action == CmAction::kDelay || rule.action == CmAction::kReorder;
  return {};
}

Done LinuxPlace::RemoveDevice(const cm::DeviceInfo& device) {
  used_up_ = true;
  const std::optional<Ran> ran =
      tools_->RunBehind(fmt::format("rdma link del {}", device.name), kRemovalBegins);
  if (!ran || ran->status == 0) return {};
  return Failed(fmt::format("status {}: {}", ran->status, Trimmed(ran->printed)));
}

Done LinuxPlace::FailOver(const cm::DeviceInfo& device) {
  if (!device.bonded) return Failed(fmt::format("{} is no bond", device.netdev));
  used_up_ = true;
  const std::string active =
      tools_->Read(fmt::format("/sys/class/net/{}/bonding/active_slave", device.netdev));
  return Run(fmt::format("sh /lab/net_failover.sh {}", Trimmed(active) == "b0" ? "b1" : "b0"));
}

Done LinuxPlace::ChangeNeighbours(const cm::DeviceInfo& device) {
  wrong_neighbours_ = true;
  std::string command = "ip -batch - <<END\n";
  for (const cm::DeviceInfo& other : topology_->devices) {
    if (other.name == device.name) continue;
    for (const std::string_view address : {other.v4, other.v6})
      command += fmt::format("neigh replace {} lladdr {} dev {} nud permanent\n", address,
                             kWrongAddress, device.netdev);
  }
  return Run(command + "END\n");
}

Done LinuxPlace::Heal() {
  if (const std::optional<Problem> problem = tools_->ClearRules()) return Failed(problem->line);
  KeepSent();
  doubling_.clear();
  if (down_.empty() && !wrong_neighbours_) return {};
  const std::string raise = Raise(down_);
  down_.clear();
  wrong_neighbours_ = false;
  return Run(raise + std::string(kPutRoutesRight));
}

std::vector<cm::WireRecord> LinuxPlace::TakeWire() {
  KeepSent();
  return std::exchange(sent_, {});
}

void LinuxPlace::KeepSent() {
  if (tap_ == nullptr || topology_ == nullptr) return;
  for (TappedFrame& frame : tap_->Take()) {
    std::optional<cm::WireRecord> record = RecordOf(std::move(frame), *topology_);
    if (!record) continue;
    const Toward toward = record->side == cm::kActiveSide ? Toward::kPassive : Toward::kActive;
    record->doubled = std::ranges::any_of(doubling_, [&](const CmRule& rule) {
      return rule.toward == toward && rule.kinds.Has(record->kind);
    });
    sent_.push_back(*std::move(record));
  }
}

std::string LinuxPlace::RemoveAllDevices() {
  if (topology_ == nullptr) return {};
  for (const cm::DeviceInfo& device : topology_->devices) {
    const std::string command =
        fmt::format("[ ! -e /sys/class/infiniband/{0} ] || rdma link del {0}", device.name);
    const std::optional<Ran> ran = tools_->RunBehind(command, kRemovalEnds);
    if (!ran) return fmt::format("{} is in use", device.name);
    if (ran->status != 0) return fmt::format("{}: {}", device.name, Trimmed(ran->printed));
  }
  return {};
}

bool LinuxPlace::DevicesAreRight() {
  const Ran ran = tools_->Run("printf 'link\\nresource\\n' | rdma -b -");
  const std::vector<std::string> facts = FactsOf(ran.printed);
  return ran.status == 0 && !facts.empty() &&
         facts == AboutDevices(FactsOf(tools_->Read("/lab/baseline")), *topology_);
}

std::string LinuxPlace::Reset() {
  const Ran ran = tools_->Run("sh /lab/net_reset.sh");
  if (ran.status != 0)
    return fmt::format("net_reset.sh: status {}: {}", ran.status, Trimmed(ran.printed));
  const std::vector<std::string> wanted = FactsOf(tools_->Read("/lab/baseline"));
  const std::vector<std::string> found = FactsOf(ran.printed);
  std::string wrong = Missing("not there", wanted, found);
  Append(wrong, Missing("should not be there", found, wanted));
  return wrong;
}

std::string LinuxPlace::PutRight() {
  std::string wrong;
  for (const std::string& command : tools_->AwaitBehind(kRemovalEnds))
    Append(wrong, fmt::format("'{}' does not end", command));
  if (!wrong.empty()) tools_->KillBehind();
  if (wrong.empty() && used_up_) Append(wrong, RemoveAllDevices());
  // Otherwise the reset would find a difference.
  if (const std::optional<Problem> problem = tools_->ClearRules()) Append(wrong, problem->line);
  doubling_.clear();
  if (std::exchange(holds_back_, false))
    if (const Done emptied = Run(std::string(kForgetHeldBack)); !emptied.ok)
      Append(wrong, emptied.note);
  missed_ = tap_ != nullptr && tap_->Missed() > 0;
  if (!wrong.empty()) return wrong;
  if (!meddled_ && DevicesAreRight()) return {};
  used_up_ = wrong_neighbours_ = false;
  down_.clear();
  wrong = Reset();
  meddled_ = !wrong.empty();
  return wrong;
}

}  // namespace lab
