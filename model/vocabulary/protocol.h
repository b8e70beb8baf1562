// The nouns of RDMA CM: port spaces, event types, messages, REJ reasons, states; with their C
// names.
#ifndef MODEL_VOCABULARY_PROTOCOL_H_
#define MODEL_VOCABULARY_PROTOCOL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cm {

// source: <rdma/rdma_cma.h> enum rdma_port_space
enum class PortSpace : uint16_t { kIpoib = 0x0002, kTcp = 0x0106, kUdp = 0x0111, kIb = 0x013F };

// source: <rdma/rdma_cma.h> enum rdma_cm_event_type
enum class EventType : uint8_t {
  kAddrResolved = 0,
  kAddrError = 1,
  kRouteResolved = 2,
  kRouteError = 3,
  kConnectRequest = 4,
  kConnectResponse = 5,
  kConnectError = 6,
  kUnreachable = 7,
  kRejected = 8,
  kEstablished = 9,
  kDisconnected = 10,
  kDeviceRemoval = 11,
  kMulticastJoin = 12,
  kMulticastError = 13,
  kAddrChange = 14,
  kTimewaitExit = 15,
};
inline constexpr int kEventTypeCount = 16;

// The messages of the communication manager. source: linux 6.1 ibta_vol1_c12.h
enum class MadKind : uint8_t { kReq, kMra, kRej, kRep, kRtu, kDreq, kDrep };
inline constexpr int kMadKindCount = 7;

// Why a request or a reply was rejected; the numbers that Linux sends or that tests use.
// source: linux 6.1 ib_cm.h enum ib_cm_rej_reason
enum class RejReason : uint16_t {
  kNone = 0,
  kNoQp = 1,
  kNoResources = 3,
  kTimeout = 4,
  kInvalidCommId = 6,
  kInvalidServiceId = 8,
  kInvalidTransportType = 9,
  kStaleConn = 10,
  kInvalidGid = 12,
  kInvalidAltGid = 18,
  kConsumerDefined = 28,
  kDuplicateLocalCommId = 30,
  kVendorOptionNotSupported = 35,
};

// The state of a queue pair. source: <infiniband/verbs.h> enum ibv_qp_state
enum class QpState : uint8_t {
  kReset = 0,
  kInit = 1,
  kRtr = 2,
  kRts = 3,
  kSqd = 4,
  kSqe = 5,
  kErr = 6
};

// "RDMA_CM_EVENT_ESTABLISHED" and back; Short leaves the prefix out.
std::string_view ToString(EventType type);
std::string_view ShortName(EventType type);
std::optional<EventType> ParseEventType(std::string_view name);

// "REQ" and back.
std::string_view ToString(MadKind kind);
std::optional<MadKind> ParseMadKind(std::string_view name);

// "IB_CM_REJ_CONSUMER_DEFINED"; a number without a name prints as the number.
std::string ToString(RejReason reason);

// "RDMA_PS_TCP" and back.
std::string ToString(PortSpace space);
std::optional<PortSpace> ParsePortSpace(std::string_view name);

// "RTS" and back.
std::string_view ToString(QpState state);
std::optional<QpState> ParseQpState(std::string_view name);

}  // namespace cm

#endif  // MODEL_VOCABULARY_PROTOCOL_H_
