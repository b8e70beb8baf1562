// Whether a pipe is readable, kept by who has its write end alone.
//
// The program polls the read end. It is readable while the pipe holds its one byte; taking the byte
// out again is done through the write end, too, so that the last read end is the program's, and its
// end can be seen.
#ifndef SIM_UAPI_LEVEL_H_
#define SIM_UAPI_LEVEL_H_

namespace cm::sim::uapi {

class Level {
 public:
  explicit Level(int write_end);  // non-blocking; which it closes
  ~Level();
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

  void Set(bool readable);

 private:
  int write_end_;
  bool readable_ = false;
};

}  // namespace cm::sim::uapi

#endif  // SIM_UAPI_LEVEL_H_
