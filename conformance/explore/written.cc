#include "conformance/explore/written.h"

#include <fmt/format.h>

#include <string>
#include <variant>

#include "conformance/explore/branch.h"
#include "conformance/explore/orders.h"

namespace cm::explore {
namespace {

// Each fetched event gets a name of its own, and so does the id that it might have brought and did
// not: the alphabet has one for each action.
class EventNames {
 public:
  explicit EventNames(Conversation* written) : written_(written) {}

  void Rename(Call* call, const Record& record) {
    if (auto* get = std::get_if<call::GetCmEvent>(call)) {
      const std::string event = fmt::format("e{}", ++count_);
      get->event = last_ = written_->names.events.Intern(event);
      if (!BringsAnId(record)) get->request = written_->names.ids.Intern(event + ".id");
    }
    if (auto* ack = std::get_if<call::AckCmEvent>(call)) ack->event = last_;
  }

 private:
  static bool BringsAnId(const Record& record) {
    const auto* answered = std::get_if<seen::Answered>(&record.seen);
    return answered != nullptr && answered->event &&
           answered->event->type == EventType::kConnectRequest;
  }

  Conversation* written_;
  EventRef last_;
  int count_ = 0;
};

}  // namespace

Conversation WrittenDown(const Repertoire& repertoire, Implementation& implementation,
                         const std::vector<Move>& moves, Ending ending) {
  const Conversation& alphabet = repertoire.alphabet;
  Conversation written = alphabet;
  written.lines.clear();
  written.names.events = {};
  NumberedChoice first(0, &written.order);
  Branch branch(repertoire, implementation, &first, Branch::Keep::kRecords);
  for (const Move& move : moves) {
    NumberedChoice order(move.order, &written.order);
    branch.Do(repertoire.actions[move.action], &order);
  }
  // Without any number timers would come as they were scheduled.
  while (written.order.size() > 1 && written.order.back() == 0) written.order.pop_back();
  EventNames names(&written);
  for (const Record& record : branch.records()) {
    if (std::holds_alternative<seen::Released>(record.seen)) continue;
    Line line = alphabet.lines[record.line];
    if (auto* passes = std::get_if<line::Passes>(&line)) passes->span = record.end - record.begin;
    if (auto* calls = std::get_if<line::Calls>(&line)) names.Rename(&calls->call, record);
    written.lines.push_back(std::move(line));
  }
  if (ending == Ending::kAtOnce) return written;
  written.lines.emplace_back(line::Passes{kQuietFor});
  written.lines.push_back(alphabet.lines[repertoire.settles]);
  for (const uint32_t wait : repertoire.quiet_waits) written.lines.push_back(alphabet.lines[wait]);
  return written;
}

}  // namespace cm::explore
