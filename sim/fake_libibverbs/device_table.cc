#include "sim/fake_libibverbs/device_table.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <iterator>
#include <mutex>
#include <vector>

namespace cm::sim::fake_libibverbs {
namespace {

// Addresses grow with the index in the kernel's list, because librdmacm sorts devices by address,
// and the order must not depend on earlier worlds.
constexpr size_t kIndices = 32;
constexpr size_t kVariants = 32;  // devices with the same index in different worlds and processes

struct Row {
  std::array<Device, kVariants> devices;
  size_t used = 0;
};

std::mutex lock;
std::array<Row, kIndices> rows;  // most of it is never touched

bool IsSame(const Device& device, const uapi::DeviceRecord& record, uint32_t process) {
  return device.process == process && device.record.guid == record.guid &&
         device.record.index == record.index && device.record.iwarp == record.iwarp &&
         device.record.name == record.name;
}

void Show(const uapi::DeviceRecord& record, uint32_t place, ibv_device* shown) {
  const char* name = record.name.data();
  shown->node_type = record.iwarp != 0 ? IBV_NODE_RNIC : IBV_NODE_CA;
  shown->transport_type = record.iwarp != 0 ? IBV_TRANSPORT_IWARP : IBV_TRANSPORT_IB;
  std::snprintf(shown->name, sizeof shown->name, "%s", name);
  std::snprintf(shown->dev_name, sizeof shown->dev_name, "uverbs%u", place);
  std::snprintf(shown->dev_path, sizeof shown->dev_path, "/sys/class/infiniband_verbs/uverbs%u",
                place);
  std::snprintf(shown->ibdev_path, sizeof shown->ibdev_path, "/sys/class/infiniband/%s", name);
}

// Null when there are too many.
Device* Keep(uapi::DeviceRecord record, uint32_t process, uint32_t place) {
  record.name.back() = '\0';
  Row& row = rows[std::min<size_t>(record.index, kIndices - 1)];
  const auto end = row.devices.begin() + row.used;
  auto found = std::find_if(row.devices.begin(), end,
                            [&](const Device& device) { return IsSame(device, record, process); });
  if (found == row.devices.end()) return nullptr;
  if (found == end) {
    ++row.used;
    Show(record, place, &found->shown);
    found->process = process;
  }
  found->record = record;
  found->place = place;
  found->world = World();
  return &*found;
}

std::vector<Device*> AllDevices(int64_t* error) {
  const uapi::Answer answer = Ask({.op = uapi::Op::kDevices});
  *error = std::min<int64_t>(answer.value, 0);
  std::vector<Device*> devices;
  const uint32_t process = Process();
  const std::lock_guard held(lock);
  for (size_t at = 0; const auto record = RecordIn<uapi::DeviceRecord>(answer.bytes, at);
       at += sizeof *record) {
    const auto place = static_cast<uint32_t>(at / sizeof *record);
    if (Device* device = Keep(*record, process, place)) devices.push_back(device);
  }
  return devices;
}

}  // namespace

std::vector<Device*> ListDevices(int64_t* error) {
  const std::vector<Device*> all = AllDevices(error);
  std::vector<Device*> present;
  std::copy_if(all.begin(), all.end(), std::back_inserter(present),
               [](const Device* device) { return device->record.registered != 0; });
  return present;
}

int64_t PlaceOf(Device* device) {
  if (device->world != World()) {
    int64_t error = 0;
    AllDevices(&error);
    if (error < 0) return error;
  }
  return device->world == World() ? int64_t{device->place} : -ENODEV;
}

int64_t PlaceOf(ibv_context* context) { return PlaceOf(ContextOf(context)->device); }

}  // namespace cm::sim::fake_libibverbs
