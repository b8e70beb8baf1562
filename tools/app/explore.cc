#include "tools/app/explore.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/process/process.h"
#include "model/base/choice.h"
#include "tools/app/order.h"
#include "tools/app/program.h"
#include "tools/app/script.h"

namespace cm::app {
namespace {

// Text of numbers and of the last call differs between runs of one failure.
std::string WithoutNumbers(std::string_view line) {
  line = line.substr(0, line.find(", after "));
  std::string text;
  for (const char c : line)
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) text += c;
  return text;
}

// What a run in a process of its own tells.
struct Told {
  std::string problem;  // it could not start
  std::string kind;
  Deviations deviations;
};

constexpr char kEnd = '\0';

std::string TextOf(const Told& told) {
  return told.problem + kEnd + told.kind + kEnd + ToString(told.deviations) + kEnd;
}

// Empty when the process has ended early.
std::optional<Told> ToldBy(std::string_view text) {
  std::array<std::string_view, 3> parts;
  for (std::string_view& part : parts) {
    const size_t end = text.find(kEnd);
    if (end == std::string_view::npos) return std::nullopt;
    part = text.substr(0, end);
    text.remove_prefix(end + 1);
  }
  const auto deviations = ParseDeviations(parts[2]);
  if (!deviations) return std::nullopt;
  return Told{
      .problem = std::string(parts[0]), .kind = std::string(parts[1]), .deviations = *deviations};
}

void WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<size_t>(written));
  }
}

Told RunHere(Setting setting) {
  setting.hears = [](std::string_view, std::string_view) {};
  setting.traces = nullptr;
  setting.on_wire = nullptr;
  setting.recorder = nullptr;
  const auto ran = Run(setting);
  if (const auto* problem = std::get_if<std::string>(&ran)) return {.problem = *problem};
  const auto& report = std::get<Report>(ran);
  if (report.interrupted) return {.problem = "interrupted"};
  return {.kind = KindOf(report, !setting.script.empty()), .deviations = report.deviations};
}

// Runs in processes of their own, of which some take place at once.
class Runs {
 public:
  struct Done {
    uint64_t number = 0;
    Told told;
  };

  size_t size() const { return running_.size(); }

  // False when the system has no process or pipe for it.
  bool Start(uint64_t number, const Setting& setting) {
    std::optional<Ends> pipe = Pipe();
    if (!pipe) return false;
    std::fflush(nullptr);
    auto process =
        cm::Process::Fork([&] { WriteAll(pipe->second.get(), TextOf(RunHere(setting))); });
    if (!process) return false;
    running_.push_back({.number = number,
                        .process = std::move(*process),
                        .output = std::move(pipe->first),
                        .text = {}});
    return true;
  }

  // One that has ended; none after an interrupt. There must be one that runs.
  std::optional<Done> Await(const std::atomic<bool>* interrupted) {
    constexpr int kLookMs = 100;  // a signal may come just before the wait
    for (;;) {
      if (interrupted != nullptr && *interrupted) return std::nullopt;
      std::vector<pollfd> ends;
      for (const One& one : running_) ends.push_back({one.output.get(), POLLIN, 0});
      if (poll(ends.data(), ends.size(), kLookMs) <= 0) continue;
      for (size_t i = 0; i < ends.size(); ++i) {
        if (ends[i].revents == 0 || ReadFrom(&running_[i])) continue;
        One one = std::move(running_[i]);
        running_.erase(running_.begin() + static_cast<ptrdiff_t>(i));
        const auto told = ToldBy(one.text);
        return Done{.number = one.number,
                    .told = told.value_or(Told{.problem = "a run ended without its result"})};
      }
    }
  }

 private:
  struct One {
    uint64_t number = 0;
    cm::Process process;
    Descriptor output;
    std::string text;
  };

  // Returns whether there may be more.
  static bool ReadFrom(One* one) {
    std::array<char, 4096> buffer{};
    const ssize_t size = read(one->output.get(), buffer.data(), buffer.size());
    if (size > 0) one->text.append(buffer.data(), static_cast<size_t>(size));
    return size > 0 || (size < 0 && errno == EINTR);
  }

  std::vector<One> running_;
};

class Explorer {
 public:
  explicit Explorer(const Exploration& exploration) : exploration_(exploration) {}

  // Empty, or the reason why a run could not start.
  std::string Search(Failure* failure);
  void Shrink(Failure* failure);

 private:
  bool Interrupted() const {
    return exploration_.interrupted != nullptr && *exploration_.interrupted;
  }
  bool IsTired(const Failure& failure) const { return failure.runs >= exploration_.most_shrinks; }
  // Runs them at once. Returns the first of them that fails in the same way.
  std::optional<size_t> FirstThatFails(const std::vector<Setting>& tries, Failure* failure);
  void Thin(Failure* failure);
  template <typename Item, typename Use>
  void Reduce(std::vector<Item> all, Failure* failure, Use use);

  const Exploration& exploration_;
};

std::string Explorer::Search(Failure* failure) {
  Runs runs;
  uint64_t next = 1;
  uint64_t done = 0;
  for (;;) {
    const bool goes_on = failure->kind.empty() && !Interrupted();
    while (goes_on && next <= exploration_.seeds && runs.size() < exploration_.jobs) {
      if (!runs.Start(next, exploration_.setting(next))) return "no process for a run";
      ++next;
    }
    if (runs.size() == 0) return {};
    const std::optional<Runs::Done> ended = runs.Await(exploration_.interrupted);
    if (!ended) return {};
    if (!ended->told.problem.empty()) return ended->told.problem;
    if (exploration_.progress) exploration_.progress(++done);
    if (ended->told.kind.empty() || (failure->seed != 0 && failure->seed < ended->number)) continue;
    failure->seed = ended->number;
    failure->kind = ended->told.kind;
    failure->setting = exploration_.setting(ended->number);
    failure->setting.order = ended->told.deviations;
  }
}

std::optional<size_t> Explorer::FirstThatFails(const std::vector<Setting>& tries,
                                               Failure* failure) {
  Runs runs;
  std::map<uint64_t, std::string> kinds;
  failure->runs += tries.size();
  for (size_t i = 0; i < tries.size(); ++i) static_cast<void>(runs.Start(i, tries[i]));
  while (runs.size() > 0) {
    const std::optional<Runs::Done> ended = runs.Await(exploration_.interrupted);
    if (!ended) return std::nullopt;
    kinds[ended->number] = ended->told.kind;
  }
  for (const auto& [number, kind] : kinds)
    if (kind == failure->kind) return number;
  return std::nullopt;
}

template <typename Item>
std::vector<Item> Without(const std::vector<Item>& all, size_t at, size_t size) {
  std::vector<Item> rest(all.begin(), all.begin() + static_cast<ptrdiff_t>(at));
  const size_t behind = std::min(all.size(), at + size);
  rest.insert(rest.end(), all.begin() + static_cast<ptrdiff_t>(behind), all.end());
  return rest;
}

// Leaves out all, halves, quarters and so on, down to single items. The last ones first: a decision
// that is left out changes the numbers of those behind it.
template <typename Item, typename Use>
void Explorer::Reduce(std::vector<Item> all, Failure* failure, Use use) {
  for (size_t size = all.size(); size > 0; size /= 2) {
    for (size_t end = all.size(); end > 0 && !Interrupted() && !IsTired(*failure);) {
      std::vector<std::vector<Item>> shorter;
      std::vector<Setting> tries;
      std::vector<size_t> begins;
      while (end > 0 && tries.size() < exploration_.jobs) {
        const size_t begin = end - std::min(end, size);
        shorter.push_back(Without(all, begin, end - begin));
        tries.push_back(failure->setting);
        use(&tries.back(), shorter.back());
        begins.push_back(end = begin);
      }
      const std::optional<size_t> fails = FirstThatFails(tries, failure);
      if (!fails) continue;
      all = std::move(shorter[*fails]);
      use(&failure->setting, all);
      end = begins[*fails];
    }
  }
}

// Leaves out a random part as long as the rest fails: a half, and where that is in vain a smaller
// one. Where many orders fail, this comes to a short one soon. Leaving out one after the other does
// not, because each changes what comes after it.
void Explorer::Thin(Failure* failure) {
  constexpr uint64_t kSmallest = 16;
  constexpr size_t kMostInVain = 6;
  constexpr size_t kFew = 8;
  StreamState coins = NamedStream(failure->seed, "parts");
  RandomChoice choice(&coins);
  Deviations& order = *failure->setting.order;
  uint64_t part = 2;
  for (size_t in_vain = 0; in_vain < kMostInVain && order.size() > kFew;) {
    if (Interrupted() || IsTired(*failure)) return;
    std::vector<Setting> tries(exploration_.jobs, failure->setting);
    for (Setting& one : tries) {
      Deviations& rest = *one.order;
      std::erase_if(rest, [&](const Deviation&) { return choice.Below(part, "out") == 0; });
      // Nothing left out would be the known failure itself.
      if (rest.size() == order.size())
        rest.erase(rest.begin() + static_cast<ptrdiff_t>(choice.Below(order.size(), "one")));
    }
    const std::optional<size_t> fails = FirstThatFails(tries, failure);
    if (fails) order = std::move(*tries[*fails].order);
    in_vain = fails || part < kSmallest ? 0 : in_vain + tries.size();
    part = fails ? std::max<uint64_t>(part / 2, 2) : std::min(part * 2, kSmallest);
  }
}

void Explorer::Shrink(Failure* failure) {
  Setting& setting = failure->setting;
  failure->decisions = setting.order->size();
  failure->faults = setting.script.size();
  Reduce(setting.script, failure,
         [](Setting* to, const std::vector<Happening>& script) { to->script = script; });
  Thin(failure);
  Reduce(*setting.order, failure, [](Setting* to, const Deviations& order) { to->order = order; });
}

}  // namespace

std::string KindOf(const Report& report, bool has_faults) {
  if (!report.misbehaviour.empty()) return WithoutNumbers(report.misbehaviour.front());
  if (!report.waiting.empty()) {
    std::vector<std::string> lines;
    for (const std::string& line : report.waiting) lines.push_back(WithoutNumbers(line));
    std::ranges::sort(lines);
    std::string kind = report.at_limit ? "at the limit of virtual time" : "nothing can happen";
    for (const std::string& line : lines) kind += "; " + line;
    return kind;
  }
  for (const EndOfProgram& program : report.programs) {
    if (has_faults || program.crashed || program.stays || program.status == 0) continue;
    return program.name + ": " + HowItEnded(program.status);
  }
  return {};
}

std::variant<Failure, std::string> Explore(const Exploration& exploration) {
  Explorer explorer(exploration);
  Failure failure;
  if (std::string problem = explorer.Search(&failure); !problem.empty()) return problem;
  if (!failure.kind.empty()) explorer.Shrink(&failure);
  return failure;
}

}  // namespace cm::app
