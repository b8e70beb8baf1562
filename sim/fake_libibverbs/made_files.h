// Files of the system that a program finds with content of its own: random numbers by the seed, and
// the time since its host was started.
#ifndef SIM_FAKE_LIBIBVERBS_MADE_FILES_H_
#define SIM_FAKE_LIBIBVERBS_MADE_FILES_H_

namespace cm::sim::fake_libibverbs {

// True for /dev/random, /dev/urandom and the files of /proc that name random numbers or the time,
// where these are simulated.
__attribute__((weak)) bool IsMadeFile(const char* path);
// A descriptor with the file's content, of random numbers a megabyte, or -1 and errno. `flags` are
// those of open. Both are null in objects that leave these files as they are.
__attribute__((weak)) int OpenMadeFile(const char* path, int flags);

inline bool IsMade(const char* path) { return IsMadeFile != nullptr && IsMadeFile(path); }

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_MADE_FILES_H_
