// A throw-away Linux with Soft-RoCE and the distribution's librdmacm, in which time is virtual.
//
// 1. A Guest starts from a snapshot: the kernel booted, the network of its topology set up. The
//    first guest of a topology makes the snapshot (about 10 s), which stays in the cache.
// 2. Between two commands it is paused. Its clock follows the instructions it executes and jumps
//    over idle time, so a wait of minutes takes no time to speak of.
// 3. Commands run one at a time. What they leave in the background goes on only while another
//    command runs.
// 4. Guests share nothing: two of them side by side use two processors. Each belongs to one thread
//    at a time.
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

// See net_pair.sh and net_bond.sh.
enum class Topology { kPair, kBond };

std::string_view NameOf(Topology topology);
std::optional<Topology> TopologyNamed(std::string_view name);

struct GuestSettings {
  Topology topology = Topology::kPair;
  // A folder of the host that the guest sees as /host; empty: none. Programs run best from a copy
  // in /tmp: the guest's clock runs while it waits for the host.
  std::filesystem::path share;
  bool share_writable = true;
  std::string search_path = SearchPath();  // where QEMU is looked for
};

class Guest {
 public:
  static Outcome<Guest> Start(const Image& image, const GuestSettings& settings,
                              const Caller& caller);

  // Runs a shell command as root. Problems: kTimedOut and kCancelled leave a guest that takes the
  // next command; after kLost only Restore helps.
  Outcome<Ended> Run(const std::string& command, const RunSettings& settings);

  // Throws the guest away and takes a fresh one from the snapshot.
  std::optional<Problem> Restore();

  pid_t pid() const { return emulator_ ? emulator_->pid() : 0; }

 private:
  Guest(Image image, Emulator::Settings settings)
      : image_(std::move(image)), settings_(std::move(settings)) {}

  Image image_;
  Emulator::Settings settings_;
  bool mounts_share_ = false;
  std::optional<Emulator> emulator_;
};

// Makes the snapshot unless it is there; its path. Guest::Start does this by itself.
Outcome<std::filesystem::path> EnsureSnapshot(const Image& image, Topology topology,
                                              const std::string& emulator, const Caller& caller);

}  // namespace lab

#endif  // HW_TESTS_LAB_GUEST_H_
