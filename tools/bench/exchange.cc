// A program that exchanges messages with another one, and polls for each.
//
//   exchange serve HOST COUNT    exchange ask HOST COUNT
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

constexpr size_t kSize = 64;

void Check(bool good, const char* what) {
  if (good) return;
  std::perror(what);
  std::exit(9);
}

void Poll(ibv_cq* queue) {
  ibv_wc completion{};
  while (ibv_poll_cq(queue, 1, &completion) == 0) continue;
  Check(completion.status == IBV_WC_SUCCESS, ibv_wc_status_str(completion.status));
}

void Exchange(bool serves, char* host, int count) {
  std::string port = "7471";
  rdma_addrinfo hints{};
  rdma_addrinfo* found = nullptr;
  hints.ai_port_space = RDMA_PS_TCP;
  if (serves) hints.ai_flags = RAI_PASSIVE;
  Check(rdma_getaddrinfo(host, port.data(), &hints, &found) == 0, "rdma_getaddrinfo");
  ibv_qp_init_attr attributes{};
  attributes.cap = {.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1};
  attributes.qp_type = IBV_QPT_RC;
  attributes.sq_sig_all = 1;
  rdma_cm_id* listener = nullptr;
  rdma_cm_id* id = nullptr;
  Check(rdma_create_ep(serves ? &listener : &id, found, nullptr, &attributes) == 0,
        "rdma_create_ep");
  if (serves) Check(rdma_listen(listener, 1) == 0, "rdma_listen");
  if (serves) Check(rdma_get_request(listener, &id) == 0, "rdma_get_request");
  std::array<char, kSize> sent{};
  std::array<char, kSize> received{};
  ibv_mr* const of_sent = rdma_reg_msgs(id, sent.data(), kSize);
  ibv_mr* const of_received = rdma_reg_msgs(id, received.data(), kSize);
  const auto receive = [&] {
    Check(rdma_post_recv(id, nullptr, received.data(), kSize, of_received) == 0, "rdma_post_recv");
  };
  const auto send = [&] {
    Check(rdma_post_send(id, nullptr, sent.data(), kSize, of_sent, 0) == 0, "rdma_post_send");
  };
  receive();
  Check((serves ? rdma_accept(id, nullptr) : rdma_connect(id, nullptr)) == 0, "no connection");
  for (int i = 0; i < count; ++i) {
    if (!serves) send();
    Poll(id->recv_cq);
    receive();
    if (serves) send();
    Poll(id->send_cq);
  }
  rdma_disconnect(id);
  rdma_dereg_mr(of_sent);
  rdma_dereg_mr(of_received);
  rdma_destroy_ep(id);
  if (serves) rdma_destroy_ep(listener);
  rdma_freeaddrinfo(found);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 2;
  Exchange(std::string(arguments[1]) == "serve", arguments[2], std::atoi(arguments[3]));
  return 0;
}
