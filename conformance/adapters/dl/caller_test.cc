// The calls of the library's map 1.4, which the installed library may lack, on functions of our
// own.
#include "conformance/adapters/dl/caller.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <variant>
#include <vector>

#include "model/conversation/parse.h"

namespace cm {
namespace {

using WriteCmEvent = int (*)(rdma_cm_id*, uint32_t, int, uint64_t);

std::string heard;

class LaterCalls : public testing::Test {
 protected:
  void SetUp() override {
    heard.clear();
    api_.rdma_create_event_channel = [] { return &channel; };
    api_.rdma_create_id = [](rdma_event_channel*, rdma_cm_id** made, void*, rdma_port_space) {
      *made = &id;
      return 0;
    };
    api_.rdma_resolve_addrinfo = [](rdma_cm_id*, const char* node, const char* service,
                                    const rdma_addrinfo* hints) {
      heard = std::string(node) + " " + service + (hints == nullptr ? "" : " with hints");
      return 0;
    };
    api_.rdma_query_addrinfo = [](rdma_cm_id*, rdma_addrinfo** made) {
      info.ai_flags = RAI_PASSIVE;
      info.ai_family = AF_INET;
      info.ai_qp_type = IBV_QPT_RC;
      *made = &info;
      return 0;
    };
    // A type that is no enumerator is passed, as in C.
    const auto write = [](rdma_cm_id*, uint32_t, int status, uint64_t argument) {
      heard = std::to_string(status) + " " + std::to_string(argument);
      return 0;
    };
    api_.rdma_write_cm_event =
        reinterpret_cast<decltype(api_.rdma_write_cm_event)>(static_cast<WriteCmEvent>(write));
    api_.rdma_get_cm_event = [](rdma_event_channel*, rdma_cm_event** made) {
      const uint32_t user = 18;
      const uint64_t argument = 7;
      event.id = &id;
      std::memcpy(&event.event, &user, sizeof(user));
      std::memcpy(&event.param, &argument, sizeof(argument));
      *made = &event;
      return 0;
    };
  }

  // The observations of all lines, one after another.
  std::vector<seen::Answered> Run(const std::string& lines) {
    const auto read = ParseConversation(
        "topology two-kernels\nprofile 7.2-rxe\ncapabilities later-calls\n\n"
        "active rdma_create_event_channel c\nactive rdma_create_id a on=c\n" +
        lines);
    if (const auto* problem = std::get_if<TextProblem>(&read)) ADD_FAILURE() << problem->what;
    const auto& conversation = std::get<Conversation>(read);
    Caller caller(&api_, &conversation);
    std::vector<seen::Answered> answers;
    for (const Line& line : conversation.lines) {
      const auto* const makes = std::get_if<line::Calls>(&line);
      if (makes == nullptr) continue;
      Products products;
      caller.Make(makes->call, &products);
      answers.push_back(caller.Conclude(makes->call, products));
    }
    return answers;
  }

  static inline rdma_event_channel channel{};
  static inline rdma_cm_id id{};
  static inline rdma_addrinfo info{};
  static inline rdma_cm_event event{};
  RdmaCmApi api_;
};

TEST_F(LaterCalls, ResolveTheNumericNodeAndService) {
  Run("active rdma_resolve_addrinfo a node=passive service=7471 nohints\n");
  EXPECT_EQ(heard, "10.0.1.1 7471");
}

TEST_F(LaterCalls, QueryReadsTheFields) {
  const auto output = Run("active rdma_query_addrinfo a info=i\n").back().output;
  ASSERT_TRUE(output.has_value());
  const auto& fields = std::get<AddrInfoOutput>(*output);
  EXPECT_EQ(fields.flags, uint32_t{RAI_PASSIVE});
  EXPECT_EQ(fields.family, AF_INET);
  EXPECT_EQ(fields.type, QpType::kRc);
}

TEST_F(LaterCalls, AWrittenEventHasItsArgument) {
  const auto answers =
      Run("active rdma_write_cm_event a status=3 argument=0x7\nactive rdma_get_cm_event c as=e\n");
  EXPECT_EQ(heard, "3 7");
  ASSERT_TRUE(answers.back().event.has_value());
  EXPECT_EQ(answers.back().event->type, EventType::kUser);
  EXPECT_EQ(answers.back().event->argument, 7U);
}

}  // namespace
}  // namespace cm
