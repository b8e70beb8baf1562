// Every effect of a row does something: to possibilities, to what is certain, or to both.
#include "model/oracle/judge/learning.h"

#include <gtest/gtest.h>

#include "model/cm_id/effect.h"
#include "model/oracle/machine/effects.h"
#include "model/rules/transports.h"

namespace cm::model {
namespace {

TEST(Effects, EachHasAnActionOverSomeTransport) {
  for (int e = 0; e < kEffectCount; ++e) {
    const auto effect = static_cast<Effect>(e);
    bool acts = effect == Effect::kNone;
    for (int t = 0; t < kCountOf<Transport>; ++t) {
      const auto transport = static_cast<Transport>(t);
      acts |= RowExecutor::Acts(effect, transport) || Learning::Learns(effect, transport);
    }
    EXPECT_TRUE(acts) << ToString(effect);
  }
}

}  // namespace
}  // namespace cm::model
