// Named defects: each changes one behaviour and keeps the world's invariants. They prove that the
// suite notices.
#ifndef SIM_CORE_DEFECTS_H_
#define SIM_CORE_DEFECTS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace cm::sim {

enum class Defect : uint8_t {
  kNone,
  kForgetsTimewait,
  kTimewaitTooShort,
  kEstablishedTwice,
  kDestroyIgnoresAcks,
  kConnectWrongErrno,
  kConnectWithoutRoute,
  kRemovalSkipsListener,
  kRejectDropsData,
  kNoListenerIsConsumer,
  kPortNeverFreed,
  kWildcardSharesPort,
  kRequestTimerRunsOn,
  kDisconnectStatusLost,
  kDepthsNotSwapped,
  kAddrChangeLost,
  kRejectAfterEstablished,
  kDestroyKeepsEvents,
  kListenerTakesChildren,
  kDuplicateRequestTwice,
  kIgnoresRtu,
  kUnreachablePositive,
  kRequestDataTooLong,
  kAcceptDataTooLong,
  kLateFetchOverwrites,
  kBacklogIgnored,
  kRemovalTwice,
  kDisconnectSilent,
  kListenAfterResolve,
  kNoticeDoubled,
  kAttrsInTimewait,
  kEceOverQp,
  kRejectEceIsConsumer,
  kSyncIgnoresReject,
  kSyncKeepsEvents,
  kServiceWithoutKey,
  kServiceEstablished,
  kRefusalTimesOut,
  kAcksCollide,
  kReuseIgnored,
  kSharedListens,
  kOptionLengthUnchecked,
  kAckTimeoutIgnored,
  kMigrationLeavesEvents,
  kMigrationIgnoresAcks,
  kGroupWithoutQpNumber,
  kJoinReportedTwice,
  kJoinWithRoute,
  kLeaveUnknownGroup,
  kLeaveKeepsEvents,
  kLeaveIgnoresAcks,
  kEpLeaks,
  kEpForgetsQps,
  kAddrInfoDropsService,
  kDevicesCached,
  kInfoHandedTwice,
  kUserArgumentCut,
  kFlushForgetsReceives,
  kFlushTwice,
  kCompletionsReversed,
  kReceivesReversed,
  kSendCorrupts,
  kWriteBeyond,
  kWriteIgnoresKey,
  kRouteErrorPositive,
  kCorruptDelivered,
  kCrashSaysGoodbye,
  kStaleUnnoticed,
  kNeighbourUnnoticed,
};

struct DefectInfo {
  Defect defect;
  std::string_view name;
  std::string_view sentence;
};

std::span<const DefectInfo> Defects();
std::optional<Defect> ParseDefect(std::string_view name);
std::string_view ToString(Defect defect);

}  // namespace cm::sim

#endif  // SIM_CORE_DEFECTS_H_
