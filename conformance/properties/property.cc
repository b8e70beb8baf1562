#include "conformance/properties/property.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "conformance/properties/claims.h"
#include "model/conversation/print.h"

namespace cm {
namespace {

std::vector<Property> MakeAll() {
  std::vector<Property> all;
  for (const auto family :
       {claims::Lifecycle(), claims::Events(), claims::Acknowledgement(), claims::Addressing(),
        claims::Establishment(), claims::Rejection(), claims::Disconnection(),
        claims::DeviceRemoval(), claims::AddressChange(), claims::Loss(), claims::Attributes(),
        claims::Synchronous(), claims::Datagrams(), claims::Options(), claims::Migration(),
        claims::Multicast(), claims::Endpoints(), claims::Lookups(), claims::Data()}) {
    all.insert(all.end(), family.begin(), family.end());
  }
  return all;
}

}  // namespace

std::string_view ToString(PropertyKind kind) {
  switch (kind) {
    case PropertyKind::kAlways:
      return "always";
    case PropertyKind::kEventually:
      return "eventually";
    case PropertyKind::kSometimes:
      break;
  }
  return "sometimes";
}

std::span<const Property> Properties() {
  static const std::vector<Property> all = MakeAll();
  return all;
}

const Property* FindProperty(std::string_view id) {
  for (const Property& property : Properties())
    if (property.id == id) return &property;
  return nullptr;
}

// Over iWARP there is no timewait and no RTU, few queue pairs fail, reasons are not transmitted,
// and there are no datagrams and no groups.
bool Concerns(const Property& property, const Profile& profile) {
  constexpr auto kNotOfIwarp = std::to_array<std::string_view>(
      {"DIS-3", "EV-8", "EV-9", "MC-7", "REJ-7", "REJ-8", "REJ-9", "TW-4", "TW-5", "UD-5"});
  return profile.transport != Transport::kIwarp ||
         std::ranges::find(kNotOfIwarp, property.id) == kNotOfIwarp.end();
}

namespace claims {

const std::string& NameOf(const HistoryIndex& account, IdRef id) {
  static const std::string none = "?";
  return id.valid() ? account.history().conversation.names.ids.NameOf(id) : none;
}

std::string Heard(const HistoryIndex& account, const HeardEvent& heard) {
  std::string text =
      fmt::format("{} heard {}", NameOf(account, heard.event.id), ToString(heard.event.type));
  if (heard.event.status != 0) text += fmt::format(" status={}", heard.event.status);
  return text;
}

std::string Made(const HistoryIndex& account, const MadeCall& call) {
  return fmt::format("{} -> {}", ToString(*call.call, account.history().conversation),
                     ToString(call.reply));
}

uint32_t QkeyOf(const HistoryIndex& account, IdRef id) {
  for (const MadeCall* call : account.CallsOn(id, CallKind::kCreateId))
    return cm::QkeyOf(std::get<call::CreateId>(*call->call).space);
  return kDatagramQkey;
}

void AtMostOnce(const HistoryIndex& account, PropertyResult& result, EventType type) {
  ForEachId(account, [&](IdRef id) {
    const auto events = account.EventsOf(id, type);
    if (events.empty()) return;
    result.Arose();
    if (events.size() == 1) return;
    result.Violated(events[1]->at, Heard(account, *events[1]) + " once more",
                    fmt::format("once, at {}", ToString(events[0]->time)));
  });
}

void IsHeard(const HistoryIndex& account, PropertyResult& result, EventType type) {
  for (const HeardEvent& heard : account.heard())
    if (heard.event.type == type) result.Arose();
}

bool Negotiates(const HistoryIndex& account, IdRef id, size_t record) {
  const MadeCall* connect = account.FirstSuccess(id, CallKind::kConnect);
  return account.IsRequest(id) || (connect != nullptr && connect->at < record);
}

bool HasOwnQp(const HistoryIndex& account, IdRef id) {
  return account.FirstSuccess(id, CallKind::kCreateQp) != nullptr ||
         account.FirstSuccess(id, CallKind::kCreateQpEx) != nullptr;
}

bool PathMigrated(const HistoryIndex& account, IdRef id, size_t record) {
  return std::ranges::any_of(account.CallsOn(id, CallKind::kNotify), [&](const MadeCall* call) {
    return call->at < record && call->reply.succeeded() &&
           std::get<call::Notify>(*call->call).what == call::Notify::kPathMig;
  });
}

bool ToldAtOnce(const HistoryIndex& account) {
  return std::ranges::any_of(kFaultKinds, [&](const FaultRow& row) {
    const bool tells = row.tells != FaultTells::kNoId && row.tells != FaultTells::kPeersOfProcess;
    return tells && account.Injected(row.kind);
  });
}

bool IsSidrRefusal(int32_t status) {
  return status == static_cast<int32_t>(SidrStatus::kUnsupported) ||
         status == static_cast<int32_t>(SidrStatus::kReject);
}

const std::optional<HandedOut>& HandedBy(const HistoryIndex& account, const MadeCall& call) {
  return std::get<seen::Answered>(account.history().records[call.at].seen).handed;
}

std::pair<Reply, size_t> EndOf(const HistoryIndex& account, const MadeCall& call) {
  const std::vector<Record>& records = account.history().records;
  if (!call.released) return {std::get<seen::Answered>(records[call.at].seen).reply, call.at};
  return {std::get<seen::Released>(records[*call.released].seen).reply, *call.released};
}

bool Succeeded(const HistoryIndex& account, IdRef id, CallKind kind, size_t from, size_t until) {
  for (const MadeCall* call : account.CallsOn(id, kind))
    if (call->reply.succeeded() && call->at > from && call->at < until) return true;
  return false;
}

bool Touched(const HistoryIndex& account, IdRef id, size_t from, size_t until) {
  for (const MadeCall* call : account.CallsOn(id))
    if (IsFunction(call->kind()) && call->at > from && call->at < until) return true;
  return false;
}

bool MayHaveGivenUp(const HistoryIndex& account, IdRef id, Instant patient_until, Instant sent,
                    const Silence& silence) {
  const HeardEvent* gave_up = account.First(id, EventType::kUnreachable);
  return sent >= patient_until && gave_up != nullptr && gave_up->at < silence.at;
}

}  // namespace claims
}  // namespace cm
