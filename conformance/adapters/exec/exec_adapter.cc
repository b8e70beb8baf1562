#include "conformance/adapters/exec/exec_adapter.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "conformance/adapters/exec/exec_session.h"
#include "conformance/driver/refused_session.h"

namespace cm {
namespace {

// How many drivers are tried for one conversation that end when it begins: the first may have ended
// since the last one.
constexpr int kDrivers = 2;
// The end of an agent may take with it the next one, which came before it was quite gone; and a
// busy host may be too slow for one.
constexpr int kAgents = 5;

class ExecImplementation : public Implementation {
 public:
  ExecImplementation(ExecOptions options, std::unique_ptr<Peer> first)
      : options_(std::move(options)), greeting_(first->greeting()) {
    setup_ = {.profile = &options_.profile,
              .patience = options_.patience,
              .lost = options_.lost,
              .give_back = [this](std::unique_ptr<Peer> peer, const std::string& wrong) {
                GiveBack(std::move(peer), wrong);
              }};
    idle_.push_back(std::move(first));
  }

  std::string name() const override { return greeting_.name; }
  const Profile& profile() const override { return options_.profile; }
  Capabilities capabilities() const override {
    return Common(greeting_.capabilities, options_.profile.capabilities);
  }
  std::string Lacks(const Conversation& conversation) const override {
    const auto& there = greeting_.topologies;
    if (!there.empty() && std::ranges::find(there, conversation.topology->name) == there.end())
      return fmt::format("the driver has no topology {}", conversation.topology->name);
    return greeting_.left_out.WhyUnsupported(conversation);
  }
  bool LeavesOut() const override { return !greeting_.left_out.names().empty(); }
  bool concurrent() const override {
    return greeting_.clock == Clock::kVirtual && !options_.place.command.empty();
  }

  std::unique_ptr<Session> Start(const Conversation& conversation) override {
    if (std::string lacks = Lacks(conversation); !lacks.empty())
      return RefuseSession(std::move(lacks));
    std::string why;
    const int most = options_.lost ? kAgents : kDrivers;
    for (int attempts = 0; attempts < most && (attempts == 0 || !Interrupted()); ++attempts) {
      auto taken = TakePeer();
      if (auto* problem = std::get_if<std::string>(&taken)) {
        why = std::move(*problem);
        if (options_.lost) continue;
        break;
      }
      auto started =
          StartExecSession(setup_, conversation, std::get<std::unique_ptr<Peer>>(std::move(taken)));
      if (auto* session = std::get_if<std::unique_ptr<Session>>(&started))
        return std::move(*session);
      auto& not_begun = std::get<NotBegun>(started);
      switch (not_begun.kind) {
        case NotBegun::Kind::kUnsupported:
          GiveBack(std::move(not_begun.peer), {});
          return RefuseSession(std::move(not_begun.why));
        case NotBegun::Kind::kEnded:
          why = "to \"begin\" " + not_begun.why;
          break;
        case NotBegun::Kind::kWrong:
          GiveBack(std::move(not_begun.peer), not_begun.why);
          return RefuseSession(std::move(not_begun.why));
      }
    }
    Spoil(why);
    return RefuseSession(std::move(why));
  }

  std::string Spoiled() const override {
    const std::scoped_lock lock(mutex_);
    return spoiled_;
  }

 private:
  bool Interrupted() const {
    return options_.place.interrupted != nullptr && *options_.place.interrupted;
  }

  // One that is idle, or that is started; or why there is none.
  std::variant<std::unique_ptr<Peer>, std::string> TakePeer() {
    {
      const std::scoped_lock lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<Peer> peer = std::move(idle_.back());
        idle_.pop_back();
        return peer;
      }
    }
    return Peer::Start(options_.place);
  }

  void GiveBack(std::unique_ptr<Peer> peer, const std::string& wrong) {
    if (!wrong.empty()) return Spoil(wrong);
    const std::scoped_lock lock(mutex_);
    idle_.push_back(std::move(peer));
  }

  void Spoil(const std::string& why) {
    const std::scoped_lock lock(mutex_);
    if (spoiled_.empty()) spoiled_ = "the driver: " + why;
  }

  const ExecOptions options_;
  const Greeting greeting_;
  ExecSessionSetup setup_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Peer>> idle_;
  std::string spoiled_;
};

}  // namespace

std::variant<std::unique_ptr<Implementation>, std::string> MakeExecImplementation(
    ExecOptions options) {
  auto started = Peer::Start(options.place);
  if (auto* problem = std::get_if<std::string>(&started)) return std::move(*problem);
  auto first = std::get<std::unique_ptr<Peer>>(std::move(started));
  const std::string& profile = first->greeting().profile;
  if (!profile.empty() && profile != options.profile.name)
    return fmt::format("the driver is to be judged by profile {}, and not by {}: give --profile {}",
                       profile, options.profile.name, profile);
  return std::make_unique<ExecImplementation>(std::move(options), std::move(first));
}

}  // namespace cm
