// Private data as text: "hello", count:20, hex:00ff, each with +N for N zero bytes after it.
#ifndef MODEL_VOCABULARY_PRIVATE_DATA_TEXT_H_
#define MODEL_VOCABULARY_PRIVATE_DATA_TEXT_H_

#include <optional>
#include <string>
#include <string_view>

#include "model/vocabulary/private_data.h"

namespace cm {

// The shortest of the three forms; printable content is quoted.
std::string ToText(const PrivateData& data);

// Reads any of the three forms; empty when the text is none of them or longer than 255 bytes.
std::optional<PrivateData> ParsePrivateData(std::string_view text);

}  // namespace cm

#endif  // MODEL_VOCABULARY_PRIVATE_DATA_TEXT_H_
