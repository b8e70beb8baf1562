#include "conformance/adapters/lib/lib_adapter.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <variant>

#include "conformance/adapters/dl/api.h"
#include "conformance/adapters/sim/sim_adapter.h"
#include "conformance/driver/perform.h"
#include "conformance/walks/walk.h"
#include "model/base/sanitized.h"
#include "model/conversation/parse.h"
#include "model/conversation/print.h"
#include "model/vocabulary/topology.h"

namespace cm {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kUnsanitizedOnly =
    "AddressSanitizer refuses RTLD_DEEPBIND, ThreadSanitizer knows no fibers";

Conversation ThatBinds() {
  return std::get<Conversation>(
      ParseConversation("topology two-kernels\nprofile 6.1-rxe\ncapabilities none\n\n"
                        "active rdma_create_event_channel c\n"
                        "active rdma_create_id a on=c\n"
                        "active rdma_bind_addr a addr=active:7471\n"));
}

// The file that a function is in.
std::string FileOf(const void* function) {
  Dl_info info{};
  return dladdr(function, &info) == 0 || info.dli_fname == nullptr ? "" : info.dli_fname;
}

// The installed library under the profile of that name.
class RealLibrary : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (kAddressSanitized || kThreadSanitized) GTEST_SKIP() << kUnsanitizedOnly;
    profile_ = *FindProfile(GetParam());
    Make();
    if (HasFatalFailure()) return;
    // A profile describes a kernel and the library of its release; this library is the installed
    // one.
    profile_.dialect.accept_releases_datagram_request =
        library_->name().find("librdmacm 44") == std::string::npos;
    Make();
  }
  void Make() {
    auto made = MakeLibImplementation({.profile = profile_});
    const auto* const why = std::get_if<std::string>(&made);
    ASSERT_EQ(why, nullptr) << *why;
    library_ = std::get<std::unique_ptr<Implementation>>(std::move(made));
  }

  History OnLibrary(const Conversation& conversation) {
    const std::unique_ptr<Session> session = library_->Start(conversation);
    EXPECT_EQ(session->Unsupported(), "");
    return Perform(conversation, *session);
  }
  History OnSimulator(const Conversation& conversation) {
    const std::unique_ptr<Implementation> simulator =
        MakeSimImplementation({.profile = profile_, .capabilities = conversation.capabilities});
    return Perform(conversation, *simulator->Start(conversation));
  }
  static std::string Text(const History& history) {
    return ToText(history, {.times = true, .wire = false});
  }

  Profile profile_;
  std::unique_ptr<Implementation> library_;
};

// Two libraries, one kernel: the same replies and events at the same times.
TEST_P(RealLibrary, DoesWhatTheSimulatedOneDoes) {
  constexpr uint64_t kSequences = 600;
  DrawOptions draw{.profile = profile_, .capabilities = library_->capabilities(), .seed = 5};
  for (const Topology& topology : Topologies())
    draw.topologies.push_back({.topology = &topology, .weight = 1});
  for (draw.index = 0; draw.index < kSequences; ++draw.index) {
    const Conversation conversation = Draw(draw);
    ASSERT_EQ(Text(OnLibrary(conversation)), Text(OnSimulator(conversation)));
  }
}

INSTANTIATE_TEST_SUITE_P(Under, RealLibrary,
                         testing::Values("6.1-rxe", "6.12-rxe", "7.2-rxe", "6.1-ib", "6.1-siw"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name)
                             if (c == '.' || c == '-') c = '_';
                           return name;
                         });

class InstalledLibrary : public RealLibrary {};

// The library's own behaviour must reach the history, or no difference would ever be found.
TEST_P(InstalledLibrary, IsWhatAnswers) {
  const auto parsed = ParseConversation(
      "topology two-kernels\nprofile 6.1-rxe\ncapabilities none\n\n"
      "active rdma_create_event_channel c\n"
      "active rdma_create_id a on=c\n"
      "active rdma_bind_addr a addr=passive:7471\n"
      "active rdma_bind_addr a addr=active:7471\n"
      "active rdma_bind_addr a addr=active:7471\n");
  ASSERT_TRUE(std::holds_alternative<Conversation>(parsed));
  const std::string said = Text(OnLibrary(std::get<Conversation>(parsed)));
  EXPECT_THAT(said, HasSubstr("rdma_bind_addr a addr=passive:7471 -> -1 EADDRNOTAVAIL"));
  EXPECT_THAT(said, HasSubstr("rdma_bind_addr a addr=active:7471 -> 0"));
  EXPECT_THAT(said, HasSubstr("rdma_bind_addr a addr=active:7471 -> -1 EINVAL"));
}

// A destroyed channel is freed memory: the library crashes on it, its process is gone, and the next
// conversation gets another one.
TEST_P(InstalledLibrary, ThatCrashesCostsOneConversation) {
  const auto parsed = ParseConversation(
      "topology two-kernels\nprofile 6.1-rxe\ncapabilities crashes\n\n"
      "active rdma_create_event_channel c\n"
      "active rdma_create_id a on=c\n"
      "active rdma_create_qp a\n"
      "active rdma_destroy_id a\n");
  ASSERT_TRUE(std::holds_alternative<Conversation>(parsed));
  const auto& conversation = std::get<Conversation>(parsed);
  for (int i = 0; i < 2; ++i)
    EXPECT_THAT(Text(OnLibrary(conversation)), HasSubstr("rdma_create_qp a -> crashed"));
}

// Functions of map 1.4, which release 44 lacks.
TEST_P(InstalledLibrary, IsNotAskedForCallsThatItDoesNotHave) {
  if (library_->capabilities().Has(Capability::kLaterCalls)) GTEST_SKIP() << "it has them";
  const auto parsed = ParseConversation(
      "topology two-kernels\nprofile 6.1-rxe\ncapabilities none\n\n"
      "active rdma_create_event_channel c\n"
      "active rdma_create_id a on=c\n"
      "active rdma_write_cm_event a status=0 argument=0x1\n");
  ASSERT_TRUE(std::holds_alternative<Conversation>(parsed));
  EXPECT_THAT(library_->Start(std::get<Conversation>(parsed))->Unsupported(),
              HasSubstr("has no symbol rdma_write_cm_event"));
}

// Both are called librdmacm.so.1, and need libibverbs.so.1.
TEST_P(InstalledLibrary, LeavesTheSystemsToTheOthersOfTheProcess) {
  const auto loaded = Load("librdmacm.so.1");
  const auto* const systems = std::get_if<LoadedObject>(&loaded);
  ASSERT_NE(systems, nullptr) << std::get<std::string>(loaded);
  EXPECT_THAT(FileOf(reinterpret_cast<const void*>(systems->api.rdma_create_id)),
              HasSubstr("/librdmacm.so."));
  EXPECT_THAT(FileOf(reinterpret_cast<const void*>(systems->api.ibv_get_device_name)),
              HasSubstr("/libibverbs.so."));
  Make();
  EXPECT_THAT(Text(OnLibrary(ThatBinds())), HasSubstr("addr=active:7471 -> 0"));
}

INSTANTIATE_TEST_SUITE_P(Under, InstalledLibrary, testing::Values("6.1-rxe"));

// Ends with 0 if the library has the simulated device.
void BindAfterTheSystems() {
  const auto systems = Load("librdmacm.so.1");
  auto made = MakeLibImplementation({.profile = *FindProfile("6.1-rxe")});
  auto* const library = std::get_if<std::unique_ptr<Implementation>>(&made);
  if (!std::holds_alternative<LoadedObject>(systems) || library == nullptr) std::exit(2);
  const Conversation conversation = ThatBinds();
  const History history = Perform(conversation, *(*library)->Start(conversation));
  std::exit(ToText(history).find("addr=active:7471 -> 0") == std::string::npos ? 1 : 0);
}

// In a process of its own, in which nothing has been loaded before.
TEST(LibAdapter, HasItsOwnDevicesAfterTheSystemsLibrary) {
  if (kAddressSanitized || kThreadSanitized) GTEST_SKIP() << kUnsanitizedOnly;
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(BindAfterTheSystems(), testing::ExitedWithCode(0), "");
}

TEST(LibAdapter, SaysWhyThereIsNoLibraryOfThatName) {
  if (kAddressSanitized) GTEST_SKIP() << kUnsanitizedOnly;
  const auto made = MakeLibImplementation({.path = "libnosuchrdmacm.so.1", .profile = {}});
  const auto* const why = std::get_if<std::string>(&made);
  ASSERT_NE(why, nullptr);
  EXPECT_THAT(*why, HasSubstr("cannot load libnosuchrdmacm.so.1: cannot open"));
}

// The copy that is loaded is a file in memory.
TEST(LibAdapter, NamesTheLibraryThatItCannotUse) {
  if (kAddressSanitized || kThreadSanitized) GTEST_SKIP() << kUnsanitizedOnly;
  const std::string path = testing::TempDir() + "/librdmacm.txt";
  std::ofstream(path) << "This is a text, and a long enough one to be read for an ELF header; but "
                         "it begins with none.\n";
  const auto made = MakeLibImplementation({.path = path, .profile = {}});
  const auto* const why = std::get_if<std::string>(&made);
  ASSERT_NE(why, nullptr);
  EXPECT_THAT(*why, HasSubstr("cannot load " + path + ": "));
  EXPECT_THAT(*why, Not(HasSubstr("/proc/")));
}

TEST(LibAdapter, SaysWhyThereIsNoLibrary) {
  const auto made = MakeLibImplementation({.path = "/no/such/librdmacm.so", .profile = {}});
  const auto* const why = std::get_if<std::string>(&made);
  ASSERT_NE(why, nullptr);
  EXPECT_THAT(*why, HasSubstr("/no/such/librdmacm.so"));
}

}  // namespace
}  // namespace cm
