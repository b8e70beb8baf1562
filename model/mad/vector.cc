#include "model/mad/vector.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/mad/captured.h"
#include "model/mad/cma_header.h"
#include "model/mad/frame.h"
#include "model/mad/messages.h"
#include "model/mad/packet.h"
#include "model/vocabulary/protocol.h"

namespace cm::mad {
namespace {

constexpr std::string_view kHex =
    "52540000000252540000000108004500013400014000401125b60a0000010a000002d87212b7012000006400"
    "ffff000000018000000080010000000000010107020300000000000000021122334400100000000000004433"
    "2211000000000000000001061d2f540000fffe00000100000000000000000000110100000002000000a1abcd"
    "efa7ffff36f0ffffffff00000000000000000000ffff0a00000100000000000000000000ffff0a0000023090"
    "e000004000980000000000000000000000000000000000000000000000000000000000000000000000000000"
    "00000000000000409c410000000000000000000000000a0000010000000000000000000000000a0000026865"
    "6c6c6f0000000000000000000000000000000000000000000000000000000000000000000000000000000000"
    "000000000000000000005ee84ed2";

constexpr Gid Mapped(uint8_t last) {
  return {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, last};
}

Req VectorReq() {
  Req req;
  req.local_cid = 0x44332211;
  req.service_id = MakeServiceId(PortSpace::kTcp, 7471);
  req.local_ca_guid = 0x540000fffe000001;
  req.local_qpn = 17;
  req.responder_resources = 1;
  req.initiator_depth = 2;
  req.remote_cm_response_timeout = 20;
  req.end_to_end_flow_control = true;
  req.starting_psn = 0xabcdef;
  req.local_cm_response_timeout = 20;
  req.retry_count = 7;
  req.path_mtu = 3;
  req.rnr_retry_count = 6;
  req.max_cm_retries = 15;
  req.primary_local_lid = 0xffff;
  req.primary_remote_lid = 0xffff;
  req.primary_local_gid = Mapped(1);
  req.primary_remote_gid = Mapped(2);
  req.primary_flow_label = 0x3090e;
  req.primary_hop_limit = 64;
  req.primary_local_ack_timeout = 19;
  CmaHeader cma;
  cma.port = 40001;
  cma.source_address = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 1};
  cma.destination_address = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 2};
  SetCmaHeader(req, cma);
  constexpr std::string_view kHello = "hello";
  std::copy(kHello.begin(), kHello.end(), req.private_data.begin() + 36);
  return req;
}

}  // namespace

Bytes VectorBytes() {
  Bytes bytes;
  for (size_t i = 0; i < kHex.size(); i += 2) {
    bytes.push_back(static_cast<uint8_t>(std::stoul(std::string(kHex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

Frame VectorFrame() {
  Frame frame;
  Ethernet link;
  link.source = {0x52, 0x54, 0, 0, 0, 1};
  link.destination = {0x52, 0x54, 0, 0, 0, 2};
  frame.link = link;
  Ipv4 ip;
  ip.id = 1;
  ip.source = 0x0a000001;
  ip.destination = 0x0a000002;
  frame.ip = ip;
  frame.bth.ack_request = true;
  frame.mad = MakeMad(VectorReq(), 0x211223344);
  return frame;
}

}  // namespace cm::mad
