#include "conformance/explore/branch.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "model/base/check.h"
#include "model/base/digest.h"

namespace cm::explore {
namespace {

std::unique_ptr<BranchingSession> StartBranching(Implementation& implementation,
                                                 const Conversation& conversation) {
  std::unique_ptr<Session> session = implementation.Start(conversation);
  BranchingSession* const branching = session->branching();
  CM_CHECK(branching != nullptr) << implementation.name() << " is no simulated world";
  static_cast<void>(session.release());  // it is the same object
  return std::unique_ptr<BranchingSession>(branching);
}

const line::Calls* CallsIn(const Conversation& alphabet, uint32_t line) {
  return std::get_if<line::Calls>(&alphabet.lines[line]);
}

// The calls after which an id waits for an event.
bool AsksForAnEvent(CallKind kind) {
  return kind == CallKind::kResolveAddr || kind == CallKind::kResolveRoute ||
         kind == CallKind::kConnect || kind == CallKind::kAccept || kind == CallKind::kDisconnect;
}

}  // namespace

Branch::Branch(const Repertoire& repertoire, Implementation& implementation, Choice* order,
               Keep keep)
    : repertoire_(repertoire),
      session_(StartBranching(implementation, repertoire.alphabet)),
      scope_(repertoire.alphabet, implementation.profile().transport),
      oracle_(repertoire.alphabet, implementation.profile()),
      keeps_(keep == Keep::kRecords) {
  CM_CHECK(repertoire.alphabet.names.ids.size() <= 32) << "more ids than bits";
  session_->OrderBy(order);
  Judged judged;
  for (uint32_t line = 0; line < repertoire.before; ++line) {
    CarryOut(line, &judged);
    CollectReleased(&judged);
  }
  CM_CHECK(judged.kind == model::VerdictKind::kPermitted) << judged.saw;
  session_->OrderBy(nullptr);
  start_ = session_->driver().Now();
  used_ = 0;
  NoteMade();
}

Branch::Branch(const Branch& other)
    : repertoire_(other.repertoire_),
      session_(other.session_->Copy()),
      start_(other.start_),
      scope_(other.scope_),
      oracle_(other.oracle_),
      pending_(other.pending_),
      made_(other.made_),
      used_(other.used_),
      waits_(other.waits_),
      faults_(other.faults_),
      heals_(other.heals_) {
  session_->OrderBy(nullptr);
}

Branch& Branch::operator=(const Branch& other) {
  if (this == &other) return *this;
  CM_CHECK(&repertoire_ == &other.repertoire_ && !keeps_);
  session_->Become(*other.session_);
  session_->OrderBy(nullptr);
  start_ = other.start_;
  scope_ = other.scope_;
  oracle_ = other.oracle_;
  pending_ = other.pending_;
  made_ = other.made_;
  used_ = other.used_;
  waits_ = other.waits_;
  faults_ = other.faults_;
  heals_ = other.heals_;
  return *this;
}

// Ids that no call was made on are alike: the first of them stands for all.
bool Branch::IsNextCaller(IdRef id) const {
  const auto& callers = repertoire_.callers;
  if (UsedBefore(id) || std::ranges::find(callers, id) == callers.end()) return true;
  return id == *std::ranges::find_if(callers, [this](IdRef one) { return !UsedBefore(one); });
}

bool Branch::IsLate(const Limits& limits) const {
  return session_->driver().Now() - start_ > limits.calls_within;
}

bool Branch::AnyEvent() const {
  return std::ranges::any_of(repertoire_.quiet_waits, [this](uint32_t line) {
    const auto& waits = std::get<line::Waits>(repertoire_.alphabet.lines[line]);
    return !scope_.WhyNot(waits) && session_->HasEvent(waits.lane.side, waits.channel);
  });
}

bool Branch::Allows(const Action& action, const Limits& limits) {
  const Line& line = repertoire_.alphabet.lines[action.line];
  const bool in_order = limits.in_order;
  const bool late = IsLate(limits);
  switch (action.kind) {
    case Action::Kind::kTime:
      return !IsQuiet() && !(late && AnyEvent());
    case Action::Kind::kFault:
      if (late) return false;
      if (std::holds_alternative<line::Heals>(line)) return heals_ < faults_;
      return faults_ < limits.faults;
    case Action::Kind::kCall: {
      if (late || scope_.WhyNot(line)) return false;
      const IdRef id = IdOf(std::get<line::Calls>(line).call);
      // One that was created by a call of the search is created once.
      if (MakesItsId(KindOf(std::get<line::Calls>(line).call)) && MadeBefore(id)) return false;
      return !in_order || IsNextCaller(id);
    }
    case Action::Kind::kTake: {
      if (scope_.WhyNot(line)) return false;
      const auto& calls = std::get<line::Calls>(line);
      const auto& get = std::get<call::GetCmEvent>(calls.call);
      if (!session_->HasEvent(calls.lane.side, get.channel)) return false;
      if (std::ranges::count(repertoire_.requests, get.request) == 0) return true;
      // A name denotes one request; the last one is also for events that are none.
      if (MadeBefore(get.request))
        return get.request == repertoire_.requests.back() && !AnyRequestLeft();
      return !in_order || IsNextRequest(get.request);
    }
  }
  return false;
}

bool Branch::AnyRequestLeft() const {
  return std::ranges::any_of(repertoire_.requests, [this](IdRef id) { return !MadeBefore(id); });
}

bool Branch::IsNextRequest(IdRef id) const {
  return id == *std::ranges::find_if(repertoire_.requests,
                                     [this](IdRef one) { return !MadeBefore(one); });
}

Judged Branch::Do(const Action& action, Choice* order) {
  Judged judged;
  session_->OrderBy(order);
  const Conversation& alphabet = repertoire_.alphabet;
  if (std::holds_alternative<line::Injects>(alphabet.lines[action.line])) ++faults_;
  if (std::holds_alternative<line::Heals>(alphabet.lines[action.line])) ++heals_;
  CarryOut(action.line, &judged);
  CollectReleased(&judged);
  if (action.kind == Action::Kind::kTake && !scope_.WhyNot(alphabet.lines[action.line + 1])) {
    CarryOut(action.line + 1, &judged);
    CollectReleased(&judged);
  }
  NoteMade();
  session_->OrderBy(nullptr);
  return judged;
}

Observation Branch::Answer(const Line& line) {
  Environment& environment = session_->environment();
  if (const auto* calls = std::get_if<line::Calls>(&line))
    return session_->driver().Submit(calls->lane, calls->call);
  if (std::holds_alternative<line::Passes>(line))
    return environment.Pass(*session_->NextAt() - session_->driver().Now());
  if (const auto* injects = std::get_if<line::Injects>(&line))
    return environment.Inject(injects->fault);
  CM_CHECK(std::holds_alternative<line::Heals>(line));
  return environment.Heal();
}

// A request was fetched by the name of another one.
bool Branch::IsWithoutName(const Record& record) const {
  const auto* calls = CallsIn(repertoire_.alphabet, record.line);
  const auto* answered = std::get_if<seen::Answered>(&record.seen);
  if (answered == nullptr || !answered->event) return false;
  const IdRef request = std::get<call::GetCmEvent>(calls->call).request;
  return answered->event->type == EventType::kConnectRequest && request.valid() &&
         MadeBefore(request);
}

void Branch::CarryOut(uint32_t line, Judged* judged) {
  const Line& what = repertoire_.alphabet.lines[line];
  Record record{.line = line, .begin = session_->driver().Now()};
  record.seen = Answer(what);
  record.end = session_->driver().Now();
  if (const auto* answered = std::get_if<seen::Answered>(&record.seen))
    if (answered->reply.kind == ReplyKind::kBlocked) pending_.push_back(line);
  if (IsWithoutName(record)) {
    judged->left_out = true;
    return;
  }
  Judge(std::move(record), judged);
}

void Branch::CollectReleased(Judged* judged) {
  for (size_t i = 0; i < pending_.size();) {
    const uint32_t line = pending_[i];
    const Lane lane = CallsIn(repertoire_.alphabet, line)->lane;
    const auto drop = [&] { pending_.erase(pending_.begin() + static_cast<ptrdiff_t>(i)); };
    if (!scope_.LaneWaits(lane)) {  // its process has exited
      drop();
      continue;
    }
    std::optional<seen::Released> released = session_->driver().Released(lane);
    if (!released) {
      ++i;
      continue;
    }
    drop();
    const Instant now = session_->driver().Now();
    Judge({.line = line, .begin = now, .end = now, .seen = *std::move(released)}, judged);
  }
}

void Branch::Judge(Record record, Judged* judged) {
  model::Verdict verdict = oracle_.Observe(record);
  judged->rows |= verdict.by;
  if (!verdict.IsPermitted() && judged->kind == model::VerdictKind::kPermitted &&
      verdict.kind != model::VerdictKind::kOutOfScope) {
    judged->kind = verdict.kind;
    judged->line = record.line;
    judged->saw = std::move(verdict.saw);
  }
  scope_.Observe(record);
  NoteWaits(record);
  if (keeps_) records_.push_back(std::move(record));
}

void Branch::NoteWaits(const Record& record) {
  const auto* calls = CallsIn(repertoire_.alphabet, record.line);
  const auto* answered = std::get_if<seen::Answered>(&record.seen);
  if (calls == nullptr || answered == nullptr) return;
  const IdRef id = IdOf(calls->call);
  // A refused call may have moved the queue pair.
  if (id.valid()) used_ |= uint32_t{1} << id.index;
  if (!answered->reply.succeeded()) return;
  if (id.valid() && AsksForAnEvent(KindOf(calls->call))) waits_ |= uint32_t{1} << id.index;
  if (answered->event && answered->event->id.valid())
    waits_ &= ~(uint32_t{1} << answered->event->id.index);
}

void Branch::NoteMade() {
  for (uint16_t i = 0; i < repertoire_.alphabet.names.ids.size(); ++i)
    if (scope_.IdIsLive(IdRef{i})) made_ |= uint32_t{1} << i;
}

Judged Branch::JudgeQuiet() {
  const Conversation& alphabet = repertoire_.alphabet;
  Judged judged;
  model::Oracle ahead = oracle_;
  const Instant now = session_->driver().Now();
  const auto observe = [&](const Record& record) {
    const model::Verdict verdict = ahead.Observe(record);
    judged.rows |= verdict.by;
    if (verdict.kind != model::VerdictKind::kRefused || judged.kind == model::VerdictKind::kRefused)
      return;
    judged.kind = verdict.kind;
    judged.line = record.line;
    judged.saw = verdict.saw;
  };
  const Instant later = now + kQuietFor;
  observe({.line = repertoire_.settles, .begin = now, .end = later, .seen = seen::Done{}});
  for (const uint32_t line : repertoire_.quiet_waits) {
    const auto& waits = std::get<line::Waits>(alphabet.lines[line]);
    if (scope_.WhyNot(waits) || session_->HasEvent(waits.lane.side, waits.channel)) continue;
    observe({.line = line,
             .begin = later,
             .end = later + waits.within,
             .seen = seen::Waited{.readable = false}});
  }
  return judged;
}

bool Branch::AnyIdWaits() {
  for (uint16_t i = 0; i < repertoire_.alphabet.names.ids.size(); ++i) {
    const IdRef id{i};
    if (((waits_ >> i) & 1) == 0 || !scope_.IdIsLive(id)) continue;
    for (const uint32_t line : repertoire_.quiet_waits) {
      const auto& waits = std::get<line::Waits>(repertoire_.alphabet.lines[line]);
      if (waits.channel == scope_.ChannelOf(id) && !scope_.WhyNot(waits) &&
          !session_->HasEvent(waits.lane.side, waits.channel))
        return true;
    }
  }
  return false;
}

// A name that was never used, one of an object, or of one that is gone.
uint64_t Branch::StatusOf(IdRef id) const {
  Digest d;
  d.U8(!MadeBefore(id) ? 0 : scope_.IdIsLive(id) ? 1 : 2);
  d.U8((waits_ >> id.index) & 1);
  d.U64(session_->FingerprintOf(id));
  return d.Value();
}

uint64_t Branch::Key(const Limits& limits) {
  if (limits.beliefs) oracle_.Follow(session_->driver().Now());
  Digest d;
  d.U64(session_->Fingerprint());
  if (limits.beliefs) d.U64(oracle_.Fingerprint());
  d.U64(StatusOf(repertoire_.listener));
  for (const std::vector<IdRef>* kind : {&repertoire_.callers, &repertoire_.requests}) {
    std::vector<uint64_t> all;
    all.reserve(kind->size());
    for (const IdRef id : *kind) all.push_back(StatusOf(id));
    if (limits.in_order) std::ranges::sort(all);  // lint: equal hashes are interchangeable
    for (const uint64_t one : all) d.U64(one);
  }
  for (const uint32_t line : repertoire_.quiet_waits)
    d.U8(scope_.WhyNot(repertoire_.alphabet.lines[line]) ? 0 : 1);
  d.U8(static_cast<uint8_t>(faults_));
  d.U8(static_cast<uint8_t>(heals_));
  d.U8(IsLate(limits) ? 1 : 0);
  d.U32(static_cast<uint32_t>(pending_.size()));
  return d.Value();
}

}  // namespace cm::explore
