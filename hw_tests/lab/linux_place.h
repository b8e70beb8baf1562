// The inside of a guest as a place for conversations: changes links, devices and messages where the
// conversation runs.
//
// 1. A guest serves the topology whose network it was restored with: `pair` is
//    one-kernel-two-devices, `bond` is bond. The devices have the topology's names.
// 2. Packet faults act as the conversation specifies, by occurrence and window. kReorder delays a
//    message by 5 ms.
// 3. When a tool fails, its output is part of the result. `rdma link del` continues in the
//    background until every process that has the device open has ended; for the same reason a
//    removed device cannot come back during a conversation, and kAddDevice is no capability.
// 4. A device of Linux 6.1 that failed to send a CM message, because its link was down or because a
//    message from before a fail-over was retransmitted, receives none from then on. No fact of the
//    network shows it, so PutRight recreates the devices after such a fault, in the topology's
//    order: the order of creation is visible to an application.
// 5. PutRight checks the RDMA devices only, if nothing but packet faults happened: of the rest of
//    the network only messages may be left that wait to be released, which it forgets, and checking
//    all of it takes several times as long.
// 6. What the devices send is seen where it leaves them, by frame_tap.h, before the filters.
#ifndef HW_TESTS_LAB_LINUX_PLACE_H_
#define HW_TESTS_LAB_LINUX_PLACE_H_

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/adapters/dl/place.h"
#include "hw_tests/lab/cm_filter.h"
#include "hw_tests/lab/frame_tap.h"
#include "hw_tests/lab/guest_tools.h"
#include "hw_tests/lab/problem.h"
#include "model/conversation/history.h"
#include "model/vocabulary/fault.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"

namespace lab {

// The capabilities of a guest, with or without a bond. Messages over iWARP are parts of TCP
// streams, which the filters do not parse.
cm::Capabilities GuestCapabilities(bool bonded, cm::Transport transport);

class LinuxPlace : public cm::Place {
 public:
  // The guest that this process runs in, or the reason why it runs in none.
  static Outcome<std::unique_ptr<cm::Place>> Open();

  // Without a tap it sees no messages.
  LinuxPlace(std::unique_ptr<GuestTools> tools, std::string name,
             std::unique_ptr<FrameTap> tap = nullptr);

  std::string name() const override { return name_; }
  cm::Capabilities capabilities() const override;
  bool patient() const override { return true; }
  std::string Prepare(const cm::Conversation& conversation) override;
  cm::seen::Done Inject(const cm::Fault& fault) override;
  cm::seen::Done Heal() override;
  std::vector<cm::WireRecord> TakeWire() override;
  std::string PutRight() override;
  // Not all messages have been seen.
  bool Disturbed() const override { return missed_; }

  // What carries out faults of a kind here, or why nothing can. A kind that the place does not know
  // has neither.
  struct FaultHandler {
    cm::FaultKind kind = cm::FaultKind::kDrop;
    cm::seen::Done (*act)(LinuxPlace& place, const cm::Fault& fault) = nullptr;
    std::string_view why_not;
  };
  static FaultHandler HandlerOf(cm::FaultKind kind);

 private:
  const cm::DeviceInfo& DeviceOf(const cm::Fault& fault) const;
  cm::seen::Done Run(const std::string& command);
  cm::seen::Done Install(const cm::Fault& fault);
  cm::seen::Done RemoveDevice(const cm::DeviceInfo& device);
  cm::seen::Done FailOver(const cm::DeviceInfo& device);
  cm::seen::Done ChangeNeighbours(const cm::DeviceInfo& device);
  // Removes the topology's devices; what went wrong, or empty.
  std::string RemoveAllDevices();
  // What has left, while the rules that double it are known.
  void KeepSent();
  // Whether the devices, and their resources in use, are as they were at first.
  bool DevicesAreRight();
  // Restores the network; returns the remaining differences.
  std::string Reset();

  std::unique_ptr<GuestTools> tools_;
  std::string name_;
  std::unique_ptr<FrameTap> tap_;
  std::vector<CmRule> doubling_;      // the rules that double messages
  std::vector<cm::WireRecord> sent_;  // not taken yet
  bool missed_ = false;               // some
  std::string network_;               // pair or bond
  std::string driver_;                // rxe or siw
  const cm::Topology* topology_ = nullptr;
  bool meddled_ = true;         // more than packets, possibly
  std::set<std::string> down_;  // interfaces
  bool wrong_neighbours_ = false;
  bool used_up_ = false;     // devices must be recreated
  bool holds_back_ = false;  // messages, possibly
};

}  // namespace lab

#endif  // HW_TESTS_LAB_LINUX_PLACE_H_
