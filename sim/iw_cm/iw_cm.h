// The simulated iWARP CM and its provider, as Linux and Soft-iWARP have them: TCP connections, the
// one MPA frame of each side, and the events for either side.
//
// One object serves all kernels of a world. TCP loses nothing and keeps the order, so that a frame
// is in flight or delivered; while a link is down it waits.
#ifndef SIM_IW_CM_IW_CM_H_
#define SIM_IW_CM_IW_CM_H_

#include <cstdint>

#include "model/base/errno.h"
#include "model/vocabulary/address.h"
#include "model/vocabulary/private_data.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/reply.h"
#include "sim/core/agenda.h"
#include "sim/core/index.h"
#include "sim/core/slab.h"
#include "sim/fabric/fabric.h"

namespace cm::sim {

using CmIdIndex = Index<struct CmId>;  // of the layer above
using FrameIndex = Index<struct Frame>;
using IwIndex = Index<struct IwId>;

// source: linux 6.1 iwcm.h enum iw_cm_state, siw_cm.h enum siw_cep_state
enum class IwState : uint8_t {
  kIdle,
  kConnSent,
  kConnRecv,
  kPeerGone,  // CONN_RECV, and the provider's end of the connection is closed
  kEstablished,
  kClosing,
};

// Responder resources and initiator depth, from the view of the side that gives them.
struct Depths {
  uint8_t ird = 0;
  uint8_t ord = 0;
  friend bool operator==(const Depths&, const Depths&) = default;
};

enum class FrameKind : uint8_t { kRequest, kReply, kReject, kFin };

// An MPA frame, or the end of the stream.
struct Frame {
  bool live = false;
  FrameKind kind = FrameKind::kRequest;
  bool from_passive = false;  // sent by the passive end
  uint32_t stream = 0;        // number of the connection at both ends
  uint32_t order = 0;         // a later frame has a higher one
  uint8_t from_device = 0;
  uint8_t to_device = 0;
  Instant arrives;
  Depths depths;
  PrivateData data;
  PortSpace space = PortSpace::kTcp;
  Address source;
  Address destination;
  friend bool operator==(const Frame&, const Frame&) = default;
};

struct IwId {
  bool live = false;
  bool passive = false;      // created by a received request
  bool dying = false;        // destroyed; waits for the reply
  bool qp_broken = false;    // its queue pair cannot be connected any more
  bool says_closed = false;  // a closed report is due
  IwState state = IwState::kIdle;
  uint8_t device = 0;
  uint8_t peer_device = 0;
  uint32_t stream = 0;
  CmIdIndex user;
  Depths depths;  // of a request: as requested by the peer; then as negotiated
  Instant reply_timer = Instant::Never();
  Instant work = Instant::Never();
  friend bool operator==(const IwId&, const IwId&) = default;
};

enum class IwEventKind : uint8_t { kReply, kRejected, kTimedOut, kFailed, kEstablished, kClosed };

// The decision of the layer above about a request.
enum class IwVerdict : uint8_t { kTaken, kNoListener, kRejected };

// The layer above.
class IwCmUser {
 public:
  virtual ~IwCmUser() = default;
  virtual IwVerdict OnMpaRequest(IwIndex iw, const Frame& request) = 0;
  // `frame`: the received frame, or null.
  virtual void OnIwEvent(CmIdIndex user, IwEventKind kind, Depths depths, const Frame* frame) = 0;
  // The destroy of an id has completed.
  virtual void OnIwGone(CmIdIndex user) = 0;
};

class IwCm {
 public:
  struct Context {
    Agenda* agenda;
    Fabric* fabric;
    IwCmUser* user;
    const Profile* profile;
  };

  const IwId& at(IwIndex iw) const { return ids_[iw]; }
  void SetUser(IwIndex iw, CmIdIndex user) { ids_[iw].user = user; }

  // Sends the request over a TCP connection, for which the caller has found a listener. Ends with
  // one of the events kReply, kRejected, kTimedOut, kFailed. source: linux 6.1 iwcm.c iw_cm_connect
  IwIndex Connect(const Context& c, CmIdIndex user, uint8_t device, uint8_t to,
                  const Frame& request);
  // Answers a request: kEstablished is reported within the call. EINVAL without a request or queue
  // pair, ECONNRESET when the peer has closed. source: linux 6.1 siw_cm.c siw_accept
  Errno Accept(const Context& c, IwIndex iw, bool qp_known, Depths offered,
               const PrivateData& data);
  // EINVAL without a request, ECONNRESET when the peer has closed. source: siw_cm.c siw_reject
  Errno Reject(const Context& c, IwIndex iw, const PrivateData& data);
  // EAGAIN while the reply has not arrived: the caller waits for it. source: iwcm.c
  // iw_cm_disconnect
  Errno Disconnect(const Context& c, IwIndex iw);
  // Its queue pair was destroyed, or moved to an error state. source: siw_cm.c siw_qp_cm_drop
  void QueuePairBreaks(const Context& c, IwIndex iw);
  // source: iwcm.c iw_cm_init_qp_attr
  bool GivesAttributes(IwIndex iw) const { return ids_[iw].state != IwState::kClosing; }
  // False when it waits for the reply; then OnIwGone is called. source: iwcm.c destroy_cm_id
  bool Destroy(const Context& c, IwIndex iw);

  // Drops everything on the device, and what is on its way from it or to it, without notifications.
  // That a host which has started again resets connections it does not know is not modelled: a peer
  // notices by the time-out of its request.
  void Crash(uint8_t device);

  // Events.
  void OnFrame(const Context& c, FrameIndex frame);
  void OnReplyTimer(const Context& c, IwIndex iw);
  void OnWork(const Context& c, IwIndex iw);

  uint32_t live_count() const { return ids_.live_count(); }
  const Slab<Frame, FrameIndex>& frames() const { return frames_; }
  // The number of frames of its sender that must arrive before it.
  uint32_t AheadOf(const Frame& frame) const;
  friend bool operator==(const IwCm&, const IwCm&) = default;

 private:
  void Send(const Context& c, IwIndex iw, Frame frame);
  void Close(const Context& c, IwIndex iw);
  void Schedule(const Context& c, IwIndex iw);
  void Tell(const Context& c, IwIndex iw, IwEventKind kind, const Frame* frame);
  void FlushReports(const Context& c, IwIndex iw);
  void ReceiveRequest(const Context& c, const Frame& frame);
  void ReceiveReply(const Context& c, IwIndex iw, const Frame& frame);
  void ReceiveFin(const Context& c, IwIndex iw);
  // The reply has arrived, or will not arrive: a destroy that waited for it continues.
  void FinishDying(const Context& c, IwIndex iw);
  IwIndex OtherEnd(const Frame& frame) const;
  // The last frame that its sender has sent before it and that has not arrived.
  const Frame* Before(const Frame& frame) const;

  Slab<IwId, IwIndex> ids_;
  Slab<Frame, FrameIndex> frames_;
  uint32_t last_stream_ = 0;
  uint32_t last_order_ = 0;
};

}  // namespace cm::sim

#endif  // SIM_IW_CM_IW_CM_H_
