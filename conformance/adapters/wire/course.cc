#include "conformance/adapters/wire/course.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/conversation/print.h"

namespace cm::live {
namespace {

class Carrying {
 public:
  Carrying(const Conversation& conversation, Door& door, TesterEnd& tester, const Ends& ends,
           const Pace& pace)
      : conversation_(conversation),
        door_(door),
        tester_(tester),
        ends_(ends),
        pace_(pace),
        begin_(door.Now()),
        until_(begin_) {}

  Course Run() {
    for (size_t i = 0; i < conversation_.lines.size(); ++i) CarryOutLine(i);
    Listen(pace_.pause);
    course_.end = Since(until_);
    for (const Bytes& frame : tester_.Farewells()) Say(frame, "farewell");
    return std::move(course_);
  }

 private:
  void CarryOutLine(size_t i) {
    const Line& line = conversation_.lines[i];
    if (const auto* sends = std::get_if<line::Sends>(&line))
      Say(tester_.FrameOf(*sends), ToString(line, conversation_));
    else if (const auto* passes = std::get_if<line::Passes>(&line))
      Listen(std::min(passes->span, pace_.longest));
    else if (std::holds_alternative<line::Settles>(line))
      Listen(pace_.pause);
    else if (const auto* waits = std::get_if<line::Waits>(&line))
      Listen(IsFetchedNext(i) ? Duration() : std::min(waits->within, pace_.longest));
    else if (const auto* get = FetchOf(line))
      tester_.Name(get->request);
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
    Listen(pace_.pause);
  }

  // Times follow from the beginning, not from each other: nothing adds up.
  void Listen(Duration span) {
    until_ = std::max(until_, door_.Now() + Duration::Milliseconds(-5)) + span;
    while (auto frame = door_.Receive(until_)) {
      if (const auto answer = AnswerTo(*frame, ends_.us)) door_.Send(*answer);
      const auto heard = tester_.Hear(*frame);
      if (!heard) continue;
      course_.frames.push_back({.at = Since(door_.Now()),
                                .bytes = std::move(*frame),
                                .text = heard->text,
                                .about = heard->about});
    }
  }

  const Conversation& conversation_;
  Door& door_;
  TesterEnd& tester_;
  const Ends& ends_;
  const Pace& pace_;
  Course course_;
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
                const Pace& pace) {
  return Carrying(conversation, door, tester, ends, pace).Run();
}

std::string ToPcapng(const Course& course, const std::string& about) {
  mad::PcapngWriter writer(about);
  for (const Passing& frame : course.frames)
    writer.Write(frame.at.nanoseconds(), frame.bytes, (frame.ours ? "" : "peer: ") + frame.text);
  return writer.file();
}

}  // namespace cm::live
