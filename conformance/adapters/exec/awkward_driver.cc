// A driver for the tests: it answers each request with something that is plausible, and misbehaves
// in the way that is its argument. Several are tried where docs/driver_protocol.md says "when it
// goes wrong".
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/choice.h"
#include "model/base/duration.h"

namespace {

std::string way;
bool Is(std::string_view name) { return way == name; }

// Ways with a clock of their own, which goes on without waiting; the others wait.
bool HasClock() { return Is("clock-goes-back") || Is("no-time") || Is("lies"); }
cm::Instant now;

// Ends when the suite has closed the connection.
void SayPart(std::string_view text) {
  std::cout << text;
  std::cout.flush();
  if (!std::cout) _exit(0);
}
void Say(std::string_view text) { SayPart(std::string(text) + '\n'); }
// Until the suite closes the connection; the end of its input alone is no reason.
[[noreturn]] void BeSilent() {
  pollfd suite{.fd = STDIN_FILENO, .events = 0, .revents = 0};
  poll(&suite, 1, -1);
  _exit(0);
}

void Greet() {
  if (Is("no-greeting")) BeSilent();
  if (Is("ends-before-greeting")) exit(3);
  if (Is("binary-greeting"))
    SayPart(
        std::string("\x7f"
                    "ELF\0\1\n",
                    7));
  Say(Is("other-version") ? "cmcheck-driver 2" : "cmcheck-driver 1");
  if (Is("endless-greeting"))
    for (int i = 0; i < 1000; ++i) Say("name again");
  if (!Is("no-name")) Say("name awkward");
  if (Is("unknown-line")) Say("colour red");
  if (Is("unknown-capability")) Say("capabilities fly");
  if (Is("unknown-group")) Say("without wings");
  if (Is("unknown-clock")) Say("clock sundial");
  if (Is("empty-line-in-greeting")) Say("");
  if (Is("other-profile")) Say("profile 7.2-rxe");
  Say("capabilities time races");
  Say(HasClock() ? "clock own" : "clock suite");
  if (Is("messages-without-end")) Say("sees messages");
  Say("ready");
  if (Is("says-more-and-reads-nothing")) Say("0");
  if (Is("reads-nothing") || Is("says-more-and-reads-nothing")) BeSilent();
}

// Ids, channels and events of the conversation, so that lies name what there is.
struct Names {
  std::vector<std::string> ids = {"?"};
  void Learn(const std::string& line) {
    const size_t at = line.find("rdma_create_id ");
    if (at == std::string::npos) return;
    ids.push_back(line.substr(at + 15, line.find(' ', at + 15) - at - 15));
  }
};

class Liar {
 public:
  explicit Liar(unsigned seed) : state_(cm::NamedStream(seed, "lies")) {}
  // Some outcome of a call, which is hardly the right one.
  std::string Lie(const std::string& line, const Names& names) {
    const bool fetches = line.find("rdma_get_cm_event") != std::string::npos;
    if (fetches && One(2) == 0) {
      std::string event = "0  event " + Pick(kEvents);
      event += " id=" + Pick(names.ids);
      event += " status=" + std::to_string(static_cast<int>(One(60)) - 30);
      return event + " private=\"lie\"+" + std::to_string(One(200));
    }
    if (line.find(" show ") != std::string::npos)
      return "0  device=none port_num=3 src=passive:7471 dst=none num_paths=3 qp=" + Pick(kQps);
    std::string answer = Pick(kAnswers);
    // 0 without an event would be no lie, but against the protocol.
    return fetches && answer == "0" ? "-1 EAGAIN" : answer;
  }
  bool Coin() { return One(2) == 0; }

 private:
  unsigned One(unsigned of) {
    return static_cast<unsigned>(cm::RandomChoice(&state_).Below(of, "a lie"));
  }
  template <typename List>
  std::string Pick(const List& list) {
    return std::string(list[One(static_cast<unsigned>(list.size()))]);
  }

  static constexpr auto kAnswers = std::to_array<std::string_view>(
      {"0", "0", "0", "-1 EINVAL", "-1 EAGAIN", "1", "-2", "2147483647", "-1 ENODEV", "crashed"});
  static constexpr auto kQps =
      std::to_array<std::string_view>({"none", "RESET", "INIT", "RTR", "RTS", "ERR"});
  static constexpr auto kEvents = std::to_array<std::string_view>(
      {"RDMA_CM_EVENT_ADDR_RESOLVED", "RDMA_CM_EVENT_ADDR_ERROR", "RDMA_CM_EVENT_ROUTE_RESOLVED",
       "RDMA_CM_EVENT_CONNECT_REQUEST", "RDMA_CM_EVENT_CONNECT_RESPONSE",
       "RDMA_CM_EVENT_CONNECT_ERROR", "RDMA_CM_EVENT_UNREACHABLE", "RDMA_CM_EVENT_REJECTED",
       "RDMA_CM_EVENT_ESTABLISHED", "RDMA_CM_EVENT_DISCONNECTED", "RDMA_CM_EVENT_DEVICE_REMOVAL",
       "RDMA_CM_EVENT_MULTICAST_JOIN", "RDMA_CM_EVENT_ADDR_CHANGE", "RDMA_CM_EVENT_TIMEWAIT_EXIT"});
  cm::StreamState state_;
};

// What is answered to every call.
struct Saying {
  std::string_view way;
  std::string_view text;
};
constexpr auto kSayings = std::to_array<Saying>({
    {"two-answers", "0\n0"},
    {"unknown-word", "fine, thanks"},
    {"unknown-errno", "-1 ENOTHING"},
    {"event-of-another-call", "0  event RDMA_CM_EVENT_ESTABLISHED id=?"},
    {"message-without-promise", "1us mad active REQ"},
    {"empty-line", ""},
    {"always-error", "error I do not know that"},
    {"not-text", "0 \xff\xfe"},
    {"no-time", "0"},
    {"carriage-returns", "0\r"},
    {"done-of-a-call", "done"},
    {"ended-of-a-call", "ended"},
    {"not-applicable-of-a-call", "not-applicable"},
    {"unseen-of-a-call", "unseen"},
    {"refuses-all", "-1 EINVAL"},
    {"blocks", "blocked"},
});

// Misbehaves at a call in one of the ways that are known by name. False for all others.
bool Misbehaves(int calls) {
  if (Is("silent-at-call")) BeSilent();
  if (Is("half-line")) {
    SayPart("-1 EIN");
    BeSilent();
  }
  if (Is("half-line-and-end")) {
    SayPart("-1 EIN");
    exit(0);
  }
  if (Is("ends-in-call")) exit(7);
  if (Is("killed-in-call")) kill(getpid(), SIGKILL);
  if (Is("leaves-a-child")) {
    if (fork() == 0) BeSilent();  // it keeps the connection open
    _exit(0);
  }
  if (Is("dribbles"))
    for (;;) {
      SayPart("0");
      poll(nullptr, 0, 100);
    }
  if (Is("flood"))
    for (;;) Say("0");
  if (Is("endless-line"))
    for (;;) SayPart(std::string(4096, 'x'));
  if (Is("messages-without-end"))
    for (;;) {
      Say("mad active REQ");
      poll(nullptr, 0, 100);
    }
  if (Is("clock-goes-back")) {
    Say(calls == 0 ? "1s 0" : "999ms 0");
    return true;
  }
  for (const Saying& saying : kSayings)
    if (Is(saying.way)) return Say(saying.text), true;
  return false;
}

std::string Time() { return HasClock() ? cm::ToString(now) + " " : ""; }

// What the line says behind these words is a time, which passes.
void LetPass(const std::string& line, std::string_view words) {
  const size_t at = line.find(words);
  if (at == std::string::npos || Is("early")) return;
  const std::optional<cm::Duration> span = cm::ParseDuration(line.substr(at + words.size()));
  if (!span) return;
  if (HasClock())
    now = now + *span;
  else
    poll(nullptr, 0, static_cast<int>(span->milliseconds()) + 1);
}

bool IsCall(const std::string& line) {
  return line.find(" rdma_") != std::string::npos || line.find(" ibv_") != std::string::npos ||
         line.find(" show") != std::string::npos;
}

std::string Ended() {
  if (Is("wrong-end")) return "goodbye";
  if (Is("leaks")) return "leaks a boat";
  return Time() + (Is("undecided") ? "inconclusive the weather" : "ended");
}

void Serve(Liar* liar) {
  bool begun = false;
  int calls = 0;
  Names names;
  for (std::string line; std::getline(std::cin, line);) {
    if (!begun) {
      if (line.starts_with("conversation")) {
        names = {};
        now = {};
      }
      if (Is("answers-early") && line.starts_with("topology")) Say("begun");
      names.Learn(line);
      if (!line.starts_with("begin")) continue;
      if (Is("silent-at-begin")) BeSilent();
      if (Is("unsupported")) {
        Say("unsupported the weather");
        continue;
      }
      begun = !Is("wrong-begin");
      Say(Time() + (begun ? "begun" : "by all means"));
      calls = 0;
    } else if (line == "end") {
      begun = false;
      Say(Ended());
      if (Is("ends-between")) exit(0);
      if (Is("does-not-end")) BeSilent();
    } else if (IsCall(line)) {
      if (Misbehaves(calls++)) continue;
      if (liar != nullptr)
        Say(Time() + liar->Lie(line, names));
      else
        Say(line.find("get_cm_event") == std::string::npos ? "0" : "-1 EAGAIN");
    } else if (line.starts_with("returned")) {
      Say(Time() + "waiting");
    } else if (line.find(" wait ") == std::string::npos) {
      LetPass(line, "pass ");
      Say(Time() + "done");
    } else if (Is("not-applicable-of-a-wait")) {
      Say("not-applicable");
    } else if (liar != nullptr && liar->Coin()) {
      Say(Time() + "readable");
    } else {
      LetPass(line, "within=");
      Say(Time() + "quiet");
    }
  }
}

}  // namespace

// awkward_driver WAY, or awkward_driver lies SEED.
int main(int argc, char** argv) {
  if (argc > 1) way = argv[1];
  Liar liar(argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 0);
  Greet();
  Serve(Is("lies") ? &liar : nullptr);
}
