#include "conformance/adapters/dl/dl_adapter.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "conformance/adapters/dl/api.h"
#include "conformance/adapters/dl/session.h"
#include "conformance/adapters/dl/worker.h"
#include "conformance/adapters/dl/worker_pool.h"
#include "conformance/driver/refused_session.h"

namespace cm {
namespace {

constexpr Duration kProbeWithin = Duration::Seconds(5);

// The capabilities of a library in virtual time that are possible under a profile. No profile says
// whether it survives calls that crash others.
Capabilities CommonTo(Capabilities library, Capabilities profile) {
  return Common(library, profile.With({Capability::kCrashes, Capability::kMisuse}));
}

class DlImplementation : public Implementation {
 public:
  DlImplementation(DlOptions options, LoadedObject object, std::unique_ptr<Place> place,
                   Capabilities of_hooks)
      : options_(std::move(options)),
        object_(std::move(object)),
        place_(std::move(place)),
        of_hooks_(of_hooks) {}

  std::string name() const override {
    const std::string under = object_.hooks ? "virtual time" : place_->name();
    return fmt::format("{} ({}), {}", object_.name, options_.path, under);
  }
  const Profile& profile() const override { return options_.profile; }

  Capabilities capabilities() const override {
    // The object shows its functions; only the profile says what the kernel supports.
    const bool later =
        HasLaterCalls(object_.api) && options_.profile.capabilities.Has(Capability::kLaterCalls);
    const auto with_later = [later](Capabilities all) {
      return later ? all.With(Capability::kLaterCalls) : all.Without(Capability::kLaterCalls);
    };
    if (object_.hooks) return with_later(CommonTo(of_hooks_, options_.profile.capabilities));
    const Capabilities real = with_later(place_->capabilities())
                                  .With(Capability::kExit)
                                  .With(Capability::kLanes)
                                  .Without(Capability::kRaces);  // the order of threads is unknown
    return MovesData(object_.api) ? real.With(Capability::kData) : real;
  }

  std::string Spoiled() const override { return spoiled_; }

  // Processes of a library in virtual time share nothing.
  bool concurrent() const override { return object_.hooks.has_value(); }

  std::unique_ptr<Session> Start(const Conversation& conversation) override {
    late_.Reap();
    const std::string why = WhyUncallable(object_.api, conversation, capabilities());
    if (!why.empty()) return RefuseSession(options_.path + " " + why);
    const SessionSetup setup{&object_, &options_.profile, place_.get(),
                             &late_,   &spoiled_,         options_.patience};
    return object_.hooks ? StartVirtualSession(setup, conversation)
                         : StartRealSession(setup, conversation);
  }

 private:
  DlOptions options_;
  LoadedObject object_;
  std::unique_ptr<Place> place_;
  Capabilities of_hooks_;
  LateProcesses late_;
  std::string spoiled_;
};

// Runs one query of the library in a process of its own; empty when it crashes or hangs.
std::optional<Answer> AskElsewhere(const std::function<Answer()>& question) {
  LateProcesses late;
  WorkerPool workers(&late);
  const bool spawned = workers.Spawn([&question](int connection) {
    while (const std::optional<Request> request = ReceiveRequest(connection)) {
      Answer answer = question();
      answer.number = request->number;
      if (!Send(connection, answer)) return;
    }
  });
  if (!spawned) return std::nullopt;
  return workers.Ask(0, {}, kProbeWithin);
}

std::optional<Capabilities> CapabilitiesOf(const Hooks& hooks) {
  const std::optional<Answer> answer = AskElsewhere([&hooks] {
    Answer words;
    words.SetWords(hooks.cmcheck_capabilities());
    return words;
  });
  return answer ? ParseCapabilities(answer->words()) : std::nullopt;
}

// In the child: creates a channel, looks for devices.
Answer LookForDevices(const RdmaCmApi& api) {
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(nowhere, STDERR_FILENO);  // librdmacm prints a worse message there
  Answer answer;
  errno = 0;
  rdma_event_channel* const channel = api.rdma_create_event_channel();
  if (channel == nullptr) {
    const auto error = static_cast<Errno>(errno);
    const bool lacks_device = error == Errno::kNoDev || error == Errno::kNoEnt ||
                              error == Errno::kNxIo || error == Errno::kNone;
    answer.SetWords(fmt::format("{}: rdma_create_event_channel says {}",
                                lacks_device ? "no RDMA device" : "no event channel",
                                ToString(error)));
    return answer;
  }
  int devices = 1;
  if (api.rdma_get_devices != nullptr && api.rdma_free_devices != nullptr) {
    ibv_context** const list = api.rdma_get_devices(&devices);
    if (list == nullptr) devices = 0;
    if (list != nullptr) api.rdma_free_devices(list);
  }
  api.rdma_destroy_event_channel(channel);
  if (devices == 0) answer.SetWords("no RDMA device: rdma_get_devices finds none");
  return answer;
}

}  // namespace

std::variant<std::unique_ptr<Implementation>, std::string> MakeDlImplementation(
    DlOptions options, std::unique_ptr<Place> place) {
  std::variant<LoadedObject, std::string> loaded = Load(options.path);
  if (std::string* const why = std::get_if<std::string>(&loaded)) return std::move(*why);
  LoadedObject object = std::move(std::get<LoadedObject>(loaded));
  Capabilities of_hooks;
  if (object.hooks) {
    const std::optional<Capabilities> known = CapabilitiesOf(*object.hooks);
    if (!known) return options.path + ": cmcheck_capabilities gives no list of capabilities";
    of_hooks = *known;
  }
  return std::make_unique<DlImplementation>(std::move(options), std::move(object), std::move(place),
                                            of_hooks);
}

std::string Probe(const DlOptions& options) {
  const std::variant<LoadedObject, std::string> loaded = Load(options.path);
  if (const auto* why = std::get_if<std::string>(&loaded)) return *why;
  const auto& object = std::get<LoadedObject>(loaded);
  if (object.hooks) return {};
  const std::optional<Answer> answer =
      AskElsewhere([&object] { return LookForDevices(object.api); });
  if (!answer) return options.path + ": rdma_create_event_channel crashes or hangs";
  if (answer->words().empty()) return {};
  return options.path + ": " + std::string(answer->words());
}

}  // namespace cm
