#include "hw_tests/node/node_place.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ifaddrs.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "hw_tests/node/adapter.h"
#include "hw_tests/node/guardian.h"
#include "hw_tests/node/held_back.h"
#include "model/vocabulary/mad_kind.h"

namespace node {
namespace {

namespace fs = std::filesystem;

using cm::Capability;
using cm::FaultKind;
using cm::seen::Done;

constexpr std::string_view kWrongAddress = "02:00:00:00:00:99";
constexpr std::string_view kForget =
    R"(ip neigh show "$1" dev "$2" | grep -q "$3" || ip neigh del "$1" dev "$2")";
// Above the numbers of messages that can be expected; numbers of nft are of 32 bits.
constexpr uint32_t kMany = 1'000'000'000;
constexpr int kMarks = -310;  // priorities of chains
constexpr int kDrops = -300;

Done DoneUnless(std::string problem) {
  const bool ok = problem.empty();
  return {.ok = ok, .note = std::move(problem)};
}

// Of a device as the facts have it.
bool IsSoft(const std::string& device) { return device.ends_with(" rxe"); }

class NodePlace : public cm::Place {
 public:
  // `removal`: of a device that is not a soft one.
  NodePlace(NodeSettings settings, std::string interface, std::string device,
            std::optional<Removal> removal, std::unique_ptr<cm::Place> bare,
            std::optional<Guardian> guardian)
      : settings_(std::move(settings)),
        interface_(std::move(interface)),
        device_(device.substr(0, device.find(' '))),
        soft_(IsSoft(device)),
        removal_(std::move(removal)),
        bare_(std::move(bare)),
        guardian_(std::move(guardian)) {}

  std::string name() const override { return bare_->name(); }
  cm::Capabilities capabilities() const override { return Given(settings_.allow); }
  bool patient() const override { return capabilities().Has(Capability::kTime); }
  std::string Prepare(const cm::Conversation& conversation) override {
    topology_ = conversation.topology;
    disturbed_ = false;
    return bare_->Prepare(conversation);
  }

  Done Inject(const cm::Fault& fault) override {
    const Capability needed = cm::RowOf(fault.kind).needs;
    const cm::Allowed* const allowed = EntryFor(settings_.allow, needed);
    if (allowed == nullptr || !guardian_ || topology_ == nullptr)
      return {.ok = false, .note = fmt::format("{} is not allowed here", cm::ToString(needed))};
    meddled_ = true;
    if (needed == Capability::kRemoveDevice) HeldBack();
    return DoneUnless(allowed->program.empty() ? Ours(fault) : Theirs(fault, allowed->program));
  }
  Done Heal() override { return DoneUnless(meddled_ ? guardian_->Heal() : ""); }
  std::string PutRight() override {
    if (!meddled_) return {};
    std::string wrong = guardian_->PutRight(std::exchange(used_up_, false) && soft_);
    meddled_ = !wrong.empty();
    tables_ = 0;
    if (const std::string held_back = meddled_ ? HeldBack() : ""; !held_back.empty())
      wrong += fmt::format(", and the kernel holds back {}, which was killed", held_back);
    return wrong;
  }
  bool Disturbed() const override { return disturbed_; }

 private:
  std::string HeldBack() {
    std::string one = node::HeldBack(settings_.processes);
    disturbed_ |= !one.empty();
    return one;
  }

  // PROGRAM do|undo INTERFACE DEVICE FAULT...
  std::string Theirs(const cm::Fault& fault, const std::string& program) {
    std::istringstream stream(cm::ToString(fault, *topology_));
    Words words = {program, "do", interface_, device_};
    for (std::string word; stream >> word;) words.push_back(word);
    Words undo = words;
    undo[1] = "undo";
    return guardian_->Do({.commands = {{.words = words}},
                          .undo = undo,
                          .remakes = fault.kind == FaultKind::kRemoveDevice});
  }

  std::string Ours(const cm::Fault& fault) {
    switch (fault.kind) {
      case FaultKind::kLinkDown:
        used_up_ = true;
        return Do({{.words = {"ip", "link", "set", interface_, "down"}}});
      case FaultKind::kLinkUp:
        return guardian_->RaiseLink();
      case FaultKind::kNeighbourChange:
        return Do(Wrong(Others()));
      case FaultKind::kNeighbourExpires:
        return Do(Forgotten());
      case FaultKind::kDuplicateAddress:
        return Do(Wrong({&DeviceOf(fault.side)}));
      case FaultKind::kRemoveDevice:
        if (!removal_) return Do({{.words = {"rdma", "link", "del", device_}, .goes_on = true}});
        return guardian_->Do({.commands = {{.words = removal_->away, .goes_on = true}},
                              .undo = removal_->back,
                              .remakes = true});
      case FaultKind::kDrop:
        return Drop(fault);
      case FaultKind::kDelay:
      case FaultKind::kDuplicate:
      case FaultKind::kReorder:
      case FaultKind::kAddDevice:
      case FaultKind::kFailOver:
      case FaultKind::kExit:
      case FaultKind::kSilenceSm:
      case FaultKind::kCorrupt:
      case FaultKind::kFlap:
      case FaultKind::kCrash:
      case FaultKind::kRestart:
        break;
    }
    return fmt::format("{} needs a program of the site", cm::ToString(fault.kind));
  }

  std::string Do(std::vector<Command> commands) {
    return guardian_->Do(
        {.commands = std::move(commands), .undo = {}, .ends_after = {}, .ending = {}});
  }

  std::string Drop(const cm::Fault& fault) {
    const bool rarer =
        fault.side == cm::kAnySide || fault.to != cm::kAnySide || fault.after > cm::Duration();
    if (rarer) return "filters of a node know one sender, and no later beginning";
    const std::string table = TableName(interface_, ++tables_);
    Deed deed{
        .commands = {{.words = {"nft", DropRules(fault, table, interface_, DeviceOf(fault.side))}}},
        .undo = {},
        .ends_after = {},
        .ending = {"nft", "delete", "table", "inet", table}};
    if (fault.window != cm::Duration::Max()) deed.ends_after = fault.window;
    return guardian_->Do(deed);
  }

  const cm::DeviceInfo& DeviceOf(uint8_t side) const {
    return topology_->devices[topology_->sides[side].device];
  }
  std::vector<const cm::DeviceInfo*> Others() const {
    std::vector<const cm::DeviceInfo*> others;
    for (const cm::DeviceInfo& device : topology_->devices)
      if (device.v4 != settings_.address) others.push_back(&device);
    return others;
  }
  std::vector<Command> Wrong(const std::vector<const cm::DeviceInfo*>& devices) const {
    std::vector<Command> commands;
    for (const cm::DeviceInfo* device : devices)
      for (const std::string& address : {device->v4, device->v6})
        commands.push_back(
            {.words = {"ip", "neigh", "replace", address, "lladdr", std::string(kWrongAddress),
                       "dev", interface_, "nud", "permanent"}});
    return commands;
  }
  // A wrong entry stays.
  std::vector<Command> Forgotten() const {
    std::vector<Command> commands;
    for (const cm::DeviceInfo* device : Others())
      for (const std::string& address : {device->v4, device->v6})
        commands.push_back({.words = {"sh", "-c", std::string(kForget), "sh", address, interface_,
                                      std::string(kWrongAddress)},
                            .may_fail = true});
    return commands;
  }

  NodeSettings settings_;
  std::string interface_;
  std::string device_;
  bool soft_;
  std::optional<Removal> removal_;
  std::unique_ptr<cm::Place> bare_;
  std::optional<Guardian> guardian_;
  const cm::Topology* topology_ = nullptr;
  bool meddled_ = false;
  bool disturbed_ = false;
  bool used_up_ = false;  // the link was down
  int tables_ = 0;
};

// The interface that has an address; empty: none.
std::string InterfaceWith(const std::string& address) {
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return {};
  std::string name;
  for (const ifaddrs* one = first; one != nullptr && name.empty(); one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
    char text[INET_ADDRSTRLEN] = {};
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr, text,
              sizeof(text));
    if (text == address) name = one->ifa_name;
  }
  freeifaddrs(first);
  return name;
}

// The interface, and those that it is made of, or that are made of it.
void AddRelated(const std::string& interface, std::string_view relation,
                std::set<std::string>* related) {
  related->insert(interface);
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/sys/class/net/" + interface, error)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(relation) && !related->contains(name.substr(relation.size())))
      AddRelated(name.substr(relation.size()), relation, related);
  }
}

// Why nothing may be done to the interface; empty: it may.
std::string WhyNotTouched(const std::string& interface, const std::string& control) {
  if (control == kNoControl) return {};
  if (control.empty())
    return fmt::format(
        "nothing is done to {}: which interface carries the control connection is not known; the "
        "site's file may say it: \"control\": \"eth0\", or \"none\"",
        interface);
  std::set<std::string> related;
  for (const std::string_view relation : {"lower_", "upper_"})
    AddRelated(control, relation, &related);
  if (!related.contains(interface)) return {};
  return fmt::format("nothing is done to {}: it carries the control connection{}", interface,
                     interface == control ? "" : fmt::format(", which is on {}", control));
}

std::string WhyNoTools(const cm::AllowList& allow) {
  if (geteuid() != 0) return "faults on a node need root";
  Tools tools;
  for (const auto& [name, program] : {std::pair{"device", "rdma"}, {"loss", "nft"}, {"link", "ip"}})
    for (const cm::Allowed& one : allow)
      if (one.name == name && one.program.empty() && tools.Run({program, "-V"}).status != 0)
        return fmt::format("'{}' needs `{}`, which is not there", name, program);
  for (const cm::Allowed& one : allow)
    if (!one.program.empty() && access(one.program.c_str(), X_OK) != 0)
      return fmt::format("'{}': {} is no program of this host", one.name, one.program);
  return {};
}

}  // namespace

std::string DropRules(const cm::Fault& fault, const std::string& table,
                      const std::string& interface, const cm::DeviceInfo& peer) {
  constexpr std::string_view kMark = "0x4c4d0000";
  std::vector<std::string> kinds;
  for (const cm::MadKindRow& row : cm::kMadKinds)
    if (row.attribute_id != 0 && fault.messages.Has(row.kind))
      kinds.push_back(fmt::format("{:#x}", row.attribute_id));
  std::string which;
  if (fault.CountsMessages())
    which = fmt::format("numgen inc mod {} {}-{} ", kMany, fault.first - 1,
                        (fault.last == 0 ? kMany : fault.last) - 1);
  // UD SEND to the general services QP, base version 1 and class CM, behind the UDP header.
  // source: ibta 1.7 9.2, 13.4.3
  return fmt::format(
      "add table inet {0}; "
      "add chain inet {0} marks {{ type filter hook input priority {1}; }}; "
      "add chain inet {0} drops {{ type filter hook input priority {2}; }}; "
      "add rule inet {0} marks iifname != \"{3}\" accept; "
      "add rule inet {0} marks ip saddr != {4} accept; "
      "add rule inet {0} marks ip6 saddr != {5} accept; "
      "add rule inet {0} marks udp dport 4791 @th,64,8 0x64 @th,104,24 1 @th,224,16 0x107 "
      "@th,352,16 {{ {6} }} {7}meta mark set {8}; "
      "add rule inet {0} drops meta mark {8} drop",
      table, kMarks, kDrops, interface, peer.v4, peer.v6, fmt::join(kinds, ", "), which, kMark);
}

std::variant<std::unique_ptr<cm::Place>, std::string> OpenNode(const NodeSettings& settings,
                                                               std::unique_ptr<cm::Place> bare) {
  const bool faults = Given(settings.allow) != cm::Capabilities{Capability::kTime};
  std::optional<Guardian> guardian;
  Interface interface { .name = {}, .devices = settings.devices };
  std::string device;
  if (faults) {
    interface.name = InterfaceWith(settings.address);
    if (interface.name.empty())
      return fmt::format("no interface of this host has the address {}", settings.address);
    std::string why = WhyNotTouched(interface.name, settings.control);
    if (why.empty()) why = WhyNoTools(settings.allow);
    if (!why.empty()) return why;
    auto started = Guardian::Start(
        {.interface = interface, .folder = fs::absolute(settings.folder), .input = settings.input});
    if (auto* problem = std::get_if<std::string>(&started)) return std::move(*problem);
    guardian.emplace(std::move(std::get<Guardian>(started)));
    Tools tools;
    const auto facts = ReadFacts(interface, tools);  // as they are when a predecessor's are undone
    if (const auto* problem = std::get_if<std::string>(&facts)) return *problem;
    for (const std::string& fact : std::get<Facts>(facts))
      if (fact.starts_with("device ")) device = fact.substr(7);
  }
  std::optional<Removal> removal;
  const cm::Allowed* const entry = EntryFor(settings.allow, Capability::kRemoveDevice);
  if (entry != nullptr && entry->program.empty() && !IsSoft(device)) {
    Tools tools;
    if (!device.empty()) removal = RemovalOf(device, interface, tools);
    if (!removal)
      return fmt::format(
          "'device' without a program needs a device on {} that rdma, its driver or devlink can "
          "take away; there is {}",
          interface.name, device.empty() ? "none" : device);
  }
  return std::make_unique<NodePlace>(settings, interface.name, device, std::move(removal),
                                     std::move(bare), std::move(guardian));
}

}  // namespace node
