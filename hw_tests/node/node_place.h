// A node of a site as a place for conversations: does what is allowed to the interface that has the
// side's address, and to the RDMA device on it, through a guardian.
//
// 1. Nothing is done to the interface that carries the control connection, to one below it or above
//    it, or where it is not known which one that is: then there is no such place.
// 2. Messages are dropped where they arrive, by `nft`, so only where the kernel sees them:
//    Soft-RoCE. Other effects on messages are for programs of the site.
// 3. A Soft-RoCE device is removed and made again; another is taken from its driver and given back
//    (adapter.h), or by a program of the site. A Soft-RoCE device whose link was down is made again
//    as well: one of Linux 6.1 receives nothing from then on.
// 4. A device can be taken away only when no process of an earlier conversation is held back by the
//    kernel. While one is, the place is disturbed.
#ifndef HW_TESTS_NODE_NODE_PLACE_H_
#define HW_TESTS_NODE_NODE_PLACE_H_

#include <memory>
#include <string>
#include <variant>

#include "conformance/adapters/dl/place.h"
#include "conformance/adapters/exec/allow.h"
#include "hw_tests/node/held_back.h"

namespace node {

inline constexpr char kRecords[] = "/run/cmcheck";  // the default of the folder
inline constexpr char kNoControl[] = "none";        // no interface carries the connection

struct NodeSettings {
  cm::AllowList allow;
  std::string address;  // of the side's interface: IPv4
  std::string control;  // the interface that carries the control connection, kNoControl, or empty
  std::string folder = kRecords;
  std::string devices = "/sys/class/infiniband";
  std::string processes = kProcesses;
  int input = 0;  // of this process: when its other end is closed, everything is undone
};

// `bare` serves what is no fault. Or the reason why there is no such place, in a line.
std::variant<std::unique_ptr<cm::Place>, std::string> OpenNode(const NodeSettings& settings,
                                                               std::unique_ptr<cm::Place> bare);

// The rules of nft for a drop: marks the messages that it hits, in a table of its own, and drops
// all that any marks. `peer`: who sends.
std::string DropRules(const cm::Fault& fault, const std::string& table,
                      const std::string& interface, const cm::DeviceInfo& peer);

}  // namespace node

#endif  // HW_TESTS_NODE_NODE_PLACE_H_
