// The option --pcap of `app`, with tshark as the reader. The programs are those of
// //tools/app:talks: a message takes 10 us.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "conformance/process/process.h"
#include "model/base/sanitized.h"
#include "tools/cmcheck/cmcheck_process.h"

namespace cm {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kNoTshark = "unsupported here: no tshark";

// Programs load an object of this build.
class AppCapture : public testing::Test {
 protected:
  void SetUp() override {
    if (kAddressSanitized || kThreadSanitized)
      GTEST_SKIP() << "programs without a sanitizer cannot load an object that has one";
  }

  Ended Run(const std::string& pcap, const std::vector<std::string>& options,
            const std::string& passive, const std::string& active) const {
    const std::string talks = std::filesystem::current_path() / "tools/app/talks";
    std::vector<std::string> words = {"app", "--pcap", pcap};
    words.insert(words.end(), options.begin(), options.end());
    words.emplace_back("--");
    if (!passive.empty()) words.insert(words.end(), {"@passive", talks, passive, "{passive}", ":"});
    words.insert(words.end(), {"@active", talks, active, "{passive}"});
    return folder_.Cmcheck(words);
  }
  // Three connections.
  Ended RunPlanted(const std::string& pcap, const std::string& fault) const {
    const std::string planted = std::filesystem::current_path() / "tools/app/planted";
    return folder_.Cmcheck({"app", "--pcap", pcap, "--fault", fault, "--", planted, "serve", ":",
                            planted, "ask", "{passive}"});
  }

  // What tshark prints; empty where there is none.
  std::optional<std::vector<std::string>> Tshark(const std::string& file,
                                                 const std::string& arguments) const {
    constexpr int kNotFound = 127;
    const auto ran =
        RunProgram({"sh", "-c",
                    "tshark -o ip.check_checksum:TRUE -o tcp.check_checksum:TRUE "
                    "-o udp.check_checksum:TRUE -d tcp.port==5000,data -r " +
                        (folder_.path() / file).string() + " " + arguments + " 2>/dev/null"});
    if (!ran || ran->exit_code == kNotFound) return std::nullopt;
    return LinesOf(ran->output);
  }
  std::optional<std::vector<std::string>> Fields(const std::string& file, const std::string& filter,
                                                 const std::vector<std::string>& fields) const {
    std::string arguments = "-Y '" + filter + "' -T fields -E separator=,";
    for (const std::string& field : fields) arguments += " -e " + field;
    return Tshark(file, arguments);
  }
  // Warnings and errors.
  std::vector<std::string> Complaints(const std::string& file) const {
    return Fields(file, "_ws.expert.severity >= 0x600000", {"frame.number", "_ws.expert.message"})
        .value();
  }
  // The first stream in hexadecimal, by the side that has sent it.
  std::string Stream(const std::string& file, bool of_active) const {
    std::string all;
    const auto lines = Tshark(file, "-q -z follow,tcp,raw,0");
    for (const std::string& line : *lines) {
      const bool is_hex = line.find_first_not_of("0123456789abcdef\t") == std::string::npos;
      if (is_hex && !line.empty() && (line[0] != '\t') == of_active)
        all += line.substr(line[0] == '\t' ? 1 : 0);
    }
    return all;
  }

  const CmcheckFolder folder_;
};

std::string Hex(const std::string& bytes) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text += kDigits[static_cast<uint8_t>(byte) >> 4U];
    text += kDigits[static_cast<uint8_t>(byte) & 0xfU];
  }
  return text;
}

TEST_F(AppCapture, HasTheSegmentsOfAConnection) {
  ASSERT_EQ(Run("run.pcap", {}, "echo", "ask").exit_code, 0);
  const auto segments =
      Fields("run.pcap", "tcp", {"ip.src", "tcp.flags", "tcp.seq", "tcp.ack", "tcp.len"});
  if (!segments) GTEST_SKIP() << kNoTshark;
  EXPECT_THAT(*segments,
              ElementsAre("10.0.0.1,0x0002,0,0,0", "10.0.1.1,0x0012,0,1,0",
                          "10.0.0.1,0x0010,1,1,0",                              // established
                          "10.0.0.1,0x0018,1,1,5", "10.0.1.1,0x0010,1,6,0",     // hello
                          "10.0.1.1,0x0018,1,6,5", "10.0.0.1,0x0010,6,6,0",     // and its echo
                          "10.0.0.1,0x0018,6,6,5", "10.0.1.1,0x0010,6,11,0",    //
                          "10.0.1.1,0x0018,6,11,5", "10.0.0.1,0x0010,11,11,0",  //
                          "10.0.0.1,0x0011,11,11,0", "10.0.1.1,0x0010,11,12,0",
                          "10.0.1.1,0x0011,11,12,0", "10.0.0.1,0x0010,12,12,0"));
  EXPECT_THAT(Complaints("run.pcap"), IsEmpty());
  EXPECT_EQ(Stream("run.pcap", true), Hex("hellohello"));
  EXPECT_EQ(Stream("run.pcap", false), Hex("hellohello"));
}

// Eight megabytes by all functions that send.
TEST_F(AppCapture, HasTheBytesOfALongStream) {
  ASSERT_EQ(Run("run.pcap", {}, "count", "pour").exit_code, 0);
  if (!Fields("run.pcap", "tcp", {"frame.number"})) GTEST_SKIP() << kNoTshark;
  std::string bytes(size_t{8} << 20U, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i % 251);
  EXPECT_TRUE(Stream("run.pcap", true) == Hex(bytes));
  EXPECT_THAT(Complaints("run.pcap"), IsEmpty());
}

// What is sent after 10 ms is lost, sent again after 200 ms, lost again, and sent again 400 ms
// later; so in the sender's file, and once in the receiver's.
TEST_F(AppCapture, HasWhatTcpSendsAgain) {
  const std::vector<std::string> faults = {"--faults", "faults.txt"};
  folder_.Write("faults.txt", "pass 5ms\nfault link-down side=active\npass 300ms\nheal\n");
  const Ended ended = Run("run.pcap", faults, "echo", "ask");
  ASSERT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.output, HasSubstr(" frames, 2 of those that were sent are lost\n"));
  const auto sent = Fields("run.pcap", "tcp.len > 0 && ip.src == 10.0.0.1",
                           {"tcp.seq", "tcp.analysis.retransmission"});
  if (!sent) GTEST_SKIP() << kNoTshark;
  EXPECT_THAT(*sent, ElementsAre("1,", "1,1", "1,1", "6,"));
  EXPECT_EQ(Stream("run.pcap", true), Hex("hellohello"));
  ASSERT_EQ(Run("hosts/", faults, "echo", "ask").exit_code, 0);
  const std::string data = "tcp.len > 0 && ip.src == 10.0.0.1";
  EXPECT_THAT(Fields("hosts/active.pcap", data, {"tcp.seq"}).value(),
              ElementsAre("1", "1", "1", "6"));
  EXPECT_THAT(Fields("hosts/passive.pcap", data, {"tcp.seq"}).value(), ElementsAre("1", "6"));
  EXPECT_EQ(Stream("hosts/passive.pcap", true), Hex("hellohello"));
  EXPECT_THAT(Complaints("hosts/passive.pcap"), IsEmpty());
}

TEST_F(AppCapture, HasTheResetOfAConnectionThatIsRefused) {
  Run("run.pcap", {}, "", "ask");
  const auto segments = Fields("run.pcap", "tcp", {"ip.src", "tcp.flags", "tcp.ack"});
  if (!segments) GTEST_SKIP() << kNoTshark;
  EXPECT_THAT(*segments, ElementsAre("10.0.0.1,0x0002,0", "10.0.1.1,0x0014,1"));
}

TEST_F(AppCapture, HasTheResetOfWhatFindsNoSocket) {
  Run("run.pcap", {}, "go", "break");
  const auto resets = Fields("run.pcap", "tcp.flags.reset == 1", {"ip.src"});
  if (!resets) GTEST_SKIP() << kNoTshark;
  EXPECT_THAT(*resets, ElementsAre("10.0.1.1"));
}

TEST_F(AppCapture, HasDatagrams) {
  folder_.Write("faults.txt", "fault drop any from=active\npass 500ms\nheal\n");
  ASSERT_EQ(Run("run.pcap", {"--faults", "faults.txt"}, "hear", "say").exit_code, 0);
  const auto datagrams = Fields("run.pcap", "udp.port == 5000",
                                {"ip.src", "udp.srcport", "udp.dstport", "udp.length"});
  if (!datagrams) GTEST_SKIP() << kNoTshark;
  EXPECT_THAT(*datagrams, ElementsAre("10.0.0.1,32768,5000,11",  // lost
                                      "10.0.0.1,32768,5000,11", "10.0.1.1,5000,32768,11",
                                      "10.0.0.1,32768,5000,11", "10.0.1.1,5000,32768,11"));
  EXPECT_THAT(Complaints("run.pcap"), IsEmpty());
}

TEST_F(AppCapture, OfAHostHasWhatThisHostSees) {
  const Ended ended = RunPlanted("hosts", "fault drop REP from=passive nth=1");
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  EXPECT_FALSE(std::filesystem::is_directory(folder_.path() / "hosts"));  // a file, without '/'
  std::filesystem::create_directory(folder_.path() / "there");
  ASSERT_EQ(RunPlanted("there", "fault drop REP from=passive nth=1").exit_code, 0);
  const auto sent =
      Fields("there/passive.pcap", "infiniband.mad.attributeid == 0x0013", {"frame.number"});
  if (!sent) GTEST_SKIP() << kNoTshark;
  EXPECT_THAT(*sent, SizeIs(4));
  EXPECT_THAT(
      Fields("there/active.pcap", "infiniband.mad.attributeid == 0x0013", {"frame.number"}).value(),
      SizeIs(3));
  for (const char* file : {"hosts", "there/passive.pcap", "there/active.pcap"}) {
    const Ended checked = folder_.Cmcheck({"check-pcap", file});
    EXPECT_EQ(checked.exit_code, 0) << checked.output << checked.error;
    EXPECT_THAT(checked.output, HasSubstr("DREP"));
  }
}

// The request leaves at one instant, and comes 10 us later, and once more.
TEST_F(AppCapture, OfTheReceiverHasWhatIsDoubledTwiceAndLater) {
  ASSERT_EQ(RunPlanted("hosts/", "fault duplicate REQ from=active nth=1").exit_code, 0);
  const std::string request = "infiniband.mad.attributeid == 0x0010";
  const auto sent = Fields("hosts/active.pcap", request, {"frame.time_epoch"});
  if (!sent) GTEST_SKIP() << kNoTshark;
  const auto received = Fields("hosts/passive.pcap", request, {"frame.time_epoch"}).value();
  ASSERT_THAT(*sent, SizeIs(3));
  ASSERT_THAT(received, SizeIs(4));
  const auto nanoseconds = [](const std::string& seconds) {
    return std::stoll(seconds.substr(seconds.find('.') + 1));
  };
  EXPECT_EQ(nanoseconds(received[0]) - nanoseconds((*sent)[0]), 10'000);
  EXPECT_GT(nanoseconds(received[1]), nanoseconds(received[0]));
}

TEST_F(AppCapture, IsTheSameForTheSameSeed) {
  for (const char* folder : {"first/", "second/"}) {
    ASSERT_EQ(Run(folder, {"--seed", "3"}, "echo", "ask").exit_code, 0);
    ASSERT_EQ(Run(folder + std::string("run.pcap"), {"--seed", "3"}, "hear", "say").exit_code, 0);
  }
  for (const char* file : {"active.pcap", "passive.pcap", "run.pcap"}) {
    const std::string first = folder_.Read(std::string("first/") + file);
    EXPECT_GT(first.size(), 200u);
    EXPECT_TRUE(folder_.Read(std::string("second/") + file) == first) << file;
  }
}

TEST_F(AppCapture, IsJudgedWithTcpInIt) {
  ASSERT_EQ(Run("run.pcap", {}, "echo", "ask").exit_code, 0);
  const Ended checked = folder_.Cmcheck({"check-pcap", "run.pcap"});
  EXPECT_EQ(checked.exit_code, 0) << checked.error;
  EXPECT_THAT(checked.output, HasSubstr("15 frames: 0 messages of the CM, 15 of other protocols"));
}

TEST_F(AppCapture, OverIwarpHasTheSocketsOfPrograms) {
  const Ended ended = Run("hosts/", {"--profile", "6.1-siw"}, "echo", "ask");
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  EXPECT_THAT(LinesOf(ended.output), Contains(HasSubstr("hosts/active.pcap: 15 frames")));
  EXPECT_THAT(ended.output, HasSubstr("over iWARP, MPA and RDMA over TCP are not in it"));
}

TEST_F(AppCapture, ThatCannotBeWrittenIsNamedWithWhatIsAccepted) {
  folder_.Write("file", "");
  for (const char* path : {"file/", "none/run.pcap"}) {
    const Ended ended = Run(path, {}, "", "ticks");
    EXPECT_EQ(ended.exit_code, 2) << path;
    EXPECT_THAT(LinesOf(ended.error),
                ElementsAre(testing::AllOf(HasSubstr(std::string("--pcap ") + path + ": "),
                                           HasSubstr("accepted are a file"),
                                           HasSubstr("a folder, with a '/' at its end"))));
  }
}

}  // namespace
}  // namespace cm
