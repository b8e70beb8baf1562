#include "sim/uapi/level.h"

#include <fcntl.h>
#include <unistd.h>

#include <string>

namespace cm::sim::uapi {

Level::Level(int write_end) : write_end_(write_end) {}
Level::~Level() { close(write_end_); }

void Level::Set(bool readable) {
  if (readable == readable_) return;
  char token = 0;
  if (readable) {
    // A pipe without a reader cannot be polled; writing to it raises SIGPIPE, which owners ignore.
    readable_ = write(write_end_, &token, 1) == 1;
    return;
  }
  // source: man proc(5), /proc/[pid]/fd: opening such a link opens the pipe a second time
  const std::string path = "/proc/self/fd/" + std::to_string(write_end_);
  const int read_end = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (read_end < 0) return;
  if (read(read_end, &token, 1) == 1) readable_ = false;
  close(read_end);
}

}  // namespace cm::sim::uapi
