#include "conformance/driver/perform.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "model/conversation/name_scope.h"

namespace cm {
namespace {

class Performance {
 public:
  Performance(const Conversation& conversation, Session& session, std::optional<Transport> over)
      : conversation_(conversation), session_(session), scope_(conversation, over) {
    history_.conversation = conversation;
    history_.records.reserve(conversation.lines.size());
  }

  History Run() {
    for (uint32_t i = 0; i < conversation_.lines.size();) {
      const auto end = static_cast<uint32_t>(EndOfTogether(conversation_, i));
      if (end - i > 1)
        CarryOutTogether(i, end);
      else
        CarryOutAlone(i);
      i = end;
      CollectReleased();
      CollectWire();
    }
    return std::move(history_);
  }

 private:
  struct Pending {
    Lane lane;
    uint32_t line;
  };

  void CarryOutAlone(uint32_t i) {
    Record& record = history_.records.emplace_back();  // nothing here adds another
    record.line = i;
    record.begin = session_.driver().Now();
    scope_.Mark(&record);
    if (record.not_made)
      record.seen = seen::Answered{.reply = Reply::NotApplicable()};
    else
      record.seen = Answer(i, conversation_.lines[i]);
    record.end = session_.driver().Now();
    scope_.Observe(record);
  }

  // Concurrent calls are made together; the records have the order of the lines.
  void CarryOutTogether(uint32_t first, uint32_t end) {
    const Instant begin = session_.driver().Now();
    std::vector<Submission> submitted;
    std::vector<Record> records;
    for (uint32_t i = first; i < end; ++i) {
      const auto& calls = std::get<line::Calls>(conversation_.lines[i]);
      Record& record = records.emplace_back(Record{.line = i, .begin = begin});
      scope_.Mark(&record);
      if (!record.not_made && std::ranges::any_of(submitted, [&](const Submission& earlier) {
            return scope_.Contend(earlier.call, calls.call);
          }))
        record.not_made = NotMade::kContends;
      if (!record.not_made) submitted.push_back({calls.lane, calls.call});
    }
    std::vector<seen::Answered> answers = session_.driver().SubmitTogether(submitted);
    const Instant over = session_.driver().Now();
    auto answer = answers.begin();
    for (Record& record : records) {
      record.end = over;
      record.seen = record.not_made ? seen::Answered{.reply = Reply::NotApplicable()} : *answer++;
      const seen::Answered& answered = std::get<seen::Answered>(record.seen);
      if (answered.reply.kind == ReplyKind::kBlocked)
        pending_.push_back(
            {std::get<line::Calls>(conversation_.lines[record.line]).lane, record.line});
      Add(std::move(record));
    }
  }

  Observation Answer(uint32_t i, const Line& line) {
    Observation seen = CarryOut(line, session_);
    const auto* answered = std::get_if<seen::Answered>(&seen);
    if (answered != nullptr && answered->reply.kind == ReplyKind::kBlocked)
      pending_.push_back({std::get<line::Calls>(line).lane, i});
    return seen;
  }

  // The last line may have released blocked calls; each is a record of its own.
  void CollectReleased() {
    for (size_t i = 0; i < pending_.size();) {
      const Pending pending = pending_[i];
      if (!scope_.LaneWaits(pending.lane)) {  // its process has exited
        pending_.erase(pending_.begin() + static_cast<ptrdiff_t>(i));
        continue;
      }
      std::optional<seen::Released> released = session_.driver().Released(pending.lane);
      if (!released) {
        ++i;
        continue;
      }
      pending_.erase(pending_.begin() + static_cast<ptrdiff_t>(i));
      const Instant now = session_.driver().Now();
      Add({.line = pending.line, .begin = now, .end = now, .seen = *std::move(released)});
    }
  }

  void CollectWire() {
    const auto last = static_cast<uint32_t>(history_.records.size() - 1);
    for (WireRecord& wire : session_.TakeWire()) {
      wire.record = last;
      history_.wire.push_back(std::move(wire));
    }
  }

  void Add(Record record) {
    scope_.Observe(record);
    history_.records.push_back(std::move(record));
  }

  const Conversation& conversation_;
  Session& session_;
  NameScope scope_;
  History history_;
  std::vector<Pending> pending_;
};

}  // namespace

Observation CarryOut(const Line& line, Session& session) {
  Environment& environment = session.environment();
  if (const auto* calls = std::get_if<line::Calls>(&line))
    return session.driver().Submit(calls->lane, calls->call);
  if (const auto* waits = std::get_if<line::Waits>(&line))
    return seen::Waited{session.driver().Readable(waits->lane, waits->channel, waits->within)};
  if (const auto* passes = std::get_if<line::Passes>(&line)) return environment.Pass(passes->span);
  if (std::holds_alternative<line::Settles>(line)) return environment.Settle();
  if (const auto* injects = std::get_if<line::Injects>(&line))
    return environment.Inject(injects->fault);
  if (const auto* sends = std::get_if<line::Sends>(&line))
    return environment.Send(sends->side, sends->mad);
  return environment.Heal();
}

History Perform(const Conversation& conversation, Session& session, std::optional<Transport> over) {
  return Performance(conversation, session, over).Run();
}

}  // namespace cm
