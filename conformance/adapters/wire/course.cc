#include "conformance/adapters/wire/course.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/conversation/print.h"

namespace cm::live {
namespace {

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
    for (size_t i = 0; i < conversation_.lines.size(); ++i) CarryOutLine(i);
    Listen(pace_.pause + kLooksForASender * from_nowhere_);
    Await();
    course_.end = Since(until_);
    for (const Bytes& frame : tester_.Farewells()) Say(frame, "farewell");
    return std::move(course_);
  }

 private:
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
    const Instant limit = until_ + pace_.patience;
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

bool ListensOnTcpAlone(const Call& call) {
  const auto* create = std::get_if<call::CreateId>(&call);
  return create == nullptr || create->space == PortSpace::kTcp;
}

}  // namespace

std::string WhyNotAlone(const Conversation& conversation) {
  bool says = false;
  for (const Line& line : conversation.lines) {
    const auto* sends = std::get_if<line::Sends>(&line);
    const auto* calls = std::get_if<line::Calls>(&line);
    says |= sends != nullptr;
    if (std::holds_alternative<line::Injects>(line)) return "it needs faults";
    if (sends != nullptr && sends->mad.to != kPassiveSide) return "it needs an active peer";
    if (calls != nullptr && calls->lane.side != kPassiveSide) return "it needs an active peer";
    if (calls != nullptr && !ListensOnTcpAlone(calls->call)) return "it needs a datagram service";
  }
  return says ? "" : "the tester says nothing in it";
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
