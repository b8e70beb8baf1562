// Memory windows of processes.
#include <algorithm>
#include <span>
#include <vector>

#include "sim/uapi/bytes.h"
#include "sim/uapi/refusals.h"
#include "sim/uapi/verbs_end.h"

namespace cm::sim::uapi {

Outcome VerbsEnd::CarryWindow(uint32_t process, uint8_t kernel, const Request& request) {
  if (request.op == Op::kAllocMw)
    return AllocateWindow(process, kernel, As<WindowRecord>(request.bytes));
  const std::vector<Window>& all = verbs().regions().windows().all();
  const uint32_t number = request.on - 1;
  if (number >= all.size() || !all[number].live || all[number].process != process)
    return Refused(Errno::kInval);
  verbs().regions().windows().Deallocate(number, &verbs().regions());
  return {};
}

Outcome VerbsEnd::AllocateWindow(uint32_t process, uint8_t kernel, const WindowRecord& asked) {
  constexpr uint32_t kTypeTwo = 2;
  const std::vector<uint8_t> devices = DevicesOf(world_->topology(), kernel);
  if (asked.device >= devices.size()) return Refused(Errno::kNoDev);
  if (const Errno error = WhyNoWindow(asked, world_->profile()); error != Errno::kNone)
    return Refused(error);
  Windows& windows = verbs().regions().windows();
  const uint32_t number = windows.Allocate({.belongs_to_qp = asked.type == kTypeTwo,
                                            .device = devices[asked.device],
                                            .process = process,
                                            .domain = DomainOf(process, asked.domain)});
  Outcome made{.answer = {.value = int64_t{number} + 1}};
  const std::span<const uint8_t> bytes = BytesOf(windows.all()[number].key);
  made.answer.bytes.assign(bytes.begin(), bytes.end());
  return made;
}

void VerbsEnd::ForgetWindows(uint32_t process) {
  Windows& windows = verbs().regions().windows();
  for (uint32_t number = 0; number < windows.all().size(); ++number) {
    const Window& window = windows.all()[number];
    if (window.live && window.process == process) windows.Deallocate(number, &verbs().regions());
  }
}

// A region of another process is none.
WindowUse VerbsEnd::BindingIn(uint32_t process, const Request& request) const {
  const std::span<const uint8_t> bytes(request.bytes);
  const auto record = As<BindRecord>(bytes.subspan(std::min(sizeof(WorkRecord), bytes.size())));
  WindowUse use{.binding = {.window = record.window,
                            .key = record.key,
                            .access = record.access,
                            .address = record.address,
                            .length = record.length}};
  const uint32_t number = record.region - 1;
  if (number >= verbs().regions().all().size()) return use;
  const Region& region = verbs().regions()[number];
  if (region.external && region.process == process) use.binding.region = number;
  return use;
}

}  // namespace cm::sim::uapi
