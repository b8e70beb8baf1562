#include <string>
#include <utility>

#include "conformance/adapters/dl/crew.h"
#include "conformance/adapters/dl/serve.h"
#include "conformance/adapters/dl/session.h"

namespace cm {
namespace {

// No call of a library with hooks waits; one that is not back by then hangs.
constexpr Duration kHangs = Duration::Seconds(20);

class VirtualSession : public Session, public Driver, public Environment {
 public:
  explicit VirtualSession(Crew crew) : crew_(std::move(crew)) {}
  // False when the library cannot stand in for the conversation. One that crashes or hangs over
  // the question is taken to do so in the first call.
  bool Begin() {
    const std::optional<Answer> answer = Ask({.asked = Asked::kStart});
    return !answer || answer->yes;
  }
  ~VirtualSession() override { crew_.EndAll(); }

  Driver& driver() override { return *this; }
  Environment& environment() override { return *this; }

  // Driver
  seen::Answered Submit(Lane lane, const Call& call) override {
    const std::optional<Answer> answer = Ask({.asked = Asked::kCall, .lane = lane, .call = call});
    if (answer) return answer->answered;
    return {.reply = hangs_ ? Reply::Blocked() : Reply::Crashed()};
  }
  std::optional<seen::Released> Released(Lane lane) override {
    const std::optional<Answer> answer = Ask({.asked = Asked::kReleased, .lane = lane});
    if (!answer || answer->answered.reply.kind == ReplyKind::kBlocked) return std::nullopt;
    return seen::Released{.reply = answer->answered.reply,
                          .event = answer->answered.event,
                          .handed = answer->answered.handed};
  }
  bool Readable(Lane lane, ChannelRef channel, Duration within) override {
    const std::optional<Answer> answer =
        Ask({.asked = Asked::kReadable, .lane = lane, .channel = channel, .span = within});
    return answer && answer->yes;
  }
  Instant Now() override { return now_; }

  // Environment. Time goes on where a library has crashed.
  seen::Done Pass(Duration span) override {
    if (!Ask({.asked = Asked::kPass, .span = span})) now_ = now_ + span;
    return {};
  }
  seen::Done Settle() override {
    Ask({.asked = Asked::kSettle});
    return {};
  }
  seen::Done Inject(const Fault& fault) override {
    return Told({.asked = Asked::kInject, .fault = fault});
  }
  seen::Done Heal() override { return Told({.asked = Asked::kHeal}); }

  // Session
  std::string Leaks() override {
    const std::optional<Answer> answer = Ask({.asked = Asked::kLeaks});
    std::string leaks(answer ? answer->words() : std::string_view());
    if (!crew_.EndAll()) {
      unreaped_ = true;
      leaks += leaks.empty() ? "child not reaped" : "; child not reaped";
    }
    return leaks;
  }
  bool Inconclusive() const override { return hangs_ || unreaped_; }

 private:
  std::optional<Answer> Ask(const Request& request) {
    if (!crew_.alive(0)) return std::nullopt;
    std::optional<Answer> answer = crew_.Ask(0, request, kHangs);
    if (answer) {
      now_ = answer->now;
    } else if (crew_.alive(0)) {
      hangs_ = true;
      unreaped_ = !crew_.End(0);
    }
    return answer;
  }

  seen::Done Told(const Request& request) {
    const std::optional<Answer> answer = Ask(request);
    if (answer && !answer->yes) return {.ok = false, .note = "the library cannot do that"};
    return {};
  }

  Crew crew_;
  Instant now_;
  bool hangs_ = false;
  bool unreaped_ = false;
};

}  // namespace

std::unique_ptr<Session> StartVirtualSession(const Ground& ground,
                                             const Conversation& conversation) {
  Crew crew(ground.late);
  const bool hired = crew.Hire([&ground, &conversation](int connection) {
    ServeVirtualTime(connection, *ground.object, conversation, *ground.profile);
  });
  if (!hired) return RefuseSession("no process could be made");
  auto session = std::make_unique<VirtualSession>(std::move(crew));
  if (!session->Begin()) return RefuseSession("the library cannot stand in: cmcheck_start says no");
  return session;
}

}  // namespace cm
