#include "conformance/adapters/wire/sim_peer.h"

#include <deque>
#include <utility>

#include "conformance/adapters/sim/session.h"
#include "conformance/adapters/wire/listener.h"
#include "model/base/check.h"
#include "sim/fabric/names.h"

namespace cm::live {
namespace {

class SimPeer : public Door {
 public:
  SimPeer(const Profile* profile, const Ends& ends, const Conversation* by_lines)
      : topology_(TopologyRef(TopologyOf(ends))),
        ends_(ends),
        by_lines_(by_lines != nullptr),
        names_(by_lines_ ? At(topology_, *by_lines)
                         : ListenerConversation(topology_, profile->name, kService)),
        wire_(topology_),
        session_(sim::StartSession(
            names_, {.profile = profile, .on_wire = [this](const auto& note) { Leave(note); }})),
        listener_(&session_->driver(), names_),
        tester_(TesterSide(*topology_)) {
    if (by_lines_) return;
    const std::string problem = listener_.Begin();
    CM_CHECK(problem.empty()) << problem;
  }

  Instant Now() override { return session_->driver().Now(); }

  void Send(std::span<const uint8_t> bytes) override {
    const auto decoded = mad::Decode(bytes, mad::LinkType::kEthernet);
    if (!decoded.ok() || decoded.value().icrc.value != mad::IcrcOf(decoded.value())) return;
    const mad::Frame& frame = decoded.value();
    auto read = wire_.Read(frame.mad, topology_->sides[tester_].device);
    if (!read) return;
    const auto* v4 = std::get_if<mad::Ipv4>(&frame.ip);
    const auto* v6 = std::get_if<mad::Ipv6>(&frame.ip);
    const bool from_us = (v4 != nullptr && v4->source == ends_.us.v4) ||
                         (v6 != nullptr && v6->source == ends_.us.v6);
    read->unresolvable = !from_us;
    session_->Deliver(tester_, ends_.peer_side, *read);
  }

  Driver* application() override { return by_lines_ ? &session_->driver() : nullptr; }

  std::optional<Bytes> Receive(Instant until) override {
    for (;;) {
      while (!by_lines_ && listener_.Serve(Duration())) {
      }
      (void)session_->TakeWire();
      if (!sent_.empty()) {
        Bytes frame = std::move(sent_.front());
        sent_.pop_front();
        return frame;
      }
      const auto next = session_->NextAt();
      const bool last = !next || *next > until;
      session_->environment().Pass((last ? until : *next) - Now());
      if (last) return std::nullopt;
    }
  }

 private:
  static Conversation At(const TopologyRef& topology, Conversation conversation) {
    conversation.topology = topology;
    return conversation;
  }

  void Leave(const sim::WireNote& note) {
    mad::Frame frame = wire_.FrameOf(note);
    if (note.from != topology_->sides[ends_.peer_side].device || note.lost) return;
    if (note.to == topology_->sides[tester_].device)
      std::get<mad::Ethernet>(frame.link).destination = ends_.us.mac;
    const auto bytes = mad::Seal(frame);
    sent_.emplace_back(bytes.view().begin(), bytes.view().end());
  }

  TopologyRef topology_;
  Ends ends_;
  bool by_lines_;
  Conversation names_;
  sim::Wire wire_;
  std::deque<Bytes> sent_;
  std::unique_ptr<sim::SimSession> session_;
  Listener listener_;
  uint8_t tester_;
};

}  // namespace

mad::Mac SimulatedMac(const Ends& ends) {
  return sim::MacOf(TopologyOf(ends).sides[ends.peer_side].device);
}

std::unique_ptr<Door> MakeSimPeer(const Profile* profile, const Ends& ends,
                                  const Conversation* by_lines) {
  return std::make_unique<SimPeer>(profile, ends, by_lines);
}

}  // namespace cm::live
