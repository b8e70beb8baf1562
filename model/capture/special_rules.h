// Rules about the fields of a message that rows cannot express.
#ifndef MODEL_CAPTURE_SPECIAL_RULES_H_
#define MODEL_CAPTURE_SPECIAL_RULES_H_

#include <optional>
#include <span>

#include "model/capture/captured_message.h"
#include "model/capture/relations.h"
#include "model/capture/sender_fingerprint.h"

namespace cm::wire {

// The first that the message violates: addresses, the RDMA CM header, the situations of a REJ, and
// for known senders values that are computed from other fields.
std::optional<Violation> FirstBrokenRule(const CapturedMessage& sighting, bool active,
                                         std::span<const Spoken> before,
                                         const SenderFingerprint& sender);

}  // namespace cm::wire

#endif  // MODEL_CAPTURE_SPECIAL_RULES_H_
