// The constants of RDMA CM: port spaces, event types, REJ reasons, states; with their C names.
#ifndef MODEL_VOCABULARY_PROTOCOL_H_
#define MODEL_VOCABULARY_PROTOCOL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/base/enumeration.h"
#include "model/vocabulary/mad_kind.h"  // IWYU pragma: export

namespace cm {

// source: <rdma/rdma_cma.h> enum rdma_port_space
enum class PortSpace : uint16_t { kIpoib = 0x0002, kTcp = 0x0106, kUdp = 0x0111, kIb = 0x013F };

// Its ids look services up and exchange datagrams; they do not connect. source: rdma-core 44 cma.c
// rdma_create_id
constexpr bool IsDatagram(PortSpace space) {
  return space == PortSpace::kUdp || space == PortSpace::kIpoib;
}

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
  kAddrInfoResolved = 16,
  kAddrInfoError = 17,
  kUser = 18,
  kInternal = 19,  // internal to the library: passed through the kernel, not to an application
};
inline constexpr int kEventTypeCount = kCountOf<EventType>;
// Every library has the types of lower numbers; the others are newer.
inline constexpr int kFirstEventTypeCount = static_cast<int>(EventType::kAddrInfoResolved);

// The message that an MRA or a REJ is about; the field may have 3 as well. source: linux 6.1
// cm_msgs.h enum cm_msg_response
enum class About : uint8_t { kReq = 0, kRep = 1, kOther = 2 };
inline constexpr int kAboutCount = kCountOf<About>;

// The header of a message, as the CM sends it.
inline constexpr uint16_t kDefaultPkey = 0xffff;
inline constexpr uint8_t kSendMethod = 0x03;
inline constexpr uint8_t kCmClassVersion = 2;
inline constexpr uint8_t kMadBaseVersion = 1;
// The query of any management class. source: linux 6.1 <rdma/ib_mad.h> IB_MGMT_METHOD_GET
inline constexpr uint8_t kGetMethod = 0x01;
inline constexpr uint8_t kSetMethod = 0x02;
inline constexpr uint8_t kGetResponseMethod = 0x81;
inline constexpr uint16_t kClassPortInfo = 0x0001;
inline constexpr uint16_t kMethodNotSupported = 0x000c;

// The status in a SIDR_REP. source: linux 6.1 ib_cm.h enum ib_cm_sidr_status
enum class SidrStatus : uint8_t { kSuccess = 0, kUnsupported = 1, kReject = 2 };

// The Q_Key of datagrams of RDMA_PS_UDP. source: <rdma/rdma_cma.h> RDMA_UDP_QKEY
inline constexpr uint32_t kDatagramQkey = 0x01234567;
// And of RDMA_PS_IPOIB: that of the interface's broadcast group. source: opensm osm_prtn.c, which
// creates that group
inline constexpr uint32_t kBroadcastQkey = 0x00000b1b;
constexpr uint32_t QkeyOf(PortSpace space) {
  return space == PortSpace::kIpoib ? kBroadcastQkey : kDatagramQkey;
}
// The queue pair number of all members of a group. source: linux 6.1 cma.c cma_make_mc_event
inline constexpr uint32_t kMulticastQpNumber = 0xffffff;

// Reasons of a REJ; the numbers that Linux sends or that tests use. source: linux 6.1 ib_cm.h enum
// ib_cm_rej_reason
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

// source: <infiniband/verbs.h> enum ibv_qp_type
enum class QpType : uint8_t { kRc = 2, kUc = 3, kUd = 4 };

// Options of rdma_set_option, by level and name; other numbers are refused. source:
// <rdma/rdma_cma.h> RDMA_OPTION_ID, RDMA_OPTION_IB
struct IdOption {
  int32_t level = 0;
  int32_t name = 0;
  friend constexpr auto operator<=>(const IdOption&, const IdOption&) = default;
};
inline constexpr IdOption kTosOption{0, 0};
inline constexpr IdOption kReuseAddrOption{0, 1};
inline constexpr IdOption kAfOnlyOption{0, 2};
inline constexpr IdOption kAckTimeoutOption{0, 3};
inline constexpr IdOption kIbPathOption{1, 1};

// Flags of rdma_getaddrinfo, in hints and in results. source: <rdma/rdma_cma.h> RAI_PASSIVE
inline constexpr uint32_t kPassiveHint = 1;
inline constexpr uint32_t kServiceRecordsHint = 16;  // RAI_SA
inline constexpr uint32_t kResolverHint = 32;        // RAI_DNS

// Address families by number. source: <sys/socket.h> of Linux
inline constexpr uint8_t kInetFamily = 2;
inline constexpr uint8_t kInet6Family = 10;
inline constexpr uint8_t kIbFamily = 27;  // AF_IB
constexpr uint8_t FamilyNumber(bool v6) { return v6 ? kInet6Family : kInetFamily; }
// The lengths of struct sockaddr_in and sockaddr_in6.
constexpr uint8_t SockaddrLength(bool v6) { return v6 ? 28 : 16; }

// Error numbers of the resolver, which are neither -1 nor an errno. source: <netdb.h> of Linux
// EAI_FAMILY, EAI_SOCKTYPE, EAI_ADDRFAMILY
inline constexpr int8_t kFamilyUnknownCode = -6;
inline constexpr int8_t kTypeUnknownCode = -7;
inline constexpr int8_t kAddressFamilyCode = -9;

// "RDMA_CM_EVENT_ESTABLISHED" and back; Short leaves the prefix out.
std::string_view ToString(EventType type);
std::string_view ShortName(EventType type);
std::optional<EventType> ParseEventType(std::string_view name);

// "REQ", "REP", "other" and back; "3" for that number.
std::string_view ToString(About about);
std::optional<About> ParseAbout(std::string_view name);

// "IB_CM_REJ_CONSUMER_DEFINED"; a number without a name prints as the number.
std::string ToString(RejReason reason);

// "RDMA_PS_TCP" and back.
std::string ToString(PortSpace space);
std::optional<PortSpace> ParsePortSpace(std::string_view name);

// "RTS" and back; "UNKNOWN" for a number without a name.
std::string_view ToString(QpState state);
std::optional<QpState> ParseQpState(std::string_view name);

// "RC" and back.
std::string_view ToString(QpType type);
std::optional<QpType> ParseQpType(std::string_view name);

// "TOS", "REUSEADDR", "AFONLY", "ACK_TIMEOUT", "IB_PATH"; "7/3" for level 7 and name 3.
std::string ToString(IdOption option);
std::optional<IdOption> ParseIdOption(std::string_view text);

}  // namespace cm

#endif  // MODEL_VOCABULARY_PROTOCOL_H_
