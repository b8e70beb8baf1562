// A test program: writes the commands that librdmacm writes, with the structures of the header, and
// reads their answers.
#ifndef SIM_UAPI_PROGRAM_H_
#define SIM_UAPI_PROGRAM_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <rdma/rdma_user_cm.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "sim/uapi/machine.h"

namespace cm::sim::uapi {

// Test programs have no memory of their own.
class NoMemory : public Memory {
 public:
  bool Read(uint32_t /*process*/, uint64_t /*address*/, std::span<uint8_t> /*bytes*/) override {
    return false;
  }
  bool Write(uint32_t /*process*/, uint64_t /*address*/,
             std::span<const uint8_t> /*bytes*/) override {
    return false;
  }
};

template <typename T>
T Zeros() {
  T value;
  std::memset(static_cast<void*>(&value), 0, sizeof(T));
  return value;
}

class Program {
 public:
  Program(World* world, Machine* machine, uint8_t side)
      : world_(world), machine_(machine), asker_{.process = machine->AddProcess(side)} {}

  Asker asker() const { return asker_; }
  uint32_t Open() { return static_cast<uint32_t>(Ask({.op = Op::kOpen}).value); }
  Answer Ask(const Request& request) { return machine_->Ask(asker_, request); }

  template <typename Body>
  static std::vector<uint8_t> Bytes(uint32_t command, const Body& body, size_t room) {
    rdma_ucm_cmd_hdr header{};
    header.cmd = command;
    header.in = sizeof(Body);
    header.out = static_cast<uint16_t>(room);
    std::vector<uint8_t> bytes(sizeof(header) + sizeof(Body));
    std::memcpy(bytes.data(), &header, sizeof(header));
    std::memcpy(bytes.data() + sizeof(header), &body, sizeof(Body));
    return bytes;
  }
  // The immediate answer; -EAGAIN when there is no event.
  Answer Write(uint32_t file, std::vector<uint8_t> bytes) {
    return Ask({.op = Op::kWrite, .on = file, .more = 1, .bytes = std::move(bytes)});
  }
  template <typename Body>
  int64_t Tell(uint32_t file, uint32_t command, const Body& body) {
    return Write(file, Bytes(command, body, 0)).value;
  }
  template <typename Response, typename Body>
  Response Get(uint32_t file, uint32_t command, const Body& body) {
    auto response = Zeros<Response>();
    const Answer answer = Finish(Write(file, Bytes(command, body, sizeof(Response))));
    last = answer.value;
    const size_t length = std::min(answer.bytes.size(), sizeof(Response));
    std::copy_n(answer.bytes.begin(), length, reinterpret_cast<uint8_t*>(&response));
    return response;
  }
  // Runs the world until the request is answered.
  Answer Finish(Answer answer) {
    while (answer.waits && world_->NextAt()) {
      world_->Step();
      answer = machine_->Continue(asker_);
    }
    return answer;
  }

  uint32_t CreateId(uint32_t file, uint64_t uid, uint16_t space = RDMA_PS_TCP) {
    auto cmd = Zeros<rdma_ucm_create_id>();
    cmd.uid = uid;
    cmd.ps = space;
    cmd.qp_type = space == RDMA_PS_UDP ? 4 : 2;
    return Get<rdma_ucm_create_id_resp>(file, RDMA_USER_CM_CMD_CREATE_ID, cmd).id;
  }
  uint32_t DestroyId(uint32_t file, uint32_t id) {
    auto cmd = Zeros<rdma_ucm_destroy_id>();
    cmd.id = id;
    return Get<rdma_ucm_destroy_id_resp>(file, RDMA_USER_CM_CMD_DESTROY_ID, cmd).events_reported;
  }
  int64_t Bind(uint32_t file, uint32_t id, const std::string& host, uint16_t port) {
    auto cmd = Zeros<rdma_ucm_bind>();
    cmd.id = id;
    cmd.addr_size = Put(host, port, &cmd.addr);
    return Tell(file, RDMA_USER_CM_CMD_BIND, cmd);
  }
  int64_t SetAckTimeout(uint32_t file, uint32_t id, uint8_t exponent) {
    auto set = Zeros<rdma_ucm_set_option>();
    set.id = id;
    set.optname = 3;  // RDMA_OPTION_ID_ACK_TIMEOUT
    set.optlen = 1;
    std::vector<uint8_t> bytes = Bytes(RDMA_USER_CM_CMD_SET_OPTION, set, 0);
    bytes.push_back(exponent);
    return Write(file, bytes).value;
  }
  int64_t Listen(uint32_t file, uint32_t id, uint32_t backlog = 0) {
    return Tell(file, RDMA_USER_CM_CMD_LISTEN, rdma_ucm_listen{id, backlog});
  }
  int64_t ResolveAddr(uint32_t file, uint32_t id, const std::string& host, uint16_t port) {
    auto cmd = Zeros<rdma_ucm_resolve_addr>();
    cmd.id = id;
    cmd.timeout_ms = 2000;
    cmd.dst_size = Put(host, port, &cmd.dst_addr);
    return Tell(file, RDMA_USER_CM_CMD_RESOLVE_ADDR, cmd);
  }
  int64_t ResolveRoute(uint32_t file, uint32_t id) {
    return Tell(file, RDMA_USER_CM_CMD_RESOLVE_ROUTE, rdma_ucm_resolve_route{id, 2000});
  }
  static rdma_ucm_conn_param Param(const std::string& data, uint32_t qp_number) {
    auto param = Zeros<rdma_ucm_conn_param>();
    param.qp_num = qp_number;
    param.private_data_len = static_cast<uint8_t>(data.size());
    std::memcpy(param.private_data, data.data(), data.size());
    param.responder_resources = 3;
    param.initiator_depth = 2;
    param.retry_count = 7;
    param.rnr_retry_count = 6;
    param.valid = 1;
    return param;
  }
  int64_t Connect(uint32_t file, uint32_t id, const rdma_ucm_conn_param& param) {
    auto cmd = Zeros<rdma_ucm_connect>();
    cmd.id = id;
    cmd.conn_param = param;
    return Tell(file, RDMA_USER_CM_CMD_CONNECT, cmd);
  }
  // `valid` of the parameters is set if there are any.
  int64_t Accept(uint32_t file, uint32_t id, uint64_t uid, const rdma_ucm_conn_param& param) {
    auto cmd = Zeros<rdma_ucm_accept>();
    cmd.id = id;
    cmd.uid = uid;
    cmd.conn_param = param;
    return Tell(file, RDMA_USER_CM_CMD_ACCEPT, cmd);
  }
  int64_t Disconnect(uint32_t file, uint32_t id) {
    return Tell(file, RDMA_USER_CM_CMD_DISCONNECT, rdma_ucm_disconnect{id});
  }
  // Waits for the next event; `last` is -EAGAIN when there will be none.
  rdma_ucm_event_resp GetEvent(uint32_t file) {
    auto response = Zeros<rdma_ucm_event_resp>();
    const auto bytes =
        Bytes(RDMA_USER_CM_CMD_GET_EVENT, Zeros<rdma_ucm_get_event>(), sizeof(rdma_ucm_event_resp));
    Answer answer = Write(file, bytes);
    while (answer.value == -EAGAIN && world_->NextAt()) {
      world_->Step();
      answer = Write(file, bytes);
    }
    last = answer.value;
    std::ranges::copy(answer.bytes, reinterpret_cast<uint8_t*>(&response));
    return response;
  }
  rdma_ucm_query_addr_resp QueryAddr(uint32_t file, uint32_t id,
                                     uint32_t option = RDMA_USER_CM_QUERY_ADDR) {
    return Get<rdma_ucm_query_addr_resp>(file, RDMA_USER_CM_CMD_QUERY,
                                         rdma_ucm_query{0, id, option});
  }

  // Its length.
  template <typename Field>
  static uint16_t Put(const std::string& host, uint16_t port, Field* field) {
    sockaddr_in v4{};
    v4.sin_port = htons(port);
    if (inet_pton(AF_INET, host.c_str(), &v4.sin_addr) == 1) {
      v4.sin_family = AF_INET;
      std::memcpy(static_cast<void*>(field), &v4, sizeof(v4));
      return sizeof(v4);
    }
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    inet_pton(AF_INET6, host.c_str(), &v6.sin6_addr);
    std::memcpy(static_cast<void*>(field), &v6, sizeof(v6));
    return sizeof(v6);
  }

  int64_t last = 0;  // what the write returned

 private:
  World* world_;
  Machine* machine_;
  Asker asker_;
};

}  // namespace cm::sim::uapi

#endif  // SIM_UAPI_PROGRAM_H_
