// For tests: a mock implementation.
//
//   testing::NiceMock<MockImplementation> asked;
//   ON_CALL(asked, Start).WillByDefault([](const Conversation&) { return Answering(); });
#ifndef CONFORMANCE_RUNNER_DOUBLES_H_
#define CONFORMANCE_RUNNER_DOUBLES_H_

#include <gmock/gmock.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/driver/implementation.h"
#include "model/base/duration.h"
#include "model/conversation/conversation.h"
#include "model/conversation/history.h"
#include "model/vocabulary/profile.h"

namespace cm {

class MockDriver : public Driver {
 public:
  MOCK_METHOD(seen::Answered, Submit, (Lane lane, const Call& call), (override));
  MOCK_METHOD(std::optional<seen::Released>, Released, (Lane lane), (override));
  MOCK_METHOD(bool, Readable, (Lane lane, ChannelRef channel, Duration within), (override));
  MOCK_METHOD(Instant, Now, (), (override));
};

class MockEnvironment : public Environment {
 public:
  MOCK_METHOD(seen::Done, Pass, (Duration span), (override));
  MOCK_METHOD(seen::Done, Settle, (), (override));
  MOCK_METHOD(seen::Done, Inject, (const Fault& fault), (override));
  MOCK_METHOD(seen::Done, Heal, (), (override));
};

// Its driver and its environment are mocks, too. By default every call succeeds, no channel is
// readable, no time passes, and nothing is left at the end.
class MockSession : public Session {
 public:
  MOCK_METHOD(std::string, Leaks, (), (override));
  MOCK_METHOD(std::string, Unsupported, (), (const, override));
  MOCK_METHOD(std::string, Inconclusive, (), (const, override));
  testing::NiceMock<MockDriver>& driver() override { return driver_; }
  testing::NiceMock<MockEnvironment>& environment() override { return environment_; }

 private:
  testing::NiceMock<MockDriver> driver_;
  testing::NiceMock<MockEnvironment> environment_;
};

class MockImplementation : public Implementation {
 public:
  explicit MockImplementation(Profile profile = Profiles().front()) : profile_(std::move(profile)) {
    using testing::Return;
    ON_CALL(*this, name).WillByDefault(Return("a double"));
    ON_CALL(*this, concurrent).WillByDefault(Return(false));
    ON_CALL(*this, Spoiled).WillByDefault(Return(""));
    ON_CALL(*this, Start).WillByDefault([](const Conversation&) {
      return std::make_unique<testing::NiceMock<MockSession>>();
    });
  }
  MOCK_METHOD(std::string, name, (), (const, override));
  MOCK_METHOD(bool, concurrent, (), (const, override));
  MOCK_METHOD(std::unique_ptr<Session>, Start, (const Conversation& conversation), (override));
  MOCK_METHOD(std::string, Spoiled, (), (const, override));
  const Profile& profile() const override { return profile_; }
  Capabilities capabilities() const override { return profile_.capabilities; }

 private:
  Profile profile_;
};

}  // namespace cm

#endif  // CONFORMANCE_RUNNER_DOUBLES_H_
