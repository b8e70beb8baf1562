// What a call does besides answering, and what the library does when it fetches an event. The
// oracle has an action for each (model/oracle/machine/effects.cc).
#ifndef MODEL_CM_ID_EFFECT_H_
#define MODEL_CM_ID_EFFECT_H_

#include <array>
#include <cstdint>
#include <string_view>

namespace cm::model {

// Every effect: enumerator, and what it is.
// clang-format off
#define CM_MODEL_EFFECTS(X) \
  X(kNone, "") \
  X(kBindsAddress, "takes address and port") \
  X(kBindsAny, "takes 0.0.0.0 and an ephemeral port") \
  X(kBindsSource, "takes the source address and a port") \
  X(kSetsDestination, "remembers the destination") \
  X(kClearsDestination, "forgets the destination, where the dialect has it so") \
  X(kMeetsInterface, "the interface sticks") \
  X(kSetsBacklog, "sets the backlog") \
  X(kStartsAddress, "starts address resolution") \
  X(kStartsRoute, "starts route resolution") \
  X(kQpCreated, "QP in INIT") \
  X(kQpDestroyed, "QP destroyed") \
  X(kQpUp, "QP to RTS") \
  X(kQpHalfUp, "QP to RTR") \
  X(kQpError, "QP to ERR") \
  X(kSendsReq, "sends REQ") \
  X(kSendsRep, "sends REP") \
  X(kSendsRtu, "sends RTU") \
  X(kSendsRej, "sends REJ") \
  X(kRejects, "rejects what there is to reject") \
  X(kSendsDreq, "sends DREQ") \
  X(kSendsDrep, "sends DREP") \
  X(kEndsUnsaid, "can send neither DREQ nor DREP") \
  X(kGivesUp, "can send no REJ") \
  X(kDatagramQpCreated, "QP in RTS") \
  X(kSendsSidrReq, "sends SIDR_REQ") \
  X(kAnswersSidr, "sends SIDR_REP with the service") \
  X(kRefusesSidr, "sends SIDR_REP without the service") \
  X(kDestroys, "destroys the kernel's id") \
  X(kEstablishes, "the connection stands") \
  X(kMigratesPath, "the empty alternate path takes over") \
  X(kSetsEce, "keeps the options for the next message") \
  X(kSharesPort, "shares its port with those that do") \
  X(kSharesPortNoMore, "no longer shares its port with later ids") \
  X(kLimitsFamily, "limits a wildcard to its address family, or not") \
  X(kSetsTimeout, "the route that is resolved next takes its packet lifetime from it") \
  X(kSetsPath, "the path is the application's; reports ROUTE_RESOLVED") \
  X(kMovesEvents, "moves the id and its unread events to the end of the channel") \
  X(kJoinsGroup, "joins the group") \
  X(kJoinsInVain, "joins, and cannot say where the group is") \
  X(kLeavesGroup, "leaves the group, and drops its unfetched events") \
  X(kForgetsGroup, "the library forgets the group") \
  X(kLooksUp, "what is found waits; queues INTERNAL") \
  X(kHandsInfo, "what was found is the caller's") \
  X(kForgetsInfo, "another may be looked up") \
  X(kWritesEvent, "queues USER at the end of the id's channel") \
  X(kCloses, "closes the connection") \
  X(kEndsLater, "closes the connection as soon as it is answered")
// clang-format on

#define CM_MODEL_ENUMERATOR(effect, name) effect,
enum class Effect : uint8_t { CM_MODEL_EFFECTS(CM_MODEL_ENUMERATOR) };
#undef CM_MODEL_ENUMERATOR

#define CM_MODEL_NAME(effect, name) name,
// By value.
inline constexpr auto kEffectNames =
    std::to_array<std::string_view>({CM_MODEL_EFFECTS(CM_MODEL_NAME)});
#undef CM_MODEL_NAME
inline constexpr int kEffectCount = kEffectNames.size();

constexpr std::string_view ToString(Effect effect) {
  return kEffectNames[static_cast<size_t>(effect)];
}

using Effects = std::array<Effect, 3>;

}  // namespace cm::model

#endif  // MODEL_CM_ID_EFFECT_H_
