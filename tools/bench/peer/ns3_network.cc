// Connections of ns-3: its TCP between two nodes, over and over, and its UDP for the cost of an
// event. Not like for like: ns-3 simulates the whole of TCP, IP and ARP, and packets with contents.
#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "tools/bench/figure.h"
#include "tools/bench/life.h"

namespace cm::bench {
namespace {

constexpr uint16_t kPort = 7471;
constexpr int64_t kConnections = 1000;

// Two nodes, a link of 10 us, and a loss of one packet in a hundred in each direction.
struct Link {
  explicit Link(double loss) {
    nodes.Create(2);
    ns3::PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", ns3::StringValue("100Gbps"));
    link.SetChannelAttribute("Delay", ns3::TimeValue(ns3::NanoSeconds(kLatencyNs)));
    const ns3::NetDeviceContainer devices = link.Install(nodes);
    ns3::InternetStackHelper().Install(nodes);
    ns3::Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    passive = addresses.Assign(devices).GetAddress(1);
    for (uint32_t i = 0; i < 2; ++i) {
      auto errors = ns3::CreateObject<ns3::RateErrorModel>();
      errors->SetUnit(ns3::RateErrorModel::ERROR_UNIT_PACKET);
      errors->SetRate(loss);
      devices.Get(i)->SetAttribute("ReceiveErrorModel", ns3::PointerValue(errors));
    }
  }
  ns3::NodeContainer nodes;
  ns3::Ipv4Address passive;
};

class TcpLives {
 public:
  explicit TcpLives(int64_t connections) : link_(1.0 / kLossOneIn) {
    listener_ = NewSocket(1);
    listener_->Bind(ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), kPort));
    listener_->Listen();
    listener_->SetAcceptCallback(
        ns3::MakeNullCallback<bool, ns3::Ptr<ns3::Socket>, const ns3::Address&>(),
        ns3::MakeCallback(&TcpLives::Accepted, this));
    for (int64_t i = 0; i < connections; ++i) StartLater();
  }
  ~TcpLives() { ns3::Simulator::Destroy(); }
  TcpLives(const TcpLives&) = delete;
  TcpLives& operator=(const TcpLives&) = delete;

  void Run(int64_t cycles) {
    left_ = cycles;
    ns3::Simulator::Run();
  }
  [[gnu::noinline]] void MeasuredLife(int64_t cycles) { Run(cycles); }

 private:
  ns3::Ptr<ns3::Socket> NewSocket(uint32_t node) {
    return ns3::Socket::CreateSocket(link_.nodes.Get(node), ns3::TcpSocketFactory::GetTypeId());
  }
  void StartLater() {
    ns3::Simulator::Schedule(ns3::NanoSeconds(StayNs(&random_)), &TcpLives::Start, this);
  }
  void Start() {
    const ns3::Ptr<ns3::Socket> socket = NewSocket(0);
    socket->SetConnectCallback(ns3::MakeCallback(&TcpLives::Connected, this),
                               ns3::MakeCallback(&TcpLives::Refused, this));
    socket->Connect(ns3::InetSocketAddress(link_.passive, kPort));
  }
  void Connected(ns3::Ptr<ns3::Socket> socket) {
    ns3::Simulator::Schedule(ns3::NanoSeconds(StayNs(&random_)), &TcpLives::Over, this, socket);
  }
  void Refused(ns3::Ptr<ns3::Socket>) { StartLater(); }
  void Over(ns3::Ptr<ns3::Socket> socket) {
    socket->Close();
    // Its timewait runs concurrently.
    ns3::Simulator::Schedule(ns3::Seconds(2.048), &TcpLives::Again, this);
  }
  void Again() {
    if (--left_ == 0) ns3::Simulator::Stop();
    Start();
  }
  void Accepted(ns3::Ptr<ns3::Socket> socket, const ns3::Address&) {
    socket->SetCloseCallbacks(ns3::MakeCallback(&TcpLives::PeerClosed, this),
                              ns3::MakeCallback(&TcpLives::PeerClosed, this));
  }
  void PeerClosed(ns3::Ptr<ns3::Socket> socket) { socket->Close(); }

  Link link_;
  Random random_;
  ns3::Ptr<ns3::Socket> listener_;
  int64_t left_ = -1;
};

// Datagrams back and forth, a thousand at a time: the cost of one event.
class UdpEvents {
 public:
  UdpEvents() : link_(0) {
    for (uint32_t node = 0; node < 2; ++node) {
      sockets_[node] =
          ns3::Socket::CreateSocket(link_.nodes.Get(node), ns3::UdpSocketFactory::GetTypeId());
      sockets_[node]->Bind(ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), kPort));
      sockets_[node]->SetRecvCallback(ns3::MakeCallback(&UdpEvents::Arrived, this));
    }
    for (int i = 0; i < kConnections; ++i)
      ns3::Simulator::Schedule(ns3::MicroSeconds(i), &UdpEvents::Send, this);
  }
  ~UdpEvents() { ns3::Simulator::Destroy(); }
  UdpEvents(const UdpEvents&) = delete;
  UdpEvents& operator=(const UdpEvents&) = delete;

  [[gnu::noinline]] uint64_t MeasuredEvents(int64_t datagrams) {
    const uint64_t before = ns3::Simulator::GetEventCount();
    left_ = datagrams;
    ns3::Simulator::Run();
    return ns3::Simulator::GetEventCount() - before;
  }

 private:
  void Send() {
    sockets_[0]->SendTo(ns3::Create<ns3::Packet>(256), 0,
                        ns3::InetSocketAddress(link_.passive, kPort));
  }
  void Arrived(ns3::Ptr<ns3::Socket> socket) {
    ns3::Address from;
    while (const ns3::Ptr<ns3::Packet> packet = socket->RecvFrom(from)) {
      socket->SendTo(ns3::Create<ns3::Packet>(256), 0, from);
      if (--left_ == 0) ns3::Simulator::Stop();
    }
  }

  Link link_;
  ns3::Ptr<ns3::Socket> sockets_[2];
  int64_t left_ = 0;
};

}  // namespace
}  // namespace cm::bench

int main(int argc, char** argv) {
  using namespace cm::bench;
  // So that timewait is two seconds, as in our benchmark.
  ns3::Config::SetDefault("ns3::TcpSocketBase::MaxSegLifetime", ns3::DoubleValue(1.024));
  Figure("life_cycles/1000/ns3_tcp", 5000, [](benchmark::State& state) {
    TcpLives lives(kConnections);
    lives.Run(Scaled(3 * kConnections));
    MeasureOnce(state, [&](int64_t cycles) { lives.MeasuredLife(cycles); });
  });
  // Five thousand connections, both ends of each, once all of them are there.
  Figure("memory/5000/ns3_tcp", 1, [](benchmark::State& state) {
    constexpr int64_t kMany = 5000;
    const double before = ResidentBytes();
    TcpLives lives(kMany);
    lives.Run(1);
    state.counters["bytes_per_id"] = (ResidentBytes() - before) / (2 * double{kMany});
    for (auto _ : state) benchmark::DoNotOptimize(lives);
  });
  Figure("life/1000/ns3_udp", 100'000, [](benchmark::State& state) {
    UdpEvents udp;
    uint64_t events = 0;
    MeasureOnce(state, [&](int64_t datagrams) { events = udp.MeasuredEvents(datagrams); });
    state.counters["events_per_item"] =
        static_cast<double>(events) / static_cast<double>(state.iterations());
  });
  return RunFigures(argc, argv);
}
