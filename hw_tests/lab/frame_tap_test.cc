#include "hw_tests/lab/frame_tap.h"

#include <gtest/gtest.h>

#include <optional>

#include "model/mad/frame.h"
#include "model/mad/messages.h"
#include "model/mad/vector.h"
#include "model/vocabulary/mad_kind.h"
#include "model/vocabulary/topology.h"

namespace lab {
namespace {

using cm::mad::Frame;

// It leaves the passive side's interface.
std::optional<cm::WireRecord> Tapped(const cm::mad::Message& message) {
  Frame frame = cm::mad::VectorFrame();
  frame.mad = cm::mad::MakeMad(message, 7);
  const cm::mad::FrameBytes bytes = cm::mad::Seal(frame);
  return RecordOf({.interface = "veth1",
                   .at = cm::Instant::FromNanoseconds(5),
                   .bytes = {bytes.view().begin(), bytes.view().end()}},
                  *cm::FindTopology("one-kernel-two-devices"));
}

TEST(FrameTap, KnowsWhoHasSentAndWhat) {
  const auto rej = Tapped(cm::mad::Rej{.remote_cid = 1,
                                       .message_rejected = cm::About::kReq,
                                       .reject_info_length = 8,
                                       .reason = cm::RejReason::kTimeout});
  ASSERT_TRUE(rej);
  EXPECT_EQ(rej->at, cm::Instant::FromNanoseconds(5));
  EXPECT_EQ(rej->side, cm::kPassiveSide);
  EXPECT_EQ(rej->kind, cm::MadKind::kRej);
  EXPECT_EQ(rej->reason, cm::RejReason::kTimeout);
  EXPECT_EQ(rej->info_length, 8);
  EXPECT_TRUE(rej->unnamed);
  EXPECT_TRUE(rej->tapped);
  EXPECT_EQ(rej->private_data.size(), 148);

  const auto mra =
      Tapped(cm::mad::Mra{.local_cid = 2, .message_mraed = cm::About::kRep, .service_timeout = 20});
  ASSERT_TRUE(mra);
  EXPECT_EQ(mra->about, cm::About::kRep);
  EXPECT_EQ(mra->service_timeout, 20);
  EXPECT_FALSE(mra->unnamed);

  const auto sidr = Tapped(cm::mad::SidrRep{.request_id = 3, .status = 2});
  ASSERT_TRUE(sidr);
  EXPECT_EQ(sidr->status, cm::SidrStatus::kReject);
}

// In front of them is what RDMA CM adds to a request.
TEST(FrameTap, LeavesTheApplicationItsDataAlone) {
  cm::mad::Req req{.local_cid = 1};
  req.private_data[36] = 9;
  const auto asked = Tapped(req);
  ASSERT_TRUE(asked);
  ASSERT_EQ(asked->private_data.size(), 56);
  EXPECT_EQ(asked->private_data.bytes()[0], 9);
}

TEST(FrameTap, TakesOtherBytesAndNoOtherInterfaces) {
  const cm::Topology& topology = *cm::FindTopology("one-kernel-two-devices");
  const cm::mad::Bytes bytes = cm::mad::VectorBytes();
  EXPECT_TRUE(RecordOf({.interface = "veth0", .bytes = bytes}, topology));
  EXPECT_FALSE(RecordOf({.interface = "ifb0", .bytes = bytes}, topology));
  cm::mad::Bytes cut = bytes;
  cut.pop_back();
  const auto unreadable = RecordOf({.interface = "veth0", .bytes = cut}, topology);
  ASSERT_TRUE(unreadable);
  EXPECT_EQ(unreadable->kind, cm::MadKind::kOther);
  EXPECT_EQ(unreadable->frame, cut);
}

}  // namespace
}  // namespace lab
