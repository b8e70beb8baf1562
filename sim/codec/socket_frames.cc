#include "sim/codec/socket_frames.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>

#include "model/mad/packet.h"
#include "sim/fabric/fabric.h"
#include "sim/fabric/names.h"

namespace cm::sim {
namespace {

// Of interfaces with an MTU of 1500 bytes.
constexpr uint16_t kMss = 1'460;
constexpr uint16_t kMssOverV6 = 1'440;
constexpr size_t kSegments = 44;  // sent as one: the most that fits into an IP packet
constexpr uint16_t kFirstWindow = 64'240;
constexpr uint8_t kWindowScale = 8;

bool IsOverV6(const SocketEnd& end) { return !IsMapped(end.address); }

// Of a SYN and its answer: the MSS, and the scale of the windows after them.
std::vector<uint8_t> SynOptions(uint16_t mss) {
  return {2, 4, static_cast<uint8_t>(mss >> 8U), static_cast<uint8_t>(mss), 1, 3, 3, kWindowScale};
}

// Linux draws them; here they are derived from the number of the connection.
uint32_t StartOf(uint32_t connection, uint32_t side) {
  return (connection * 2 + side) * 0x9e3779b1U;
}

// Where in the notes the end of a direction stands.
struct Closing {
  bool shut = false;
  uint64_t number = 0;
  std::vector<size_t> closes;  // not yet known to be none
};

}  // namespace

SocketFrames::SocketFrames(const Topology* topology) : topology_(topology) {
  for (uint8_t device = 0; device < topology->devices.size(); ++device)
    for (size_t nth = 0; nth < topology->devices[device].AddressCount(); ++nth)
      for (const bool v6 : {false, true})
        if (!topology->devices[device].Host(nth, v6).empty())
          devices_.emplace(GidOfHost(std::string(topology->devices[device].Host(nth, v6))), device);
}

// A socket that is bound to no port has one from its first datagram on.
void SocketFrames::CompletePorts(std::vector<SocketNote>* notes) {
  std::map<uint64_t, uint16_t> next;  // by socket
  for (auto note = notes->rbegin(); note != notes->rend(); ++note) {
    uint16_t& port = next[note->socket];
    if (note->from.port == 0) note->from.port = port;
    port = note->from.port;
  }
}

// Threads that share a connection may have come to different instants.
void SocketFrames::KeepInOrder(std::vector<SocketNote>* notes) {
  std::map<Ends, Instant> last;
  for (SocketNote& note : *notes) {
    if (note.what == What::kDatagram) continue;
    Instant& before = last[{note.from, note.to}];
    note.at = before = std::max(before, note.at);
    if (note.arrives) note.arrives = std::max(*note.arrives, note.at);
  }
}

// The close of a descriptor ends the direction where no other descriptor sends after it.
void SocketFrames::LeaveOutOtherCloses(std::vector<SocketNote>* notes) {
  std::vector<bool> out(notes->size());
  std::map<Ends, Closing> all;
  const auto leave_out = [&out](Closing* closing) {
    for (const size_t i : closing->closes) out[i] = true;
    closing->closes.clear();
  };
  for (size_t i = 0; i < notes->size(); ++i) {
    const SocketNote& note = (*notes)[i];
    Closing& closing = all[{note.from, note.to}];
    if (note.what == What::kSyn && note.number == 0) {
      closing = {};
      all.erase({note.to, note.from});
    } else if (note.what == What::kFin) {
      leave_out(&closing);
      closing.shut = true;
    } else if (note.what == What::kData && note.number > closing.number) {
      leave_out(&closing);
    } else if (note.what == What::kClose) {
      if (note.number != closing.number) leave_out(&closing);
      closing.number = note.number;
      closing.closes.push_back(i);
      if (closing.shut) leave_out(&closing);
    }
  }
  size_t kept = 0;
  for (size_t i = 0; i < notes->size(); ++i) {
    if (out[i]) continue;
    if (kept != i) (*notes)[kept] = std::move((*notes)[i]);
    ++kept;
  }
  notes->resize(kept);
}

std::vector<CarriedFrame> SocketFrames::FramesOf(std::vector<SocketNote> notes) {
  CompletePorts(&notes);
  KeepInOrder(&notes);
  LeaveOutOtherCloses(&notes);
  struct Step {
    Instant at;
    const SocketNote* note;
    bool arrives;
  };
  std::vector<Step> steps;
  for (const SocketNote& note : notes) {
    steps.push_back({note.at, &note, false});
    if (note.arrives && note.what != What::kDatagram) steps.push_back({*note.arrives, &note, true});
  }
  std::ranges::stable_sort(steps, {}, &Step::at);
  for (const Step& step : steps) step.arrives ? Arrived(*step.note) : Sent(*step.note);
  return std::move(frames_);
}

uint8_t SocketFrames::DeviceOf(const SocketEnd& end) const {
  const auto found = devices_.find(end.address);
  return found == devices_.end() ? kNoDevice : found->second;
}

SocketFrames::Connection* SocketFrames::Begin(const SocketNote& note) {
  const uint32_t number = ++begun_;
  Connection connection;
  const std::array ends = {note.from, note.to};
  for (uint32_t side = 0; side < ends.size(); ++side) {
    connection.halves[side].end = ends[side];
    connection.halves[side].start = StartOf(number, side);
  }
  return &(connections_[{note.from, note.to}] = std::move(connection));
}

std::pair<SocketFrames::Connection*, size_t> SocketFrames::Of(const SocketNote& note) {
  if (const auto found = connections_.find({note.from, note.to}); found != connections_.end())
    return {&found->second, 0};
  const auto found = connections_.find({note.to, note.from});
  return {found == connections_.end() ? nullptr : &found->second, 1};
}

void SocketFrames::Sent(const SocketNote& note) {
  if (note.what == What::kDatagram) return Datagram(note);
  auto [connection, side] = Of(note);
  if (note.what == What::kSyn && (note.number == 0 || connection == nullptr)) {
    connection = Begin(note);
    side = 0;
  } else if (connection == nullptr) {
    // It was made by what the links do not carry.
    if (note.what != What::kData) return;
    connection = Begin(note);
    side = 0;
    for (Half& half : connection->halves) {
      half.hears = true;
      half.next = half.received = 1;
    }
  }
  if (connection->over) return;
  Half& half = connection->halves[side];
  switch (note.what) {
    case What::kSyn:
    case What::kSynAck:
      half.next = std::max<uint64_t>(half.next, 1);
      return Segment(connection, side, {.syn = true, .ack = side == 1}, 0, {}, note);
    case What::kRefusal:
      half.start = 0;
      connection->over = note.arrives.has_value();
      return Segment(connection, side, {.rst = true}, 0, {}, note);
    case What::kReset:
      connection->over = true;
      return Segment(connection, side, {.rst = true}, half.next, {}, note);
    case What::kData:
    case What::kFin:
    case What::kClose:
      return SendBytes(note, connection, side);
    case What::kDatagram:
      return;
  }
}

void SocketFrames::SendBytes(const SocketNote& note, Connection* connection, size_t side) {
  Half& half = connection->halves[side];
  const bool ends = note.what != What::kData;
  const auto [at, is_new] = half.messages.try_emplace(note.number, half.next);
  if (is_new) half.next += ends ? 1 : note.bytes.size();
  if (ends) return Segment(connection, side, {.fin = true}, at->second, {}, note);
  const size_t most = kSegments * (IsOverV6(half.end) ? kMssOverV6 : kMss);
  for (size_t done = 0; done < note.bytes.size(); done += most) {
    const auto part = std::span(note.bytes).subspan(done, std::min(most, note.bytes.size() - done));
    const bool last = done + part.size() == note.bytes.size();
    Segment(connection, side, {.psh = last}, at->second + done, part, note);
  }
}

// The receiver acknowledges what has arrived, but for requests for connections, whose answers are
// notes.
void SocketFrames::Arrived(const SocketNote& note) {
  const auto [connection, side] = Of(note);
  if (connection == nullptr || connection->over) return;
  Half& receiver = connection->halves[1 - side];
  if (note.what == What::kSyn || note.what == What::kSynAck) {
    receiver.hears = true;
    receiver.received = std::max<uint64_t>(receiver.received, 1);
    if (note.what == What::kSyn) return;
  } else {
    const Half& sender = connection->halves[side];
    const auto found = sender.messages.find(note.number);
    if (found == sender.messages.end()) return;
    const uint64_t size = note.what == What::kData ? note.bytes.size() : 1;
    receiver.beyond.emplace(found->second, found->second + size);
    while (!receiver.beyond.empty() && receiver.beyond.begin()->first <= receiver.received) {
      receiver.received = std::max(receiver.received, receiver.beyond.begin()->second);
      receiver.beyond.erase(receiver.beyond.begin());
    }
  }
  SocketNote made;
  made.at = *note.arrives;
  made.arrives = made.at + Fabric::kLatency;
  Segment(connection, 1 - side, {}, receiver.next, {}, made);
}

void SocketFrames::Segment(Connection* connection, size_t side, Flags flags, uint64_t offset,
                           std::span<const uint8_t> bytes, const SocketNote& note) {
  Half& half = connection->halves[side];
  const Half& peer = connection->halves[1 - side];
  mad::Tcp tcp{.source_port = half.end.port,
               .destination_port = peer.end.port,
               .sequence = static_cast<uint32_t>(half.start + offset),
               .ack = flags.ack && half.hears,
               .psh = flags.psh,
               .rst = flags.rst,
               .syn = flags.syn,
               .fin = flags.fin,
               .window = flags.syn ? kFirstWindow : uint16_t{0xffff}};
  if (tcp.ack) tcp.acknowledgement = static_cast<uint32_t>(peer.start + half.received);
  if (tcp.rst) tcp.window = 0;
  mad::IpPacket packet{
      .ethernet = {}, .ip = mad::Ipv4{}, .transport = tcp, .options = {}, .payload = bytes};
  if (flags.syn) packet.options = SynOptions(IsOverV6(half.end) ? kMssOverV6 : kMss);
  std::optional<Instant> arrives = note.arrives;
  if (arrives) arrives = half.last = std::max(half.last, *arrives);
  Push(std::move(packet), half.end, peer.end, note.at, arrives);
}

void SocketFrames::Datagram(const SocketNote& note) {
  mad::Udp udp{.source_port = note.from.port, .destination_port = note.to.port};
  Push({.ethernet = {}, .ip = mad::Ipv4{}, .transport = udp, .options = {}, .payload = note.bytes},
       note.from, note.to, note.at, note.arrives);
}

void SocketFrames::Push(mad::IpPacket packet, const SocketEnd& from, const SocketEnd& to,
                        Instant at, std::optional<Instant> arrives) {
  const uint8_t sender = DeviceOf(from);
  const uint8_t receiver = DeviceOf(to);
  if (sender == kNoDevice || receiver == kNoDevice) return;
  packet.ethernet = {.destination = MacOf(receiver), .source = MacOf(sender)};
  if (IsOverV6(from))
    packet.ip = mad::Ipv6{.source = from.address, .destination = to.address};
  else
    packet.ip = mad::Ipv4{
        .id = ++ids_[sender], .source = Last32(from.address), .destination = Last32(to.address)};
  frames_.push_back({.shown = at,
                     .sent = at,
                     .arrives = arrives,
                     .from = sender,
                     .to = receiver,
                     .bytes = mad::Seal(std::move(packet))});
}

}  // namespace cm::sim
