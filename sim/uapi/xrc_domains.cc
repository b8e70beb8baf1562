#include "sim/uapi/xrc_domains.h"

#include <fcntl.h>

#include <algorithm>

namespace cm::sim::uapi {

Errno XrcDomains::Open(uint32_t process, uint8_t device, const XrcdRecord& record,
                       uint32_t number) {
  Opened opened{.process = process, .device = device};
  if (record.has_file != 0) {
    const File file{device, record.file_system, record.file};
    const bool known = by_file_.contains(file);
    const auto has = [&record](int flag) {
      return (record.flags & static_cast<uint32_t>(flag)) != 0;
    };
    if (!known && !has(O_CREAT)) return Errno::kAgain;
    if (known && has(O_EXCL)) return Errno::kInval;
    uint32_t& of_file = by_file_[file];
    if (of_file == 0) of_file = ++last_domain_;
    opened.domain = of_file;
  } else {
    opened.domain = ++last_domain_;
  }
  opened_[number] = opened;
  return Errno::kNone;
}

XrcDomains::Opened* XrcDomains::Find(uint32_t process, uint32_t number) {
  const auto found = opened_.find(number);
  return found != opened_.end() && found->second.process == process ? &found->second : nullptr;
}

Errno XrcDomains::Close(uint32_t process, uint32_t number) {
  const Opened* const opened = Find(process, number);
  if (opened == nullptr) return Errno::kInval;
  if (opened->used != 0) return Errno::kBusy;
  const uint32_t domain = opened->domain;
  opened_.erase(number);
  const auto is_of_domain = [domain](const auto& one) { return one.second.domain == domain; };
  if (std::ranges::none_of(opened_, is_of_domain))
    std::erase_if(by_file_, [domain](const auto& one) { return one.second == domain; });
  return Errno::kNone;
}

void XrcDomains::Forget(uint32_t process) {
  for (auto next = opened_.begin(); next != opened_.end();) {
    const auto [number, opened] = *next++;
    if (opened.process == process) Close(process, number);
  }
}

}  // namespace cm::sim::uapi
