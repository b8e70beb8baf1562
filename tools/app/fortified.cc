// A test program that is built as those of distributions are: fortified, with offsets of 64 bits.
// The headers then call other functions of the C library than the source names.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

// The headers know neither: what they call depends on it.
volatile int reads = O_RDONLY;
volatile size_t wanted = 8;

unsigned Random(int fd) {
  unsigned value = 0;
  if (read(fd, &value, sizeof value) != sizeof value) return 0;
  close(fd);
  return value;
}

// False when one of the ways does not see the device's file.
bool SeeDevice() {
  constexpr const char* kDevice = "/dev/infiniband/uverbs0";
  struct stat status {};
  bool sees = lstat(kDevice, &status) == 0 && S_ISCHR(status.st_mode);
  sees = sees && fstatat(AT_FDCWD, kDevice, &status, 0) == 0 && S_ISCHR(status.st_mode);
  sees = sees && faccessat(AT_FDCWD, kDevice, R_OK, 0) == 0;
  return sees && eaccess(kDevice, R_OK) == 0;
}

}  // namespace

int main() {
  std::printf("%u %u %u\n", Random(open("/dev/urandom", reads)),
              Random(openat(AT_FDCWD, "/dev/urandom", O_RDONLY)),
              Random(openat(AT_FDCWD, "/dev/urandom", reads)));
  std::array<char, 32> name{};
  gethostname(name.data(), wanted);
  dirent** entries = nullptr;
  const int count = scandir("/sys/class/infiniband", &entries, nullptr, alphasort);
  std::printf("%s %d %d\n", name.data(), count, static_cast<int>(SeeDevice()));
  std::array<char, 8> bytes{};
  return read(open("/dev/zero", reads), bytes.data(), wanted) == 8 ? 0 : 1;
}
