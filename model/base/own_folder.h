// A folder that nobody else has.
#ifndef MODEL_BASE_OWN_FOLDER_H_
#define MODEL_BASE_OWN_FOLDER_H_

#include <cstdlib>
#include <string>

namespace cm {

// Makes one whose path begins with `stem`, for its owner alone. -> its path; empty with an errno
// when there can be none. source: man mkdtemp(3)
inline std::string MakeOwnFolder(const std::string& stem) {
  constexpr size_t kReplaced = 6;  // characters at the end that become what nobody else has
  std::string path = stem + "." + std::string(kReplaced, 'X');
  return mkdtemp(path.data()) == nullptr ? std::string() : path;
}

}  // namespace cm

#endif  // MODEL_BASE_OWN_FOLDER_H_
