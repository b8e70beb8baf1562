// Lookup of the rows, and their validity for messages of real kernels.
#include "model/mad/constraints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/mad/captured.h"
#include "model/mad/field.h"
#include "model/mad/frame.h"
#include "model/mad/pcap.h"
#include "model/mad/text.h"
#include "model/mad/vector.h"

namespace cm::mad {
namespace {

using testing::ElementsAre;

template <size_t... kIndices>
std::vector<Message> EachMessage(std::index_sequence<kIndices...> /*all*/) {
  return {std::variant_alternative_t<kIndices, Message>{}...};
}

// A frame with the given message; for kEveryMessage some REQ.
Frame FrameWith(std::optional<MadKind> kind) {
  Frame frame = VectorFrame();
  for (Message message : EachMessage(std::make_index_sequence<std::variant_size_v<Message>>())) {
    if (KindOf(message) != kind) continue;
    if (auto* req = std::get_if<Req>(&message)) req->service_id = 0x01061d2f;
    if (auto* req = std::get_if<SidrReq>(&message)) req->service_id = 0x01111d2f;
    frame.mad = MakeMad(message, 1);
  }
  return frame;
}

std::optional<Field> FieldOf(std::optional<MadKind> message, std::string_view path) {
  const std::optional<Place> place = Find(LayersOf(FrameWith(message)), path);
  return place ? std::optional(place->field) : std::nullopt;
}

bool NeedsField(const Constraint& row) {
  return row.relation != Relation::kReservedZero && row.relation != Relation::kConstant;
}
bool IsRelative(const Constraint& row) {
  return row.relation == Relation::kEchoes || row.relation == Relation::kRepeats ||
         row.relation == Relation::kNew;
}

TEST(Constraints, SpeakOfFieldsThatThereAre) {
  for (const Constraint& row : Constraints()) {
    const auto field = FieldOf(row.message, row.field);
    EXPECT_EQ(field.has_value(), NeedsField(row)) << row.id;
    if (row.relation == Relation::kRange) {
      EXPECT_LE(row.low, row.high) << row.id;
      EXPECT_LE(row.high, field->max()) << row.id;
      EXPECT_TRUE(row.low > 0 || row.high < field->max()) << row.id << " permits every value";
    }
    if (IsRelative(row)) {
      const auto of = FieldOf(row.of, row.of_field);
      ASSERT_TRUE(of) << row.id;
      EXPECT_EQ(of->width, field->width) << row.id;
    }
    if (!row.when.field.empty()) {
      EXPECT_TRUE(FieldOf(row.message, row.when.field)) << row.id;
    }
    EXPECT_FALSE(row.says.empty() || row.source.empty()) << row.id;
  }
}

TEST(Constraints, OfOneIdStandTogetherAndAreOfOneMessage) {
  std::set<std::string_view> before;
  const Constraint* last = nullptr;
  for (const Constraint& row : Constraints()) {
    if (last != nullptr && last->id == row.id) {
      EXPECT_EQ(last->message, row.message) << row.id;
    } else {
      EXPECT_TRUE(before.insert(row.id).second) << row.id;
    }
    last = &row;
  }
}

TEST(Constraints, AreThereForEveryMessage) {
  std::set<std::optional<MadKind>> constrained;
  for (const Constraint& row : Constraints()) constrained.insert(row.message);
  for (const Message& message :
       EachMessage(std::make_index_sequence<std::variant_size_v<Message>>())) {
    if (std::holds_alternative<Opaque>(message)) continue;
    EXPECT_TRUE(constrained.contains(KindOf(message))) << ToString(KindOf(message));
  }
}

// One capture, taken as a single exchange: it relates more messages, and so detects less.
class Exchange {
 public:
  // Ids of the violated rows.
  std::set<std::string> Hear(const Frame& frame) {
    std::map<std::string, bool> holds;
    for (const Constraint& row : Constraints()) {
      const std::optional<bool> held = Holds(row, frame);
      if (held) holds[std::string(row.id)] |= *held;
    }
    std::set<std::string> objecting;
    for (const auto& [id, held] : holds) {
      counted.insert(id);
      if (!held) objecting.insert(id);
    }
    heard_.push_back(frame);
    return objecting;
  }

  std::set<std::string> counted;  // ids of the rows that applied

 private:
  static bool SameSender(const Frame& a, const Frame& b) {
    const auto source = [](const Frame& frame) {
      return std::visit([](const auto& ip) { return ToGid(ip.source); }, frame.ip);
    };
    return source(a) == source(b);
  }
  static Gid ToGid(const Gid& address) { return address; }
  static Gid ToGid(uint32_t address) {
    Gid gid{};
    for (size_t i = 0; i < 4; ++i) gid[i] = static_cast<uint8_t>(address >> 8 * i);
    return gid;
  }

  // Empty when the row does not apply.
  std::optional<bool> Holds(const Constraint& row, const Frame& frame) const {
    if (row.message != kEveryMessage && row.message != frame.mad.header.kind()) return {};
    if (!row.when.field.empty()) {
      const auto value = ValueOf(frame, row.when.field);
      if (!value || *value < row.when.low || *value > row.when.high) return {};
    }
    if (row.relation == Relation::kConstant) return {};
    if (row.relation == Relation::kReservedZero) return NoReservedBit(frame);
    const auto value = ValueOf(frame, row.field);
    if (!value) return {};
    if (row.relation == Relation::kRange) return row.low <= *value && *value <= row.high;
    bool seen = false;
    bool equal = false;
    for (const Frame& other : heard_) {
      if (other.mad.header.kind() != row.of) continue;
      if (SameSender(frame, other) == (row.relation == Relation::kEchoes)) continue;
      if (row.relation == Relation::kNew && other.mad == frame.mad) continue;
      seen = true;
      equal = equal || ValueOf(other, row.of_field) == value;
    }
    if (!seen) return {};
    return equal == (row.relation != Relation::kNew);
  }

  static bool NoReservedBit(const Frame& frame) {
    return ToText(frame.mad).find(" reserved_") == std::string::npos;
  }

  std::vector<Frame> heard_;
};

std::vector<Frame> FramesOf(const std::string& path) {
  const Bytes file = ReadFile(path);
  PcapReader reader = PcapReader::Open(file).value();
  std::vector<Frame> frames;
  while (const auto record = reader.Next()) {
    frames.push_back(Decode(record->value().bytes, reader.link()).value());
  }
  return frames;
}

TEST(Constraints, HoldInWhatRealKernelsSent) {
  std::set<std::string> counted;
  for (const std::string& path : CaptureFiles()) {
    Exchange exchange;
    for (const Frame& frame : FramesOf(path)) {
      EXPECT_THAT(exchange.Hear(frame), ElementsAre()) << path << '\n' << ToText(frame);
    }
    counted.merge(exchange.counted);
  }
  // Not in the captures: a LAP, an MRA of a REP, a REJ of another message than REQ and REP.
  std::set<std::string> silent;
  for (const Constraint& row : Constraints()) {
    if (!counted.contains(std::string(row.id))) silent.insert(std::string(row.id));
  }
  EXPECT_THAT(silent, ElementsAre("apr-info-length", "apr-local-cid", "apr-modifier",
                                  "apr-remote-cid", "apr-status", "apr-tid", "lap-local-cid",
                                  "lap-modifier", "lap-remote-cid", "mad-again", "mra-local-cid",
                                  "rej-info-guid", "rej-local-cid"));
}

// Each field with a row, with a wrong value in the first message of a capture that has it.
TEST(Constraints, ObjectToAnyOtherValue) {
  std::set<std::string> objected;
  for (const std::string& path : CaptureFiles()) {
    std::vector<Frame> before;
    for (const Frame& frame : FramesOf(path)) {
      for (const Constraint& row : Constraints()) {
        const auto place = Find(LayersOf(frame), row.field);
        if (!place || objected.contains(std::string(row.id))) continue;
        FrameBytes bytes = Encode(frame);
        Write(bytes.view(), *place, Read(bytes.view(), *place) ^ 0x40);
        const auto wrong = Decode(bytes.view(), LinkType::kEthernet);
        if (!wrong.ok()) continue;
        Exchange exchange;
        for (const Frame& earlier : before) exchange.Hear(earlier);
        objected.merge(exchange.Hear(wrong.value()));
      }
      before.push_back(frame);
    }
  }
  for (const char* id :
       {"mad-status",      "rep-remote-cid", "rep-tid",          "rtu-local-cid", "rtu-remote-cid",
        "rtu-tid",         "dreq-local-cid", "dreq-remote-cid",  "dreq-qpn",      "drep-local-cid",
        "drep-remote-cid", "drep-tid",       "mra-remote-cid",   "mra-tid",       "rej-remote-cid",
        "rej-tid",         "sidr-rep-id",    "sidr-rep-service", "sidr-rep-tid",  "rej-reason",
        "roce-qkey",       "req-cma-version"}) {
    EXPECT_TRUE(objected.contains(id)) << id;
  }
}

}  // namespace
}  // namespace cm::mad
