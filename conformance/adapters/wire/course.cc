#include "conformance/adapters/wire/course.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>
#include <utility>

#include "conformance/driver/driver.h"
#include "conformance/driver/perform.h"
#include "model/conversation/print.h"
#include "model/mad/pcapng.h"
#include "model/vocabulary/call.h"
#include "model/vocabulary/call_addresses.h"

namespace cm::live {
namespace {

// How long frames alone are listened to in a wait for the peer's application.
constexpr Duration kSlice = Duration::Milliseconds(5);

// A timer may be late by the slot of the kernel's timer wheel, an eighth of its length at most, and
// so may all repetitions together. source: docs/sources/cm_protocol.md 3.4
constexpr int64_t kLateOf = 8;

// A peer hears nothing else so long. source: docs/sources/cm_protocol.md N1
constexpr Duration kLooksForASender = Duration::Seconds(1);

class Carrying {
 public:
  Carrying(const Conversation& conversation, Door& door, TesterEnd& tester, const Ends& ends,
           const Pace& pace, const Course* expected)
      : conversation_(conversation),
        door_(door),
        tester_(tester),
        ends_(ends),
        pace_(pace),
        expected_(expected),
        begin_(door.Now()),
        until_(begin_) {}

  Course Run() {
    if (door_.application() != nullptr) {
      ByLines lines(this);
      course_.history = Perform(conversation_, lines);
    } else {
      for (size_t i = 0; i < conversation_.lines.size(); ++i) CarryOutLine(i);
    }
    Listen(pace_.pause + kLooksForASender * from_nowhere_);
    Await();
    course_.end = Since(until_);
    for (const Bytes& frame : tester_.Farewells()) Say(frame, "farewell");
    return std::move(course_);
  }

 private:
  // The peer's application by its driver, and the tester as its environment.
  class ByLines : public Session, public Driver, public Environment {
   public:
    explicit ByLines(Carrying* carrying) : c_(carrying), application_(c_->door_.application()) {}

    Driver& driver() override { return *this; }
    Environment& environment() override { return *this; }

    seen::Answered Submit(Lane lane, const Call& call) override {
      const auto* connect = std::get_if<call::Connect>(&call);
      if (connect != nullptr) c_->tester_.Awaits(connect->id);
      seen::Answered answered = application_->Submit(lane, call);
      if (connect != nullptr && !answered.reply.succeeded()) c_->tester_.AwaitsNot();
      if (const auto* get = std::get_if<call::GetCmEvent>(&call)) {
        if (answered.reply.kind == ReplyKind::kBlocked) waiting_[lane] = get->request;
        NameRequest(get->request, answered.event);
      }
      return answered;
    }
    std::optional<seen::Released> Released(Lane lane) override {
      std::optional<seen::Released> released = application_->Released(lane);
      const auto waits = waiting_.find(lane);
      if (!released || waits == waiting_.end()) return released;
      NameRequest(waits->second, released->event);
      waiting_.erase(waits);
      return released;
    }
    // Meanwhile frames are heard, and questions for our address answered.
    bool Readable(Lane lane, ChannelRef channel, Duration within) override {
      if (c_->door_.application_is_apart()) return ReadableApart(lane, channel, within);
      const Instant limit = Now() + within;
      for (;;) {
        if (application_->Readable(lane, channel, {})) return true;
        const Instant now = Now();
        if (now >= limit) return false;
        c_->Listen(std::min(kSlice, limit - now));
      }
    }
    Instant Now() override { return c_->door_.Now(); }

    seen::Done Pass(Duration span) override {
      c_->Listen(span);
      return {};
    }
    seen::Done Settle() override { return Pass(c_->pace_.pause); }
    seen::Done Inject(const Fault&) override { return {.ok = false, .note = "no faults"}; }
    seen::Done Heal() override { return {}; }
    seen::Done Send(uint8_t side, const TesterMad& mad) override {
      // It may have numbers that the application's last call has given.
      c_->Listen(c_->pace_.pause);
      const line::Sends sends{.side = side, .mad = mad};
      c_->SayLine(sends, ToString(Line(sends), c_->conversation_));
      return {};
    }

   private:
    void NameRequest(IdRef id, const std::optional<CmEvent>& event) {
      if (event && event->type == EventType::kConnectRequest) c_->tester_.Name(id);
    }

    bool ReadableApart(Lane lane, ChannelRef channel, Duration within) {
      std::atomic<bool> over = false;
      bool readable = false;
      const std::jthread waits([&] {
        readable = application_->Readable(lane, channel, within);
        over = true;
      });
      while (!over) c_->Listen(kSlice);
      return readable;
    }

    Carrying* c_;
    Driver* application_;
    std::map<Lane, IdRef> waiting_;  // names for the events of fetches that block
  };

  void CarryOutLine(size_t i) {
    const Line& line = conversation_.lines[i];
    if (const auto* sends = std::get_if<line::Sends>(&line))
      SayLine(*sends, ToString(line, conversation_));
    else if (const auto* passes = std::get_if<line::Passes>(&line))
      Listen(std::min(passes->span, pace_.longest));
    else if (std::holds_alternative<line::Settles>(line))
      Listen(pace_.pause);
    else if (const auto* waits = std::get_if<line::Waits>(&line))
      Listen(IsFetchedNext(i) ? Duration() : std::min(waits->within, pace_.longest));
    else if (const auto* get = FetchOf(line))
      tester_.Name(get->request);
  }

  void SayLine(const line::Sends& sends, std::string text) {
    from_nowhere_ += sends.mad.unresolvable ? 1 : 0;
    Await();  // it may have numbers of the peer
    Say(tester_.FrameOf(sends), std::move(text));
  }

  static const call::GetCmEvent* FetchOf(const Line& line) {
    const auto* calls = std::get_if<line::Calls>(&line);
    return calls == nullptr ? nullptr : std::get_if<call::GetCmEvent>(&calls->call);
  }

  bool IsFetchedNext(size_t i) const {
    return i + 1 < conversation_.lines.size() && FetchOf(conversation_.lines[i + 1]) != nullptr;
  }

  Instant Since(Instant at) const { return Instant::FromNanoseconds((at - begin_).nanoseconds()); }

  void Say(const Bytes& frame, std::string text) {
    door_.Send(frame);
    course_.frames.push_back(
        {.at = Since(door_.Now()), .ours = true, .bytes = frame, .text = std::move(text)});
    ++said_;
    Listen(pace_.pause);
  }

  // What the peer is to have said before our next message.
  size_t Expected() const {
    size_t said = 0;
    size_t heard = 0;
    for (const Passing& frame : expected_->frames) {
      if (frame.ours && said++ == said_) break;
      heard += frame.ours ? 0 : 1;
    }
    return heard;
  }

  void Await() {
    if (expected_ == nullptr) return;
    const size_t wanted = Expected();
    const Instant limit = until_ + pace_.patience + (until_ - begin_) / kLateOf;
    while (heard_ < wanted && Hear(limit)) {
    }
    const Instant now = door_.Now();
    if (now <= until_) return;
    begin_ = begin_ + (now - until_);
    until_ = now;
  }

  // Whether a frame came, of whatever kind.
  bool Hear(Instant limit) {
    auto frame = door_.Receive(limit);
    if (!frame) return false;
    if (const auto answer = AnswerTo(*frame, ends_.us)) door_.Send(*answer);
    const auto heard = tester_.Hear(*frame);
    if (!heard) return true;
    ++heard_;
    course_.frames.push_back({.at = Since(door_.Now()),
                              .bytes = std::move(*frame),
                              .text = heard->text,
                              .about = heard->about});
    return true;
  }

  // Times follow from the beginning, not from each other: nothing adds up.
  void Listen(Duration span) {
    until_ = std::max(until_, door_.Now() + Duration::Milliseconds(-5)) + span;
    while (Hear(until_)) {
    }
  }

  const Conversation& conversation_;
  Door& door_;
  TesterEnd& tester_;
  const Ends& ends_;
  const Pace& pace_;
  Course course_;
  const Course* expected_;
  int64_t from_nowhere_ = 0;  // messages whose sender cannot be found
  size_t said_ = 0;
  size_t heard_ = 0;
  Instant begin_;
  Instant until_;
};

bool IsOfDatagrams(const Call& call) {
  const auto* create = std::get_if<call::CreateId>(&call);
  return create != nullptr && create->space != PortSpace::kTcp;
}

}  // namespace

bool NeedsItsLines(const Conversation& conversation) {
  return PeerSideOf(conversation) != kPassiveSide ||
         std::ranges::any_of(conversation.lines, [](const Line& line) {
           const auto* calls = std::get_if<line::Calls>(&line);
           return calls != nullptr && IsOfDatagrams(calls->call);
         });
}

bool IsOverV6(const Conversation& conversation) {
  return std::ranges::any_of(conversation.lines, [](const Line& line) {
    if (const auto* sends = std::get_if<line::Sends>(&line)) return sends->mad.v6;
    bool v6 = false;
    if (const auto* calls = std::get_if<line::Calls>(&line))
      EachAddress(calls->call, [&](const Address& address) { v6 |= address.v6; });
    return v6;
  });
}

uint8_t PeerSideOf(const Conversation& conversation) {
  for (const Line& line : conversation.lines)
    if (const auto* sends = std::get_if<line::Sends>(&line)) return sends->mad.to;
  return kPassiveSide;
}

std::string WhyNot(const Conversation& conversation, bool with_driver) {
  const uint8_t peer = PeerSideOf(conversation);
  bool says = false;
  for (const Line& line : conversation.lines) {
    const auto* sends = std::get_if<line::Sends>(&line);
    const auto* calls = std::get_if<line::Calls>(&line);
    says |= sends != nullptr;
    if (std::holds_alternative<line::Injects>(line)) return "it needs faults";
    if ((sends != nullptr && sends->mad.to != peer) ||
        (calls != nullptr && calls->lane.side != peer))
      return "it needs more than one peer";
  }
  if (!says) return "the tester says nothing in it";
  if (!with_driver && NeedsItsLines(conversation))
    return peer == kPassiveSide ? "it needs a datagram service, and so a driver of the peer"
                                : "it needs an active peer, and so a driver of it";
  return {};
}

Course CarryOut(const Conversation& conversation, Door& door, TesterEnd& tester, const Ends& ends,
                const Pace& pace, const Course* expected) {
  return Carrying(conversation, door, tester, ends, pace, expected).Run();
}

std::string ToPcapng(const Course& course, const std::string& about) {
  mad::PcapngWriter writer(about);
  for (const Passing& frame : course.frames)
    writer.Write(frame.at.nanoseconds(), frame.bytes, (frame.ours ? "" : "peer: ") + frame.text);
  return writer.file();
}

}  // namespace cm::live
