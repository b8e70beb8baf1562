#include "conformance/adapters/lib/lib_adapter.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "conformance/adapters/dl/messages.h"
#include "conformance/adapters/dl/session.h"
#include "conformance/adapters/dl/virtual_lanes.h"
#include "conformance/adapters/dl/worker_pool.h"
#include "conformance/adapters/lib/answers.h"
#include "conformance/adapters/lib/libraries.h"
#include "conformance/adapters/lib/simulated_backend.h"
#include "conformance/driver/perform.h"
#include "conformance/driver/refused_session.h"
#include "model/conversation/parse.h"
#include "model/conversation/print.h"

namespace cm {
namespace {

constexpr uint32_t kRehearsed = 1;  // the number of the answer about it

// Memory that the library leaks in a conversation; it is small, and never freed.
constexpr int kSessionsOfAProcess = 2000;

// Limit for a conversation as a whole: its time is virtual.
constexpr Duration kHangs = Duration::Seconds(20);

// A library learns its devices in its first call, and another process after an exit would learn
// them anew.
bool ChangesLibrary(const Conversation& conversation) {
  return std::ranges::any_of(conversation.lines, [](const Line& line) {
    const auto* const injects = std::get_if<line::Injects>(&line);
    if (injects == nullptr) return false;
    const FaultKind kind = injects->fault.kind;
    return kind == FaultKind::kRemoveDevice || kind == FaultKind::kAddDevice ||
           kind == FaultKind::kExit || kind == FaultKind::kCrash;
  });
}

// Above all open descriptors. The iterator's own is one of them.
unsigned int FirstDescriptorOfOthers() {
  unsigned int first = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", error)) {
    const std::string name = entry.path().filename();
    unsigned int number = 0;
    std::from_chars(name.data(), name.data() + name.size(), number);
    first = std::max(first, number + 1);
  }
  return error ? ~0U : first;
}

// A process with loaded libraries, forked for new processes as often as necessary.
class Workplace {
 public:
  Workplace(const Libraries& libraries, const Profile& profile, Answers* answers)
      : libraries_(libraries), profile_(profile), answers_(*answers) {}

  void Rehearse(const Conversation& conversation) {
    if (!std::exchange(initialised_, true)) InitialiseLibraries(conversation, profile_, libraries_);
    {
      SimulatedBackend backend(conversation, &profile_, &libraries_);
      VirtualLanes lanes(&backend, &conversation, &profile_);
      const std::unique_ptr<Session> session =
          StartVirtualSession(std::make_unique<Rehearsal>(&lanes, &answers_));
      Perform(conversation, *session, profile_.transport);
      session->Leaks();
    }
    if (ChangesLibrary(conversation)) BeginAnew();
  }

 private:
  // Memory that processes leak ends with it.
  void BeginAnew() {
    for (const Variables& variables : libraries_.at_start) variables.Restore();
    close_range(first_of_libraries_, ~0U, 0);
    initialised_ = false;
  }

  const Libraries& libraries_;
  const Profile& profile_;
  Answers& answers_;
  const unsigned int first_of_libraries_ = FirstDescriptorOfOthers();
  bool initialised_ = false;
};

// In the child: one conversation after another, each from its text, from the first line to the
// last; then the answers are read.
void Serve(int connection, const Libraries& libraries, const Profile& profile, Answers* answers) {
  Workplace workplace(libraries, profile, answers);
  while (const std::optional<std::string> text = ReceiveText(connection)) {
    const auto parsed = ParseConversation(*text);
    const auto* const conversation = std::get_if<Conversation>(&parsed);
    if (conversation == nullptr) return;
    workplace.Rehearse(*conversation);
    if (!Send(connection, Answer{.number = kRehearsed})) return;
  }
}

// A process in which the library is called, and its answers.
struct Staff {
  std::unique_ptr<WorkerPool> workers;
  std::unique_ptr<Answers> answers;
  int sessions_left = kSessionsOfAProcess;
};
using GiveBack = std::function<bool(Staff)>;

// The conversation has been carried out: a call returns the recorded answer. So a line costs no
// exchange between processes, and the answers end where the library has crashed.
class Performance : public Counterpart {
 public:
  Performance(Staff staff, GiveBack give_back)
      : staff_(std::move(staff)), give_back_(std::move(give_back)) {
    if (staff_.workers->Await(0, kRehearsed, kHangs)) return;
    hangs_ = staff_.workers->alive(0) || staff_.answers->Full();
    staff_.workers->EndAll();
  }
  std::optional<Answer> Ask(const Request& /*request*/) override {
    return staff_.answers->At(next_++);
  }
  bool Hangs() const override { return hangs_; }
  bool End() override { return give_back_(std::move(staff_)); }

 private:
  Staff staff_;
  GiveBack give_back_;
  size_t next_ = 0;
  bool hangs_ = false;
};

class LibImplementation : public Implementation {
 public:
  LibImplementation(LibOptions options, Libraries libraries)
      : options_(std::move(options)), libraries_(std::move(libraries)) {}

  std::string name() const override {
    return fmt::format("{} ({}), simulated kernel", libraries_.name, options_.path);
  }
  const Profile& profile() const override { return options_.profile; }
  Capabilities capabilities() const override {
    const RdmaCmApi& api = libraries_.of_sides.front();
    const Capabilities all = options_.profile.capabilities.Without(Capability::kTester);
    return HasLaterCalls(api) ? all : all.Without(Capability::kLaterCalls);
  }
  bool concurrent() const override { return true; }

  std::unique_ptr<Session> Start(const Conversation& conversation) override {
    late_.Reap();
    if (conversation.topology->sides.size() > libraries_.of_sides.size())
      return RefuseSession(fmt::format("there are {} copies of the library, not one for each side",
                                       libraries_.of_sides.size()));
    const std::string why =
        WhyUncallable(libraries_.of_sides.front(), conversation, capabilities());
    if (!why.empty()) return RefuseSession(options_.path + " " + why);
    // No process knows the devices of this topology.
    const bool alone = !conversation.topology.built_in();
    const Desk desk{std::this_thread::get_id(), conversation.topology->name};
    const std::string text = ToText(conversation);
    Staff staff = alone ? Staff{} : TakeStaff(desk);
    // An idle process may have died since.
    if (staff.workers == nullptr || !staff.workers->Tell(0, text)) {
      staff = Spawn();
      if (staff.workers == nullptr || !staff.workers->Tell(0, text))
        return RefuseSession("no process could be made");
    }
    const int left = alone ? 0 : staff.sessions_left - 1;
    return StartVirtualSession(std::make_unique<Performance>(
        std::move(staff),
        [this, desk, left](Staff after) { return TakeBack(desk, std::move(after), left); }));
  }

 private:
  // Processes end with the thread that created them, and know the devices of one topology.
  using Desk = std::pair<std::thread::id, std::string>;

  Staff Spawn() {
    Staff staff{.workers = std::make_unique<WorkerPool>(&late_), .answers = Answers::Make()};
    Answers* const answers = staff.answers.get();
    const bool spawned =
        answers != nullptr && staff.workers->Spawn([this, answers](int connection) {
          Serve(connection, libraries_, options_.profile, answers);
        });
    if (!spawned) staff.workers = nullptr;
    return staff;
  }

  Staff TakeStaff(const Desk& desk) {
    const std::lock_guard lock(mutex_);
    const auto at = idle_.find(desk);
    if (at == idle_.end()) return {};
    Staff staff = std::move(at->second);
    idle_.erase(at);
    return staff;
  }

  bool TakeBack(const Desk& desk, Staff staff, int sessions_left) {
    if (sessions_left <= 0 || !staff.workers->alive(0)) return staff.workers->EndAll();
    staff.sessions_left = sessions_left;
    staff.answers->Clear();
    const std::lock_guard lock(mutex_);
    idle_[desk] = std::move(staff);
    return true;
  }

  LibOptions options_;
  Libraries libraries_;
  LateProcesses late_;
  std::mutex mutex_;
  std::map<Desk, Staff> idle_;
};

}  // namespace

std::variant<std::unique_ptr<Implementation>, std::string> MakeLibImplementation(
    LibOptions options) {
  auto loaded = LoadLibraries(options.path);
  if (std::string* const why = std::get_if<std::string>(&loaded)) return std::move(*why);
  return std::make_unique<LibImplementation>(std::move(options),
                                             std::get<Libraries>(std::move(loaded)));
}

}  // namespace cm
