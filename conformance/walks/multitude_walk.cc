// Very many ids connect to one listener: it has room for all requests, or they come in turn.
#include <algorithm>
#include <vector>

#include "conformance/walks/conversation_builder.h"
#include "conformance/walks/steps.h"
#include "conformance/walks/walks.h"

namespace cm {
namespace {

// Longer than the pause after which a request is sent again.
constexpr Duration kComesAgain = Duration::Seconds(7);

constexpr uint64_t kInTurn = 8;

// What else happens to a crowd that its listener has room for.
enum class Trouble : uint8_t { kNone, kRequestsLost, kRepliesLost, kSlowAnswers };

// Some of the messages of that kind are lost.
void LosesSome(ConversationBuilder& builder, MadKind kind, uint8_t side, uint64_t crowd) {
  if (!builder.Can(Capability::kDropNth)) return;
  Fault fault{.kind = FaultKind::kDrop, .side = side, .messages = MadKinds(kind)};
  fault.first = 1 + static_cast<uint32_t>(builder.Below(crowd, "the first that is lost"));
  fault.last = fault.first + static_cast<uint32_t>(builder.Below(16, "how many more are lost"));
  builder.Inject(fault);
}

}  // namespace

void Multitude(ConversationBuilder& builder) {
  const bool in_turn = builder.OneIn(2, "in turn");
  const uint64_t crowd = in_turn ? kInTurn * (2 + builder.Below(7, "how many turns"))
                                 : 8 + builder.Below(57, "how many ask");
  const uint64_t room = in_turn ? kInTurn : crowd;
  const auto trouble = in_turn ? Trouble::kNone
                               : builder.OneOf({Trouble::kNone, Trouble::kRequestsLost,
                                                Trouble::kRepliesLost, Trouble::kSlowAnswers},
                                               "trouble");
  builder.Listens(kPassiveSide, builder.Port(0), static_cast<int>(room));
  std::vector<IdRef> askers;
  for (uint64_t i = 0; i < crowd; ++i) {
    askers.push_back(builder.Resolves(kActiveSide));
    builder.Call(call::CreateQp{askers.back()});
  }
  if (trouble == Trouble::kRequestsLost) LosesSome(builder, MadKind::kReq, kActiveSide, crowd);
  for (const IdRef id : askers)
    builder.Call(call::Connect{id, ConnParam{.private_data = builder.FreshData()}});
  trouble == Trouble::kRequestsLost ? builder.Pass(kComesAgain) : builder.Settle();
  if (trouble == Trouble::kRepliesLost) LosesSome(builder, MadKind::kRep, kPassiveSide, crowd);
  for (uint64_t first = 0; first < crowd; first += room) {
    const uint64_t now = std::min(room, crowd - first);
    std::vector<IdRef> requests;
    for (uint64_t i = 0; i < now; ++i) requests.push_back(builder.Fetch(kPassiveSide));
    for (const IdRef id : requests) {
      if (trouble == Trouble::kSlowAnswers) builder.Pass(Duration::Seconds(1));
      builder.Call(call::CreateQp{id});
      builder.Call(call::Accept{id, ConnParam()});
    }
    trouble == Trouble::kRepliesLost ? builder.Pass(kComesAgain) : builder.Settle();
    builder.FetchesAll(static_cast<int>(now));
    if (first + now < crowd) builder.Pass(kComesAgain);
  }
}

}  // namespace cm
