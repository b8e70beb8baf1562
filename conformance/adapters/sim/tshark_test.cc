// Compares Wireshark's dissector with our codec on every message of every golden conversation, and
// on every frame of a real kernel.
//
// Excluded is what tshark decodes wrongly or not at all: flow labels and packet rates of paths; the
// bodies of MRA, SIDR_REQ, SIDR_REP, LAP and APR, and with that of SIDR_REQ its CMA header. It
// reports UDP over IPv6 without a checksum, which Soft-RoCE sends. source: observed tshark 4.0.17
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/adapters/sim/capture.h"
#include "conformance/process/process.h"
#include "conformance/scenarios/golden.h"
#include "conformance/scenarios/on_sim.h"
#include "model/mad/frame.h"
#include "model/mad/pcap.h"
#include "model/mad/text.h"

namespace cm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// A field of tshark, and ours.
struct Pair {
  std::string_view theirs;
  std::string_view ours;
};

constexpr auto kPairs = std::to_array<Pair>({
    {"infiniband.bth.opcode", "bth.opcode"},
    {"infiniband.bth.se", "bth.solicited_event"},
    {"infiniband.bth.m", "bth.migration_state"},
    {"infiniband.bth.padcnt", "bth.pad_count"},
    {"infiniband.bth.tver", "bth.transport_version"},
    {"infiniband.bth.p_key", "bth.pkey"},
    {"infiniband.bth.destqp", "bth.destination_qp"},
    {"infiniband.bth.a", "bth.ack_request"},
    {"infiniband.bth.psn", "bth.psn"},
    {"infiniband.deth.q_key", "deth.qkey"},
    {"infiniband.deth.srcqp", "deth.source_qp"},
    {"infiniband.invariant.crc", "icrc.value"},
    {"infiniband.mad.baseversion", "mad.base_version"},
    {"infiniband.mad.mgmtclass", "mad.mgmt_class"},
    {"infiniband.mad.classversion", "mad.class_version"},
    {"infiniband.mad.method", "mad.method"},
    {"infiniband.mad.status", "mad.status"},
    {"infiniband.mad.classspecific", "mad.class_specific"},
    {"infiniband.mad.transactionid", "mad.tid"},
    {"infiniband.mad.attributeid", "mad.attribute_id"},
    {"infiniband.mad.attributemodifier", "mad.attribute_modifier"},
    {"infiniband.cm.req", "REQ.local_cid"},
    {"infiniband.cm.req.serviceid", "REQ.service_id"},
    {"infiniband.cm.req.localcaguid", "REQ.local_ca_guid"},
    {"infiniband.cm.req.localqkey", "REQ.local_qkey"},
    {"infiniband.cm.req.localqpn", "REQ.local_qpn"},
    {"infiniband.cm.req.responderres", "REQ.responder_resources"},
    {"infiniband.cm.req.localeecn", "REQ.local_eecn"},
    {"infiniband.cm.req.initdepth", "REQ.initiator_depth"},
    {"infiniband.cm.req.remoteeecn", "REQ.remote_eecn"},
    {"infiniband.cm.req.remoteresptout", "REQ.remote_cm_response_timeout"},
    {"infiniband.cm.req.transpsvctype", "REQ.transport_service_type"},
    {"infiniband.cm.req.e2eflowctrl", "REQ.end_to_end_flow_control"},
    {"infiniband.cm.req.startpsn", "REQ.starting_psn"},
    {"infiniband.cm.req.localresptout", "REQ.local_cm_response_timeout"},
    {"infiniband.cm.req.retrcount", "REQ.retry_count"},
    {"infiniband.cm.req.pkey", "REQ.pkey"},
    {"infiniband.cm.req.pppmtu", "REQ.path_mtu"},
    {"infiniband.cm.req.rdcexist", "REQ.rdc_exists"},
    {"infiniband.cm.req.rnrretrcount", "REQ.rnr_retry_count"},
    {"infiniband.cm.req.maxcmretr", "REQ.max_cm_retries"},
    {"infiniband.cm.req.srq", "REQ.srq"},
    {"infiniband.cm.req.ext_transport", "REQ.extended_transport_type"},
    {"infiniband.cm.req.prim_locallid", "REQ.primary_local_lid"},
    {"infiniband.cm.req.prim_remotelid", "REQ.primary_remote_lid"},
    {"infiniband.cm.req.prim_tfcclass", "REQ.primary_traffic_class"},
    {"infiniband.cm.req.prim_hoplim", "REQ.primary_hop_limit"},
    {"infiniband.cm.req.prim_sl", "REQ.primary_sl"},
    {"infiniband.cm.req.prim_subnetlocal", "REQ.primary_subnet_local"},
    {"infiniband.cm.req.prim_localacktout", "REQ.primary_local_ack_timeout"},
    {"infiniband.cm.req.alt_locallid", "REQ.alternate_local_lid"},
    {"infiniband.cm.req.alt_remotelid", "REQ.alternate_remote_lid"},
    {"infiniband.cm.req.alt_hoplim", "REQ.alternate_hop_limit"},
    {"infiniband.cm.req.alt_localacktout", "REQ.alternate_local_ack_timeout"},
    {"infiniband.cm.req.ip_cm.ipv", "cma.ip_version"},
    {"infiniband.cm.req.ip_cm.sport", "cma.port"},
    {"infiniband.cm.rep", "REP.local_cid"},
    {"infiniband.cm.rep.remotecommid", "REP.remote_cid"},
    {"infiniband.cm.rep.localqkey", "REP.local_qkey"},
    {"infiniband.cm.rep.localqpn", "REP.local_qpn"},
    {"infiniband.cm.rep.localeecn", "REP.local_eecn"},
    {"infiniband.cm.rep.startpsn", "REP.starting_psn"},
    {"infiniband.cm.rep.respres", "REP.responder_resources"},
    {"infiniband.cm.rep.initdepth", "REP.initiator_depth"},
    {"infiniband.cm.rep.tgtackdelay", "REP.target_ack_delay"},
    {"infiniband.cm.rep.failoveracc", "REP.failover_accepted"},
    {"infiniband.cm.rep.e2eflowctrl", "REP.end_to_end_flow_control"},
    {"infiniband.cm.rep.rnrretrcount", "REP.rnr_retry_count"},
    {"infiniband.cm.rep.srq", "REP.srq"},
    {"infiniband.cm.rep.localcaguid", "REP.local_ca_guid"},
    {"infiniband.cm.rtu.localcommid", "RTU.local_cid"},
    {"infiniband.cm.rtu.remotecommid", "RTU.remote_cid"},
    {"infiniband.cm.rej.localcommid", "REJ.local_cid"},
    {"infiniband.cm.rej.remotecommid", "REJ.remote_cid"},
    {"infiniband.cm.rej.msgrej", "REJ.message_rejected"},
    {"infiniband.cm.rej.rejinfolen", "REJ.reject_info_length"},
    {"infiniband.cm.rej.reason", "REJ.reason"},
    {"infiniband.cm.dreq.localcommid", "DREQ.local_cid"},
    {"infiniband.cm.dreq.remotecommid", "DREQ.remote_cid"},
    {"infiniband.cm.req.remoteqpneecn", "DREQ.remote_qpn_eecn"},
    {"infiniband.cm.drsp.localcommid", "DREP.local_cid"},
    {"infiniband.cm.drsp.remotecommid", "DREP.remote_cid"},
});

class Tshark : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(std::system("command -v tshark >/dev/null"), 0)
        << "tshark is missing: tools/setup.sh installs it";
    const char* folder = std::getenv("TEST_TMPDIR");
    folder_ = folder != nullptr ? folder : ".";
  }

  // The output of a command, line by line.
  static std::vector<std::string> LinesOf(const std::string& command) {
    const std::optional<Ran> ran = RunProgram({"/bin/sh", "-c", command});
    EXPECT_TRUE(ran && ran->exit_code == 0) << command;
    std::vector<std::string> lines;
    std::istringstream stream(ran ? ran->output : "");
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }

  // Compares every pair of every frame.
  static std::vector<std::string> Dissect(const std::string& path) {
    std::string fields;
    for (const Pair& pair : kPairs) fields += fmt::format(" -e {}", pair.theirs);
    return LinesOf(
        fmt::format("tshark -n -r '{}' -T fields -E separator='|' -E occurrence=f{} 2>/dev/null",
                    path, fields));
  }

  struct Compared {
    size_t fields = 0;
    std::vector<std::string> disagreements;
  };

  // A body without a layout is not compared.
  static void CompareFields(std::string_view line, const mad::Frame& frame, Compared* compared) {
    const bool has_layout = !std::holds_alternative<mad::Opaque>(frame.mad.message);
    for (const Pair& pair : kPairs) {
      const size_t end = std::min(line.find('|'), line.size());
      const std::string theirs(line.substr(0, end));
      line.remove_prefix(std::min(end + 1, line.size()));
      const std::optional<uint64_t> ours = mad::ValueOf(frame, pair.ours);
      if (!ours && (theirs.empty() || !has_layout)) continue;
      if (pair.ours.starts_with("cma.") && !std::holds_alternative<mad::Req>(frame.mad.message))
        continue;
      ++compared->fields;
      if (ours && !theirs.empty() && std::strtoull(theirs.c_str(), nullptr, 0) == *ours) continue;
      compared->disagreements.push_back(fmt::format("{} is \"{}\", ours is {}", pair.theirs, theirs,
                                                    ours ? std::to_string(*ours) : "none"));
    }
  }

  // Returns the number of compared fields. Frames of another version, which our codec refuses, have
  // none.
  static size_t Compare(const std::string& path, std::span<const uint8_t> file,
                        size_t of_another_version = 0) {
    const std::vector<std::string> lines = Dissect(path);
    mad::PcapReader reader = mad::PcapReader::Open(file).value();
    size_t number = 0;
    size_t refused = 0;
    Compared compared;
    while (const auto next = reader.Next()) {
      const auto decoded = mad::Decode(next->value().bytes, reader.link());
      if (!decoded.ok()) {
        EXPECT_EQ(decoded.error().expected, "base version 1") << "frame " << number + 1;
        ++refused;
        ++number;
        continue;
      }
      const mad::Frame& frame = decoded.value();
      if (number >= lines.size()) break;
      CompareFields(lines[number], frame, &compared);
      ++number;
      EXPECT_THAT(compared.disagreements, IsEmpty()) << "frame " << number;
      compared.disagreements.clear();
    }
    EXPECT_EQ(number, lines.size()) << path;
    EXPECT_EQ(refused, of_another_version) << path;
    return compared.fields;
  }

  // Every expert message about an erroneous frame is on its line, so that the justified one about a
  // frame over IPv6 hides no other.
  static std::vector<std::string> MarksIn(const std::string& path) {
    std::vector<std::string> marked = LinesOf(
        fmt::format("tshark -n -r '{}' -Y '_ws.malformed || _ws.short || _ws.expert.severity >= "
                    "\"Error\"' -T fields -E separator='|' -e frame.number -e ipv6.version -e "
                    "udp.checksum -e _ws.expert.message 2>/dev/null",
                    path));
    std::erase_if(marked, [](const std::string& line) {
      return line.ends_with("|6|0x0000|Illegal checksum value (0)");
    });
    return marked;
  }

  // A capture of one frame; returns its path.
  std::string WriteOne(const mad::FrameBytes& bytes) const {
    const std::string path = folder_ + "/one.pcap";
    std::ofstream stream(path, std::ios::binary);
    mad::PcapWriter writer([&](std::span<const uint8_t> piece) {
      stream.write(reinterpret_cast<const char*>(piece.data()),
                   static_cast<std::streamsize>(piece.size()));
    });
    writer.Write(0, bytes.view());
    return path;
  }

  std::string folder_;
};

// All conversations in one file, for one start of tshark.
TEST_F(Tshark, ReadsTheMessagesOfEveryConversationAsWeDo) {
  std::string all;
  size_t of_another_version = 0;
  for (const std::string& file : ConversationFiles("conformance/scenarios")) {
    const Golden golden = std::get<Golden>(ReadGolden(TextOf(file)));
    const Profile* profile = FindProfile(golden.conversation.profile);
    if (profile->transport == Transport::kIwarp) continue;
    const auto made = CaptureOf(golden.conversation, *profile, {});
    ASSERT_TRUE(std::holds_alternative<Capture>(made)) << file;
    constexpr size_t kFileHeader = 24;
    of_another_version += SentWithAnotherVersion(golden.conversation);
    const std::string& bytes = std::get<Capture>(made).file;
    all += all.empty() ? bytes : bytes.substr(kFileHeader);
  }
  const std::string path = folder_ + "/all.pcap";
  std::ofstream(path, std::ios::binary) << all;
  EXPECT_THAT(MarksIn(path), IsEmpty());
  const std::span<const uint8_t> file(reinterpret_cast<const uint8_t*>(all.data()), all.size());
  EXPECT_GT(Compare(path, file, of_another_version), 10'000u);
}

TEST_F(Tshark, ReadsTheFramesOfARealKernelAsWeDo) {
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator("model/mad/captures")) {
    if (entry.path().extension() != ".pcap") continue;
    SCOPED_TRACE(entry.path());
    ++files;
    std::ifstream stream(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    EXPECT_THAT(MarksIn(entry.path()), IsEmpty());
    EXPECT_GT(Compare(entry.path(), {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}),
              20u);
  }
  EXPECT_GE(files, 16u);
}

// The search for expert messages can fail: over IPv4 with a UDP length that is too large.
TEST_F(Tshark, MarksAFrameThatIsWrong) {
  mad::Frame frame;
  frame.mad = mad::MakeMad(mad::Rtu{.local_cid = 1, .remote_cid = 2}, 3);
  mad::Seal(frame);
  frame.udp.length += 400;
  EXPECT_THAT(MarksIn(WriteOne(mad::Encode(frame))), SizeIs(1));
}

// The comparison can fail.
TEST_F(Tshark, DisagreesAboutAFieldThatIsNotWhatItSays) {
  mad::Frame frame;
  frame.mad = mad::MakeMad(mad::Rtu{.local_cid = 1, .remote_cid = 2}, 3);
  const std::vector<std::string> lines = Dissect(WriteOne(mad::Seal(frame)));
  ASSERT_EQ(lines.size(), 1u);
  Compared right;
  CompareFields(lines[0], frame, &right);
  EXPECT_GT(right.fields, 20u);
  EXPECT_THAT(right.disagreements, IsEmpty());
  std::get<mad::Rtu>(frame.mad.message).remote_cid = 7;
  Compared wrong;
  CompareFields(lines[0], frame, &wrong);
  EXPECT_THAT(wrong.disagreements, ElementsAre(HasSubstr("infiniband.cm.rtu.remotecommid")));
}

}  // namespace
}  // namespace cm
