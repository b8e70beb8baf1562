// Messages between a session and its worker processes: values without pointers.
#ifndef CONFORMANCE_ADAPTERS_DL_MESSAGES_H_
#define CONFORMANCE_ADAPTERS_DL_MESSAGES_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "model/base/duration.h"
#include "model/conversation/history.h"
#include "model/vocabulary/call.h"
#include "model/vocabulary/fault.h"
#include "model/vocabulary/names.h"

namespace cm {

enum class Asked : uint8_t {
  kStart,     // whether the library can carry out the conversation; with hooks only
  kCall,      // make `call` on `lane`
  kPick,      // which of `choices` threads is first; in virtual time, like the next two
  kBegin,     // make `call` on `lane`, without waiting
  kFinish,    // wait for the call that was begun on `lane`
  kReleased,  // the pending call of `lane` if it has returned; with hooks
  kReadable,  // whether `channel` becomes readable within `span`
  kQuiet,     // whether nothing becomes readable for `span`
  kPass,      // let `span` pass; with hooks, like those below
  kSettle,
  kInject,
  kHeal,
  kLeaks,
};

struct Request {
  Asked asked = Asked::kCall;
  uint32_t number = 0;  // repeated in the answer
  Lane lane;
  Call call;
  uint32_t choices = 0;
  ChannelRef channel;
  Duration span;
  Fault fault;
};

struct Answer {
  uint32_t number = 0;
  Lane lane;
  Instant now;              // of a library with hooks
  seen::Answered answered;  // to calls and kReleased; else blocked
  uint32_t picked = 0;      // to kPick, from 0
  bool yes = false;         // to other requests
  std::array<char, 256> text{};

  std::string_view words() const { return text.data(); }
  void SetWords(std::string_view words) {
    text = {};
    words.copy(text.data(), text.size() - 1);
  }
};

static_assert(std::is_trivially_copyable_v<Request> && std::is_trivially_copyable_v<Answer>);

// Messages over a socket that preserves their boundaries. Send returns false, and Receive empty,
// when the peer has closed it. Receiving a request blocks; receiving an answer does not.
bool Send(int to, const Request& request);
bool Send(int to, const Answer& answer);
std::optional<Request> ReceiveRequest(int from);
std::optional<Answer> ReceiveAnswer(int from);
// A text of any length, in pieces after a message with its length.
bool SendText(int to, std::string_view text);
std::optional<std::string> ReceiveText(int from);

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_DL_MESSAGES_H_
