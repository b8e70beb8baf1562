// Random numbers of a program: by the seed, and its own.
#ifndef SIM_FAKE_LIBIBVERBS_RANDOM_H_
#define SIM_FAKE_LIBIBVERBS_RANDOM_H_

namespace cm::sim::fake_libibverbs {

// True for the files of the system's random numbers, where they are those of a seed.
__attribute__((weak)) bool IsRandomFile(const char* path);
// A descriptor with a megabyte of them, or -1 and errno. `flags` are those of open. Both are null
// in objects that leave random numbers as they are.
__attribute__((weak)) int OpenRandomFile(int flags);

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_RANDOM_H_
