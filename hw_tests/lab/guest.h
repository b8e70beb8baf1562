// A throw-away Linux with Soft-RoCE and the distribution's librdmacm, in which time is virtual.
//
// 1. A Guest starts from a snapshot: the kernel is booted, the network of its topology is set up.
//    The first guest of a topology creates the snapshot (about 10 s), which stays in the cache.
// 2. Between two commands it is paused. Its clock follows the instructions it executes and jumps
//    over idle time, so a wait of minutes takes almost no time.
// 3. Commands run one at a time. Their background processes run only while another command runs.
// 4. Guests share nothing: two concurrent guests use two CPUs. Each is used by one thread at a
//    time.
// 5. QEMU ends with the Guest, and when this process ends in any way. There are no temporary files.
//
//   Outcome<Image> image = Image::Ensure({*DefaultCache()}, {});
//   Outcome<Guest> guest = Guest::Start(image.value(), {.share = "results"}, {});
//   Outcome<Ended> ended = guest.value().Run("rdma link", {});
#ifndef HW_TESTS_LAB_GUEST_H_
#define HW_TESTS_LAB_GUEST_H_

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "hw_tests/lab/emulator.h"
#include "hw_tests/lab/image.h"
#include "hw_tests/lab/problem.h"

namespace lab {

// See net_pair.sh, net_bond.sh and net_node.sh. A node has no network until that script has run.
enum class Topology { kPair, kBond, kNode };

std::string_view NameOf(Topology topology);
std::optional<Topology> TopologyNamed(std::string_view name);

struct GuestSettings {
  Topology topology = Topology::kPair;
  // A folder of the host that is /host in the guest; empty: none. Programs run best from a copy in
  // /tmp: the guest's clock runs while it waits for the host.
  std::filesystem::path share;
  bool share_writable = true;
  NodePlaces node;                             // of a node
  std::string search_path = cm::SearchPath();  // where QEMU is searched
};

class Guest {
 public:
  static Outcome<Guest> Start(const Image& image, const GuestSettings& settings,
                              const Caller& caller);

  // Runs a shell command as root. Problems: after kTimedOut and kCancelled the guest accepts the
  // next command; after kLost and kKernel only Restore helps.
  Outcome<Ended> Run(const std::string& command, const RunSettings& settings);

  // Discards the guest and starts a fresh one from the snapshot.
  std::optional<Problem> Restore();

  pid_t pid() const { return emulator_ ? emulator_->pid() : 0; }
  // What its kernel has said since the start or the restoration.
  std::string console() const { return emulator_ ? emulator_->console() : ""; }

 private:
  Guest(Image image, Emulator::Settings settings)
      : image_(std::move(image)), settings_(std::move(settings)) {}

  Image image_;
  Emulator::Settings settings_;
  bool mounts_share_ = false;
  std::optional<Emulator> emulator_;
};

// Creates the snapshot if necessary; returns its path. Guest::Start calls it.
Outcome<std::filesystem::path> EnsureSnapshot(const Image& image, Topology topology,
                                              const std::string& emulator, const Caller& caller);

}  // namespace lab

#endif  // HW_TESTS_LAB_GUEST_H_
