// Time as the model and the simulator know it: integral, virtual, in nanoseconds.
#ifndef MODEL_BASE_DURATION_H_
#define MODEL_BASE_DURATION_H_

#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace cm {

// A span of virtual time.
class Duration {
 public:
  constexpr Duration() = default;
  static constexpr Duration Nanoseconds(int64_t n) { return Duration(n); }
  static constexpr Duration Microseconds(int64_t n) { return Duration(n * 1'000); }
  static constexpr Duration Milliseconds(int64_t n) { return Duration(n * 1'000'000); }
  static constexpr Duration Seconds(int64_t n) { return Duration(n * 1'000'000'000); }
  static constexpr Duration Max() { return Duration(std::numeric_limits<int64_t>::max()); }

  constexpr int64_t nanoseconds() const { return ns_; }
  constexpr int64_t microseconds() const { return ns_ / 1'000; }
  constexpr int64_t milliseconds() const { return ns_ / 1'000'000; }

  friend constexpr auto operator<=>(Duration, Duration) = default;
  friend constexpr Duration operator+(Duration a, Duration b) { return Duration(a.ns_ + b.ns_); }
  friend constexpr Duration operator-(Duration a, Duration b) { return Duration(a.ns_ - b.ns_); }
  friend constexpr Duration operator*(Duration a, int64_t n) { return Duration(a.ns_ * n); }
  friend constexpr Duration operator/(Duration a, int64_t n) { return Duration(a.ns_ / n); }

 private:
  constexpr explicit Duration(int64_t ns) : ns_(ns) {}
  int64_t ns_ = 0;
};

// A point of virtual time; the beginning of a run is 0.
class Instant {
 public:
  constexpr Instant() = default;
  static constexpr Instant FromNanoseconds(int64_t n) { return Instant(n); }
  static constexpr Instant Never() { return Instant(std::numeric_limits<int64_t>::max()); }

  constexpr int64_t nanoseconds() const { return ns_; }

  friend constexpr auto operator<=>(Instant, Instant) = default;
  friend constexpr Instant operator+(Instant a, Duration d) {
    return Instant(a.ns_ + d.nanoseconds());
  }
  friend constexpr Duration operator-(Instant a, Instant b) {
    return Duration::Nanoseconds(a.ns_ - b.ns_);
  }

 private:
  constexpr explicit Instant(int64_t ns) : ns_(ns) {}
  int64_t ns_ = 0;
};

// "250ns", "20us", "5ms", "102s": the largest unit that keeps the number whole.
std::string ToString(Duration duration);
std::string ToString(Instant instant);

// Reads what ToString writes; empty for anything else, negative numbers included.
std::optional<Duration> ParseDuration(std::string_view text);

}  // namespace cm

#endif  // MODEL_BASE_DURATION_H_
