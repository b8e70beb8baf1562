// The distribution's librdmacm on the fake libibverbs, and the requests that its calls become.
#include <dlfcn.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <rdma/rdma_cma.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "sim/fake_libibverbs/fake_backend.h"
#include "sim/uapi/request.h"

namespace cm::sim::fake_libibverbs {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using uapi::Answer;
using uapi::Op;
using uapi::Request;

constexpr const char* kObject = "sim/fake_libibverbs/libcmsim_suite.so";

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kIsSanitized = true;
#elif defined(__has_feature)
constexpr bool kIsSanitized = __has_feature(address_sanitizer);
#else
constexpr bool kIsSanitized = false;
#endif

// Each test loads the library anew, before its first call.
class FakeLibibverbs : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kIsSanitized)
      GTEST_SKIP() << "AddressSanitizer refuses RTLD_DEEPBIND, by which it is loaded";
    object_ = dlopen(kObject, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(object_, nullptr) << dlerror();
    library_ = dlopen("librdmacm.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    ASSERT_NE(library_, nullptr) << dlerror();
    Of<void()>(object_, "cmsim_reset")();
    Of<void(Backend*)>(object_, "cmsim_attach")(&backend_);
  }

  void TearDown() override {
    if (library_ != nullptr) dlclose(library_);
    if (object_ != nullptr) Of<void(Backend*)>(object_, "cmsim_attach")(nullptr);
  }

  template <typename Function>
  static Function* Of(void* object, const char* name) {
    auto* function = reinterpret_cast<Function*>(dlsym(object, name));
    EXPECT_NE(function, nullptr) << name;
    return function;
  }

  rdma_event_channel* CreateChannel() {
    return Of<decltype(rdma_create_event_channel)>(library_, "rdma_create_event_channel")();
  }
  void DestroyChannel(rdma_event_channel* channel) {
    Of<decltype(rdma_destroy_event_channel)>(library_, "rdma_destroy_event_channel")(channel);
  }
  int CreateId(rdma_event_channel* channel, rdma_cm_id** id) {
    return Of<decltype(rdma_create_id)>(library_, "rdma_create_id")(channel, id, nullptr,
                                                                    RDMA_PS_TCP);
  }
  int DestroyId(rdma_cm_id* id) {
    return Of<decltype(rdma_destroy_id)>(library_, "rdma_destroy_id")(id);
  }
  int Bind(rdma_cm_id* id) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    return Of<decltype(rdma_bind_addr)>(library_, "rdma_bind_addr")(
        id, reinterpret_cast<sockaddr*>(&address));
  }

  FakeBackend backend_;
  void* object_ = nullptr;
  void* library_ = nullptr;
};

TEST_F(FakeLibibverbs, LeavesTheRealLibibverbsOut) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    EXPECT_EQ(line.find("libibverbs.so"), std::string::npos) << line;
}

TEST_F(FakeLibibverbs, WithoutADeviceThereIsNoChannel) {
  backend_.devices = 0;
  EXPECT_EQ(CreateChannel(), nullptr);
  EXPECT_EQ(errno, ENODEV);
  EXPECT_THAT(backend_.Taken(), ElementsAre("devices 0"));
}

TEST_F(FakeLibibverbs, WithoutAMachineThereIsNoChannel) {
  Of<void(Backend*)>(object_, "cmsim_attach")(nullptr);
  EXPECT_EQ(CreateChannel(), nullptr);
  EXPECT_EQ(errno, ENODEV);
}

// The order of the library's initialization, where it finds out whether the kernel supports AF_IB,
// and of its first channel.
TEST_F(FakeLibibverbs, IsAskedWhatTheLibraryAsksAKernelFirst) {
  rdma_event_channel* channel = CreateChannel();
  ASSERT_NE(channel, nullptr);
  EXPECT_THAT(backend_.Taken(),
              ElementsAre("devices 0", "open 0", "write 0 CREATE_ID 24/4", "write 0 BIND 136/0",
                          "write 0 QUERY 16/280", "write 0 QUERY 16/280", "write 0 DESTROY_ID 16/4",
                          "close 0", "open 0"));
  DestroyChannel(channel);
  EXPECT_THAT(backend_.Taken(), ElementsAre("close 1"));
}

TEST_F(FakeLibibverbs, CarriesIdsAndAddresses) {
  rdma_event_channel* channel = CreateChannel();
  ASSERT_NE(channel, nullptr);
  backend_.Taken();
  backend_.guid_of_ids = FakeBackend::kGuid;
  rdma_cm_id* id = nullptr;
  ASSERT_EQ(CreateId(channel, &id), 0);
  EXPECT_THAT(backend_.Taken(), ElementsAre("write 1 CREATE_ID 24/4"));
  ASSERT_EQ(Bind(id), 0);
  EXPECT_THAT(backend_.Taken(), ElementsAre("write 1 BIND 136/0", "write 1 QUERY 16/280",
                                            "open events 0", "port 0", "write 1 QUERY 16/280"));
  ASSERT_NE(id->verbs, nullptr);
  EXPECT_STREQ(id->verbs->device->name, "rxe0");
  EXPECT_NE(id->pd, nullptr);
  EXPECT_EQ(DestroyId(id), 0);
  EXPECT_THAT(backend_.Taken(), ElementsAre("write 1 DESTROY_ID 16/4"));
  DestroyChannel(channel);
}

// A thread that waits for an acknowledgement inside the library lets other fibers run.
TEST_F(FakeLibibverbs, DestroyingAnIdYieldsUntilItsEventIsAcknowledged) {
  rdma_event_channel* channel = CreateChannel();
  ASSERT_NE(channel, nullptr);
  uint64_t uid = 0;
  // The layouts are those of <rdma/rdma_user_cm.h>, which conflicts with the library's header.
  constexpr uint32_t kCreateId = 0;
  constexpr uint32_t kDestroyId = 1;
  constexpr uint32_t kGetEvent = 12;
  backend_.instead = [&](const Request& request, Answer* answer) {
    if (request.op != Op::kWrite) return false;
    uint32_t command = 0;
    std::memcpy(&command, request.bytes.data(), sizeof command);
    answer->value = static_cast<int64_t>(request.bytes.size());
    if (command == kCreateId) std::memcpy(&uid, request.bytes.data() + 8, sizeof uid);
    if (command == kDestroyId) answer->bytes = {1, 0, 0, 0};
    if (command == kGetEvent) {
      answer->bytes.resize(336);
      std::memcpy(answer->bytes.data(), &uid, sizeof uid);
      answer->bytes[12] = RDMA_CM_EVENT_ADDR_ERROR;
    }
    return command == kDestroyId || command == kGetEvent;
  };
  rdma_cm_id* id = nullptr;
  ASSERT_EQ(CreateId(channel, &id), 0);
  rdma_cm_event* event = nullptr;
  ASSERT_EQ(Of<decltype(rdma_get_cm_event)>(library_, "rdma_get_cm_event")(channel, &event), 0);
  EXPECT_EQ(event->id, id);
  backend_.at_yield = [&] {
    if (backend_.yields == 3) Of<decltype(rdma_ack_cm_event)>(library_, "rdma_ack_cm_event")(event);
  };
  EXPECT_EQ(DestroyId(id), 0);
  EXPECT_EQ(backend_.yields, 3);
  DestroyChannel(channel);
}

}  // namespace
}  // namespace cm::sim::fake_libibverbs
