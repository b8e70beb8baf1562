#include "model/vocabulary/protocol.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace cm {
namespace {

constexpr std::string_view kEventPrefix = "RDMA_CM_EVENT_";

// By number.
constexpr auto kEventNames = std::to_array<std::string_view>({
    "RDMA_CM_EVENT_ADDR_RESOLVED",
    "RDMA_CM_EVENT_ADDR_ERROR",
    "RDMA_CM_EVENT_ROUTE_RESOLVED",
    "RDMA_CM_EVENT_ROUTE_ERROR",
    "RDMA_CM_EVENT_CONNECT_REQUEST",
    "RDMA_CM_EVENT_CONNECT_RESPONSE",
    "RDMA_CM_EVENT_CONNECT_ERROR",
    "RDMA_CM_EVENT_UNREACHABLE",
    "RDMA_CM_EVENT_REJECTED",
    "RDMA_CM_EVENT_ESTABLISHED",
    "RDMA_CM_EVENT_DISCONNECTED",
    "RDMA_CM_EVENT_DEVICE_REMOVAL",
    "RDMA_CM_EVENT_MULTICAST_JOIN",
    "RDMA_CM_EVENT_MULTICAST_ERROR",
    "RDMA_CM_EVENT_ADDR_CHANGE",
    "RDMA_CM_EVENT_TIMEWAIT_EXIT",
    "RDMA_CM_EVENT_ADDRINFO_RESOLVED",
    "RDMA_CM_EVENT_ADDRINFO_ERROR",
    "RDMA_CM_EVENT_USER",
    "RDMA_CM_EVENT_INTERNAL",
});
static_assert(kEventNames.size() == kEventTypeCount);

constexpr auto kAboutNames = std::to_array<std::string_view>({"REQ", "REP", "other", "3"});
static_assert(kAboutNames.size() == 4, "the field has two bits, and a foreign CM may set both");

constexpr auto kReasonNames = std::to_array<std::pair<RejReason, std::string_view>>({
    {RejReason::kNoQp, "IB_CM_REJ_NO_QP"},
    {RejReason::kNoResources, "IB_CM_REJ_NO_RESOURCES"},
    {RejReason::kTimeout, "IB_CM_REJ_TIMEOUT"},
    {RejReason::kInvalidCommId, "IB_CM_REJ_INVALID_COMM_ID"},
    {RejReason::kInvalidServiceId, "IB_CM_REJ_INVALID_SERVICE_ID"},
    {RejReason::kInvalidTransportType, "IB_CM_REJ_INVALID_TRANSPORT_TYPE"},
    {RejReason::kStaleConn, "IB_CM_REJ_STALE_CONN"},
    {RejReason::kInvalidGid, "IB_CM_REJ_INVALID_GID"},
    {RejReason::kInvalidAltGid, "IB_CM_REJ_INVALID_ALT_GID"},
    {RejReason::kConsumerDefined, "IB_CM_REJ_CONSUMER_DEFINED"},
    {RejReason::kDuplicateLocalCommId, "IB_CM_REJ_DUPLICATE_LOCAL_COMM_ID"},
    {RejReason::kVendorOptionNotSupported, "IB_CM_REJ_VENDOR_OPTION_NOT_SUPPORTED"},
});

constexpr auto kSpaceNames = std::to_array<std::pair<PortSpace, std::string_view>>({
    {PortSpace::kTcp, "RDMA_PS_TCP"},
    {PortSpace::kUdp, "RDMA_PS_UDP"},
    {PortSpace::kIpoib, "RDMA_PS_IPOIB"},
    {PortSpace::kIb, "RDMA_PS_IB"},
});

// The last is that of IBV_QPS_UNKNOWN, and of every higher number that a library gives.
constexpr std::array<std::string_view, 8> kQpNames = {"RESET", "INIT", "RTR", "RTS",
                                                      "SQD",   "SQE",  "ERR", "UNKNOWN"};

template <typename E, size_t N>
std::optional<E> Find(const std::array<std::string_view, N>& names, std::string_view name) {
  for (size_t i = 0; i < N; ++i)
    if (names[i] == name) return static_cast<E>(i);
  return std::nullopt;
}

constexpr auto kQpTypeNames = std::to_array<std::pair<QpType, std::string_view>>(
    {{QpType::kRc, "RC"}, {QpType::kUc, "UC"}, {QpType::kUd, "UD"}});

constexpr auto kOptionNames =
    std::to_array<std::pair<IdOption, std::string_view>>({{kTosOption, "TOS"},
                                                          {kReuseAddrOption, "REUSEADDR"},
                                                          {kAfOnlyOption, "AFONLY"},
                                                          {kAckTimeoutOption, "ACK_TIMEOUT"},
                                                          {kIbPathOption, "IB_PATH"}});

std::optional<int32_t> Number(std::string_view digits) {
  int32_t number = 0;
  const char* const last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), last, number);
  if (error != std::errc() || end != last) return std::nullopt;
  return number;
}

}  // namespace

std::string_view ToString(EventType type) { return kEventNames[static_cast<size_t>(type)]; }

std::string_view ShortName(EventType type) { return ToString(type).substr(kEventPrefix.size()); }

std::optional<EventType> ParseEventType(std::string_view name) {
  for (size_t i = 0; i < kEventNames.size(); ++i) {
    if (kEventNames[i] == name || kEventNames[i].substr(kEventPrefix.size()) == name)
      return static_cast<EventType>(i);
  }
  return std::nullopt;
}

std::string_view ToString(About about) { return kAboutNames[static_cast<size_t>(about)]; }

std::optional<About> ParseAbout(std::string_view name) { return Find<About>(kAboutNames, name); }

std::string ToString(RejReason reason) {
  for (const auto& [value, name] : kReasonNames)
    if (value == reason) return std::string(name);
  return std::to_string(static_cast<int>(reason));
}

std::string ToString(PortSpace space) {
  for (const auto& [value, name] : kSpaceNames)
    if (value == space) return std::string(name);
  return std::to_string(static_cast<int>(space));
}

std::optional<PortSpace> ParsePortSpace(std::string_view name) {
  for (const auto& [value, known] : kSpaceNames)
    if (known == name) return value;
  uint16_t number = 0;
  const char* const last = name.data() + name.size();
  const auto [end, error] = std::from_chars(name.data(), last, number);
  if (error != std::errc() || end != last) return std::nullopt;
  return static_cast<PortSpace>(number);
}

std::string_view ToString(QpState state) {
  return kQpNames[std::min(static_cast<size_t>(state), kQpNames.size() - 1)];
}

std::optional<QpState> ParseQpState(std::string_view name) { return Find<QpState>(kQpNames, name); }

std::string_view ToString(QpType type) {
  for (const auto& [value, name] : kQpTypeNames)
    if (value == type) return name;
  return "?";
}

std::optional<QpType> ParseQpType(std::string_view name) {
  for (const auto& [value, known] : kQpTypeNames)
    if (known == name) return value;
  return std::nullopt;
}

std::string ToString(IdOption option) {
  for (const auto& [value, name] : kOptionNames)
    if (value == option) return std::string(name);
  return std::to_string(option.level) + "/" + std::to_string(option.name);
}

std::optional<IdOption> ParseIdOption(std::string_view text) {
  for (const auto& [value, known] : kOptionNames)
    if (known == text) return value;
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::optional<int32_t> level = Number(text.substr(0, slash));
  const std::optional<int32_t> name = Number(text.substr(slash + 1));
  if (!level || !name) return std::nullopt;
  return IdOption{*level, *name};
}

}  // namespace cm
