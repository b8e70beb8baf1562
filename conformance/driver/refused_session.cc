#include "conformance/driver/refused_session.h"

#include <optional>
#include <utility>

namespace cm {
namespace {

class RefusedSession : public Session, public Driver, public Environment {
 public:
  explicit RefusedSession(std::string why) : why_(std::move(why)) {}

  Driver& driver() override { return *this; }
  Environment& environment() override { return *this; }

  seen::Answered Submit(Lane /*lane*/, const Call& /*call*/) override {
    return {.reply = Reply::NotApplicable()};
  }
  std::optional<seen::Released> Released(Lane /*lane*/) override { return std::nullopt; }
  bool Readable(Lane /*lane*/, ChannelRef /*channel*/, Duration /*within*/) override {
    return false;
  }
  Instant Now() override { return {}; }

  seen::Done Pass(Duration /*span*/) override { return NotDone(); }
  seen::Done Settle() override { return NotDone(); }
  seen::Done Inject(const Fault& /*fault*/) override { return NotDone(); }
  seen::Done Heal() override { return NotDone(); }

  std::string Unsupported() const override { return why_; }
  std::string Inconclusive() const override { return why_; }

 private:
  seen::Done NotDone() const { return {.ok = false, .note = why_}; }

  std::string why_;
};

}  // namespace

std::unique_ptr<Session> RefuseSession(std::string why) {
  return std::make_unique<RefusedSession>(std::move(why));
}

}  // namespace cm
