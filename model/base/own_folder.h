// Creation of private folders.
#ifndef MODEL_BASE_OWN_FOLDER_H_
#define MODEL_BASE_OWN_FOLDER_H_

#include <cstdlib>
#include <string>

namespace cm {

// Creates a folder whose path begins with `stem`, with access for its owner alone. Returns its
// path, or an empty path and errno on failure. source: man mkdtemp(3)
inline std::string MakeOwnFolder(const std::string& stem) {
  constexpr size_t kReplaced = 6;  // characters at the end that mkdtemp replaces
  std::string path = stem + "." + std::string(kReplaced, 'X');
  return mkdtemp(path.data()) == nullptr ? std::string() : path;
}

}  // namespace cm

#endif  // MODEL_BASE_OWN_FOLDER_H_
