// Bytes and values are equivalent: properties over drawn frames, of every layout.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/mad/captured.h"
#include "model/mad/cma_header.h"
#include "model/mad/drawn_frame.h"
#include "model/mad/field.h"
#include "model/mad/frame.h"
#include "model/mad/message_layouts.h"
#include "model/mad/packet.h"
#include "model/mad/text.h"

namespace cm::mad {
namespace {

// Any number with the same chance, whatever rapidcheck's size.
rc::Gen<uint64_t> AnyNumber() {
  return [](const rc::Random& random, int /*size*/) {
    rc::Random copy = random;
    return rc::shrinkable::shrinkRecur(
        copy.next(), [](uint64_t number) { return rc::shrink::towards(number, uint64_t{0}); });
  };
}

// More than the longest frame uses.
std::vector<uint64_t> Numbers() {
  return *rc::gen::container<std::vector<uint64_t>>(size_t{400}, AnyNumber());
}

TEST(Layouts, DecodeGivesBackWhatWasEncoded) {
  EXPECT_TRUE(rc::check("Decode(Encode(frame)) == frame", [] {
    const Frame frame = FrameOf(Numbers());
    const auto decoded = Decode(Encode(frame).view(), LinkTypeOf(frame));
    RC_TAG(static_cast<int>(frame.mad.message.index()), static_cast<int>(frame.link.index()),
           static_cast<int>(frame.ip.index()), frame.vlan.has_value());
    RC_ASSERT(decoded.ok());
    RC_ASSERT(decoded.value() == frame);
  }));
}

TEST(Layouts, EncodeGivesBackWhatWasDecoded) {
  int decodable = 0;
  EXPECT_TRUE(rc::check("Encode(Decode(bytes)) == bytes", [&] {
    const Frame frame = FrameOf(Numbers());
    FrameBytes bytes = Encode(frame);
    const auto view = bytes.view();
    for (const uint64_t place :
         *rc::gen::container<std::vector<uint64_t>>(size_t{6}, AnyNumber())) {
      view[place % view.size()] = static_cast<uint8_t>(place >> 32);
    }
    const auto decoded = Decode(view, LinkTypeOf(frame));
    if (!decoded.ok()) return;
    ++decodable;
    const FrameBytes again = Encode(decoded.value());
    RC_ASSERT(std::ranges::equal(again.view(), view));
  }));
  EXPECT_GT(decodable, 20);  // of 100; most places are in the MAD
}

template <typename M>
void ExpectLossless() {
  EXPECT_TRUE(rc::check("Put(Get(bytes)) == bytes of " + std::string(Layout<M>::kName), [] {
    std::array<uint8_t, kSize<M>> bytes;
    const auto numbers = Numbers();
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(numbers[i]);
    std::array<uint8_t, kSize<M>> again;
    Put(Get<M>(bytes.data()), again.data());
    RC_ASSERT(again == bytes);
  }));
}

template <typename V>
void ExpectAllLossless() {
  [&]<size_t... kIndices>(std::index_sequence<kIndices...>) {
    (ExpectLossless<std::variant_alternative_t<kIndices, V>>(), ...);
  }
  (std::make_index_sequence<std::variant_size_v<V>>());
}

TEST(Layouts, LoseNoBitOfAnyBytes) {
  ExpectAllLossless<Message>();
  ExpectAllLossless<Ip>();
  ExpectAllLossless<
      std::variant<Ethernet, Vlan, Sll, Sll2, Udp, Bth, Deth, MadHeader, CmaHeader, Icrc>>();
}

TEST(Layouts, AlteringAFieldLeavesAllOthersAsTheyWere) {
  EXPECT_TRUE(rc::check("Write changes one field", [] {
    const Frame frame = FrameOf(Numbers());
    const FrameBytes bytes = Encode(frame);
    const Layers layers = LayersOf(frame);
    const uint64_t drawn = *AnyNumber();
    const Layer& layer = layers[drawn % layers.size()];
    const Field& field = layer.fields[(drawn >> 16) % layer.fields.size()];
    if (!field.is_number()) return;
    const Place place{layer.offset, field};
    const uint64_t value = *AnyNumber() & field.max();
    FrameBytes altered = bytes;
    Write(altered.view(), place, value);
    RC_ASSERT(Read(altered.view(), place) == value);
    Write(altered.view(), place, Read(bytes.view(), place));
    RC_ASSERT(std::ranges::equal(altered.view(), bytes.view()));
  }));
}

TEST(Layouts, PathsAreUniqueWithinAFrame) {
  for (const Bytes& bytes : CapturedFrames()) {
    const Frame frame = Decode(bytes, LinkType::kEthernet).value();
    for (const Layer& layer : LayersOf(frame)) {
      for (const Field& field : layer.fields) {
        const auto place =
            Find(LayersOf(frame), std::string(layer.name) + '.' + std::string(field.name));
        ASSERT_TRUE(place);
        ASSERT_EQ(place->offset, layer.offset) << layer.name;
        ASSERT_EQ(place->field.begin(), field.begin()) << layer.name << '.' << field.name;
      }
    }
  }
}

}  // namespace
}  // namespace cm::mad
