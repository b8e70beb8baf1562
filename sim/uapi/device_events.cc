#include "sim/uapi/device_events.h"

#include <algorithm>
#include <span>
#include <vector>

#include "sim/fabric/names.h"
#include "sim/uapi/bytes.h"
#include "sim/uapi/verbs_end_parts.h"

namespace cm::sim::uapi {

Outcome DeviceEvents::Carry(uint32_t process, uint8_t kernel, const Request& request) {
  if (request.op == Op::kOpenEvents) return Open(process, kernel, request.on);
  const auto found = opened_.find(request.on);
  if (found == opened_.end() || found->second.process != process) return Refused(Errno::kInval);
  if (request.op == Op::kCloseEvents) {
    opened_.erase(found);
    return Value(0);
  }
  Opened& opened = found->second;
  Note(&opened);
  // A device that is gone has no further event; reading reports that.
  // source: linux 6.1 uverbs_main.c ib_uverbs_event_read, ib_uverbs_event_poll
  if (request.op == Op::kPollEventsOfDevice)
    return Value(opened.unread.empty() && !opened.gone ? 0 : 1);
  if (!opened.unread.empty()) return Take(&opened);
  if (opened.gone) return Refused(Errno::kIo);
  if (request.more != 0) return Refused(Errno::kAgain);
  return {.answer = {.waits = true}, .what = Awaited::kDeviceEvent, .on = request.on};
}

Outcome DeviceEvents::Take(Opened* opened) {
  const Event first = opened->unread.front();
  opened->unread.pop_front();
  Outcome outcome = Value(static_cast<int64_t>(first.type));
  if (first.object != 0) ++taken_[first.object];
  const std::span<const uint8_t> name = BytesOf(first.name);
  outcome.answer.bytes.assign(name.begin(), name.end());
  return outcome;
}

Outcome DeviceEvents::Open(uint32_t process, uint8_t kernel, uint32_t index) {
  const std::vector<uint8_t> devices = DevicesOf(world_->topology(), kernel);
  if (index >= devices.size()) return Refused(Errno::kNoDev);
  const uint8_t device = devices[index];
  Opened& opened = opened_[++last_number_] = {.process = process, .device = device};
  for (uint8_t nth = 0; nth < world_->topology().PortsOf(device); ++nth)
    opened.ports.push_back(Look(device + nth));
  return Value(last_number_);
}

DeviceEvents::Port DeviceEvents::Look(uint8_t port) const {
  const DeviceState& now = world_->Context().fabric->device(port);
  return {.up = now.up, .fail_overs = now.fail_overs};
}

// source: linux 6.1 uverbs_main.c ib_uverbs_free_hw_resources, rxe_net.c rxe_notify, cache.c
// dispatch_gid_change_event
void DeviceEvents::Note(Opened* opened) const {
  if (opened->gone) return;
  const uint8_t kernel = world_->topology().devices[opened->device].kernel;
  for (uint8_t nth = 0; nth < opened->ports.size(); ++nth) {
    Port& port = opened->ports[nth];
    const Port now = Look(opened->device + nth);
    const auto tell = [&](Type type) {
      opened->unread.push_back({.type = type, .name = nth + 1U});
    };
    if (now.up != port.up) tell(now.up ? Type::kPortActive : Type::kPortErr);
    if (now.fail_overs != port.fail_overs) tell(Type::kGidChange);
    port = now;
  }
  const Fabric& fabric = *world_->Kernel().fabric;
  opened->gone = std::ranges::none_of(fabric.ByRegistration(), [&](uint8_t device) {
    return fabric.KernelOf(device) == kernel && fabric.CaOf(device) == opened->device;
  });
  if (opened->gone) opened->unread.push_back({Type::kDeviceFatal});
}

void DeviceEvents::Tell(uint32_t process, const ToldRecord& told, uint32_t object,
                        ObjectEvent what) {
  const auto found = opened_.find(told.events);
  if (found == opened_.end() || found->second.process != process) return;
  Opened& opened = found->second;
  Note(&opened);
  if (!opened.gone) opened.unread.push_back({static_cast<Type>(what), object, told.name});
}

uint32_t DeviceEvents::Release(uint32_t object) {
  for (auto& [number, opened] : opened_)
    std::erase_if(opened.unread, [object](const Event& event) { return event.object == object; });
  const auto found = taken_.find(object);
  if (found == taken_.end()) return 0;
  const uint32_t taken = found->second;
  taken_.erase(found);
  return taken;
}

void DeviceEvents::Forget(uint32_t process) {
  std::erase_if(opened_,
                [process](const auto& opened) { return opened.second.process == process; });
}

}  // namespace cm::sim::uapi
