#include "hw_tests/lab/guest.h"

#include <array>
#include <system_error>
#include <utility>

#include "hw_tests/lab/cache.h"
#include "hw_tests/lab/embedded.h"
#include "hw_tests/lab/machine.h"

namespace lab {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kBootLimit = std::chrono::seconds(600);
constexpr std::chrono::milliseconds kSetUpLimit = std::chrono::seconds(300);
constexpr uint64_t kSnapshotBytesMax = 600 << 20;  // the guest's memory and its devices
constexpr std::array<std::string_view, 8> kScripts = {
    "net_bond.sh", "net_common.sh", "net_control.sh", "net_failover.sh",
    "net_node.sh", "net_pair.sh",   "net_reset.sh",   "net_routes.sh"};

MachineKind KindOf(Topology topology) {
  return topology == Topology::kNode ? MachineKind::kNode : MachineKind::kAlone;
}

std::string ScriptOf(Topology topology) { return "net_" + std::string(NameOf(topology)) + ".sh"; }

// All inputs of a saved guest besides its image.
std::string SnapshotKey(const std::string& emulator, MachineKind kind) {
  CacheKey key;
  key.Add(InstalledIdentity(emulator));
  for (const std::string& option : MachineShape(kind)) key.Add(option);
  for (std::string_view script : kScripts) key.Add(Embedded(script));
  return key.Digits();
}

// The command that copies the scripts into the guest and sets its network up.
std::string SetUpCommand(Topology topology) {
  std::string command = "set -e\nmkdir -p /lab /host\n";
  for (std::string_view script : kScripts) {
    command.append("cat >/lab/").append(script).append(" <<'END_OF_SCRIPT'\n");
    command.append(Embedded(script)).append("END_OF_SCRIPT\n");
  }
  command += "chmod 755 /lab/*.sh\n";
  if (topology == Topology::kNode) return command;
  command += "sh /lab/" + ScriptOf(topology) + "\n";
  return command + "sh /lab/net_reset.sh >/dev/null\n";
}

std::optional<Problem> MakeSnapshot(const Image& image, Topology topology,
                                    const Emulator::Settings& settings, const Caller& caller,
                                    const fs::path& path) {
  if (std::optional<Problem> problem = CheckFreeSpace(image.folder(), kSnapshotBytesMax)) {
    return problem;
  }
  Outcome<NewFile> file = NewFile::In(image.folder());
  if (!file.ok()) return file.problem();
  if (caller.progress) caller.progress("booting the guest once");
  Outcome<Emulator> emulator = Emulator::Start(image, settings);
  if (!emulator.ok()) return emulator.problem();
  if (std::optional<Problem> problem = emulator.value().AwaitAgent(kBootLimit, caller)) {
    return problem;
  }
  if (caller.progress) {
    caller.progress("setting up the network " + std::string(NameOf(topology)));
  }
  RunSettings run;
  run.wall_limit = kSetUpLimit;
  run.cancelled = caller.cancelled;
  const Outcome<Ended> ended = emulator.value().Run(SetUpCommand(topology), run);
  if (!ended.ok()) return ended.problem();
  if (ended.value().status != 0) {
    const std::string& error = ended.value().error;
    return Problem{ScriptOf(topology) + " failed: " + error.substr(0, error.find('\n'))};
  }
  if (std::optional<Problem> problem = emulator.value().Save(file.value().get())) return problem;
  return file.value().Keep(path);
}

}  // namespace

std::string_view NameOf(Topology topology) {
  switch (topology) {
    case Topology::kPair:
      return "pair";
    case Topology::kBond:
      return "bond";
    case Topology::kNode:
      return "node";
  }
  return "";
}

std::optional<Topology> TopologyNamed(std::string_view name) {
  for (Topology topology : {Topology::kPair, Topology::kBond, Topology::kNode}) {
    if (NameOf(topology) == name) return topology;
  }
  return std::nullopt;
}

Outcome<fs::path> EnsureSnapshot(const Image& image, Topology topology, const std::string& emulator,
                                 const Caller& caller) {
  const std::string name =
      std::string(NameOf(topology)) + "-" + SnapshotKey(emulator, KindOf(topology)) + ".saved";
  const fs::path path = image.folder() / name;
  std::error_code error;
  if (fs::exists(path, error)) return path;
  const auto waiting = [&] {
    if (caller.progress) caller.progress("waiting for another snapshot");
  };
  const Outcome<FolderLock> lock = FolderLock::Take(image.folder(), waiting, caller.cancelled);
  if (!lock.ok()) return lock.problem();
  if (fs::exists(path, error)) return path;
  Emulator::Settings settings;
  settings.program = emulator;
  settings.share = image.folder();
  settings.kind = KindOf(topology);
  if (std::optional<Problem> problem = MakeSnapshot(image, topology, settings, caller, path)) {
    return *problem;
  }
  return path;
}

Outcome<Guest> Guest::Start(const Image& image, const GuestSettings& settings,
                            const Caller& caller) {
  std::error_code error;
  if (!settings.share.empty() && !fs::is_directory(settings.share, error)) {
    return Problem{settings.share.string() + " is no folder to share"};
  }
  const Outcome<std::string> emulator = FindEmulator(settings.search_path);
  if (!emulator.ok()) return emulator.problem();
  const Outcome<fs::path> saved =
      EnsureSnapshot(image, settings.topology, emulator.value(), caller);
  if (!saved.ok()) return saved.problem();
  Emulator::Settings how;
  how.program = emulator.value();
  // The device is always present, or restoring the saved guest would fail.
  how.share = settings.share.empty() ? image.folder() : fs::absolute(settings.share, error);
  how.share_writable = !settings.share.empty() && settings.share_writable;
  how.saved = saved.value();
  how.kind = KindOf(settings.topology);
  how.node = settings.node;
  Guest guest(image, how);
  guest.mounts_share_ = !settings.share.empty();
  if (std::optional<Problem> problem = guest.Restore()) return *problem;
  return guest;
}

Outcome<Ended> Guest::Run(const std::string& command, const RunSettings& settings) {
  if (!emulator_) return Problem{"there is no guest: restore it", ProblemKind::kLost};
  return emulator_->Run(command, settings);
}

std::optional<Problem> Guest::Restore() {
  emulator_.reset();
  Outcome<Emulator> emulator = Emulator::Start(image_, settings_);
  if (!emulator.ok()) return emulator.problem();
  emulator_ = std::move(emulator.value());
  if (!mounts_share_) return std::nullopt;
  // A mounted share cannot be saved, so it is mounted afresh each time.
  const Outcome<Ended> mounted =
      Run("mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144 share /host", RunSettings());
  if (!mounted.ok()) return mounted.problem();
  if (mounted.value().status == 0) return std::nullopt;
  return Problem{"cannot mount the shared folder: " + mounted.value().error};
}

}  // namespace lab
