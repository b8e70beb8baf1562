// Ids that look alike: possibilities that come of one another by exchanging them are the same.
#include "model/oracle/belief/alike.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/oracle/belief/possibility_set.h"

namespace cm::model {
namespace {

constexpr uint16_t kClients = 1;
constexpr uint16_t kRequests = 2;

enum class Asked : uint8_t { kUnderWay, kQueued, kFetched };

// The listener 0 and clients from 1 on, whose requests are there or not; fetched ones are
// 10, 11, …, in this order.
Possibility Crowd(const std::vector<Asked>& clients, uint16_t requests = kRequests) {
  Possibility p;
  p.ids.push_back({.name = IdRef{0}, .backlog = 8});
  uint16_t fetched = 10;
  for (size_t i = 0; i < clients.size(); ++i) {
    const IdRef name{static_cast<uint16_t>(i + 1)};
    const auto place = static_cast<uint8_t>(p.ids.size());
    p.ids.push_back({.name = name, .alike = kClients, .ib = IbState::kReqSent});
    p.ids.back().outstanding = true;
    if (clients[i] == Asked::kUnderWay) {
      p.Send({.kind = Sends::kReq, .from = place, .sender = name});
      continue;
    }
    IdState child{.origin = name, .ib = IbState::kMraReqSent};
    child.peer = place;
    if (clients[i] == Asked::kFetched) child.name = IdRef{fetched++}, child.alike = requests;
    p.ids.push_back(child);
    if (clients[i] == Asked::kQueued)
      p.ids[0].Put({.type = EventType::kConnectRequest, .child = static_cast<uint8_t>(place + 1)});
  }
  return p;
}

Possibility Ordered(Possibility p) {
  OrderAlike(&p);
  return p;
}

TEST(OrderAlike, IsTheSameForEveryOrderOfTheClients) {
  std::vector<Asked> clients{Asked::kUnderWay, Asked::kUnderWay, Asked::kQueued, Asked::kQueued,
                             Asked::kFetched};
  const Possibility expected = Ordered(Crowd(clients));
  int orders = 0;
  do {
    EXPECT_TRUE(SameBehaviour(Ordered(Crowd(clients)), expected));
    ++orders;
  } while (std::ranges::next_permutation(clients).found);
  EXPECT_EQ(orders, 30);  // 5! / (2! 2!)
}

TEST(OrderAlike, TellsApartWhatIsNotTheSame) {
  EXPECT_FALSE(SameBehaviour(Ordered(Crowd({Asked::kUnderWay, Asked::kQueued})),
                             Ordered(Crowd({Asked::kQueued, Asked::kQueued}))));
}

// The first looks like no other client: whose request it was that was fetched first makes a
// difference.
TEST(OrderAlike, KeepsWhoseRequestItWas) {
  const auto with_first_alone = [](uint16_t requests, bool first_is_first) {
    Possibility p = Crowd({Asked::kFetched, Asked::kFetched, Asked::kFetched}, requests);
    p.ids[p.Find(IdRef{1})].alike = 0;
    if (!first_is_first)
      for (IdState& id : p.ids)
        if (id.name == IdRef{10} || id.name == IdRef{11})
          id.name.index = static_cast<uint16_t>(21 - id.name.index);
    return Ordered(p);
  };
  EXPECT_FALSE(SameBehaviour(with_first_alone(0, true), with_first_alone(0, false)));
  EXPECT_TRUE(SameBehaviour(with_first_alone(kRequests, true), with_first_alone(kRequests, false)));
}

TEST(Exchange, GivesEachThePlaceOfTheOther) {
  Possibility p = Crowd({Asked::kUnderWay, Asked::kUnderWay, Asked::kFetched});
  Exchange(&p, IdRef{1}, IdRef{3});
  EXPECT_TRUE(SameBehaviour(p, Crowd({Asked::kFetched, Asked::kUnderWay, Asked::kUnderWay})));
  Exchange(&p, IdRef{3}, IdRef{1});
  EXPECT_TRUE(SameBehaviour(p, Crowd({Asked::kUnderWay, Asked::kUnderWay, Asked::kFetched})));
}

TEST(PossibilitySet, StoresThoseThatAreAlikeOnceWithTheTimesOfAll) {
  PossibilitySet set;
  for (const int64_t first : {5, 3, 9}) {
    std::vector<Asked> clients{Asked::kUnderWay, Asked::kUnderWay, Asked::kUnderWay};
    clients[static_cast<size_t>(first) % 3] = Asked::kQueued;
    Possibility p = Crowd(clients);
    for (Flight& flight : p.flights) flight.since = {first, first};
    set.Add(std::move(p));
  }
  ASSERT_EQ(set.size(), 1u);
  EXPECT_EQ(set.items()[0].flights[0].since.earliest, 3);
  EXPECT_EQ(set.items()[0].flights[0].since.latest, 9);
}

}  // namespace
}  // namespace cm::model
