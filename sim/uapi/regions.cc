// Memory regions of processes.
#include "sim/uapi/bytes.h"
#include "sim/uapi/refusals.h"
#include "sim/uapi/verbs_end.h"

namespace cm::sim::uapi {
namespace {

// source: <infiniband/verbs.h> enum ibv_access_flags
constexpr uint32_t kLocalWrite = 1;
constexpr uint32_t kRemoteWrite = 2;
constexpr uint32_t kRemoteRead = 4;
constexpr uint32_t kRemoteAtomic = 8;
constexpr uint32_t kBinds = 16;

Outcome Value(int64_t value) { return {.answer = {.value = value}}; }

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

}  // namespace

Outcome VerbsEnd::Register(uint32_t process, uint8_t kernel, const Request& request) {
  const auto record = As<RegionRecord>(request.bytes);
  const std::vector<uint8_t> devices = DevicesOf(world_->topology(), kernel);
  if (record.device >= devices.size()) return Refused(Errno::kNoDev);
  if (const Errno error = WhyNoRegion(record); error != Errno::kNone) return Refused(error);
  const Region region = RegionOf(process, devices[record.device], record);
  // 0 is no valid key: programs use it for none.
  return Value(int64_t{verbs().regions().Register(region)} + 1);
}

std::optional<uint32_t> VerbsEnd::FindRegion(uint32_t process, uint32_t key) const {
  const uint32_t number = key - 1;
  if (number >= verbs().regions().all().size()) return std::nullopt;
  const Region& region = verbs().regions()[number];
  if (!region.live || !region.external || region.process != process) return std::nullopt;
  return number;
}

// source: linux 6.1 rxe_mr.c rxe_dereg_mr
Outcome VerbsEnd::Deregister(uint32_t process, uint32_t key) {
  const std::optional<uint32_t> number = FindRegion(process, key);
  if (!number || verbs().regions()[*number].windows != 0) return Refused(Errno::kInval);
  verbs().regions().Deregister(*number);
  return Value(0);
}

// A region that moves gets another key, as from a device that cannot change translations in place;
// posted requests and peers that use the old one then fail. source: linux 6.1 uverbs_cmd.c
// ib_uverbs_rereg_mr, mlx5 mr.c mlx5_ib_rereg_user_mr
Outcome VerbsEnd::Reregister(uint32_t process, const Request& request) {
  constexpr uint64_t kTranslation = 1;
  const std::optional<uint32_t> number = FindRegion(process, request.on);
  const auto record = As<RegionRecord>(request.bytes);
  if (!number || request.more == 0 || verbs().regions()[*number].windows != 0)
    return Refused(Errno::kInval);
  if (const Errno error = WhyNoRegion(record); error != Errno::kNone) return Refused(error);
  Region region = RegionOf(process, verbs().regions()[*number].device, record);
  if ((request.more & kTranslation) != 0) {
    verbs().regions().Deregister(*number);
    return Value(int64_t{verbs().regions().Register(region)} + 1);
  }
  region.live = true;
  verbs().regions().Change(*number, region);
  return Value(request.on);
}

}  // namespace cm::sim::uapi
