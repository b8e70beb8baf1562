#include "sim/fake_libibverbs/fake_backend.h"

#include <rdma/rdma_user_cm.h>
#include <sys/socket.h>

#include <cstring>
#include <map>
#include <utility>

namespace cm::sim::fake_libibverbs {
namespace {

using uapi::Answer;
using uapi::Op;
using uapi::Request;

template <typename T>
std::vector<uint8_t> BytesOf(const T& value) {
  std::vector<uint8_t> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

rdma_ucm_cmd_hdr HeaderOf(const Request& request) {
  rdma_ucm_cmd_hdr header{};
  if (request.bytes.size() >= sizeof header)
    std::memcpy(&header, request.bytes.data(), sizeof header);
  return header;
}

std::string CommandName(uint32_t command) {
  static const std::map<uint32_t, std::string> kNames = {
      {RDMA_USER_CM_CMD_CREATE_ID, "CREATE_ID"},
      {RDMA_USER_CM_CMD_DESTROY_ID, "DESTROY_ID"},
      {RDMA_USER_CM_CMD_BIND, "BIND"},
      {RDMA_USER_CM_CMD_QUERY, "QUERY"},
      {RDMA_USER_CM_CMD_GET_EVENT, "GET_EVENT"},
      {RDMA_USER_CM_CMD_SET_OPTION, "SET_OPTION"},
      {RDMA_USER_CM_CMD_MIGRATE_ID, "MIGRATE_ID"},
      {RDMA_USER_CM_CMD_LISTEN, "LISTEN"},
      {RDMA_USER_CM_CMD_BIND_IP, "BIND_IP"}};
  const auto found = kNames.find(command);
  return found == kNames.end() ? std::to_string(command) : found->second;
}

std::string Describe(const Request& request) {
  static const std::map<Op, std::string> kNames = {{Op::kOpen, "open"},
                                                   {Op::kClose, "close"},
                                                   {Op::kDevices, "devices"},
                                                   {Op::kPort, "port"},
                                                   {Op::kOpenEvents, "open events"},
                                                   {Op::kCreateCq, "create cq"},
                                                   {Op::kDestroyCq, "destroy cq"},
                                                   {Op::kCreateQp, "create qp"},
                                                   {Op::kModifyQp, "modify qp"},
                                                   {Op::kDestroyQp, "destroy qp"},
                                                   {Op::kPostSend, "post send"},
                                                   {Op::kPoll, "poll"},
                                                   {Op::kArm, "arm"},
                                                   {Op::kTakeEvent, "take event"},
                                                   {Op::kRegister, "register"}};
  if (request.op != Op::kWrite) {
    const auto found = kNames.find(request.op);
    const std::string name = found == kNames.end() ? "?" : found->second;
    return name + " " + std::to_string(request.on);
  }
  const rdma_ucm_cmd_hdr header = HeaderOf(request);
  return "write " + std::to_string(request.on) + " " + CommandName(header.cmd) + " " +
         std::to_string(header.in) + "/" + std::to_string(header.out);
}

uapi::DeviceRecord Device(int index) {
  uapi::DeviceRecord record;
  const std::string name = "rxe" + std::to_string(index);
  name.copy(record.name.data(), name.size());
  record.guid = FakeBackend::kGuid + static_cast<uint64_t>(index);
  record.index = static_cast<uint32_t>(index);
  record.max_depth = 16;
  record.max_inline = 64;
  return record;
}

}  // namespace

std::vector<std::string> FakeBackend::Taken() { return std::exchange(asked_, {}); }

Answer FakeBackend::Write(const Request& request) const {
  Answer answer = {.value = static_cast<int64_t>(request.bytes.size())};
  const uint32_t command = HeaderOf(request).cmd;
  if (command == RDMA_USER_CM_CMD_CREATE_ID)
    answer.bytes = BytesOf(rdma_ucm_create_id_resp{.id = 5});
  if (command == RDMA_USER_CM_CMD_DESTROY_ID)
    answer.bytes = BytesOf(rdma_ucm_destroy_id_resp{.events_reported = 0});
  if (command != RDMA_USER_CM_CMD_QUERY) return answer;
  rdma_ucm_query_addr_resp response{};
  // The library's initialization sends this request, and the device blocks it.
  response.node_guid = request.on == 0 ? 0 : guid_of_ids;
  response.port_num = response.node_guid == 0 ? 0 : 1;
  response.src_size = 16;
  response.src_addr.ss_family = AF_INET;
  answer.bytes = BytesOf(response);
  return answer;
}

Answer FakeBackend::Ask(const Request& request) {
  asked_.push_back(Describe(request));
  requests.push_back(request);
  Answer answer;
  if (instead && instead(request, &answer)) return answer;
  if (request.op == Op::kWrite) return Write(request);
  if (request.op == Op::kOpen) answer.value = files_++;
  if (request.op == Op::kPort) answer.bytes = BytesOf(uapi::PortRecord{.active = 1, .gids = 1});
  if (request.op == Op::kGid) answer.bytes.resize(16);
  if (request.op == Op::kCreateQp) answer.bytes = BytesOf(uint32_t{17});
  if (request.op != Op::kDevices) return answer;
  for (uint32_t place = 0; place < devices; ++place) {
    const std::vector<uint8_t> record = BytesOf(Device(first_index + static_cast<int>(place)));
    answer.bytes.insert(answer.bytes.end(), record.begin(), record.end());
  }
  return answer;
}

}  // namespace cm::sim::fake_libibverbs
