// Runs of the suite in throw-away guests.
#ifndef TOOLS_CMCHECK_LAB_H_
#define TOOLS_CMCHECK_LAB_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <variant>

#include "hw_tests/lab/image.h"
#include "hw_tests/lab/problem.h"
#include "model/base/own_folder.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "tools/cmcheck/command_line.h"
#include "tools/cmcheck/own_guest.h"
#include "tools/cmcheck/run.h"

namespace cm {

struct LabOptions {
  RunOptions run;
  int guests = 2;
  int batch = 25;
  std::string library;  // in place of the guest's librdmacm; empty: that
  OwnGuest own;
  // The number of sequences that run after the others: what a guest's clock shows when a sequence
  // begins depends on those before it.
  uint64_t begin_with = 0;
};

// A folder that is gone at the end; none without a stem.
class OwnFolder {
 public:
  explicit OwnFolder(const std::string& stem) : path_(stem.empty() ? "" : MakeOwnFolder(stem)) {}
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
  ~OwnFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Progress goes to the error output; an interrupt cancels.
lab::Caller ShowingProgress();

// The exit code for the problem, which is printed unless the user has cancelled.
int EndsBy(const lab::Problem& problem);

// The image of a guest with the profile's kernel, which is built where it is not in the cache.
lab::Outcome<lab::Image> EnsureImage(const Profile& profile);

// That of two guests.
struct Network {
  Topology topology;
  std::string host_options;  // of the agents
};

// The built-in addresses, or those of the site; or the error.
std::variant<Network, std::string> NetworkOfNodes(const std::string& site);

// Makes image and snapshot of a guest that is a node: a driver has not the time to make them.
// Empty when they are there.
std::optional<lab::Problem> ReadyNode(const Profile& profile);
// The driver of a side that is such a guest, for a shell; `wire` is the folder of the wire's ends.
std::string NodeCommand(const Profile& profile, std::string_view side,
                        const std::filesystem::path& wire);

// The verbs of one such guest: a driver, and a host behind ssh.
void AddOneOfTwo(Verb lab);

// Runs the guests up to the report; returns the exit code.
int RunLab(LabOptions options);

}  // namespace cm

#endif  // TOOLS_CMCHECK_LAB_H_
