// Devices, contexts, ports, and the tables of ports.
#include <endian.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <sys/types.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "sim/fake_libibverbs/descriptors.h"
#include "sim/fake_libibverbs/device_table.h"
#include "sim/fake_libibverbs/extended.h"
#include "sim/fake_libibverbs/libc.h"
#include "sim/fake_libibverbs/objects.h"
#include "sim/fake_libibverbs/requests.h"

// The header defines macros of these names.
#undef ibv_get_device_list
#undef ibv_query_port

using namespace cm::sim::fake_libibverbs;  // what follows is C
using cm::sim::uapi::Answer;
using cm::sim::uapi::Op;
using cm::sim::uapi::PortRecord;

namespace {

constexpr uint16_t kDefaultPkey = 0xffff;
constexpr uint8_t kFirstPort = 1;

Device* DeviceOf(ibv_context* context) { return ContextOf(context)->device; }

bool IsPort(ibv_context* context, uint32_t port) {
  return port >= kFirstPort && port <= DeviceOf(context)->record.ports;
}

// Returns 0 or an errno.
int AskPort(ibv_context* context, uint32_t number, PortRecord* port) {
  const int64_t place = PlaceOf(context);
  if (place < 0) return Failed(place);
  const Answer answer = Ask({.op = Op::kPort, .on = static_cast<uint32_t>(place), .more = number});
  if (answer.value < 0) return Failed(answer.value);
  const auto record = RecordIn<PortRecord>(answer.bytes);
  if (!record) return EIO;
  *port = *record;
  return 0;
}

// Returns 0 or an errno.
int AskGid(ibv_context* context, uint32_t port, int index, ibv_gid* gid) {
  const int64_t place = PlaceOf(context);
  if (place < 0) return Failed(place);
  if (index < 0) return EINVAL;
  const uint64_t which = uint64_t{port} << 32 | static_cast<uint32_t>(index);
  const Answer answer = Ask({.op = Op::kGid, .on = static_cast<uint32_t>(place), .more = which});
  if (answer.value < 0) return Failed(answer.value);
  const auto found = RecordIn<ibv_gid>(answer.bytes);
  if (!found) return EIO;
  *gid = *found;
  return 0;
}

// source: linux 6.1 rxe_verbs.c rxe_query_port, siw_verbs.c siw_query_port
void Describe(const PortRecord& port, bool iwarp, ibv_port_attr* attributes) {
  constexpr uint8_t kLinkUp = 5;
  constexpr uint8_t kDisabled = 3;
  attributes->state = port.active != 0 ? IBV_PORT_ACTIVE : IBV_PORT_DOWN;
  attributes->max_mtu = iwarp ? IBV_MTU_1024 : IBV_MTU_4096;
  attributes->active_mtu = port.infiniband != 0 ? IBV_MTU_4096 : IBV_MTU_1024;
  attributes->gid_tbl_len = static_cast<int>(port.gids);
  attributes->max_msg_sz = iwarp ? UINT32_MAX : 1U << 23;
  attributes->pkey_tbl_len = 1;
  attributes->lid = port.lid;
  attributes->sm_lid = port.infiniband != 0 ? 1 : 0;
  attributes->max_vl_num = iwarp ? 0 : 1;
  attributes->active_width = 1;
  // That of a virtual Ethernet. source: linux 6.1 verbs.c ib_get_eth_speed
  constexpr uint8_t kTenGigabit = 8;
  attributes->active_speed = port.infiniband != 0 ? uint8_t{1} : kTenGigabit;
  // source: linux 6.1 rxe_param.h RXE_PORT_PORT_CAP_FLAGS
  constexpr uint32_t kHasCm = 1U << 16;
  attributes->port_cap_flags = iwarp ? 0 : kHasCm;
  attributes->phys_state = port.active != 0 ? kLinkUp : kDisabled;
  attributes->link_layer =
      port.infiniband != 0 ? IBV_LINK_LAYER_INFINIBAND : IBV_LINK_LAYER_ETHERNET;
}

}  // namespace

extern "C" {

ibv_device** ibv_get_device_list(int* count) {
  if (count != nullptr) *count = 0;
  int64_t error = 0;
  const std::vector<Device*> devices = ListDevices(&error);
  if (error < 0) return Refuse(ErrnoOf(error));
  auto** list = new ibv_device* [devices.size() + 1] {};
  std::transform(devices.begin(), devices.end(), list,
                 [](Device* device) { return &device->shown; });
  if (count != nullptr) *count = static_cast<int>(devices.size());
  return list;
}

void ibv_free_device_list(ibv_device** list) { delete[] list; }

const char* ibv_get_device_name(ibv_device* device) { return device->name; }

__be64 ibv_get_device_guid(ibv_device* device) { return Whole<Device>(device)->record.guid; }

int ibv_get_device_index(ibv_device* device) {
  return static_cast<int>(Whole<Device>(device)->record.index);
}

ibv_context* ibv_open_device(ibv_device* device) {
  const int64_t place = PlaceOf(Whole<Device>(device));
  if (place < 0) return Refuse(ErrnoOf(place));
  const Answer opened = Ask({.op = Op::kOpenEvents, .on = static_cast<uint32_t>(place)});
  if (opened.value < 0) return Refuse(ErrnoOf(opened.value));
  const auto events = static_cast<uint32_t>(opened.value);
  const int fd = MakeDescriptor(DescriptorKind::kDevice, {}, O_CLOEXEC,
                                {.op = Op::kPollEventsOfDevice, .on = events});
  if (fd < 0) {
    AskAbout(Op::kCloseEvents, {.number = events});
    return Refuse(-fd);
  }
  auto* context = new Context{};
  context->events.number = events;
  context->device = Whole<Device>(device);
  context->shown.sz = sizeof context->shown;
  ibv_context& shown = context->shown.context;
  shown.device = device;
  FillOperations(&context->shown);
  shown.cmd_fd = -1;
  shown.async_fd = fd;
  shown.num_comp_vectors = 1;
  pthread_mutex_init(&shown.mutex, nullptr);
  shown.abi_compat = __VERBS_ABI_IS_EXTENDED;
  return &shown;
}

int ibv_close_device(ibv_context* context) {
  CloseDescriptor(context->async_fd);
  AskAbout(Op::kCloseEvents, ContextOf(context)->events);
  delete ContextOf(context);
  return 0;
}

// The caller has cleared all of it; its type is opaque only to tell old programs apart.
int ibv_query_port(ibv_context* context, uint8_t number, _compat_ibv_port_attr* attributes) {
  if (!IsPort(context, number)) return EINVAL;
  PortRecord port;
  if (const int error = AskPort(context, number, &port); error != 0) return error;
  Describe(port, DeviceOf(context)->record.iwarp != 0,
           reinterpret_cast<ibv_port_attr*>(attributes));
  return 0;
}

int ibv_query_gid(ibv_context* context, uint8_t port, int index, ibv_gid* gid) {
  const int error = IsPort(context, port) ? AskGid(context, port, index, gid) : EINVAL;
  if (error == 0) return 0;
  errno = error;
  return -1;
}

int _ibv_query_gid_ex(ibv_context* context, uint32_t port_number, uint32_t index,
                      ibv_gid_entry* entry, uint32_t flags, size_t size) {
  if (flags != 0 || size < sizeof *entry || !IsPort(context, port_number)) return EINVAL;
  ibv_gid gid{};
  if (const int error = AskGid(context, port_number, static_cast<int>(index), &gid); error != 0)
    return error;
  PortRecord port;
  if (const int error = AskPort(context, port_number, &port); error != 0) return error;
  *entry = {};
  entry->gid = gid;
  entry->gid_index = index;
  entry->port_num = port_number;
  const bool plain = port.infiniband != 0 || DeviceOf(context)->record.iwarp != 0;
  entry->gid_type = plain ? IBV_GID_TYPE_IB : IBV_GID_TYPE_ROCE_V2;
  return 0;
}

ssize_t _ibv_query_gid_table(ibv_context* context, ibv_gid_entry* entries, size_t room,
                             uint32_t flags, size_t size) {
  if (flags != 0 || size < sizeof *entries) return -EINVAL;
  size_t count = 0;
  for (uint32_t number = kFirstPort; IsPort(context, number); ++number) {
    PortRecord port;
    if (const int error = AskPort(context, number, &port); error != 0) return -error;
    for (uint32_t index = 0; index < port.gids; ++index) {
      ibv_gid_entry entry{};
      if (_ibv_query_gid_ex(context, number, index, &entry, 0, size) != 0) continue;
      if (count == room) return -EINVAL;
      entries[count++] = entry;
    }
  }
  return static_cast<ssize_t>(count);
}

// An enumeration private to libibverbs: 0 is InfiniBand or RoCE v1, 1 is RoCE v2.
int ibv_query_gid_type(ibv_context* context, uint8_t port, unsigned int index, int* type) {
  ibv_gid_entry entry{};
  const int error = _ibv_query_gid_ex(context, port, index, &entry, 0, sizeof entry);
  *type = entry.gid_type == IBV_GID_TYPE_ROCE_V2 ? 1 : 0;
  if (error == 0) return 0;
  errno = error;
  return -1;
}

int ibv_query_pkey(ibv_context* context, uint8_t port, int index, __be16* pkey) {
  if (!IsPort(context, port) || index != 0) {
    errno = EINVAL;
    return -1;
  }
  *pkey = htobe16(kDefaultPkey);
  return 0;
}

int ibv_get_pkey_index(ibv_context* context, uint8_t port, __be16 pkey) {
  if (IsPort(context, port) && pkey == htobe16(kDefaultPkey)) return 0;
  errno = EINVAL;
  return -1;
}

const char* ibv_get_sysfs_path() { return "/sys"; }

int ibv_read_sysfs_file(const char* /*directory*/, const char* file, char* text, size_t size) {
  constexpr const char* kAbiVersion = "class/misc/rdma_cm/abi_version";
  if (std::strcmp(file, kAbiVersion) != 0 || size < 2) return -1;
  std::memcpy(text, "4", 2);  // source: linux 6.1 rdma_user_cm.h RDMA_USER_CM_ABI_VERSION
  return 1;
}

int ibv_read_ibdev_sysfs_file(char* /*text*/, size_t /*size*/, void* /*device*/,
                              const char* /*format*/, ...) {
  errno = ENOENT;
  return -1;
}
}
