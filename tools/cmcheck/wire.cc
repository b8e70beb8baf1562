// `cmcheck wire`: a tester that speaks raw frames with a peer, beside the simulator.
#include "tools/cmcheck/wire.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/adapters/exec/exec_adapter.h"
#include "conformance/adapters/wire/drawn.h"
#include "conformance/adapters/wire/listening_door.h"
#include "conformance/adapters/wire/sim_peer.h"
#include "conformance/adapters/wire/socket_door.h"
#include "conformance/adapters/wire/trial.h"
#include "conformance/process/real_time.h"
#include "conformance/runner/profile_file.h"
#include "model/base/json.h"
#include "model/conversation/print.h"
#include "model/vocabulary/call.h"
#include "tools/cmcheck/command.h"
#include "tools/cmcheck/conversation_file.h"
#include "tools/cmcheck/report.h"
#include "tools/cmcheck/verbs.h"

namespace cm {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSim = "sim";
constexpr std::string_view kExec = "exec:";
constexpr int kShrinkAttempts = 40;

std::optional<uint32_t> V4Of(const std::string& text) {
  in_addr address = {};
  if (inet_pton(AF_INET, text.c_str(), &address) != 1) return std::nullopt;
  return ntohl(address.s_addr);
}

std::optional<mad::Gid> V6Of(const std::string& text) {
  mad::Gid address{};
  if (inet_pton(AF_INET6, text.c_str(), address.data()) != 1) return std::nullopt;
  return address;
}

std::optional<mad::Mac> MacOf(const std::string& text) {
  mad::Mac mac{};
  int end = 0;
  const int read = std::sscanf(text.c_str(), "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx%n", &mac[0],
                               &mac[1], &mac[2], &mac[3], &mac[4], &mac[5], &end);
  if (read != 6 || static_cast<size_t>(end) != text.size()) return std::nullopt;
  return mac;
}

// Where to, and how one gets there.
struct Place {
  live::Ends ends;
  std::unique_ptr<live::Door> door;  // null: the peer is the simulator
  std::unique_ptr<Implementation> driver;
};

// A door that is used again by the next conversation.
class Borrowed : public live::Door {
 public:
  explicit Borrowed(live::Door* door) : door_(door) {}
  Instant Now() override { return door_->Now(); }
  void Send(std::span<const uint8_t> frame) override { door_->Send(frame); }
  std::optional<live::Bytes> Receive(Instant until) override { return door_->Receive(until); }

 private:
  live::Door* door_;
};

// The door, and who we are there. Empty, or what is wrong.
std::string OpenDoor(const WireOptions& options, Place* place) {
  std::variant<std::unique_ptr<live::Door>, std::string> opened;
  if (!options.interface.empty()) {
    const auto found = live::FindInterface(options.interface);
    if (const auto* problem = std::get_if<std::string>(&found)) return *problem;
    const auto& interface = std::get<live::Interface>(found);
    place->ends.us.mac = interface.mac;
    if (place->ends.us.v4 == 0) place->ends.us.v4 = interface.v4;
    opened = live::OpenInterface(interface);
  } else {
    const size_t comma = options.paths.find(',');
    if (comma == std::string::npos) return "--paths is HERE,THERE";
    place->ends.us.mac = *MacOf(options.mac);
    opened = live::OpenPaths(options.paths.substr(0, comma), options.paths.substr(comma + 1));
  }
  if (const auto* problem = std::get_if<std::string>(&opened)) return *problem;
  place->door = std::get<std::unique_ptr<live::Door>>(std::move(opened));
  return {};
}

std::string FindPeer(const WireOptions& options, const Profile& profile, Place* place) {
  const live::Neighbour us = place->ends.us;
  if (us.v4 == 0) return "the interface has no address: --address says which one is ours";
  if (us.v4 == place->ends.peer.v4) return "--address and --peer are the same";
  if (const std::string device = live::OwnRoce(us.v4, "/sys/class/infiniband"); !device.empty())
    return fmt::format(
        "this machine's own RoCE ({}) would answer for our address: give another one with "
        "--address, or remove the device",
        device);
  if (!options.listener.empty()) {
    auto made = MakeExecImplementation({.place = {.command = options.listener.substr(kExec.size()),
                                                  .answers_within = Duration::Seconds(90),
                                                  .interrupted = &Interrupted()},
                                        .profile = profile});
    if (auto* problem = std::get_if<std::string>(&made)) return "--listener: " + *problem;
    place->driver = std::get<std::unique_ptr<Implementation>>(std::move(made));
  }
  // A driver may have to begin a conversation before its host has an address.
  std::unique_ptr<live::Door> listening;
  if (place->driver != nullptr) {
    auto begun = live::WithListener(std::make_unique<Borrowed>(place->door.get()), *place->driver,
                                    place->ends, static_cast<uint16_t>(options.service));
    if (auto* problem = std::get_if<std::string>(&begun)) return std::move(*problem);
    listening = std::get<std::unique_ptr<live::Door>>(std::move(begun));
  }
  const auto mac = live::Resolve(*place->door, us, place->ends.peer.v4);
  if (!mac) return fmt::format("no host answers for the address {} there", options.peer);
  place->ends.peer.mac = *mac;
  return {};
}

std::string WhyContradictory(const WireOptions& options, const Verb& verb) {
  if (!options.lab.empty()) {
    for (const char* option : {"--peer", "--peer6", "--peer-profile", "--profile", "--interface",
                               "--paths", "--listener", "--address", "--address6", "--mac"})
      if (verb.Given(option))
        return fmt::format("--lab has its own peer, which is judged by its profile: no {}", option);
    return WhyUnusable(options.own);
  }
  if (IsOwn(options.own) || !options.own.kernel_modules.empty())
    return "--module, --kernel and --modules are for a guest: --lab PROFILE";
  const bool simulated = options.peer == kSim;
  const int doors = !options.interface.empty() + !options.paths.empty();
  if (options.peer.empty()) return "--peer is missing: an IPv4 address, or sim";
  if (simulated && doors > 0) return "--peer sim has neither --interface nor --paths";
  for (const char* option : {"--listener", "--peer6", "--address6"})
    if (simulated && verb.Given(option))
      return fmt::format("--peer sim has its own application and IPv6 addresses: no {}", option);
  if (!simulated && doors != 1) return "the way to the peer is either --interface or --paths";
  if (!simulated && !V4Of(options.peer))
    return fmt::format("--peer '{}' is no IPv4 address", options.peer);
  if (!options.address.empty() && !V4Of(options.address))
    return fmt::format("--address '{}' is no IPv4 address", options.address);
  if (options.peer6.empty() != options.address6.empty())
    return "--peer6 and --address6 go together";
  for (const auto& [option, text] :
       {std::pair("--peer6", &options.peer6), std::pair("--address6", &options.address6)})
    if (!text->empty() && !V6Of(*text))
      return fmt::format("{} '{}' is no IPv6 address", option, *text);
  if (!MacOf(options.mac)) return fmt::format("--mac '{}' is no hardware address", options.mac);
  if (!options.listener.empty() && !options.listener.starts_with(kExec))
    return "--listener is exec:COMMAND";
  if (!simulated && !options.peer_profile.empty()) return "--peer-profile is for --peer sim";
  return {};
}

// Whether the peer's application can carry out lines.
bool HasDriver(const WireOptions& options) {
  return options.peer == kSim || !options.listener.empty();
}

bool HasV6(const WireOptions& options) { return options.peer == kSim || !options.peer6.empty(); }

// Whether it makes an id migrate to a path that there is none of, where that ends the peer's
// kernel.
bool IsFatal(const Conversation& conversation, const Profile& profile) {
  return profile.dialect.unknown_path_is_fatal &&
         std::ranges::any_of(conversation.lines, [](const Line& line) {
           const auto* calls = std::get_if<line::Calls>(&line);
           const auto* notify =
               calls == nullptr ? nullptr : std::get_if<call::Notify>(&calls->call);
           return notify != nullptr && notify->what == call::Notify::kPathMig;
         });
}

struct Case {
  std::string name;
  Conversation conversation;
};

// What is to be carried out; the conversations that no tester can carry out alone are counted.
std::variant<std::vector<Case>, std::string> CasesOf(const WireOptions& options,
                                                     const Profile& profile, int* left_out) {
  std::vector<Case> cases;
  for (const std::string& path : options.conversations) {
    if (std::string problem = WhyUnreadable(path); !problem.empty()) return problem;
    for (const std::string& file : ConversationFilesIn(path)) {
      auto read = ReadConversationFile(file);
      if (auto* problem = std::get_if<std::string>(&read)) return std::move(*problem);
      Conversation& conversation = std::get<ConversationFile>(read).conversation;
      const bool has_tester =
          std::ranges::any_of(conversation.topology->devices, &DeviceInfo::tester);
      std::string why =
          has_tester ? live::WhyNot(conversation, HasDriver(options)) : "it has no tester";
      if (why.empty() && IsFatal(conversation, profile)) why = "it ends a kernel of the profile";
      if (!why.empty()) fmt::print("{}: left out, {}\n", file, why);
      *left_out += why.empty() ? 0 : 1;
      if (why.empty()) cases.push_back({fs::path(file).stem(), std::move(conversation)});
    }
  }
  const live::Manner manner{.active = options.every_manner && HasDriver(options),
                            .v6 = options.every_manner && HasV6(options)};
  for (uint64_t i = options.first; i < options.first + SequencesOf(options); ++i)
    cases.push_back({fmt::format("drawn-{}-{}", options.seed, i),
                     live::Draw(options.seed, i, profile.name, manner)});
  return cases;
}

std::string Describe(const live::Difference& one) {
  return fmt::format("{} at {}\n  saw        {}\n  permitted  {}\n  rule       {}\n", one.cause,
                     ToString(Duration::Milliseconds(one.at.nanoseconds() / 1'000'000)), one.saw,
                     one.permitted, one.rule);
}

class Wire {
 public:
  Wire(const WireOptions& options, Place place, Profile profile, Profile peer_profile)
      : options_(options),
        place_(std::move(place)),
        peer_profile_(std::move(peer_profile)),
        folder_(FromUsersFolder(options.report)),
        trial_(SettingsOf(std::move(profile))) {}

  int Run(const std::vector<Case>& cases, int left_out) {
    ForgetFindings(options_);
    std::error_code error;
    fs::create_directories(folder_ / "findings", error);
    if (error) return Unusable(fmt::format("{}: {}", options_.report, error.message()));
    size_t carried = 0;
    for (const Case& one : cases) {
      if (Interrupted()) break;
      if (std::string problem = Carry(one); !problem.empty()) return Unusable(problem);
      ++carried;
    }
    const int code = Conclude({.conversations = carried,
                               .found = found_,
                               .left_out = static_cast<uint64_t>(left_out),
                               .frames = frames_},
                              folder_);
    return Interrupted() ? kExitInterrupted : code;
  }

 private:
  live::TrialSettings SettingsOf(Profile profile) {
    const int64_t now = RealNow().nanoseconds();
    const bool simulated = place_.door == nullptr;
    profile.timing.late = Duration::Milliseconds(static_cast<int64_t>(options_.late));
    // Others than those of an earlier run, which the peer may still know.
    constexpr uint64_t kGuids = 0x0200'5e00'0000'0000;
    return {.open = [this](const live::Ends& ends,
                           const Conversation* by_lines) { return Open(ends, by_lines); },
            .ends = place_.ends,
            .with_driver = HasDriver(options_),
            .service = static_cast<uint16_t>(options_.service),
            .pace = {.pause = Duration::Milliseconds(static_cast<int64_t>(options_.pause)),
                     .longest = Duration::Seconds(static_cast<int64_t>(options_.longest)),
                     .patience = profile.timing.late},
            .profile = std::move(profile),
            .first = {.first_cid = static_cast<uint32_t>(now >> 20 & 0x1fff) << 12 | 0x100,
                      .guid = simulated ? 0 : kGuids | (now >> 10 & 0xffff'ffff)}};
  }

  std::unique_ptr<live::Door> Open(const live::Ends& ends, const Conversation* by_lines) {
    if (place_.door == nullptr) return live::MakeSimPeer(&peer_profile_, ends, by_lines);
    auto door = std::make_unique<Borrowed>(place_.door.get());
    if (place_.driver == nullptr) return door;
    auto begun = by_lines != nullptr
                     ? live::WithApplication(std::move(door), *place_.driver, ends, *by_lines)
                     : live::WithListener(std::move(door), *place_.driver, ends,
                                          static_cast<uint16_t>(options_.service));
    if (auto* with = std::get_if<std::unique_ptr<live::Door>>(&begun)) return std::move(*with);
    problem_ = std::get<std::string>(begun);
    return nullptr;
  }

  std::string Carry(const Case& one) {
    live::Tried tried = trial_.Try(one.conversation);
    if (!problem_.empty()) return problem_;
    // The listener was not waited for: what differs is no finding.
    if (Interrupted() && place_.driver != nullptr && !place_.driver->Spoiled().empty()) return {};
    frames_ += tried.seen.frames.size();
    if (std::string problem = Keep(folder_ / (one.name + ".pcapng"), tried); !problem.empty())
      return problem;
    if (tried.differences.empty()) return {};
    ++found_;
    fmt::print("{}: {}", one.name, Describe(tried.differences.front()));
    if (options_.shrink) tried = trial_.Shrink(std::move(tried), kShrinkAttempts, Interrupted());
    const fs::path finding = folder_ / "findings" / (one.name + ".conv");
    if (std::string problem = Keep(fs::path(finding).replace_extension(".pcapng"), tried);
        !problem.empty())
      return problem;
    fmt::print("  shortest   {}\n", finding.string());
    return WriteFile(finding, ToText(tried.conversation));
  }

  static std::string Keep(const fs::path& path, const live::Tried& tried) {
    std::string about = ToText(tried.conversation);
    for (const live::Difference& one : tried.differences) about += Describe(one);
    std::string problem = WriteFile(path, live::ToPcapng(tried.seen, about));
    if (problem.empty() && tried.seen.history)
      problem = WriteFile(fs::path(path).replace_extension(".history"),
                          ToText(*tried.seen.history, {.times = true, .wire = false}));
    return problem;
  }

  const WireOptions& options_;
  Place place_;
  Profile peer_profile_;
  fs::path folder_;
  live::Trial trial_;
  uint64_t found_ = 0;
  uint64_t frames_ = 0;
  std::string problem_;
};

int DoWire(WireOptions options, const Verb& verb) {
  if (std::string problem = WhyContradictory(options, verb); !problem.empty())
    return Unusable(problem);
  if (!options.lab.empty()) return WireInLab(options);
  Profile profiles[2];
  const std::string& theirs = options.peer_profile.empty() ? options.profile : options.peer_profile;
  for (int i = 0; i < 2; ++i) {
    const std::string& name = i == 0 ? options.profile : theirs;
    auto loaded = LoadProfile(ProfileFromUser(name));
    if (auto* problem = std::get_if<std::string>(&loaded)) return Unusable(*problem);
    profiles[i] = std::get<Profile>(std::move(loaded));
    if (profiles[i].transport == Transport::kIwarp)
      return Unusable("over iWARP there are no messages of the CM");
  }
  int left_out = 0;
  auto cases = CasesOf(options, profiles[0], &left_out);
  if (auto* problem = std::get_if<std::string>(&cases)) return Unusable(*problem);
  Place place;
  if (options.peer == kSim) {
    options.address6 = "fd00:2::1";
    options.peer6 = "fd00:1::1";
  }
  place.ends.us = {.mac = *MacOf(options.mac),
                   .v4 = V4Of(options.address).value_or(0),
                   .v6 = V6Of(options.address6).value_or(mad::Gid{})};
  place.ends.peer = {.mac = {},  // the simulator's, until another one answers
                     .v4 = V4Of(options.peer).value_or(*V4Of("10.0.1.1")),
                     .v6 = V6Of(options.peer6).value_or(mad::Gid{})};
  if (options.peer == kSim) {
    if (place.ends.us.v4 == 0) place.ends.us.v4 = *V4Of("10.0.2.1");
  } else {
    std::string problem = OpenDoor(options, &place);
    if (problem.empty()) problem = FindPeer(options, profiles[0], &place);
    if (!problem.empty()) return Unusable(problem);
  }
  return Wire(options, std::move(place), profiles[0], profiles[1])
      .Run(std::get<std::vector<Case>>(cases), left_out);
}

}  // namespace

uint64_t SequencesOf(const WireOptions& options) {
  return options.conversations.empty() && options.sequences == 0 ? 100 : options.sequences;
}

void ForgetFindings(const WireOptions& options) {
  const fs::path findings = fs::path(FromUsersFolder(options.report)) / "findings";
  const auto overlaps = [&](const std::string& given) {
    return Overlap(FromUsersFolder(given), findings);
  };
  if (std::ranges::none_of(options.conversations, overlaps)) Forget(findings);
  // The captures of what was drawn; those of conversations have their names.
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(findings.parent_path(), ignored)) {
    const std::string kind = entry.path().extension().string();
    const std::string stem = entry.path().stem().string();
    constexpr std::string_view kDrawn = "drawn-";
    if ((kind == ".pcapng" || kind == ".history") && stem.starts_with(kDrawn) &&
        stem.find_first_not_of("0123456789-", kDrawn.size()) == std::string::npos)
      fs::remove(entry.path(), ignored);
  }
}

int Conclude(const WireCounts& counts, const fs::path& folder) {
  fmt::print("{} conversations, {} as the profile permits, {} not, {} left out; {} frames\n",
             counts.conversations + counts.left_out, counts.conversations - counts.found,
             counts.found, counts.left_out, counts.frames);
  const std::string problem = WriteFile(
      folder / "results.json", JsonText(nlohmann::json{{"schema", 1},
                                                       {"conversations", counts.conversations},
                                                       {"found", counts.found},
                                                       {"left_out", counts.left_out},
                                                       {"frames", counts.frames}},
                                        1) +
                                   "\n");
  if (!problem.empty()) return Unusable(problem);
  if (counts.conversations == 0) return kExitInconclusive;
  return counts.found > 0 ? kExitFound : kExitClean;
}

void AddWire(Verb cmcheck) {
  Verb verb =
      cmcheck.Add("wire", "Try a connection manager by messages made by hand, as raw frames",
                  R"(
A tester sends RoCEv2 messages of the CM on a network interface, without an RDMA device, and hears
what the peer says: any program that listens and accepts. The same conversation with the simulator
in the peer's place, under --profile, says what is permitted; the judge of captures reads them all.
All frames are kept as pcapng files with comments, and what is found is made shorter. After each
message there is a pause. See docs/wire.md.
Exit code: 0 as permitted, 1 found, 2 not possible here, 3 nothing to carry out, 130 interrupted.
Examples:
  cmcheck wire --peer sim --peer-profile 7.2-rxe --profile 6.1-rxe
  cmcheck wire --interface eth0 --peer 192.0.2.7 --service 7174 --sequences 50
  cmcheck wire --interface eth0 --peer 192.0.2.7 --conversations ./conversations
  cmcheck wire --interface eth0 --peer 192.0.2.7 --listener 'exec:ssh node7 cmcheck agent'
  cmcheck wire --lab 6.12-rxe --sequences 500
  cmcheck wire --lab 6.1-rxe --module ./ib_cm.ko --sequences 500
  cmcheck wire --peer sim --conversations wire-report/findings/drawn-1-7.conv)");
  auto options = std::make_shared<WireOptions>();
  verb.Text("--interface", &options->interface, "Network interface that leads to the peer");
  verb.Text("--paths", &options->paths,
            "HERE,THERE instead: sockets of a virtual Ethernet, as of QEMU's -netdev dgram");
  verb.Text("--peer", &options->peer, "The peer's IPv4 address; sim: the simulator");
  verb.Text("--address", &options->address,
            "Our address, which no one else has; default: the interface's");
  verb.Text("--peer6", &options->peer6, "The peer's IPv6 address: some conversations go over it");
  verb.Text("--address6", &options->address6, "Ours, which no one else has");
  verb.Text("--mac", &options->mac, "Our hardware address where there is no interface");
  verb.Number("--service", &options->service, 1, 65535, "The port on which the peer listens");
  verb.Text("--profile", &options->profile, "What the peer is to be like");
  verb.Text("--lab", &options->lab,
            "A guest with the kernel of this profile as the peer, which is judged by it");
  AddOwnGuest(verb, &options->own);
  verb.Text("--peer-profile", &options->peer_profile, "With --peer sim: what it is like");
  verb.Text(
      "--listener", &options->listener,
      "exec:COMMAND: a driver on the peer that listens and accepts (docs/driver_protocol.md)");
  verb.Texts("--conversations", &options->conversations,
             "A conversation of a tester, or a folder; may be repeated");
  verb.Number("--sequences", &options->sequences,
              "How many conversations are drawn; without --conversations 100");
  verb.Number("--seed", &options->seed, "Of what is drawn");
  verb.Number("--first", &options->first, "Number of the first that is drawn");
  verb.Number("--pause", &options->pause, 10, 10000, "Milliseconds after each message");
  verb.Number("--longest", &options->longest, 0, 600, "Seconds that a line waits at most");
  verb.Number("--late", &options->late, 0, 60000,
              "Milliseconds that a message may be late or early, besides the profile's per cent");
  verb.Text("--report", &options->report, "Folder for captures and findings");
  verb.Flag("--every-manner", &options->every_manner,
            "Draw also active peers, where there is a driver, and IPv6, where it has addresses");
  verb.Flag("!--no-shrink", &options->shrink, "Leave findings as they are");
  verb.Does([options, verb] { return DoWire(*options, verb); });
}

}  // namespace cm
