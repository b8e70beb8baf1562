#include "model/conversation/volatile.h"

#include <optional>
#include <utility>
#include <variant>

#include "model/vocabulary/address.h"

namespace cm {
namespace {

void Forget(std::optional<CmEvent>* event) {
  if (*event) (*event)->qp_num = 0;
}
void Forget(Shown* shown) {
  for (Address* address : {&shown->source, &shown->destination})
    if (address->port >= kFirstEphemeralPort) address->port = 0;
}
void Forget(Output* output) {
  if (auto* port = std::get_if<PortOutput>(output))
    if (port->port >= kFirstEphemeralPort) port->port = 0;
}

}  // namespace

Record WithoutVolatile(Record record) {
  if (auto* answered = std::get_if<seen::Answered>(&record.seen)) {
    Forget(&answered->event);
    if (answered->shown) Forget(&*answered->shown);
    if (answered->output) Forget(&*answered->output);
  } else if (auto* released = std::get_if<seen::Released>(&record.seen)) {
    Forget(&released->event);
  }
  return record;
}

History WithoutVolatile(History history) {
  for (Record& record : history.records) record = WithoutVolatile(std::move(record));
  return history;
}

}  // namespace cm
