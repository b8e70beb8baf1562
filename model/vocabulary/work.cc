#include "model/vocabulary/work.h"

#include <array>
#include <utility>

namespace cm {
namespace {

constexpr auto kStatuses = std::to_array<std::pair<WcStatus, std::string_view>>({
    {WcStatus::kSuccess, "IBV_WC_SUCCESS"},
    {WcStatus::kLocLen, "IBV_WC_LOC_LEN_ERR"},
    {WcStatus::kLocQpOp, "IBV_WC_LOC_QP_OP_ERR"},
    {WcStatus::kLocProt, "IBV_WC_LOC_PROT_ERR"},
    {WcStatus::kWrFlush, "IBV_WC_WR_FLUSH_ERR"},
    {WcStatus::kLocAccess, "IBV_WC_LOC_ACCESS_ERR"},
    {WcStatus::kRemInvReq, "IBV_WC_REM_INV_REQ_ERR"},
    {WcStatus::kRemAccess, "IBV_WC_REM_ACCESS_ERR"},
    {WcStatus::kRemOp, "IBV_WC_REM_OP_ERR"},
    {WcStatus::kRetryExc, "IBV_WC_RETRY_EXC_ERR"},
    {WcStatus::kRnrRetryExc, "IBV_WC_RNR_RETRY_EXC_ERR"},
    {WcStatus::kGeneral, "IBV_WC_GENERAL_ERR"},
});
constexpr auto kOpcodes = std::to_array<std::pair<WcOpcode, std::string_view>>({
    {WcOpcode::kSend, "IBV_WC_SEND"},
    {WcOpcode::kWrite, "IBV_WC_RDMA_WRITE"},
    {WcOpcode::kRead, "IBV_WC_RDMA_READ"},
    {WcOpcode::kReceive, "IBV_WC_RECV"},
});

template <typename Names, typename E>
std::string_view NameOf(const Names& names, E value) {
  for (const auto& [known, name] : names)
    if (known == value) return name;
  return "IBV_WC_UNKNOWN";
}

template <typename E, typename Names>
std::optional<E> Parse(const Names& names, std::string_view text) {
  for (const auto& [known, name] : names)
    if (name == text) return known;
  return std::nullopt;
}

}  // namespace

std::string_view ToString(WcStatus status) { return NameOf(kStatuses, status); }
std::optional<WcStatus> ParseWcStatus(std::string_view name) {
  return Parse<WcStatus>(kStatuses, name);
}
std::string_view ToString(WcOpcode opcode) { return NameOf(kOpcodes, opcode); }
std::optional<WcOpcode> ParseWcOpcode(std::string_view name) {
  return Parse<WcOpcode>(kOpcodes, name);
}

}  // namespace cm
