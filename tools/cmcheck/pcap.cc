#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <variant>

#include "conformance/adapters/sim/capture.h"
#include "conformance/driver/implementation.h"
#include "conformance/runner/campaign.h"
#include "model/vocabulary/profile.h"
#include "tools/cmcheck/command.h"
#include "tools/cmcheck/conversation_file.h"
#include "tools/cmcheck/report.h"
#include "tools/cmcheck/verbs.h"

namespace cm {
namespace {

struct PcapOptions {
  std::string path;
  std::string output;
  std::string profile;
  bool without_lost = false;
};

// The file name of the conversation with another suffix.
std::string DefaultOutput(const std::string& path) {
  const std::string suffix = ".conv";
  const bool has_suffix = path.size() > suffix.size() && path.ends_with(suffix);
  return (has_suffix ? path.substr(0, path.size() - suffix.size()) : path) + ".pcap";
}

int Pcap(PcapOptions options) {
  auto read = ReadConversationFile(options.path);
  if (auto* problem = std::get_if<std::string>(&read)) return Unusable(*problem);
  const ConversationFile& file = std::get<ConversationFile>(read);
  Asked asked;
  asked.profile = options.profile;
  if (std::string problem = TakeItsProfile(file.path, file.conversation, file.text, &asked.profile);
      !problem.empty())
    return Unusable(problem);
  auto resolved = Resolve(asked);
  if (auto* problem = std::get_if<std::string>(&resolved)) return Unusable(*problem);
  const Implementation& implementation = *std::get<Answering>(resolved).implementation;
  if (std::string missing = WhatIsMissing(implementation, file.conversation); !missing.empty())
    return Unusable(fmt::format("{}: {}", file.path, missing));
  const Profile& profile = implementation.profile();
  auto made = CaptureOf(file.conversation, profile, {.with_lost = !options.without_lost});
  if (auto* problem = std::get_if<std::string>(&made))
    return Unusable(fmt::format("{}: {}", file.path, *problem));
  const Capture& capture = std::get<Capture>(made);
  if (options.output.empty()) options.output = DefaultOutput(options.path);
  if (options.output == "-") {
    if (isatty(STDOUT_FILENO) == 1)
      return Unusable("a capture is bytes: send standard output to a file or a program");
    std::fwrite(capture.file.data(), 1, capture.file.size(), stdout);
    return kExitClean;
  }
  const std::string path = FromUsersFolder(options.output);
  if (std::string problem = WriteFile(path, capture.file); !problem.empty())
    return Unusable(problem);
  fmt::print("{}: {} frames, {} of those that were sent are lost{}\n", options.output,
             capture.frames, capture.lost, options.without_lost ? " and left out" : "");
  return kExitClean;
}

}  // namespace

void AddPcap(Verb cmcheck) {
  Verb verb =
      cmcheck.Add("pcap", "Write the messages of a conversation as a capture for Wireshark", R"(
The conversation is carried out on the simulator; its messages become RoCEv2 frames as Soft-RoCE of
Linux sends them, each where and when it is sent, in virtual time; a packet that arrives twice is
there twice. What Linux chooses (packet and transaction numbers, hardware addresses) is made up, the
same each time.
Examples:
  cmcheck pcap conformance/scenarios/loss/first_reply.conv -o reply.pcap
  cmcheck pcap scenario.conv -o - | tshark -r - -O infiniband
  cmcheck pcap scenario.conv --profile 7.2-rxe && cmcheck check-pcap scenario.pcap)");
  auto options = std::make_shared<PcapOptions>();
  verb.Argument("file", &options->path, "A conversation");
  verb.Text("-o,--output", &options->output,
            "The capture; '-' for standard output; as a rule beside the conversation");
  verb.Text("--profile", &options->profile, "Profile of the timers; default: the conversation's");
  verb.Flag("--without-lost", &options->without_lost,
            "Leave out lost messages: what the receivers see");
  verb.Does([options] { return Pcap(*options); });
}

}  // namespace cm
