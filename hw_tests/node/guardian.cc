#include "hw_tests/node/guardian.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "conformance/process/real_time.h"
#include "hw_tests/node/record.h"
#include "model/base/json.h"

namespace node {
namespace {

using cm::Duration;
using Json = nlohmann::json;

constexpr size_t kLongestMessage = 1 << 16;
constexpr Duration kTriesFor = Duration::Seconds(600);
constexpr Duration kBetweenTries = Duration::Milliseconds(500);
constexpr Duration kWaitsForOthers = Duration::Seconds(60);  // that have the record
constexpr Duration kOthersEnd = Duration::Seconds(10);       // processes that were reaped
constexpr Duration kLinkComesUp = Duration::Seconds(10);
constexpr Duration kDeviceComesBack = Duration::Seconds(60);  // its driver begins anew
constexpr Duration kBetweenLooks = Duration::Milliseconds(50);
constexpr Duration kPatience = Duration::Seconds(120);  // of the process it works for

// Does, and undoes. Lives in the guardian's process, or in that of Restore.
class Undoer {
 public:
  Undoer(Interface interface, Record record)
      : interface_(std::move(interface)), record_(std::move(record)) {}

  const Record& record() const { return record_; }

  // Takes over what another process has left. False when there is nothing.
  bool TakeOver() {
    auto left = record_.Left();
    if (!left) return false;
    what_ = *std::move(left);
    begun_ = true;
    return true;
  }

  std::string Do(const Json& deed) {
    const bool remakes = deed.value("remakes", false);
    if (std::string problem = Begin(deed.value("undo", Words()), remakes); !problem.empty())
      return problem;
    for (const Json& command : deed["commands"]) {
      const Words words = command["words"];
      const Ran ran = command["goes_on"] ? tools_.Begin(words) : tools_.Run(words);
      if (ran.status == 0 || command["may_fail"]) continue;
      return fmt::format("{}: status {}: {}", fmt::join(words, " "), ran.status,
                         ran.printed.substr(0, ran.printed.find('\n')));
    }
    if (deed.contains("ends_after"))
      endings_.push_back(
          {cm::RealNow() + Duration::Nanoseconds(deed["ends_after"]), deed["ending"]});
    return {};
  }

  std::string Heal(std::string_view what) {
    if (!begun_) return {};
    if (what == "link") return RaiseLink();
    endings_.clear();
    const std::string problem = Undo(&what_.undo);
    const bool is_gone = !what_.remake.empty() && !IsThere();
    const std::string other = is_gone ? "" : MendAll(Mends::kAllButDevices);
    return problem.empty() ? other : problem;
  }

  // Everything is as before; what remains otherwise.
  std::string PutRight(bool remade) {
    endings_.clear();
    std::string problem = tools_.AwaitAll(kOthersEnd);
    if (!begun_ || !problem.empty()) return problem;
    std::string of_program = Undo(&what_.undo);  // which does not keep the rest as it is
    if (of_program.empty()) of_program = Remake();
    if (remade) problem = RemoveSoftDevices();
    if (problem.empty()) problem = MendAll(Mends::kAll);
    if (problem.empty()) problem = of_program;
    if (!problem.empty()) return problem;
    const auto now = ReadFacts(interface_, tools_);
    if (const auto* unread = std::get_if<std::string>(&now)) return *unread;
    problem = Difference(what_.before, std::get<Facts>(now));
    if (!problem.empty()) return problem;
    begun_ = false;
    what_ = {};
    record_.Clear();
    return {};
  }

  // Again and again, as the kernel may hold back who uses a device.
  std::string PutRightAtLast(Duration within) {
    const cm::Instant until = cm::RealNow() + within;
    for (;;) {
      std::string problem = PutRight(false);
      if (problem.empty()) record_.Remove();
      if (problem.empty() || cm::RealNow() >= until) return problem;
      cm::ReallySleep(kBetweenTries);
    }
  }

  // How long until a fault ends by itself, for poll.
  int MillisecondsLeft() const {
    if (endings_.empty()) return -1;
    const auto next = std::ranges::min_element(endings_, {}, &Ending::at);
    return static_cast<int>(std::max<int64_t>((next->at - cm::RealNow()).milliseconds() + 1, 0));
  }
  void EndWhatIsDue() {
    std::erase_if(endings_, [this](const Ending& one) {
      if (one.at > cm::RealNow()) return false;
      tools_.Run(one.words);
      return true;
    });
  }

 private:
  struct Ending {
    cm::Instant at;
    Words words;
  };

  std::string Begin(Words undo, bool remakes) {
    if (!begun_) {
      auto before = ReadFacts(interface_, tools_);
      if (auto* problem = std::get_if<std::string>(&before)) return std::move(*problem);
      what_ = {.interface = interface_.name,
               .before = std::get<Facts>(std::move(before)),
               .undo = {},
               .remake = {}};
    }
    if (!undo.empty()) (remakes ? what_.remake : what_.undo).push_back(std::move(undo));
    if (!record_.Write(what_)) return record_.path() + ": cannot be written, so no fault is done";
    begun_ = true;
    return {};
  }

  // The oldest last.
  std::string Undo(std::vector<Words>* all) {
    while (!all->empty()) {
      const Ran ran = tools_.Run(all->back());
      if (ran.status != 0)
        return fmt::format("{}: status {}: {}", fmt::join(all->back(), " "), ran.status,
                           ran.printed.substr(0, ran.printed.find('\n')));
      all->pop_back();
    }
    return {};
  }

  // Brings devices back, and the interface that went with one. A soft one on it is made later.
  std::string Remake() {
    if (what_.remake.empty()) return {};
    std::string problem = Undo(&what_.remake);
    if (!problem.empty()) return problem;
    const cm::Instant until = cm::RealNow() + kDeviceComesBack;
    while (!AreBack() && cm::RealNow() < until) cm::ReallySleep(kBetweenLooks);
    return {};
  }
  bool AreBack() {
    const auto now = ReadFacts(interface_, tools_);
    const auto* facts = std::get_if<Facts>(&now);
    return facts != nullptr && std::ranges::all_of(what_.before, [&](const std::string& fact) {
             return !fact.starts_with("device ") || fact.ends_with(" rxe") ||
                    std::ranges::find(*facts, fact) != facts->end();
           });
  }
  bool IsThere() const {
    return access(fmt::format("/sys/class/net/{}", interface_.name).c_str(), F_OK) == 0;
  }

  std::string MendAll(Mends which) {
    constexpr int kPasses = 3;  // addresses that come back take routes with them
    for (int pass = 0; pass < kPasses; ++pass) {
      const auto now = ReadFacts(interface_, tools_);
      if (const auto* problem = std::get_if<std::string>(&now)) return *problem;
      const std::vector<Words> commands =
          Mend(what_.before, std::get<Facts>(now), interface_.name, which);
      if (commands.empty()) break;
      for (const Words& words : commands) {
        tools_.Run(words);  // the facts say whether it was of use
        if (words == LinkUp()) AwaitLink();
      }
    }
    return {};
  }

  Words LinkUp() const { return {"ip", "link", "set", interface_.name, "up"}; }
  std::string RaiseLink() {
    if (std::ranges::find(what_.before, "link up") == what_.before.end()) return {};
    const Ran ran = tools_.Run(LinkUp());
    if (ran.status != 0) return ran.printed;
    AwaitLink();
    const auto now = ReadFacts(interface_, tools_);
    if (const auto* problem = std::get_if<std::string>(&now)) return *problem;
    for (const Words& words :
         Mend(what_.before, std::get<Facts>(now), interface_.name, Mends::kAllButDevices))
      if (words.front() == "ip") tools_.Run(words);
    return {};
  }

  // A carrier takes its time; where the other end is down there is none.
  void AwaitLink() const {
    const cm::Instant until = cm::RealNow() + kLinkComesUp;
    const std::string path = fmt::format("/sys/class/net/{}/operstate", interface_.name);
    while (cm::RealNow() < until) {
      std::string state;
      if (!(std::ifstream(path) >> state) || state != "down") return;
      cm::ReallySleep(kBetweenLooks);
    }
  }

  std::string RemoveSoftDevices() {
    for (const std::string& fact : what_.before) {
      if (!fact.starts_with("device ") || !fact.ends_with(" rxe")) continue;
      const std::string device = fact.substr(7, fact.size() - 11);
      tools_.Begin({"rdma", "link", "del", device});  // it may be gone already
    }
    return tools_.AwaitAll(kOthersEnd);
  }

  Interface interface_;
  Record record_;
  Tools tools_;
  ToUndo what_;
  bool begun_ = false;
  std::vector<Ending> endings_;
};

std::string Answer(Undoer& undoer, const std::string& text) {
  const Json request = cm::ParseJson(text);
  const std::string act = request.is_object() ? request.value("act", "") : "";
  if (act == "do") return undoer.Do(request);
  if (act == "heal") return undoer.Heal(request.value("what", ""));
  if (act == "put right") return undoer.PutRight(request.value("remade", false));
  return "no such request";
}

// Serves until the other process is gone: `master` is readable then, also when one that the kernel
// holds back has a copy of the socket.
void Serve(Undoer& undoer, int socket, int input, int master) {
  std::string buffer(kLongestMessage, '\0');
  for (;;) {
    pollfd watched[] = {{.fd = socket, .events = POLLIN, .revents = 0},
                        {.fd = input, .events = 0, .revents = 0},
                        {.fd = master, .events = POLLIN, .revents = 0}};
    if (poll(watched, 3, undoer.MillisecondsLeft()) < 0 && errno != EINTR) return;
    undoer.EndWhatIsDue();
    if ((watched[1].revents & (POLLHUP | POLLERR)) != 0 || watched[2].revents != 0) return;
    if (watched[0].revents == 0) continue;
    const ssize_t size = recv(socket, buffer.data(), buffer.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return;
    const std::string problem = Answer(undoer, buffer.substr(0, static_cast<size_t>(size)));
    if (send(socket, problem.data(), problem.size() + 1, MSG_NOSIGNAL) < 0) return;
  }
}

// Closes descriptors from `first` to `last`.
void CloseAll(int first, int last) {
  if (first > last) return;
  if (close_range(static_cast<unsigned>(first), static_cast<unsigned>(last), 0) == 0) return;
  // Before Linux 5.9. source: man close_range(2)
  constexpr int kMost = 1 << 16;
  for (int fd = first; fd <= std::min(last, kMost); ++fd) close(fd);
}

// Nothing of the other process keeps a connection open but what it was given.
void LeaveEverything(int socket, int input) {
  setsid();
  for (const int signal : {SIGHUP, SIGINT, SIGTERM, SIGPIPE}) ::signal(signal, SIG_IGN);
  prctl(PR_SET_NAME, "cmcheck-guard");
  const int nowhere = open("/dev/null", O_RDWR);
  for (int fd = 0; fd <= STDERR_FILENO; ++fd)
    if (fd != socket && fd != input) dup2(nowhere, fd);
  int first = STDERR_FILENO + 1;
  for (const int kept : {std::min(socket, input), std::max(socket, input)}) {
    CloseAll(first, kept - 1);
    first = std::max(first, kept + 1);
  }
  CloseAll(first, std::numeric_limits<int>::max());
}

// A pipe or a socket says when its other end is closed; a copy of it, or -1.
int Watched(int input) {
  struct stat status = {};
  if (input < 0 || fstat(input, &status) != 0) return -1;
  if (!S_ISFIFO(status.st_mode) && !S_ISSOCK(status.st_mode)) return -1;
  return fcntl(input, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

[[noreturn]] void Guard(const GuardianSettings& settings, pid_t works_for, int socket, int input) {
  LeaveEverything(socket, input);
  const int master = static_cast<int>(syscall(SYS_pidfd_open, works_for, 0));
  int exit_code = 1;
  auto locked = Record::Lock(settings.folder, settings.interface.name, kWaitsForOthers);
  if (auto* record = std::get_if<Record>(&locked)) {
    Undoer undoer(settings.interface, std::move(*record));
    std::string problem;
    if (undoer.TakeOver()) problem = undoer.PutRight(false);
    send(socket, problem.data(), problem.size() + 1, MSG_NOSIGNAL);
    if (problem.empty()) Serve(undoer, socket, input, master);
    if (input >= 0) close(input);  // a copy would hide from the suite that its driver has ended
    if (undoer.PutRightAtLast(kTriesFor).empty()) exit_code = 0;
  } else {
    const std::string& problem = std::get<std::string>(locked);
    send(socket, problem.data(), problem.size() + 1, MSG_NOSIGNAL);
  }
  _exit(exit_code);
}

}  // namespace

std::variant<Guardian, std::string> Guardian::Start(const GuardianSettings& settings) {
  std::optional<cm::Ends> ends = cm::SocketPair(SOCK_SEQPACKET);
  if (!ends) return "no socket for the guardian";
  const int input = Watched(settings.input);
  const pid_t works_for = getpid();
  const pid_t pid = fork();
  if (pid == 0) Guard(settings, works_for, ends->second.get(), input);
  if (input >= 0) close(input);
  if (pid < 0) return "no process for the guardian";
  Guardian guardian(std::move(ends->first), pid);
  ends->second.Close();
  if (std::string problem = guardian.Ask({}); !problem.empty()) return problem;
  return guardian;
}

Guardian::~Guardian() {
  if (pid_ == 0) return;
  shutdown(socket_.get(), SHUT_RDWR);  // children may have copies of it
  const cm::Instant until = cm::RealNow() + kOthersEnd;
  while (waitpid(pid_, nullptr, WNOHANG) == 0 && cm::RealNow() < until)
    cm::ReallySleep(kBetweenLooks);
}

std::string Guardian::Ask(const std::string& request) const {
  constexpr std::string_view kGone = "the guardian is gone, and with it all faults";
  if (!request.empty() && send(socket_.get(), request.data(), request.size(), MSG_NOSIGNAL) < 0)
    return std::string(kGone);
  pollfd watched = {.fd = socket_.get(), .events = POLLIN, .revents = 0};
  const cm::Deadline deadline(kPatience);
  std::string answer(kLongestMessage, '\0');
  for (;;) {
    const int ready = poll(&watched, 1, deadline.milliseconds_left());
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) {
      // Its answer would be taken for that of the next request. It undoes everything.
      shutdown(socket_.get(), SHUT_RDWR);
      return "the guardian does not answer";
    }
    const ssize_t size = recv(socket_.get(), answer.data(), answer.size(), 0);
    if (size <= 0) return std::string(kGone);
    answer.resize(static_cast<size_t>(size) - 1);
    return answer;
  }
}

std::string Guardian::Do(const Deed& deed) const {
  Json request = {
      {"act", "do"}, {"undo", deed.undo}, {"remakes", deed.remakes}, {"commands", Json::array()}};
  for (const Command& command : deed.commands)
    request["commands"].push_back(
        {{"words", command.words}, {"may_fail", command.may_fail}, {"goes_on", command.goes_on}});
  if (deed.ends_after) {
    request["ends_after"] = deed.ends_after->nanoseconds();
    request["ending"] = deed.ending;
  }
  return Ask(cm::JsonText(request));
}

std::string Guardian::RaiseLink() const {
  return Ask(cm::JsonText(Json({{"act", "heal"}, {"what", "link"}})));
}

std::string Guardian::Heal() const { return Ask(cm::JsonText(Json({{"act", "heal"}}))); }

std::string Guardian::PutRight(bool remade) const {
  return Ask(cm::JsonText(Json({{"act", "put right"}, {"remade", remade}})));
}

bool Restore(const std::string& folder, std::vector<std::string>* lines,
             const std::string& devices) {
  const Recorded found = RecordsIn(folder);
  bool all = true;
  for (const std::string& interface : found.interfaces) {
    auto locked = Record::Lock(folder, interface, {});
    if (auto* problem = std::get_if<std::string>(&locked)) {
      lines->push_back(std::move(*problem));
      all = false;
      continue;
    }
    Undoer undoer({.name = interface, .devices = devices}, std::move(std::get<Record>(locked)));
    undoer.TakeOver();
    const std::string problem = undoer.PutRightAtLast({});
    lines->push_back(
        fmt::format("{}: {}", interface, problem.empty() ? "as before the first fault" : problem));
    all = all && problem.empty();
  }
  if (found.elsewhere > 0)
    lines->push_back(
        fmt::format("{} more of other network name spaces: restore them there", found.elsewhere));
  return all;
}

}  // namespace node
