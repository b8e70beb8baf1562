#include "sim/uapi/regions.h"

#include <optional>

#include "sim/uapi/bytes.h"
#include "sim/uapi/refusals.h"
#include "sim/uapi/verbs_end_parts.h"

namespace cm::sim::uapi {
namespace {

Region RegionOf(uint32_t process, uint8_t device, const RegionRecord& record) {
  Region region{.external = true};
  region.local_write = (record.access & kLocalWrite) != 0;
  region.remote_read = (record.access & kRemoteRead) != 0;
  region.remote_write = (record.access & kRemoteWrite) != 0;
  region.remote_atomic = (record.access & kRemoteAtomic) != 0;
  region.binds = (record.access & kBinds) != 0;
  region.device = device;
  region.process = process;
  region.address = record.address;
  region.length = record.length;
  region.domain = DomainOf(process, record.domain);
  return region;
}

// The number of a live region of the process.
std::optional<uint32_t> FindRegion(const Regions& regions, uint32_t process, uint32_t key) {
  const uint32_t number = key - 1;
  if (number >= regions.all().size()) return std::nullopt;
  const Region& region = regions[number];
  if (!region.live || !region.external || region.process != process) return std::nullopt;
  return number;
}

}  // namespace

// 0 is no valid key: programs use it for none.
Outcome Register(Regions* regions, uint32_t process, uint8_t device, const RegionRecord& asked) {
  if (const Errno error = WhyNoRegion(asked); error != Errno::kNone) return Refused(error);
  return Value(int64_t{regions->Register(RegionOf(process, device, asked))} + 1);
}

// source: linux 6.1 rxe_mr.c rxe_dereg_mr
Outcome Deregister(Regions* regions, uint32_t process, uint32_t key) {
  const std::optional<uint32_t> number = FindRegion(*regions, process, key);
  if (!number || (*regions)[*number].windows != 0) return Refused(Errno::kInval);
  regions->Deregister(*number);
  return Value(0);
}

Outcome Reregister(Regions* regions, uint32_t process, const Request& request) {
  constexpr uint64_t kTranslation = 1;
  const std::optional<uint32_t> number = FindRegion(*regions, process, request.on);
  const auto asked = As<RegionRecord>(request.bytes);
  if (!number || request.more == 0 || (*regions)[*number].windows != 0)
    return Refused(Errno::kInval);
  if (const Errno error = WhyNoRegion(asked); error != Errno::kNone) return Refused(error);
  Region region = RegionOf(process, (*regions)[*number].device, asked);
  if ((request.more & kTranslation) != 0) {
    regions->Deregister(*number);
    return Value(int64_t{regions->Register(region)} + 1);
  }
  region.live = true;
  regions->Change(*number, region);
  return Value(request.on);
}

void DeregisterAll(Regions* regions, uint32_t process) {
  for (uint32_t number = 0; number < regions->all().size(); ++number) {
    const Region& region = (*regions)[number];
    if (region.live && region.external && region.process == process) regions->Deregister(number);
  }
}

}  // namespace cm::sim::uapi
