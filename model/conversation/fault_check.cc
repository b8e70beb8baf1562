#include "model/conversation/fault_check.h"

#include <fmt/format.h>

namespace cm {

FaultCheck::FaultCheck(const Topology& topology, const Profile* profile)
    : topology_(topology),
      profile_(profile),
      registered_(topology.devices.size(), true),
      halted_(topology.hosts.size(), false) {}

std::string FaultCheck::Take(const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::kFailOver: {
      const DeviceInfo& device = topology_.devices[topology_.sides[fault.side].device];
      if (device.bonded) return {};
      return fmt::format("fault fail-over: {} is not on a bond, and nothing can take over",
                         device.netdev);
    }
    case FaultKind::kSilenceSm:
      if (profile_ == nullptr || profile_->transport == Transport::kInfiniband) return {};
      return fmt::format(
          "fault silence-sm: over the link of profile {} there is no administrator of a subnet "
          "that could be silenced, as there is with 6.1-ib",
          profile_->name);
    case FaultKind::kRemoveDevice:
    case FaultKind::kAddDevice:
      return TakeDevice(fault);
    case FaultKind::kCrash:
    case FaultKind::kRestart:
      return TakeHost(fault);
    default:
      return {};
  }
}

std::string FaultCheck::TakeDevice(const Fault& fault) {
  const uint8_t index = topology_.FirstPortOf(topology_.sides[fault.side].device);
  const DeviceInfo& device = topology_.devices[index];
  const bool adds = fault.kind == FaultKind::kAddDevice;
  if (halted_[device.kernel])
    return fmt::format("fault {}: the host of {} is not running", ToString(fault.kind),
                       device.name);
  if (registered_[index] == adds)
    return fmt::format("fault {}: {} is {}", ToString(fault.kind), device.name,
                       adds ? "there" : "gone already");
  registered_[index] = adds;
  return {};
}

// A host that starts has all of its devices.
std::string FaultCheck::TakeHost(const Fault& fault) {
  const uint8_t kernel = topology_.KernelOf(fault.side);
  const bool starts = fault.kind == FaultKind::kRestart;
  if (halted_[kernel] != starts)
    return fmt::format("fault {}: the host {} is {}", ToString(fault.kind), topology_.hosts[kernel],
                       starts ? "running" : "not running");
  halted_[kernel] = !starts;
  for (size_t i = 0; i < topology_.devices.size(); ++i)
    if (starts && topology_.devices[i].kernel == kernel) registered_[i] = true;
  return {};
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
