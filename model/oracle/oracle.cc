#include "model/oracle/oracle.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/channel/misuse.h"
#include "model/conversation/print.h"
#include "model/oracle/judge/answers.h"
#include "model/oracle/judge/channels.h"
#include "model/oracle/judge/counted_faults.h"
#include "model/oracle/judge/data_path.h"
#include "model/oracle/judge/endpoints.h"
#include "model/oracle/judge/environment.h"
#include "model/oracle/judge/id_calls.h"
#include "model/oracle/judge/judge_context.h"
#include "model/oracle/judge/lasting_calls.h"
#include "model/oracle/judge/lookalikes.h"
#include "model/oracle/judge/results.h"
#include "model/oracle/judge/scope.h"
#include "model/oracle/judge/synchronous_calls.h"
#include "model/oracle/judge/unjudged.h"
#include "model/oracle/judge/waiting_calls.h"
#include "model/vocabulary/not_made.h"

namespace cm::model {
namespace {

bool IsUnseen(const Record& record) {
  if (const auto* answered = std::get_if<seen::Answered>(&record.seen))
    return Unseen(answered->reply);
  const auto* released = std::get_if<seen::Released>(&record.seen);
  return released != nullptr && Unseen(released->reply);
}

// Whether the application got something that was queued for it.
bool Fetches(const Record& record, const Line& line) {
  const auto* answered = std::get_if<seen::Answered>(&record.seen);
  return std::holds_alternative<seen::Released>(record.seen) ||
         std::holds_alternative<line::Waits>(line) || (answered != nullptr && answered->event);
}

// A line that rightly was not carried out.
bool IsNotMade(const Record& record) {
  const auto* answered = std::get_if<seen::Answered>(&record.seen);
  return answered != nullptr && answered->reply.kind == ReplyKind::kNotApplicable &&
         record.not_made;
}

// What keeps a line from being carried out wherever it is; empty for what may be carried out all
// the same, though the suite leaves it out, or what other records do not show.
std::string_view Obstacle(NotMade why) {
  switch (why) {
    case NotMade::kNeverMade:
      return "it names what never came to be";
    case NotMade::kOfAnotherSide:
      return "it names what another process has";
    case NotMade::kLaneWaits:
      return "an earlier call of its lane has not returned";
    case NotMade::kExited:
      return "its process has ended";
    case NotMade::kGone:
    case NotMade::kChannelInUse:
    case NotMade::kIdInUse:
    case NotMade::kQueueInUse:
    case NotMade::kWouldCrash:
    case NotMade::kCrashed:
    case NotMade::kContends:
    case NotMade::kCannotBeMade:
      break;
  }
  return {};
}

std::string SawText(const Record& record) {
  if (const auto* answered = std::get_if<seen::Answered>(&record.seen))
    return ToString(answered->reply);
  const auto* waited = std::get_if<seen::Waited>(&record.seen);
  if (waited == nullptr) return "done";
  return waited->readable ? "readable" : "quiet";
}

// An event with the parameters of a connection, among which is the number of a queue pair.
bool IsNumbered(const CmEvent& event) { return event.conn != ConnFields{}; }

// Texts that are the same differ in a number that was left out.
void NameNumber(Verdict* verdict) {
  for (Permitted& one : verdict->permitted)
    if (one.what == verdict->saw) one.what += " qp_num=drawn";
}

}  // namespace

// Hands each record to the judge that it is for.
class Oracle::Judges {
 public:
  Judges(const Conversation& conversation, const Profile& profile)
      : context_(conversation, profile) {}
  // The judges themselves remember nothing.
  explicit Judges(const JudgeContext& context) : context_(context) {}
  Judges(const Judges&) = delete;
  Judges& operator=(const Judges&) = delete;

  Verdict Observe(const Record& record) {
    Verdict verdict = ObserveNext(record);
    context_.components.ForgetFollowed();
    return verdict;
  }

  void Follow(int64_t until) {
    context_.components.LookAhead(until);
    environment_.TurnLinks(until);
    context_.search.Follow({.begin = until, .end = until, .settled = context_.settled});
  }

  JudgeContext& context() { return context_; }

 private:
  Verdict ObserveNext(const Record& record) {
    const Line& line = context_.conversation.lines[record.line];
    if (!std::holds_alternative<line::Calls>(line)) context_.components.ForgetFollowed();
    context_.components.LookAhead(record.end.nanoseconds());
    environment_.TurnLinks((Fetches(record, line) ? record.end : record.begin).nanoseconds());
    const bool releases = std::holds_alternative<seen::Released>(record.seen);
    Verdict waiting;
    if (!releases) waiting = StillWaiting(record);
    if (waiting.kind == VerdictKind::kRefused && context_.search.IsPartial())
      waiting.kind = VerdictKind::kInconclusive;
    if (waiting.kind == VerdictKind::kInconclusive) return waiting;
    if (!releases) waiting_.Pass(record);
    context_.just_settled =
        std::holds_alternative<line::Settles>(line) || (context_.just_settled && releases);
    data_path_.AnswersArrive(record.begin);
    lookalikes_.TellApart(record, line);
    if (lookalikes_.IsGuess(record, line)) context_.search.NoteGuess();
    if (!IsNotMade(record)) counted_.Expect(record, line);
    Verdict verdict = IsNotMade(record) ? Verdict{} : Judge(record, line);
    if (verdict.IsPermitted()) {
      counted_.Learn(record, line);
      data_path_.Learn(record, line);
      NoteNumber(record);
      NoteLookalikes(record, line);
    }
    if (IsPartial(line)) {
      verdict.sharp = false;
      if (verdict.kind == VerdictKind::kRefused) verdict.kind = VerdictKind::kInconclusive;
    }
    if (verdict.kind == VerdictKind::kRefused) {
      if (const CmEvent* event = EventOf(record.seen); event != nullptr && IsNumbered(*event))
        NameNumber(&verdict);
      unjudged_.EndAfter(record, line);
    }
    if (verdict.kind == VerdictKind::kRefused || verdict.kind == VerdictKind::kOutOfScope)
      LearnUnjudged(record, line);
    if (waiting.kind == VerdictKind::kRefused) verdict = std::move(waiting);
    verdict.by |= verdict.certain;
    context_.search.Reach(verdict.by);
    // A record that is not observed, or not permitted, shows no row.
    if (!verdict.IsPermitted() || IsUnseen(record)) verdict.certain.reset();
    context_.confirmed |= verdict.certain;
    return verdict;
  }

  void NoteNumber(const Record& record) {
    const CmEvent* event = EventOf(record.seen);
    facts().shows_numbers |= event != nullptr && IsNumbered(*event) && event->qp_num != 0;
  }

  void NoteLookalikes(const Record& record, const Line& line) {
    std::vector<IdRef> waiting;
    for (const WaitingCall& call : context_.waiting)
      if (call.id.valid()) waiting.push_back(call.id);
    lookalikes_.Note(record, line, waiting);
  }

  // What is refused may be explained by something that is not followed: of the id that is called,
  // and of others where a fault hits a number of all messages.
  bool IsPartial(const Line& line) {
    if (!context_.search.IsPartial()) return false;
    const auto* calls = std::get_if<line::Calls>(&line);
    const bool counts = facts().allowances != Hits{};
    if (calls == nullptr || counts || !IdOf(calls->call).valid()) return true;
    return context_.search.IsPartial(context_.components.NumberOf(IdOf(calls->call)));
  }

  // The first of the calls that had to return; the judgement of all of them ends.
  Verdict StillWaiting(const Record& record) {
    Verdict first = waiting_.StillWaiting(record, context_.just_settled);
    for (Verdict next = first; next.kind == VerdictKind::kRefused;) {
      unjudged_.EndContradicted();
      next = waiting_.StillWaiting(record, context_.just_settled);
    }
    return first;
  }

  void LearnUnjudged(const Record& record, const Line& line) {
    unjudged_.Learn(record, line);
    if (const auto* calls = std::get_if<line::Calls>(&line)) data_path_.LearnUnjudged(calls->call);
  }

  Verdict Judge(const Record& record, const Line& line) {
    const auto* answered = std::get_if<seen::Answered>(&record.seen);
    if (answered != nullptr && answered->reply.kind == ReplyKind::kNotApplicable)
      return Refused("not-applicable", "the line could have been carried out");
    if (const std::string_view obstacle = ObstacleOf(record, line); !obstacle.empty())
      return Refused(SawText(record),
                     "not-applicable why=" + std::string(ToString(*record.not_made)),
                     std::string(obstacle));
    if (context_.undefined) return OutOfScope();
    if (const auto* waits = std::get_if<line::Waits>(&line)) {
      const auto* waited = std::get_if<seen::Waited>(&record.seen);
      if (waited == nullptr) return {};
      return channels_.Wait(record, waits->channel, waited->readable);
    }
    const auto* calls = std::get_if<line::Calls>(&line);
    if (calls == nullptr) return environment_.Line(record, line);
    if (record.misuse && answered != nullptr) return Misused(*record.misuse, answered->reply);
    if (const auto* released = std::get_if<seen::Released>(&record.seen))
      return waiting_.Returned(record, calls->lane, calls->call, *released);
    return answered != nullptr ? Called(record, calls->lane, calls->call, *answered) : Verdict{};
  }

  // Names of a recording are those that its reader has given, and what it has not seen may have
  // made them. Of an id that is being created there is more to say.
  std::string_view ObstacleOf(const Record& record, const Line& line) const {
    if (!record.not_made || std::holds_alternative<seen::Released>(record.seen)) return {};
    if (context_.partial_events || IsUnseen(record)) return {};
    const auto* calls = std::get_if<line::Calls>(&line);
    const bool is_being_made = *record.not_made == NotMade::kNeverMade && calls != nullptr &&
                               IsBeingCreated(IdOf(calls->call));
    return is_being_made ? std::string_view() : Obstacle(*record.not_made);
  }

  // A call on a destroyed object: memory may be damaged.
  Verdict Misused(Misuse misuse, const Reply& reply) {
    const auto rule = std::ranges::find(rules::kMisuses, misuse, &MisuseRule::on);
    Verdict verdict{.saw = ToString(reply), .sharp = false};
    Permit(&verdict, *rule, "anything: undefined");
    verdict.certain.set(NumberOf(&*rule));
    context_.undefined = true;
    return verdict;
  }

  Verdict Called(const Record& record, Lane lane, const Call& call,
                 const seen::Answered& answered) {
    const Reply& reply = answered.reply;
    if (!TraitsOf(KindOf(call)).may_block && IsSlow(record, call, reply))
      return Slow(record, reply);
    if (const auto* create = std::get_if<call::CreateId>(&call))
      return calls_.Create(lane, *create, reply);
    if (const auto* names = std::get_if<call::EventStr>(&call))
      return Inspections(context_).EventStr(*names, answered);
    const IdRef id = IdOf(call);
    if (HeldOf(call).valid() && !id.valid())
      return OwnedResults(context_).Called(record, lane, call, answered);
    if (const auto* ep = std::get_if<call::CreateEp>(&call))
      return Endpoints(context_).Create(record, lane, *ep, reply);
    if (const auto* dereg = std::get_if<call::DeregMr>(&call))
      return data_path_.Deregister(*dereg, answered);
    if (!id.valid()) return CalledOnChannel(record, lane, call, answered);
    if (!facts().id(id).in_scope) return OutOfScope();
    if (!Scope(context_).HasRowsFor(call)) return LeaveScope(id);
    if (!facts().id(id).exists) return Refused(ToString(reply), "nothing: the id does not exist");
    if (IsBeingCreated(id))
      return Refused(ToString(reply), "nothing: rdma_create_ep has not returned the id");
    if (unjudged_.MayMeet(call) || !Scope(context_).CanFollow(call, context_.WindowOf(record)))
      return LeaveScope(id);
    return CalledOnId(record, call, answered);
  }

  Verdict CalledOnChannel(const Record& record, Lane lane, const Call& call,
                          const seen::Answered& answered) {
    if (const auto* create = std::get_if<call::CreateEventChannel>(&call))
      return channels_.Create(lane, *create, answered.reply);
    if (const auto* destroy = std::get_if<call::DestroyEventChannel>(&call))
      return Destructions(context_).Channel(record, *destroy, answered.reply);
    if (const auto* get = std::get_if<call::GetCmEvent>(&call))
      return channels_.Get(record, *get, answered);
    return channels_.Acknowledge(std::get<call::AckCmEvent>(call), answered.reply);
  }

  Verdict CalledOnId(const Record& record, const Call& call, const seen::Answered& answered) {
    const IdRef id = IdOf(call);
    const Reply& reply = answered.reply;
    const CallKind kind = KindOf(call);
    if (!TraitsOf(kind).only_asks) {
      if (kind == CallKind::kDestroyId) {
        Verdict ended = Destructions(context_).EndCrowd(record, call, reply);
        if (!ended.IsPermitted()) return ended;
      }
      context_.components.PrepareCall(id);
      context_.search.PrepareApart(id, context_.WindowOf(record));
    }
    if (context_.machine.over_iwarp()) {
      // The call itself looks for the listener.
      if (kind == CallKind::kConnect && MayConnectOverIwarp(id, facts(), context_.components))
        context_.components.MergeForRequest(id);
      if (kind == CallKind::kDisconnect && !facts().id(id).synchronous())
        return Disconnections(context_).Called(record, call, reply);
    }
    if (kind == CallKind::kShow)
      return answered.shown ? Inspections(context_).Show(record, id, *answered.shown)
                            : Refused(ToString(reply), "the fields of the id");
    if (kind == CallKind::kShowEvent) return Inspections(context_).ShowEvent(record, id, answered);
    // What holds one up is acknowledged by another thread, and so not while it is made.
    const bool prompt = kind == CallKind::kDestroyQp || kind == CallKind::kMigrateId ||
                        (kind == CallKind::kLeaveMulticast && !context_.machine.over_infiniband());
    if (prompt && reply.kind == ReplyKind::kReturned && IsSlow(record, call, reply))
      return Slow(record, reply);
    if (TraitsOf(kind).on_cq) return data_path_.OnCq(record, call, reply, answered.output);
    if (SynchronousCalls(context_).Waits(call))
      return SynchronousCalls(context_).Called(record, call, reply);
    if (const auto* leave = std::get_if<call::LeaveMulticast>(&call))
      return Memberships(context_).Leave(record, *leave, answered);
    if (kind == CallKind::kDestroyId || kind == CallKind::kDestroyEp)
      return Destructions(context_).Id(record, call, reply);
    if (const auto* migrate = std::get_if<call::MigrateId>(&call))
      return Migrations(context_).Called(record, *migrate, answered);
    if (IsSlow(record, call, reply)) return Slow(record, reply);
    return calls_.Called(context_.WindowOf(record), call, answered);
  }

  bool IsBeingCreated(IdRef id) const {
    return std::ranges::any_of(context_.waiting, [&](const WaitingCall& waiting) {
      const auto* calls = std::get_if<line::Calls>(&context_.conversation.lines[waiting.line]);
      return waiting.id == id && calls != nullptr && KindOf(calls->call) == CallKind::kCreateEp;
    });
  }

  // Over iWARP rdma_connect waits for the TCP connection, and rdma_destroy_qp for the MPA reply.
  // source: man tcp(7) tcp_syn_retries, observed 6.1-siw 73-link_down_when_resolving, lab 6.1-siw,
  // seed 61
  Duration PatienceOfIwarp(CallKind kind, const Reply& reply) const {
    constexpr Duration kSynPatience = Duration::Seconds(127);
    const bool unreached = reply.error == Errno::kTimedOut || reply.error == Errno::kHostUnreach;
    if (kind == CallKind::kConnect && unreached) return kSynPatience;
    return kind == CallKind::kDestroyQp ? context_.profile.timing.mpa_reply : Duration();
  }

  // A call that waits for no event has lasted.
  bool IsSlow(const Record& record, const Call& call, const Reply& reply) const {
    if (!context_.WaitedIn(record)) return false;
    if (!context_.machine.over_iwarp()) return true;
    const Duration patience = PatienceOfIwarp(KindOf(call), reply);
    return record.end - record.begin > context_.profile.timing.Latest(patience);
  }

  static Verdict Slow(const Record& record, const Reply& reply) {
    return Refused(ToString(reply) + " after " + ToString(record.end - record.begin),
                   "a prompt return: the call waits for nothing");
  }

  ConversationFacts& facts() { return context_.facts; }
  Verdict LeaveScope(IdRef id) {
    context_.components.MarkOutOfScope(id);
    return OutOfScope();
  }

  JudgeContext context_;
  IdCalls calls_{context_};
  Channels channels_{context_};
  DataPath data_path_{context_};
  WaitingCalls waiting_{context_};
  CountedFaults counted_{context_};
  Lookalikes lookalikes_{context_.facts, context_.components};
  Environment environment_{context_};
  Unjudged unjudged_{context_};
};

Oracle::Oracle(const Conversation& conversation, const Profile& profile)
    : judges_(std::make_unique<Judges>(conversation, profile)) {}
Oracle::Oracle(const Oracle& other) : judges_(std::make_unique<Judges>(other.judges_->context())) {}
Oracle::~Oracle() = default;
Oracle& Oracle::operator=(const Oracle& other) {
  judges_->context() = other.judges_->context();
  return *this;
}

void Oracle::Follow(Instant until) { judges_->Follow(until.nanoseconds()); }

uint64_t Oracle::Fingerprint() const {
  Components& components = judges_->context().components;
  uint64_t all = 0;
  for (const Components::Number number : components.All()) {
    uint64_t one = 0;
    for (const Possibility& p : components.Peek(number).items()) one += HashOf(p);
    one += static_cast<uint64_t>(judges_->context().search.IsPartial(number));
    all += one * 0x9e3779b97f4a7c15 ^ one >> 32;
  }
  return all;
}

Verdict Oracle::Observe(const Record& record) { return judges_->Observe(record); }

void Oracle::MarkOutOfScope(IdRef id) { judges_->context().components.MarkOutOfScope(id); }
void Oracle::ShowsOnlyTypeAndStatus() { judges_->context().partial_events = true; }
void Oracle::FollowsTogether() { judges_->context().facts.no_crowds = true; }
void Oracle::NumbersNameQps() { judges_->context().facts.numbers_name_qps = true; }

const RuleBits& Oracle::reached() const { return judges_->context().search.reached(); }
const RuleBits& Oracle::confirmed() const { return judges_->context().confirmed; }
bool Oracle::FollowsInPart() const { return judges_->context().search.IsPartial(); }
size_t Oracle::largest_set() const { return judges_->context().components.largest(); }

}  // namespace cm::model
