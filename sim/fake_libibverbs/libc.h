// The functions of the C library that the fake libibverbs replaces.
#ifndef SIM_FAKE_LIBIBVERBS_LIBC_H_
#define SIM_FAKE_LIBIBVERBS_LIBC_H_

#include <poll.h>
#include <sys/types.h>

#include <array>
#include <bit>

struct stat;

namespace cm::sim::fake_libibverbs {

struct Libc {
  int (*open)(const char*, int, ...);
  int (*openat)(int, const char*, int, ...);
  int (*fstat)(int, struct stat*);
  ssize_t (*read)(int, void*, size_t);
  ssize_t (*write)(int, const void*, size_t);
  int (*close)(int);
  int (*poll)(pollfd*, nfds_t, int);
};

const Libc& RealLibc();

// Descriptors below 65536 that are not the program's: to it they are not open, also when it closes
// one after the other.
void KeepFromProgram(int fd, bool keep);
bool IsKeptFromProgram(int fd);

// A system call, without the C library's function for it, which the object for programs replaces.
// Returns -1 and errno where it fails. Calls nothing else.
long SystemCall(long number, const std::array<long, 6>& arguments);

inline long AsNumber(const void* pointer) { return std::bit_cast<long>(pointer); }

// The next definition after the fake libibverbs's in search order; null when there is none.
void* NextDefinition(const char* name);

template <typename Function>
Function* Next(const char* name, Function* /*for its type*/) {
  return reinterpret_cast<Function*>(NextDefinition(name));
}

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_LIBC_H_
