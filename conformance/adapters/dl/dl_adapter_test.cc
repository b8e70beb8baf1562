#include "conformance/adapters/dl/dl_adapter.h"

#include <dirent.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace cm {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

DlOptions Options(const std::string& path) { return {.path = path, .profile = Profiles().front()}; }

std::string WhyNot(const std::string& path) {
  auto made = MakeDlImplementation(Options(path), MakeBarePlace());
  const auto* why = std::get_if<std::string>(&made);
  return why == nullptr ? "" : *why;
}

bool HasRdmaDevice() {
  DIR* const devices = opendir("/sys/class/infiniband");
  if (devices == nullptr) return false;
  bool any = false;
  while (const dirent* entry = readdir(devices)) any |= entry->d_name[0] != '.';
  closedir(devices);
  return any;
}

TEST(DlAdapter, AFileThatDoesNotExistIsNamed) {
  EXPECT_THAT(WhyNot("./no_such_librdmacm.so"),
              AllOf(StartsWith("cannot load ./no_such_librdmacm.so: "), HasSubstr("No such file"),
                    Not(HasSubstr("\n"))));
}

TEST(DlAdapter, AFileThatIsNoObjectIsNamed) {
  const std::string path = testing::TempDir() + "/librdmacm.txt";
  std::ofstream(path) << "This is a text, and a long enough one to be read for an ELF header; but "
                         "it begins with none.\n";
  EXPECT_THAT(WhyNot(path), AllOf(StartsWith("cannot load " + path + ": "),
                                  HasSubstr("invalid ELF header"), Not(HasSubstr("\n"))));
}

TEST(DlAdapter, AllMissingSymbolsAreNamedButThoseThatALibraryCanDoWithout) {
  const std::string path = "conformance/adapters/dl/libwithout_symbols.so";
  EXPECT_EQ(WhyNot(path),
            path +
                " has no symbol rdma_create_event_channel, rdma_destroy_event_channel, "
                "rdma_create_id, rdma_bind_addr, rdma_listen, rdma_resolve_addr, "
                "rdma_resolve_route, rdma_create_qp, rdma_destroy_qp, rdma_connect, rdma_accept, "
                "rdma_reject, rdma_disconnect, rdma_get_cm_event, rdma_ack_cm_event, "
                "rdma_get_src_port, rdma_get_dst_port, rdma_event_str, ibv_query_qp, "
                "ibv_get_device_name");
  EXPECT_EQ(Probe(Options(path)), WhyNot(path));
}

TEST(DlAdapter, AnObjectIsNamedByItsFileAndWhatIsUnderIt) {
  const std::string path = "conformance/adapters/dl/libawkward_rdmacm.so";
  auto made = MakeDlImplementation(Options(path), MakeBarePlace());
  ASSERT_EQ(made.index(), 0U) << std::get<1>(made);
  const Implementation& awkward = *std::get<0>(made);
  EXPECT_THAT(awkward.name(), StartsWith("libawkward_rdmacm.so (" + path + "), Linux "));
  EXPECT_EQ(ToString(awkward.capabilities()), "exit lanes");
  EXPECT_FALSE(awkward.concurrent());
}

TEST(Probe, SaysInWordsThatThereIsNoDevice) {
  if (HasRdmaDevice()) GTEST_SKIP() << "this machine has an RDMA device";
  EXPECT_THAT(Probe(Options("librdmacm.so.1")),
              AllOf(StartsWith("librdmacm.so.1: no RDMA device: "), Not(HasSubstr("\n"))));
}

TEST(Probe, IsContentWhereAChannelCanBeMade) {
  EXPECT_EQ(Probe(Options("conformance/adapters/dl/libawkward_rdmacm.so")), "");
}

}  // namespace
}  // namespace cm
