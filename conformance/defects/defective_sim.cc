#include "conformance/defects/defective_sim.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/defects/defects.h"
#include "conformance/defects/switch.h"
#include "conformance/defects/woven/conformance/adapters/sim/session.h"
#include "model/base/check.h"

namespace cm {
namespace {

using defects::Numbers;
using defects::SwitchedOn;

// Sessions of several defects may share a thread: its own are on while one of them runs.
class DefectiveSession : public BranchingSession, public Driver, public Environment {
 public:
  DefectiveSession(const Numbers& defects, const Conversation& conversation,
                   woven::SessionOptions options)
      : defects_(defects) {
    const SwitchedOn on(defects_);
    session_ = woven::StartSession(conversation, std::move(options));
  }
  DefectiveSession(const Numbers& defects, std::unique_ptr<BranchingSession> session)
      : defects_(defects), session_(std::move(session)) {}
  ~DefectiveSession() override {
    const SwitchedOn on(defects_);
    session_.reset();
  }
  DefectiveSession(const DefectiveSession&) = delete;
  DefectiveSession& operator=(const DefectiveSession&) = delete;

  Driver& driver() override { return *this; }
  Environment& environment() override { return *this; }
  std::unique_ptr<BranchingSession> Copy() const override {
    const SwitchedOn on(defects_);
    return std::make_unique<DefectiveSession>(defects_, session_->Copy());
  }
  void Become(const BranchingSession& other) override {
    const SwitchedOn on(defects_);
    session_->Become(*dynamic_cast<const DefectiveSession&>(other).session_);
  }
  uint64_t Fingerprint() const override {
    const SwitchedOn on(defects_);
    return session_->Fingerprint();
  }
  uint64_t FingerprintOf(IdRef id) const override {
    const SwitchedOn on(defects_);
    return session_->FingerprintOf(id);
  }
  std::optional<Instant> NextAt() const override {
    const SwitchedOn on(defects_);
    return session_->NextAt();
  }
  bool HasEvent(uint8_t side, ChannelRef channel) override {
    const SwitchedOn on(defects_);
    return session_->HasEvent(side, channel);
  }
  void OrderBy(Choice* order) override { session_->OrderBy(order); }
  std::vector<WireRecord> TakeWire() override {
    const SwitchedOn on(defects_);
    return session_->TakeWire();
  }
  std::string Leaks() override {
    const SwitchedOn on(defects_);
    return session_->Leaks();
  }
  std::string Unsupported() const override {
    const SwitchedOn on(defects_);
    return session_->Unsupported();
  }
  std::string Inconclusive() const override {
    const SwitchedOn on(defects_);
    return session_->Inconclusive();
  }

  seen::Answered Submit(Lane lane, const Call& call) override {
    const SwitchedOn on(defects_);
    return session_->driver().Submit(lane, call);
  }
  std::vector<seen::Answered> SubmitTogether(const std::vector<Submission>& all) override {
    const SwitchedOn on(defects_);
    return session_->driver().SubmitTogether(all);
  }
  std::optional<seen::Released> Released(Lane lane) override {
    const SwitchedOn on(defects_);
    return session_->driver().Released(lane);
  }
  bool Readable(Lane lane, ChannelRef channel, Duration within) override {
    const SwitchedOn on(defects_);
    return session_->driver().Readable(lane, channel, within);
  }
  Instant Now() override {
    const SwitchedOn on(defects_);
    return session_->driver().Now();
  }

  seen::Done Pass(Duration span) override {
    const SwitchedOn on(defects_);
    return session_->environment().Pass(span);
  }
  seen::Done Settle() override {
    const SwitchedOn on(defects_);
    return session_->environment().Settle();
  }
  seen::Done Inject(const Fault& fault) override {
    const SwitchedOn on(defects_);
    return session_->environment().Inject(fault);
  }
  seen::Done Heal() override {
    const SwitchedOn on(defects_);
    return session_->environment().Heal();
  }
  seen::Done Send(uint8_t side, const TesterMad& mad) override {
    const SwitchedOn on(defects_);
    return session_->environment().Send(side, mad);
  }

 private:
  Numbers defects_;
  std::unique_ptr<BranchingSession> session_;
};

class DefectiveSim : public Implementation {
 public:
  DefectiveSim(SimOptions options, const std::vector<std::string>& defects)
      : options_(std::move(options)),
        name_(fmt::format("sim+defect({})", fmt::join(defects, "+"))) {
    for (const std::string& defect : defects) defects_.set(NumberOf(defect));
  }

  std::string name() const override { return name_; }
  const Profile& profile() const override { return options_.profile; }
  Capabilities capabilities() const override { return options_.capabilities; }
  bool concurrent() const override { return true; }
  std::unique_ptr<Session> Start(const Conversation& conversation) override {
    return std::make_unique<DefectiveSession>(
        defects_, conversation,
        woven::SessionOptions{.profile = &options_.profile,
                              .watch_wire = options_.watch_wire,
                              .on_wire = {},
                              .acks_take_no_time = options_.acks_take_no_time});
  }

 private:
  SimOptions options_;
  std::string name_;
  Numbers defects_;
};

}  // namespace

std::unique_ptr<Implementation> MakeDefectiveSim(SimOptions options,
                                                 const std::vector<std::string>& defects) {
  if (defects.empty()) return MakeSimImplementation(std::move(options));
  CM_CHECK(!options.on_wire);
  if (!WhyNotTogether(defects).empty()) return nullptr;
  return std::make_unique<DefectiveSim>(std::move(options), defects);
}

std::unique_ptr<Implementation> MakeDefectiveSim(SimOptions options, std::string_view defect) {
  std::vector<std::string> defects;
  if (!defect.empty()) defects.emplace_back(defect);
  return MakeDefectiveSim(std::move(options), defects);
}

}  // namespace cm
