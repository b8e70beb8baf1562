#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "conformance/runner/profile_file.h"
#include "model/base/json.h"
#include "model/capture/judge.h"
#include "model/mad/pcap.h"
#include "tools/cmcheck/command.h"
#include "tools/cmcheck/report.h"
#include "tools/cmcheck/verbs.h"

namespace cm {
namespace {

using wire::Totals;
using wire::Verdict;
using wire::Violation;

struct CheckPcapOptions {
  std::string path;
  std::string profile;
  std::string json;
  bool whole = false;
  bool incomplete = false;
  bool strict = false;
};

// A file as bytes, mapped, so that only the pages in use take memory; a pipe is read as a whole.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat about = {};
    if (file < 0 || fstat(file, &about) != 0) {
      problem_ = std::strerror(errno);
    } else if (S_ISFIFO(about.st_mode)) {
      ReadToTheEnd(file);
    } else if (!S_ISREG(about.st_mode)) {
      problem_ = "not a file or pipe";
    } else if (about.st_size > 0) {
      size_ = static_cast<size_t>(about.st_size);
      bytes_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
      if (bytes_ == MAP_FAILED) problem_ = std::strerror(errno);
      if (problem_.empty()) madvise(bytes_, size_, MADV_SEQUENTIAL);
    }
    if (file >= 0) close(file);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() {
    if (problem_.empty() && size_ > 0) munmap(bytes_, size_);
  }

  const std::string& problem() const { return problem_; }
  std::span<const uint8_t> bytes() const {
    if (!piped_.empty()) return piped_;
    return {static_cast<const uint8_t*>(bytes_), size_};
  }

 private:
  void ReadToTheEnd(int pipe) {
    constexpr size_t kPiece = 1 << 20;
    ssize_t got = 0;
    do {
      const size_t before = piped_.size();
      piped_.resize(before + kPiece);
      got = read(pipe, piped_.data() + before, kPiece);
      if (got < 0 && errno != EINTR) problem_ = std::strerror(errno);
      piped_.resize(before + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    } while (problem_.empty() && got != 0 && !Interrupted());
  }

  void* bytes_ = nullptr;
  size_t size_ = 0;
  std::vector<uint8_t> piped_;
  std::string problem_;
};

std::string Seconds(int64_t nanoseconds) {
  return fmt::format("{}.{:06}s", nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000 / 1'000);
}

std::string End(const mad::Gid& address, const std::vector<uint32_t>& cids) {
  std::string text = wire::AddressText(address);
  for (const uint32_t cid : cids) text += fmt::format(" {:08x}", cid);
  return text;
}

std::string ToRow(const Verdict& verdict) {
  std::string text = fmt::format(
      "{:>6} {:>14}  {:<26} {:<26} {:<40} {}{}\n", verdict.number, Seconds(verdict.nanoseconds),
      End(verdict.active, {verdict.active_cid}), End(verdict.passive, verdict.passive_cids),
      verdict.sequence, verdict.violation ? "VIOLATION" : "permitted",
      verdict.begins_before ? ", begins before the capture" : "");
  if (!verdict.violation) return text;
  const Violation& wrong = *verdict.violation;
  return text + fmt::format(
                    "       frame {} at {}\n"
                    "         saw        {}\n"
                    "         permitted  {}\n"
                    "         rule       {}: {}\n"
                    "         source     {}\n",
                    wrong.number, Seconds(wrong.nanoseconds), wrong.saw, wrong.permitted,
                    wrong.rule, wrong.says, wrong.source);
}

nlohmann::ordered_json ToJson(const Verdict& verdict) {
  nlohmann::ordered_json json = {{"frame", verdict.number},
                                 {"seconds", Seconds(verdict.nanoseconds)},
                                 {"active", wire::AddressText(verdict.active)},
                                 {"active_cid", verdict.active_cid},
                                 {"passive", wire::AddressText(verdict.passive)},
                                 {"passive_cids", verdict.passive_cids},
                                 {"messages", verdict.sequence},
                                 {"begins_before", verdict.begins_before},
                                 {"permitted", !verdict.violation}};
  if (verdict.violation) {
    const Violation& wrong = *verdict.violation;
    json["violation"] = {{"frame", wrong.number},       {"seconds", Seconds(wrong.nanoseconds)},
                         {"rule", wrong.rule},          {"says", wrong.says},
                         {"source", wrong.source},      {"saw", wrong.saw},
                         {"permitted", wrong.permitted}};
  }
  return json;
}

nlohmann::ordered_json ToJson(const Totals& totals) {
  return {{"frames", totals.frames},
          {"messages", totals.messages},
          {"foreign", totals.foreign},
          {"unread", totals.unread},
          {"bad_icrc", totals.bad_icrc},
          {"bad_checksum", totals.bad_checksum},
          {"cut", totals.cut},
          {"connections", totals.exchanges},
          {"begin_before", totals.begin_before},
          {"violations", totals.violations}};
}

std::string ToText(const Totals& totals) {
  std::string text = fmt::format("\n{} frames: {} messages of the CM, {} of other protocols",
                                 totals.frames, totals.messages, totals.foreign);
  if (totals.unread > 0)
    text += fmt::format("; {} of the messages are of unknown kinds", totals.unread);
  if (totals.bad_icrc > 0)
    text += fmt::format("; {} messages with a wrong CRC, dropped by the receiver", totals.bad_icrc);
  if (totals.bad_checksum > 0)
    text +=
        fmt::format("; {} with a wrong IP checksum, dropped by the receiver", totals.bad_checksum);
  if (totals.cut > 0) text += fmt::format("; {} cut short by the capture, not judged", totals.cut);
  if (totals.begin_before > 0)
    text += fmt::format(
        "\n{} connections begin before the capture: judged from there on; with --whole that is a "
        "violation",
        totals.begin_before);
  return text +
         fmt::format("\n{} connections, {} violations\n", totals.exchanges, totals.violations);
}

std::optional<std::string> JudgeOptions(const CheckPcapOptions& options, Profile* profile,
                                        wire::JudgeOptions* manner) {
  if (options.whole && options.incomplete)
    return "--whole and --incomplete contradict one another: messages are missing, or none is";
  manner->whole = options.whole;
  manner->missing = options.incomplete;
  manner->strict = options.strict;
  if (options.profile.empty()) return std::nullopt;
  auto loaded = LoadProfile(ProfileFromUser(options.profile));
  if (auto* problem = std::get_if<std::string>(&loaded)) return std::move(*problem);
  *profile = std::get<Profile>(std::move(loaded));
  if (profile->transport == Transport::kIwarp)
    return fmt::format("the profile '{}' is one of iWARP, which has no messages of the IB CM",
                       options.profile);
  manner->profiles = {profile};
  return std::nullopt;
}

std::string NotReadable(const std::string& path, const mad::Malformed& why) {
  constexpr uint64_t kPcapng = 0x0a0d0d0a;  // the same in both byte orders
  if (why.found == kPcapng)
    return fmt::format("{} is a pcapng file; `editcap -F pcap {} OUT.pcap` makes a pcap of it",
                       path, path);
  return fmt::format("{} is no capture: {}", path, mad::ToString(why));
}

int DoCheckPcap(const CheckPcapOptions& options) {
  Profile profile;
  wire::JudgeOptions manner;
  if (const auto problem = JudgeOptions(options, &profile, &manner)) return Unusable(*problem);
  if (!options.json.empty())
    if (std::string problem = WhyUnwritable(FromUsersFolder(options.json)); !problem.empty())
      return Unusable(problem);
  const bool piped = options.path == "-";
  const MappedFile file(piped ? "/dev/stdin" : FromUsersFolder(options.path));
  if (Interrupted()) return kExitInterrupted;
  if (!file.problem().empty())
    return Unusable(fmt::format("{} cannot be read: {}", options.path, file.problem()));
  auto opened = mad::PcapReader::Open(file.bytes());
  if (!opened.ok()) return Unusable(NotReadable(options.path, opened.error()));
  mad::PcapReader& reader = opened.value();

  fmt::print("{:>6} {:>14}  {:<26} {:<26} {:<40} {}\n", "frame", "time", "active", "passive",
             "messages", "verdict");
  std::string connections;
  wire::Judge judge(manner, [&](const Verdict& verdict) {
    fmt::print("{}", ToRow(verdict));
    if (!options.json.empty())
      connections += (connections.empty() ? "\n" : ",\n") + JsonText(ToJson(verdict));
  });
  uint64_t number = 0;
  std::string damage;
  while (auto record = reader.Next()) {
    if (!record->ok()) {
      damage = fmt::format("{} after frame {}: {}", options.path, number,
                           mad::ToString(record->error()));
      break;
    }
    const mad::PcapRecord& frame = record->value();
    judge.Take(++number, frame.nanoseconds, frame.bytes, frame.original_length, reader.link());
    if (Interrupted()) return kExitInterrupted;
  }
  judge.Finish();
  fmt::print("{}", ToText(judge.totals()));
  if (!options.json.empty()) {
    const std::string text = fmt::format(
        "{{\"schema\":1,\"file\":{},\"totals\":{},\"damage\":{},\"connections\":[{}]}}\n",
        QuotedJson(options.path), JsonText(ToJson(judge.totals())), QuotedJson(damage),
        connections);
    if (std::string problem = WriteFile(FromUsersFolder(options.json), text); !problem.empty())
      return Unusable(problem);
  }
  if (!damage.empty()) return Unusable(damage);
  return judge.totals().violations > 0 ? kExitFound : kExitClean;
}

}  // namespace

void AddCheckPcap(Verb cmcheck) {
  Verb verb =
      cmcheck.Add("check-pcap", "Judge a capture: do the messages conform to the protocol?", R"(
Each connection of the capture is judged by the rows of the ib_cm table, whatever node and
implementation it comes from; the first violation is printed with its frame, the rule and what would
have been permitted. Packets other than RoCEv2 connection management are skipped.
A capture that begins with a request counts as whole, unless the reply shows that the request was a
retransmission; one that begins with anything else begins in the middle. Nodes that fill their packets
and requests as Linux with Soft-RoCE does are judged as such: by the timers and fixed fields on
which its profiles agree. Others are judged by the protocol alone.
Exit code: 0 permitted, 1 a violation, 2 no capture, 130 interrupted.
Examples:
  cmcheck check-pcap model/mad/captures/connect_disconnect.pcap
  tcpdump -i eth0 -w roce.pcap udp port 4791 & ...; cmcheck check-pcap roce.pcap --json roce.json
  cmcheck pcap scenario.conv -o - | cmcheck check-pcap - --whole
  cmcheck check-pcap lab.pcap --profile 6.1-rxe --whole)");
  auto options = std::make_shared<CheckPcapOptions>();
  verb.Argument("file", &options->path,
                "A capture in the format of libpcap; '-' for standard input");
  verb.Text("--profile", &options->profile,
            "Profile of all nodes, instead of the detected one: a name of `cmcheck list "
            "profiles`, or a file");
  verb.Flag("--whole", &options->whole,
            "The capture began before the first connection: a message for a connection that it "
            "does not have is a violation");
  verb.Flag("--incomplete", &options->incomplete,
            "The capture has gaps: it may lack messages that were sent");
  verb.Flag("--strict", &options->strict, "A message with a wrong CRC is a violation");
  verb.Text("--json", &options->json, "File for the verdicts as JSON");
  verb.Does([options] { return DoCheckPcap(*options); });
}

}  // namespace cm
