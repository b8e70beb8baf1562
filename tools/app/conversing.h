// Makes a conversation of notes: see conversation.h.
#ifndef TOOLS_APP_CONVERSING_H_
#define TOOLS_APP_CONVERSING_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/conversation/history.h"
#include "model/vocabulary/call.h"
#include "model/vocabulary/names.h"
#include "model/vocabulary/protocol.h"
#include "model/vocabulary/reply.h"
#include "model/vocabulary/topology.h"
#include "model/vocabulary/topology_ref.h"
#include "sim/uapi/asker.h"
#include "sim/uapi/layout.h"
#include "sim/uapi/request.h"
#include "tools/app/folded.h"
#include "tools/app/line_log.h"
#include "tools/app/recorder.h"

namespace cm::app {

class Conversing {
 public:
  // The topology must outlive this object, and so must the recorder.
  Conversing(const Recorder& recorder, const TopologyRef& topology);

  History Run(std::string comment);

 private:
  struct Id {
    IdRef name;
    uint32_t file = 0;
    uint64_t uid = 0;
    PortSpace space = PortSpace::kTcp;
    bool has_qp = false;
    bool has_srq = false;  // as lines have it
  };
  struct QueuePair {
    QpType type = QpType::kRc;
    bool shares = false;  // it has a shared receive queue
  };
  struct File {
    ChannelRef name;
    uint32_t process = 0;
  };
  struct Membership {
    IdRef id;
    Address group;
  };
  struct Held {
    EventRef event;
    IdRef counts_for;
    std::optional<uint32_t> membership;
  };
  struct Blocked {
    uint32_t line = 0;
    uint8_t side = 0;
    IdRef id;
    std::optional<uint32_t> membership;
  };
  struct Thread {
    Lane lane;
    std::optional<uint32_t> made;     // a queue pair that is none of an id yet
    std::optional<uint32_t> readied;  // the id whose attributes it has asked for last
    std::optional<size_t> response;   // a CONNECT_RESPONSE that the library works on
  };
  using Place = std::pair<uint32_t, uint64_t>;  // a process, an address there

  const Note& note() const { return notes_[at_]; }
  static constexpr uint32_t kMostLanes = 255;  // of a side

  // The note is of a thread for which no lane is left.
  bool NeedsALaneTooMany() const;
  Thread& Self();
  uint32_t Say(const Call& call, const Reply& reply, std::optional<CmEvent> event = {});
  void LeaveOut(std::string_view what) { ++left_out_[std::string(what)]; }
  void LeaveOut(const sim::uapi::Request& request);
  Id* Live(std::optional<uint32_t> number);
  Id* ListenerOf(uint32_t file, uint64_t uid);
  void Forget(uint32_t number);
  void Close(uint32_t file);
  void CloseAllOf(uint8_t side);
  bool Counts(IdRef id, std::optional<uint32_t> membership) const;
  void SayBlocking(const Call& call, IdRef id, std::optional<uint32_t> membership);

  void On(const noted::Answered& answered);
  void On(const noted::Told& told);
  void On(const noted::Ended& ended);
  void On(const noted::Waits& waits);
  void On(const noted::Injected& injected);
  void On(const noted::Sent& sent);

  void Commands(const sim::uapi::Command& command, const noted::Answered& answered);
  void Calls(const sim::uapi::Command& command, const noted::Answered& answered);
  void NameDrawnPort(Call* call);
  void Creates(const sim::uapi::Command& command, const noted::Answered& answered);
  void Leaves(const sim::uapi::Command& command, const noted::Answered& answered);
  void Migrates(const sim::uapi::Command& command, const noted::Answered& answered);
  void Looks(const sim::uapi::Command& command, const sim::uapi::Answer& answer);
  void Readied(const noted::Answered& answered);
  void SayShares(Id* id, bool shares);
  void Destroys(uint32_t qp);
  void Fetches(const noted::Answered& answered);
  void SayFetched(size_t fetched);
  void SayRequested(const noted::Answered& answered, const Held& held, ChannelRef channel,
                    CmEvent event);
  void Acknowledges(uint64_t address);
  void AcknowledgeInside(IdRef id);

  std::string Lanes() const;
  std::string LeftOut() const;

  const Recorder& recorder_;
  const std::vector<Note>& notes_;
  const Topology& topology_;
  const Folded folded_;
  LineLog log_;
  std::map<std::string, uint64_t> left_out_;
  std::string comment_;             // why the rest is left out
  std::map<uint8_t, size_t> last_;  // the last request of each side
  size_t at_ = 0;
  std::map<uint32_t, Id> ids_;
  std::map<uint32_t, IdRef> gone_;  // ids that were destroyed, by the numbers that they had
  std::map<uint32_t, File> files_;
  std::map<uint32_t, Membership> memberships_;
  std::map<uint32_t, QueuePair> queue_pairs_;
  std::map<uint32_t, uint32_t> ids_of_qps_;
  std::map<sim::uapi::Asker, Thread> threads_;
  std::map<uint8_t, uint32_t> lanes_;  // of each side
  std::map<Place, Held> held_;
  std::map<Place, EventRef> given_back_;
  std::set<size_t> acknowledged_;  // notes, before it was their turn
  std::vector<Blocked> blocked_;
  std::set<uint8_t> exited_;  // sides
};

}  // namespace cm::app

#endif  // TOOLS_APP_CONVERSING_H_
