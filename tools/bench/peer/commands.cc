// rapidcheck's bare generator: sequences of calls on two peers, drawn and thrown away. With
// preconditions the calls are those that a state permits, as ours are; without them any call.
#include <rapidcheck.h>
#include <rapidcheck/state.h>

#include <array>
#include <cstdint>

#include "tools/bench/figure.h"

namespace cm::bench {
namespace {

constexpr int64_t kDrawnCalls = 100'000;
constexpr int kCallsOfASequence = 20;

// The states of an active id and of a listener with its request: each call goes from one to the
// next.
struct Peers {
  std::array<int, 2> at{};
};
struct Nothing {};
using Command = rc::state::Command<Peers, Nothing>;

template <int kPeer, int kFrom, int kTo>
struct Moves : Command {
  void checkPreconditions(const Peers& peers) const override { RC_PRE(peers.at[kPeer] == kFrom); }
  void apply(Peers& peers) const override { peers.at[kPeer] = kTo; }
};
template <int kPeer>
struct Ends : Command {
  void checkPreconditions(const Peers& peers) const override { RC_PRE(peers.at[kPeer] != 0); }
  void apply(Peers& peers) const override { peers.at[kPeer] = 0; }
};
// A call that any state permits.
template <int kCall>
struct Any : Command {
  void apply(Peers& peers) const override { peers.at[0] = kCall; }
};

template <typename... Calls>
class Drawing {
 public:
  [[gnu::noinline]] void MeasuredDrawing(int64_t calls) {
    const auto sequences = rc::gen::resize(
        kCallsOfASequence,
        rc::state::gen::commands(Peers{}, rc::state::gen::execOneOfWithArgs<Calls...>()));
    for (int64_t drawn = 0; drawn < calls;) {
      const auto sequence = sequences(random_.split(), kCallsOfASequence).value();
      drawn += static_cast<int64_t>(sequence.size());
      benchmark::DoNotOptimize(sequence.size());
    }
  }

 private:
  rc::Random random_{1};
};

template <typename Draws>
void AddFigure(const char* name) {
  Figure(name, kDrawnCalls, [](benchmark::State& state) {
    Draws draws;
    MeasureOnce(state, [&](int64_t calls) { draws.MeasuredDrawing(calls); });
  });
}

}  // namespace
}  // namespace cm::bench

int main(int argc, char** argv) {
  using namespace cm::bench;
  // rdma_create_id, rdma_resolve_addr, rdma_resolve_route, rdma_connect, rdma_disconnect; on the
  // other side rdma_create_id, rdma_bind_addr, rdma_listen, rdma_accept, rdma_disconnect.
  AddFigure<Drawing<Moves<0, 0, 1>, Moves<0, 1, 2>, Moves<0, 2, 3>, Moves<0, 3, 4>, Moves<0, 4, 5>,
                    Ends<0>, Moves<1, 0, 1>, Moves<1, 1, 2>, Moves<1, 2, 3>, Moves<1, 3, 4>,
                    Moves<1, 4, 5>, Ends<1>>>("checked/1/rapidcheck_with_preconditions");
  AddFigure<Drawing<Any<0>, Any<1>, Any<2>, Any<3>, Any<4>, Any<5>, Any<6>, Any<7>, Any<8>, Any<9>,
                    Any<10>, Any<11>>>("drawn/1/rapidcheck_without_preconditions");
  return RunFigures(argc, argv);
}
