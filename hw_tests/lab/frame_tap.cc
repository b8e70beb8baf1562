#include "hw_tests/lab/frame_tap.h"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include "conformance/process/descriptor.h"
#include "conformance/process/real_time.h"
#include "model/capture/captured_message.h"
#include "model/mad/cma_header.h"
#include "model/mad/frame.h"
#include "model/mad/messages.h"
#include "model/mad/packet.h"
#include "model/vocabulary/mad_kind.h"

namespace lab {
namespace {

using cm::Instant;

constexpr int kRoom = 8 << 20;
constexpr size_t kLongest = 2048;  // of a frame to QP 1, also a wrong one
constexpr int64_t kNanosecondsPerSecond = 1'000'000'000;

// Where the headers of a RoCEv2 frame begin, and what is looked at in them.
constexpr uint32_t kIp = ETH_HLEN;
constexpr uint32_t kUdpOver4 = kIp + 20;
constexpr uint32_t kUdpOver6 = kIp + 40;
constexpr uint32_t kProtocolOver4 = kIp + 9;
constexpr uint32_t kNextOver6 = kIp + 6;
constexpr uint32_t kPort = 2;        // after the beginning of UDP: that of the destination
constexpr uint32_t kQueuePair = 12;  // the queue pair of the destination, in the lower 24 bits

constexpr sock_filter Load(uint16_t size, uint32_t at) {
  return BPF_STMT(static_cast<uint16_t>(BPF_LD | BPF_ABS | size), at);
}
// Goes on, or leaves that many instructions out.
constexpr sock_filter Unless(uint32_t value, uint8_t otherwise) {
  return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, otherwise);
}

// What leaves for QP 1 of a RoCEv2 node.
constexpr auto kFilter = std::to_array<sock_filter>({
    Load(BPF_H, static_cast<uint32_t>(SKF_AD_OFF + SKF_AD_PKTTYPE)),
    Unless(PACKET_OUTGOING, 16),
    Load(BPF_H, offsetof(ethhdr, h_proto)),
    Unless(ETH_P_IP, 6),
    Load(BPF_B, kProtocolOver4),
    Unless(IPPROTO_UDP, 12),
    Load(BPF_H, kUdpOver4 + kPort),
    Unless(cm::mad::kRocePort, 10),
    Load(BPF_W, kUdpOver4 + kQueuePair),
    BPF_JUMP(BPF_JMP | BPF_JA, 6, 0, 0),
    Unless(ETH_P_IPV6, 7),
    Load(BPF_B, kNextOver6),
    Unless(IPPROTO_UDP, 5),
    Load(BPF_H, kUdpOver6 + kPort),
    Unless(cm::mad::kRocePort, 3),
    Load(BPF_W, kUdpOver6 + kQueuePair),
    BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xffffff),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 1, 1, 0),
    BPF_STMT(BPF_RET | BPF_K, 0),
    BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
});

int64_t NanosecondsOf(const timespec& time) {
  return time.tv_sec * kNanosecondsPerSecond + time.tv_nsec;
}

class SocketTap : public FrameTap {
 public:
  explicit SocketTap(cm::Descriptor socket) : socket_(std::move(socket)) {
    // What comes between the two readings makes the difference larger.
    constexpr int kReadings = 5;
    for (int i = 0; i < kReadings; ++i) {
      const int64_t before = cm::RealNow().nanoseconds();
      timespec now{};
      clock_gettime(CLOCK_REALTIME, &now);
      const int64_t ahead = NanosecondsOf(now) - before;
      ahead_ = i == 0 ? ahead : std::min(ahead_, ahead);
    }
  }

  std::vector<TappedFrame> Take() override {
    std::vector<TappedFrame> all;
    while (std::optional<TappedFrame> frame = TakeOne()) all.push_back(*std::move(frame));
    return all;
  }

  uint32_t Missed() override {
    tpacket_stats stats{};
    socklen_t size = sizeof stats;
    return getsockopt(socket_.get(), SOL_PACKET, PACKET_STATISTICS, &stats, &size) == 0
               ? stats.tp_drops
               : 0;
  }

 private:
  std::optional<TappedFrame> TakeOne() {
    std::array<uint8_t, kLongest> bytes;
    sockaddr_ll from{};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(timespec))> control{};
    iovec whole = {.iov_base = bytes.data(), .iov_len = bytes.size()};
    msghdr message{};
    message.msg_name = &from;
    message.msg_namelen = sizeof from;
    message.msg_iov = &whole;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t size = recvmsg(socket_.get(), &message, MSG_DONTWAIT);
    if (size < 0) return std::nullopt;
    TappedFrame frame{.at = cm::RealNow(), .bytes = {bytes.begin(), bytes.begin() + size}};
    std::array<char, IF_NAMESIZE> name{};
    if (if_indextoname(static_cast<unsigned>(from.sll_ifindex), name.data()) != nullptr)
      frame.interface = name.data();
    const cmsghdr* const header = CMSG_FIRSTHDR(&message);
    if (header != nullptr && header->cmsg_level == SOL_SOCKET &&
        header->cmsg_type == SCM_TIMESTAMPNS) {
      timespec at{};
      std::memcpy(&at, CMSG_DATA(header), sizeof at);
      frame.at = Instant::FromNanoseconds(NanosecondsOf(at) - ahead_);
    }
    return frame;
  }

  cm::Descriptor socket_;
  int64_t ahead_ = 0;  // of the clock of its stamps before the other one
};

// What RDMA CM puts in front of the application's data is not part of them.
template <typename Message>
cm::PrivateData DataOf(const Message& message) {
  constexpr bool kAsks =
      std::is_same_v<Message, cm::mad::Req> || std::is_same_v<Message, cm::mad::SidrReq>;
  return cm::PrivateData(
      std::span(message.private_data).subspan(kAsks ? cm::mad::kSize<cm::mad::CmaHeader> : 0));
}

void Put(const cm::mad::Message& message, cm::WireRecord* record) {
  std::visit(
      [&](const auto& one) {
        using Message = std::remove_cvref_t<decltype(one)>;
        if constexpr (requires { one.private_data; }) record->private_data = DataOf(one);
        if constexpr (requires { one.reason; }) {
          record->reason = one.reason;
          record->about = one.message_rejected;
          record->info_length = one.reject_info_length;
        }
        if constexpr (requires { one.message_mraed; }) {
          record->about = one.message_mraed;
          record->service_timeout = one.service_timeout;
        }
        if constexpr (std::is_same_v<Message, cm::mad::SidrRep>)
          record->status = static_cast<cm::SidrStatus>(one.status);
      },
      message);
}

}  // namespace

Outcome<std::unique_ptr<FrameTap>> OpenFrameTap() {
  const auto failed = [] {
    return Problem{std::string("no frames can be seen: ") + std::strerror(errno)};
  };
  // Protocol 0: nothing is received until it is bound, after the filter is attached.
  cm::Descriptor socket(::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0));
  if (socket.get() < 0) return failed();
  std::array<sock_filter, kFilter.size()> filter = kFilter;
  const sock_fprog program = {.len = static_cast<uint16_t>(filter.size()), .filter = filter.data()};
  constexpr int kOn = 1;
  sockaddr_ll all{};
  all.sll_family = AF_PACKET;
  all.sll_protocol = htons(ETH_P_ALL);
  const auto set = [&](int name, const auto& value) {
    return setsockopt(socket.get(), SOL_SOCKET, name, &value, sizeof value) == 0;
  };
  if (!set(SO_ATTACH_FILTER, program) || !set(SO_TIMESTAMPNS, kOn) || !set(SO_RCVBUFFORCE, kRoom) ||
      bind(socket.get(), reinterpret_cast<const sockaddr*>(&all), sizeof all) != 0)
    return failed();
  std::unique_ptr<FrameTap> tap = std::make_unique<SocketTap>(std::move(socket));
  return tap;
}

std::optional<cm::WireRecord> RecordOf(TappedFrame frame, const cm::Topology& topology) {
  const auto side = std::ranges::find_if(topology.sides, [&](const auto& one) {
    return topology.devices[one.device].netdev == frame.interface;
  });
  if (side == topology.sides.end()) return std::nullopt;
  const cm::mad::Decoded<cm::mad::Frame> decoded =
      cm::mad::Decode(frame.bytes, cm::mad::LinkType::kEthernet);
  cm::WireRecord record{.at = frame.at,
                        .side = static_cast<uint8_t>(side - topology.sides.begin()),
                        .kind = cm::MadKind::kOther,
                        .frame = std::move(frame.bytes),
                        .tapped = true};
  if (!decoded.ok()) return record;
  const cm::mad::Mad& mad = decoded.value().mad;
  record.kind = mad.header.kind();
  record.unnamed = cm::wire::CidsOf(mad.message).local == 0;
  record.mad_status = mad.header.status;
  if (record.kind == cm::MadKind::kOther) record.attribute = mad.header.attribute_id;
  Put(mad.message, &record);
  return record;
}

}  // namespace lab
