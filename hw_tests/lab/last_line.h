// What a program said last, for messages of one line.
#ifndef HW_TESTS_LAB_LAST_LINE_H_
#define HW_TESTS_LAB_LAST_LINE_H_

#include <string>
#include <string_view>

namespace lab {

// The last line that is not empty, without what ends it; empty where there is none.
inline std::string LastLine(std::string_view text) {
  const size_t end = text.find_last_not_of(" \r\n");
  if (end == std::string_view::npos) return "";
  const size_t before = text.find_last_of('\n', end);
  const size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return std::string(text.substr(begin, end + 1 - begin));
}

}  // namespace lab

#endif  // HW_TESTS_LAB_LAST_LINE_H_
