// What programs send to other hosts over TCP and UDP, on its way.
//
// 1. A program's bytes are kept here until they arrive, and only then sent on its own socket, of
//    which this object has a duplicate meanwhile. So all that the receiver does with its socket is
//    the system's.
// 2. The time is that of the links for messages between queue pairs: latency, bandwidth, and faults
//    that hit these. What TCP has lost is sent again, later and later; what comes behind it waits.
//    UDP loses it.
// 3. A connection takes a message each way. The end of a sending side comes after all that was sent
//    before. That of a process that ends without closing it: see socket_ends.h. That of a host that
//    crashes does not come.
// 4. A sender has room for 4 MiB under way, and poll(2) says that there is some while a third of it
//    is free, as Linux.
#ifndef TOOLS_APP_SOCKET_LINKS_H_
#define TOOLS_APP_SOCKET_LINKS_H_

#include <netinet/in.h>  // before the kernel's headers, which define the same
#include <sys/socket.h>
#include <sys/types.h>

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "conformance/process/descriptor.h"
#include "model/base/duration.h"
#include "sim/uapi/request.h"
#include "sim/world/world.h"
#include "tools/app/socket_notes.h"

namespace cm::app {

class SocketLinks {
 public:
  // Copies bytes out of the memory of the program that asks; false when they are not there.
  using Reads = std::function<bool(uint64_t address, std::span<uint8_t> bytes)>;

  // `world` must outlive this object. What is carried is noted there; may be empty.
  explicit SocketLinks(sim::World* world, SocketNotes::Sink noted = {});

  // Called for each message that is sent between two devices, and again where it is repeated.
  using Counts = std::function<void(uint8_t from, uint8_t to)>;
  void CountWith(Counts counts) { counts_ = std::move(counts); }

  // The answer to a kCarry, and the instant at which the thread gets it.
  struct Answered {
    int64_t value = 0;
    Instant at;
  };
  // `process` is the system's number.
  Answered Ask(pid_t process, uint8_t side, const sim::uapi::Request& request, const Reads& reads);

  // The end of a socket of a process that has ended.
  void Closes(Descriptor socket, uint8_t side, Instant at);
  // Of TCP, and connected to another host.
  bool HasItsEndCarried(int socket, uint8_t side) const;
  // The number of the socket; 0 for what is none.
  static uint64_t NumberOf(int socket);

  // When the next message arrives, or is sent again.
  std::optional<Instant> NextAt() const;
  // All that is due by now. Returns whether there was any.
  bool Happen();
  // What it has sent, and has not left it, is lost.
  void HostCrashes(uint8_t kernel);
  // What had arrived and for which the receiver had no room. Returns whether any has room now.
  bool Flush();
  // A receiver had no room at some time: how much it has is the system's, and differs.
  bool was_full() const { return was_full_; }

 private:
  struct Way {
    uint8_t from = 0;
    uint8_t to = 0;
    bool is_tcp = false;
  };
  struct Message {
    sim::uapi::Carry what = sim::uapi::Carry::kSends;
    std::vector<uint8_t> bytes;
    size_t sent = 0;
    std::vector<uint8_t> peer;  // of a datagram; empty: the socket's
    uint32_t attempts = 0;
    Instant left;  // last
    bool arrived = false;
    bool lost = false;  // and not sent again
  };
  // Of one socket, in the order in which they were sent.
  struct Flow {
    Descriptor socket;
    Way way;
    std::deque<Message> messages;
    uint64_t first = 0;             // the number of the first of them
    uint64_t bytes = 0;             // of all of them, with what each takes beside
    bool stuck = false;             // the first has arrived, and the receiver has no room
    bool refused = false;           // there was no room for the sender
    std::vector<Descriptor> gates;  // of programs that wait for room; see Carry::kGate
    Instant last;                   // no message arrives earlier: they stay in order
  };
  using Flows = std::map<uint64_t, Flow>;  // by the number of the socket
  struct Due {
    uint64_t flow;
    uint64_t message;
    bool sends_again;
  };

  std::optional<uint8_t> DeviceOf(const sockaddr_storage& address) const;
  std::optional<Way> WayOf(int socket, uint8_t device, std::span<const uint8_t> peer) const;
  bool GetsThrough(const Way& way) const;
  bool IsHalted(uint8_t device) const;
  // When it arrives if it leaves then.
  Instant Arrives(Instant leaves, const Way& way, uint64_t bytes);
  Answered Connects(Instant now, const Way& way, uint32_t attempt);
  static Answered NotConnected(Instant now, uint32_t attempt);
  void NoteRequest(uint64_t name, int socket, const Way& way, const sim::uapi::CarryRecord& record,
                   std::span<const uint8_t> peer, Instant now, const Answered& answered);
  void NoteArrival(uint64_t name, const Flow& flow, const Message& message);
  Answered Waits(uint64_t name);
  Answered WaitsForRoom(uint64_t name, Descriptor gate);
  static void SayThatThereIsRoom(Flow* flow);
  Answered Sends(Instant now, uint64_t name, Descriptor socket, const Way& way,
                 const sim::uapi::CarryRecord& record, std::span<const uint8_t> peer,
                 const Reads& reads);
  void SetOut(Instant now, uint64_t name, uint64_t message);
  void IsLost(Instant now, uint64_t name, uint64_t message);
  bool Deliver(uint64_t name, Flow* flow);
  Flows::iterator Forget(Flows::iterator flow);
  enum class Sent : uint8_t { kWhole, kNoRoom, kFailed };
  Sent SendOn(const Flow& flow, Message* message);
  Sent SendDatagram(const Flow& flow, const Message& message) const;

  sim::World* world_;
  SocketNotes notes_;
  Counts counts_;
  std::map<std::string, uint8_t> device_of_;  // by the bytes of an address
  // The first address of each device, over IPv4 and IPv6.
  std::vector<std::array<std::string, 2>> sources_;
  Flows flows_;
  uint64_t next_first_ = 0;
  std::multimap<Instant, Due> due_;
  bool was_full_ = false;
};

}  // namespace cm::app

#endif  // TOOLS_APP_SOCKET_LINKS_H_
