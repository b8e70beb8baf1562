// Readiness of a pipe, controlled through its write end alone.
//
// The program polls the read end. It is readable while the pipe holds its one byte. The byte is
// taken out through the write end as well, so that the program holds the only read end and its
// closing can be seen.
#ifndef SIM_UAPI_LEVEL_H_
#define SIM_UAPI_LEVEL_H_

namespace cm::sim::uapi {

class Level {
 public:
  explicit Level(int write_end);  // non-blocking; takes ownership
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
