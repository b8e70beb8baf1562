// The table of fault kinds. A new kind is an enumerator and a row here, an action in
// sim/world/faults.cc, an arm in model/oracle/belief/fault_model.cc, a row of model/oracle/owed.cc,
// a row in hw_tests/lab/linux_place.cc, and a walk that draws it. Text, digest, capabilities and
// checks follow from the row.
#ifndef MODEL_VOCABULARY_FAULT_KINDS_H_
#define MODEL_VOCABULARY_FAULT_KINDS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "model/base/enumeration.h"
#include "model/vocabulary/capability.h"

namespace cm {

// Digests contain the values: a new kind comes last.
enum class FaultKind : uint8_t {
  kDrop,
  kDelay,
  kDuplicate,
  kReorder,
  kLinkDown,
  kLinkUp,
  kRemoveDevice,
  kAddDevice,
  kFailOver,
  kNeighbourChange,
  kExit,
  kSilenceSm,
  kCorrupt,
  kDuplicateAddress,
  kFlap,
  kCrash,
  kRestart,
  kNeighbourExpires,
};

// The arguments of a fault line. Key, text form, default and needs of each: FaultFieldRow.
enum class FaultField : uint8_t {
  kSide,
  kEvery,
  kTimes,
  kMessages,
  kFrom,
  kTo,
  kNth,
  kBy,
  kShape,
  kAfter,
  kDuring,
};

// What a fault does to each message that it matches.
enum class PacketEffect : uint8_t {
  kNone,  // it acts on no messages
  kLost,
  kCorrupt,  // and the receiver drops it
  kLate,
  kDoubled,
  kOvertaken,
};

// The ids that get an event at once, before any timer runs out.
enum class FaultTells : uint8_t {
  kNoId,
  kSenders,         // ids whose messages the device refuses to send
  kIdsOfDevice,     // DEVICE_REMOVAL
  kIdsOfBond,       // ADDR_CHANGE; ids of peers hear UNREACHABLE
  kNeighbours,      // UNREACHABLE: ids whose route leads to the neighbour
  kPeersOfProcess,  // what the kernel sends when it closes the ids of the process
};

// What has to hold before a fault, or holds after it, of the side that it hits.
enum class FaultPremise : uint8_t {
  kNone,
  kBonded,               // its device is on a bond
  kSubnetAdministrator,  // its link has one
  kDevicePresent,
  kDeviceRemoved,
  kHostRunning,
  kHostStopped,
};

struct FaultRow {
  FaultKind kind = FaultKind::kDrop;
  std::string_view name;
  std::string_view sentence;
  std::span<const FaultField> takes;  // in the order of a line
  Capability needs = Capability::kDrop;
  PacketEffect packets = PacketEffect::kNone;
  FaultTells tells = FaultTells::kNoId;
  FaultPremise wants = FaultPremise::kNone;  // else nothing comes of it
  FaultPremise leaves = FaultPremise::kNone;
  bool disturbs = true;                // it can delay or lose messages, or end work requests
  bool healed = false;                 // a line `heal` undoes it
  std::optional<FaultKind> undone_by;  // and so does this fault
};

inline constexpr auto kOfASide = std::to_array({FaultField::kSide});
inline constexpr auto kOfAFlap =
    std::to_array({FaultField::kSide, FaultField::kEvery, FaultField::kTimes});
inline constexpr auto kOfMessages =
    std::to_array({FaultField::kMessages, FaultField::kFrom, FaultField::kTo, FaultField::kNth,
                   FaultField::kAfter, FaultField::kDuring});
inline constexpr auto kOfLateMessages =
    std::to_array({FaultField::kMessages, FaultField::kFrom, FaultField::kTo, FaultField::kNth,
                   FaultField::kBy, FaultField::kShape, FaultField::kAfter, FaultField::kDuring});

// By value. Lists name fault kinds in this order.
inline constexpr auto kFaultKinds = ByValue(
    std::to_array<FaultRow>({
        {.kind = FaultKind::kDrop,
         .name = "drop",
         .sentence = "Messages that match are lost.",
         .takes = kOfMessages,
         .needs = Capability::kDrop,
         .packets = PacketEffect::kLost,
         .healed = true},
        {.kind = FaultKind::kDelay,
         .name = "delay",
         .sentence = "Messages that match arrive later.",
         .takes = kOfLateMessages,
         .needs = Capability::kDelay,
         .packets = PacketEffect::kLate,
         .healed = true},
        {.kind = FaultKind::kDuplicate,
         .name = "duplicate",
         .sentence = "Messages that match arrive twice.",
         .takes = kOfMessages,
         .needs = Capability::kDuplicate,
         .packets = PacketEffect::kDoubled,
         .healed = true},
        {.kind = FaultKind::kReorder,
         .name = "reorder",
         .sentence = "Messages that match let the next message of their direction pass.",
         .takes = kOfMessages,
         .needs = Capability::kReorder,
         .packets = PacketEffect::kOvertaken,
         .healed = true},
        {.kind = FaultKind::kLinkDown,
         .name = "link-down",
         .sentence = "The side's network interface goes down.",
         .takes = kOfASide,
         .needs = Capability::kLink,
         .tells = FaultTells::kSenders,
         .healed = true,
         .undone_by = FaultKind::kLinkUp},
        {.kind = FaultKind::kLinkUp,
         .name = "link-up",
         .sentence = "The side's network interface goes up, with its routes and neighbours.",
         .takes = kOfASide,
         .needs = Capability::kLink},
        {.kind = FaultKind::kRemoveDevice,
         .name = "remove-device",
         .sentence = "The side's RDMA device is removed; its network interface stays.",
         .takes = kOfASide,
         .needs = Capability::kRemoveDevice,
         .tells = FaultTells::kIdsOfDevice,
         .wants = FaultPremise::kDevicePresent,
         .leaves = FaultPremise::kDeviceRemoved,
         .undone_by = FaultKind::kAddDevice},
        {.kind = FaultKind::kAddDevice,
         .name = "add-device",
         .sentence = "The side's RDMA device, which was removed, is added again.",
         .takes = kOfASide,
         .needs = Capability::kAddDevice,
         .wants = FaultPremise::kDeviceRemoved,
         .leaves = FaultPremise::kDevicePresent},
        {.kind = FaultKind::kFailOver,
         .name = "fail-over",
         .sentence = "The side's bond moves to its other interface, with another hardware address.",
         .takes = kOfASide,
         .needs = Capability::kFailOver,
         .tells = FaultTells::kIdsOfBond,
         .wants = FaultPremise::kBonded},
        {.kind = FaultKind::kNeighbourChange,
         .name = "neighbour-change",
         .sentence = "The side's host learns a wrong hardware address for every other side.",
         .takes = kOfASide,
         .needs = Capability::kNeighbour,
         .tells = FaultTells::kNeighbours,
         .healed = true},
        {.kind = FaultKind::kExit,
         .name = "exit",
         .sentence = "The side's process exits without cleaning up.",
         .takes = kOfASide,
         .needs = Capability::kExit,
         .tells = FaultTells::kPeersOfProcess},
        {.kind = FaultKind::kSilenceSm,
         .name = "silence-sm",
         .sentence = "The SM and the SA of the side's subnet answer nothing.",
         .takes = kOfASide,
         .needs = Capability::kSilenceSm,
         .wants = FaultPremise::kSubnetAdministrator,
         .disturbs = false,
         .healed = true},
        {.kind = FaultKind::kCorrupt,
         .name = "corrupt",
         .sentence = "Messages that match arrive with a wrong check sum, and are dropped.",
         .takes = kOfMessages,
         .needs = Capability::kCorrupt,
         .packets = PacketEffect::kCorrupt,
         .healed = true},
        {.kind = FaultKind::kDuplicateAddress,
         .name = "duplicate-address",
         .sentence =
             "Another host answers for the side's address, and the side's peers believe it.",
         .takes = kOfASide,
         .needs = Capability::kDuplicateAddress,
         .tells = FaultTells::kNeighbours,
         .healed = true},
        {.kind = FaultKind::kFlap,
         .name = "link-flap",
         .sentence = "The side's network interface goes down and up, again and again; it ends up.",
         .takes = kOfAFlap,
         .needs = Capability::kFlap,
         .tells = FaultTells::kSenders,
         .healed = true},
        {.kind = FaultKind::kCrash,
         .name = "crash",
         .sentence = "The side's host stops and loses everything; its peers get no message of it.",
         .takes = kOfASide,
         .needs = Capability::kHostCrash,
         .wants = FaultPremise::kHostRunning,
         .leaves = FaultPremise::kHostStopped,
         .undone_by = FaultKind::kRestart},
        {.kind = FaultKind::kRestart,
         .name = "restart",
         .sentence =
             "The side's host, which has stopped, starts again with nothing of what it had.",
         .takes = kOfASide,
         .needs = Capability::kHostCrash,
         .wants = FaultPremise::kHostStopped,
         .leaves = FaultPremise::kHostRunning},
        {.kind = FaultKind::kNeighbourExpires,
         .name = "neighbour-expires",
         .sentence = "The side's host forgets the hardware address of every other side.",
         .takes = kOfASide,
         .needs = Capability::kNeighbour,
         .disturbs = false,
         .healed = true,
         .undone_by = FaultKind::kLinkUp},
    }),
    &FaultRow::kind);
inline constexpr int kFaultKindCount = kFaultKinds.size();

constexpr const FaultRow& RowOf(FaultKind kind) { return kFaultKinds[static_cast<size_t>(kind)]; }

}  // namespace cm

#endif  // MODEL_VOCABULARY_FAULT_KINDS_H_
