#include "conformance/sharpness/kinds.h"

#include <algorithm>
#include <array>

#include "conformance/sharpness/of_line.h"
#include "conformance/sharpness/of_record.h"
#include "model/base/check.h"
#include "model/capture/facts_reader.h"

namespace cm {
namespace {

std::vector<wire::Alteration> OtherFieldsOf(const wire::Capture& capture) {
  return wire::FieldsAltered(capture, wire::ConstraintsOfSoftRoce());
}

// The others are possible: a capture may lack messages, and the network may reorder them.
std::vector<wire::Alteration> ImpossibleOrdersOf(const wire::Capture& capture) {
  std::vector<wire::Alteration> all = wire::DroppedOrSwapped(capture);
  std::erase_if(all, [](const wire::Alteration& one) {
    return one.capture.frames.empty() || wire::WhyImpossible(one.capture).empty();
  });
  return all;
}

constexpr auto kKinds = std::to_array<AlterationKind>({
    {"errno",
     "a call returns another errno of the vocabulary, or success; or returns, where it crashed",
     of_line::Errno, of_record::Errno},
    {"event", "an event has any other type", of_line::Event, of_record::Event},
    {"status", "an event has any other status: 0, an errno of the vocabulary, a REJ reason",
     of_line::Status, of_record::Status},
    {"quiet or readable",
     "any event of any id of the channel comes, or the descriptor is readable, where there was "
     "silence; or silence, where it was readable",
     of_line::Readable, of_record::Readable},
    {"late",
     "an event comes after one quiet wait of 150 s, beyond sixteen transmissions of a message",
     of_line::Late, of_record::Late},
    {"never", "one quiet wait of ten minutes in place of an event", of_line::Never,
     of_record::Never},
    {"slow call", "a call returns 30 s later", of_line::SlowCall, of_record::SlowCall},
    {"address handle", "an attribute of the address handle in an event of a datagram id",
     of_line::AddressHandle, of_record::AddressHandle},
    {"queue pair",
     "other attributes of rdma_init_qp_attr or of the queue pair itself, another state of it, or "
     "none",
     of_line::QueuePair, of_record::QueuePair},
    {"other field",
     "another id, channel, address, port, parameter of a connection, byte of private data, result",
     of_line::OtherField, of_record::OtherField},
    {"message field", "a field of a message that is not free has another value", nullptr, nullptr,
     OtherFieldsOf},
    {"message order",
     "a message is missing, or swapped with the next one, where that is impossible", nullptr,
     nullptr, ImpossibleOrdersOf},
    {"message made up", "a message is reflected, repeated, or comes before its cause", nullptr,
     nullptr, wire::MadeUp},
});

}  // namespace

std::span<const AlterationKind> AlterationKinds() { return kKinds; }

const AlterationKind& KindNamed(std::string_view name) {
  const auto found = std::ranges::find(kKinds, name, &AlterationKind::name);
  CM_CHECK(found != kKinds.end()) << name;
  return *found;
}

}  // namespace cm
