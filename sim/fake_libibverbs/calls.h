// Calls of the fake libibverbs's functions as a program makes them.
#ifndef SIM_FAKE_LIBIBVERBS_CALLS_H_
#define SIM_FAKE_LIBIBVERBS_CALLS_H_

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_user_cm.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "sim/fake_libibverbs/fake_backend.h"

// The header defines macros of these names.
#undef ibv_get_device_list
#undef ibv_reg_mr

namespace cm::sim::fake_libibverbs {

template <typename T>
std::vector<uint8_t> BytesOf(const T& value) {
  std::vector<uint8_t> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

template <typename T>
T RecordAt(const std::vector<uint8_t>& bytes, size_t at) {
  T record{};
  if (bytes.size() >= at + sizeof record) std::memcpy(&record, bytes.data() + at, sizeof record);
  return record;
}

template <typename Body>
struct Command {
  rdma_ucm_cmd_hdr header;
  Body body;
};

template <typename Body>
Command<Body> CommandOf(uint32_t number, Body body, uint16_t room = 0) {
  return {.header = {.cmd = number, .in = sizeof(Body), .out = room}, .body = body};
}

// The functions of the shared object itself. Those of the C library are looked up in it by name, as
// they are for a program that has preloaded it.
class Calls : public ::testing::Test {
 protected:
  void SetUp() override {
    object_ = dlopen("sim/fake_libibverbs/libcmsim_suite.so", RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(object_, nullptr) << dlerror();
    Of<void()>("cmsim_reset")();
    Of<void(Backend*)>("cmsim_attach")(&backend_);
  }
  void TearDown() override {
    backend_.instead = nullptr;
    for (; !held_.empty(); held_.pop_back()) held_.back()();
    Of<void(Backend*)>("cmsim_attach")(nullptr);
  }

  template <typename Function>
  Function* Of(const char* name) const {
    auto* function = reinterpret_cast<Function*>(dlsym(object_, name));
    EXPECT_NE(function, nullptr) << name;
    return function;
  }

  int Open() const {
    return Of<decltype(::open)>("open")("/dev/infiniband/rdma_cm", O_RDWR | O_CLOEXEC);
  }
  int Close(int fd) const { return Of<decltype(::close)>("close")(fd); }
  template <typename Body>
  ssize_t Write(int fd, const Command<Body>& command) const {
    return Of<decltype(::write)>("write")(fd, &command, sizeof command);
  }

  // Objects created below are destroyed at the end, latest first.

  // The first device, opened.
  ibv_context* OpenDevice() {
    ibv_device** list = Of<decltype(::ibv_get_device_list)>("ibv_get_device_list")(nullptr);
    if (list == nullptr || list[0] == nullptr) return nullptr;
    ibv_context* context = Of<decltype(::ibv_open_device)>("ibv_open_device")(list[0]);
    Of<decltype(::ibv_free_device_list)>("ibv_free_device_list")(list);
    if (context == nullptr) return nullptr;
    held_.push_back([=, this] { Of<decltype(::ibv_close_device)>("ibv_close_device")(context); });
    return context;
  }
  ibv_pd* AllocPd(ibv_context* context) {
    ibv_pd* pd = Of<decltype(::ibv_alloc_pd)>("ibv_alloc_pd")(context);
    if (pd == nullptr) return nullptr;
    held_.push_back([=, this] { Of<decltype(::ibv_dealloc_pd)>("ibv_dealloc_pd")(pd); });
    return pd;
  }
  ibv_cq* CreateCq(ibv_context* context) {
    ibv_cq* queue = Of<decltype(::ibv_create_cq)>("ibv_create_cq")(context, 1, nullptr, nullptr, 0);
    if (queue == nullptr) return nullptr;
    held_.push_back([=, this] { Of<decltype(::ibv_destroy_cq)>("ibv_destroy_cq")(queue); });
    return queue;
  }
  // On return `*initial` holds the capacity of the queue pair.
  ibv_qp* CreateQp(ibv_pd* pd, ibv_qp_init_attr* initial) {
    ibv_qp* qp = Of<decltype(::ibv_create_qp)>("ibv_create_qp")(pd, initial);
    if (qp == nullptr) return nullptr;
    held_.push_back([=, this] { Of<decltype(::ibv_destroy_qp)>("ibv_destroy_qp")(qp); });
    return qp;
  }

  FakeBackend backend_;
  void* object_ = nullptr;
  std::vector<std::function<void()>> held_;
};

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_CALLS_H_
