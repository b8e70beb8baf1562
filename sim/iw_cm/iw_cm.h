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
#include "sim/core/slab.h"
#include "sim/fabric/fabric.h"

namespace cm::sim {

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
  uint32_t user = kNobody;  // the rdma_cm id above
  Depths depths;            // of a request: as requested by the peer; then as negotiated
  Instant reply_timer = Instant::Never();
  Instant work = Instant::Never();
  friend bool operator==(const IwId&, const IwId&) = default;
};

enum class IwEventKind : uint8_t { kReply, kRejected, kTimedOut, kFailed, kEstablished, kClosed };

// The decision of the layer above about a request.
enum class IwVerdict : uint8_t { kTaken, kNobodyListens, kRejected };

// The layer above.
class IwCmUser {
 public:
  virtual ~IwCmUser() = default;
  virtual IwVerdict OnMpaRequest(uint32_t iw, const Frame& request) = 0;
  // `frame`: the received frame, or null.
  virtual void OnIwEvent(uint32_t user, IwEventKind kind, Depths depths, const Frame* frame) = 0;
  // The destroy of an id has completed.
  virtual void OnIwGone(uint32_t user) = 0;
};

class IwCm {
 public:
  struct Context {
    Agenda* agenda;
    Fabric* fabric;
    IwCmUser* user;
    const Profile* profile;
  };

  const IwId& at(uint32_t iw) const { return ids_[iw]; }
  void SetUser(uint32_t iw, uint32_t user) { ids_[iw].user = user; }

  // Sends the request over a TCP connection; the caller has found a listener. Returns the new id.
  uint32_t Connect(Context c, uint32_t user, uint8_t device, uint8_t to, const Frame& request);
  Errno Accept(Context c, uint32_t iw, bool qp_known, Depths offered, const PrivateData& data);
  Errno Reject(Context c, uint32_t iw, const PrivateData& data);
  // EAGAIN while the reply has not arrived: the caller waits for it.
  Errno Disconnect(Context c, uint32_t iw);
  // Its queue pair was destroyed, or moved to an error state.
  void QueuePairBreaks(Context c, uint32_t iw);
  bool GivesAttributes(uint32_t iw) const { return ids_[iw].state != IwState::kClosing; }
  // False when it waits for the reply; then OnIwGone is called.
  bool Destroy(Context c, uint32_t iw);

  // Drops everything on the device, without notifications.
  void Crash(uint8_t device);

  // Events.
  void OnFrame(Context c, uint32_t frame);
  void OnReplyTimer(Context c, uint32_t iw);
  void OnWork(Context c, uint32_t iw);

  uint32_t live_count() const { return ids_.live_count(); }
  const Slab<Frame>& frames() const { return frames_; }
  // The number of frames of its sender that must arrive before it.
  uint32_t AheadOf(const Frame& frame) const;
  friend bool operator==(const IwCm&, const IwCm&) = default;

 private:
  void Send(Context c, uint32_t iw, Frame frame);
  void Close(Context c, uint32_t iw);
  void Schedule(Context c, uint32_t iw);
  void Tell(Context c, uint32_t iw, IwEventKind kind, const Frame* frame);
  void FlushReports(Context c, uint32_t iw);
  void ReceiveRequest(Context c, const Frame& frame);
  void ReceiveReply(Context c, uint32_t iw, const Frame& frame);
  void ReceiveFin(Context c, uint32_t iw);
  // The reply has arrived, or will not arrive: a destroy that waited for it continues.
  void FinishDying(Context c, uint32_t iw);
  uint32_t OtherEnd(const Frame& frame) const;
  // The last frame that its sender has sent before it and that has not arrived.
  const Frame* Before(const Frame& frame) const;

  Slab<IwId> ids_;
  Slab<Frame> frames_;
  uint32_t last_stream_ = 0;
  uint32_t last_order_ = 0;
};

}  // namespace cm::sim

#endif  // SIM_IW_CM_IW_CM_H_
