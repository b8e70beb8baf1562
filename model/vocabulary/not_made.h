// Why a line of a conversation was not carried out.
#ifndef MODEL_VOCABULARY_NOT_MADE_H_
#define MODEL_VOCABULARY_NOT_MADE_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace cm {

enum class NotMade : uint8_t {
  kNeverMade,      // it names an object that was never created
  kGone,           // it names a destroyed object, without the capability misuse
  kOfAnotherSide,  // it names an object of another process
  kLaneWaits,      // an earlier call of its lane has not returned
  kChannelInUse,   // a call waits on the channel that it destroys
  kIdInUse,        // another thread waits for the event of a call on its id
  kQueueInUse,     // another thread waits for a completion of its queue
  kWouldCrash,     // the library or the kernel would crash, without the capability crashes
  kExited,         // its process has exited
  kCrashed,        // an earlier call has crashed its process
  kContends,       // with another call that is made at the same time
  kCannotBeMade,   // the implementation lacks what it needs
};

// "never-made", as in "-> not-applicable why=never-made".
std::string_view ToString(NotMade why);
std::optional<NotMade> ParseNotMade(std::string_view name);

}  // namespace cm

#endif  // MODEL_VOCABULARY_NOT_MADE_H_
