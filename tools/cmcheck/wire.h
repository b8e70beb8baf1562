// `cmcheck wire`, here and in a guest of the lab.
#ifndef TOOLS_CMCHECK_WIRE_H_
#define TOOLS_CMCHECK_WIRE_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "conformance/adapters/wire/tester_end.h"
#include "tools/cmcheck/own_guest.h"

namespace cm {

struct WireOptions {
  std::string interface;
  std::string paths;  // HERE,THERE
  std::string peer;
  std::string address;
  std::string peer6;  // both or neither
  std::string address6;
  std::string mac = "02:00:00:00:00:01";  // without an interface
  std::string profile = "6.1-rxe";
  std::string peer_profile;
  std::string listener;
  std::string lab;  // profile of a guest
  OwnGuest own;     // of it
  std::vector<std::string> conversations;
  std::string report = "wire-report";
  uint64_t service = live::kService;
  uint64_t sequences = 0;
  uint64_t first = 0;
  uint64_t seed = 1;
  uint64_t pause = 50;
  uint64_t longest = 5;
  uint64_t late = 300;
  bool every_manner = false;  // drawn also with active peers and over IPv6
  bool shrink = true;
};

uint64_t SequencesOf(const WireOptions& options);

// Removes the findings of an earlier run from the report, unless they are among what is given.
void ForgetFindings(const WireOptions& options);

struct WireCounts {
  uint64_t conversations = 0;
  uint64_t found = 0;
  uint64_t left_out = 0;
  uint64_t frames = 0;
};

// Prints them, and writes them to `folder`; returns the exit code.
int Conclude(const WireCounts& counts, const std::filesystem::path& folder);

// The tester and the peer in one guest, on the two ends of its virtual cable, in virtual time.
int WireInLab(const WireOptions& options);

}  // namespace cm

#endif  // TOOLS_CMCHECK_WIRE_H_
