#include "model/conversation/fault_check.h"

#include <fmt/format.h>

namespace cm {
namespace {

const DeviceInfo& DeviceOf(uint8_t side, const Topology& topology) {
  return topology.devices[topology.sides[side].device];
}

}  // namespace

FaultCheck::FaultCheck(const Topology& topology, const Profile* profile)
    : topology_(topology),
      profile_(profile),
      registered_(topology.devices.size(), true),
      halted_(topology.hosts.size(), false) {}

std::string FaultCheck::Take(const Fault& fault) {
  const FaultRow& row = RowOf(fault.kind);
  const std::string problem = Lacks(fault.side, row.wants);
  if (!problem.empty()) return fmt::format("fault {}: {}", row.name, problem);
  Leave(fault.side, row.leaves);
  return {};
}

std::string FaultCheck::Lacks(uint8_t side, FaultPremise premise) const {
  switch (premise) {
    case FaultPremise::kNone:
      return {};
    case FaultPremise::kBonded: {
      const DeviceInfo& device = DeviceOf(side, topology_);
      if (device.bonded) return {};
      return fmt::format("{} is not on a bond, and nothing can take over", device.netdev);
    }
    case FaultPremise::kSubnetAdministrator:
      if (profile_ == nullptr || profile_->transport == Transport::kInfiniband) return {};
      return fmt::format(
          "over the link of profile {} there is no administrator of a subnet that could be "
          "silenced, as there is with 6.1-ib",
          profile_->name);
    case FaultPremise::kDevicePresent:
      return LacksDevice(side, true);
    case FaultPremise::kDeviceRemoved:
      return LacksDevice(side, false);
    case FaultPremise::kHostRunning:
      return LacksHost(side, true);
    case FaultPremise::kHostStopped:
      return LacksHost(side, false);
  }
  return {};
}

std::string FaultCheck::LacksDevice(uint8_t side, bool present) const {
  const uint8_t index = topology_.FirstPortOf(topology_.sides[side].device);
  const DeviceInfo& device = topology_.devices[index];
  if (halted_[device.kernel]) return fmt::format("the host of {} is not running", device.name);
  if (registered_[index] == present) return {};
  return fmt::format("{} is {}", device.name, present ? "gone already" : "there");
}

std::string FaultCheck::LacksHost(uint8_t side, bool running) const {
  const uint8_t kernel = topology_.KernelOf(side);
  if (halted_[kernel] != running) return {};
  return fmt::format("the host {} is {}", topology_.hosts[kernel],
                     running ? "not running" : "running");
}

void FaultCheck::Leave(uint8_t side, FaultPremise premise) {
  switch (premise) {
    case FaultPremise::kNone:
    case FaultPremise::kBonded:
    case FaultPremise::kSubnetAdministrator:
      return;
    case FaultPremise::kDevicePresent:
    case FaultPremise::kDeviceRemoved:
      registered_[topology_.FirstPortOf(topology_.sides[side].device)] =
          premise == FaultPremise::kDevicePresent;
      return;
    case FaultPremise::kHostRunning:
    case FaultPremise::kHostStopped:
      return SetHost(topology_.KernelOf(side), premise == FaultPremise::kHostRunning);
  }
}

// A host that starts has all of its devices.
void FaultCheck::SetHost(uint8_t kernel, bool running) {
  halted_[kernel] = !running;
  for (size_t i = 0; i < topology_.devices.size(); ++i)
    if (running && topology_.devices[i].kernel == kernel) registered_[i] = true;
}

bool IsPossible(const Fault& fault, Capabilities capabilities, const Topology& topology) {
  if (!capabilities.Includes(Needs(fault))) return false;
  return RowOf(fault.kind).wants != FaultPremise::kBonded || DeviceOf(fault.side, topology).bonded;
}

std::string WhyFaultsDoNothing(const Conversation& conversation) {
  if (conversation.origin) return {};
  FaultCheck check(*conversation.topology, FindProfile(conversation.profile));
  for (const Line& line : conversation.lines)
    if (const auto* injects = std::get_if<line::Injects>(&line))
      if (std::string problem = check.Take(injects->fault); !problem.empty()) return problem;
  return {};
}

}  // namespace cm
