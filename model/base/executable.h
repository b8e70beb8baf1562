// What kind of file a program is.
#ifndef MODEL_BASE_EXECUTABLE_H_
#define MODEL_BASE_EXECUTABLE_H_

#include <elf.h>
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstring>

namespace cm {

// True for a program that loads no shared objects: its header names no interpreter. False for
// scripts, and where it cannot be read. Allocates nothing, as the child of vfork must not.
// source: man elf(5)
inline bool IsStatic(const char* program) {
  const int fd = open(program, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  Elf64_Ehdr header{};
  bool whole = read(fd, &header, sizeof header) == ssize_t{sizeof header} &&
               std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0;
  bool interpreted = false;
  Elf64_Phdr segment{};
  for (int i = 0; whole && i < header.e_phnum; ++i) {
    const auto at = static_cast<off_t>(header.e_phoff + i * sizeof segment);
    whole = pread(fd, &segment, sizeof segment, at) == ssize_t{sizeof segment};
    interpreted = interpreted || segment.p_type == PT_INTERP;
  }
  close(fd);
  return whole && !interpreted;
}

}  // namespace cm

#endif  // MODEL_BASE_EXECUTABLE_H_
