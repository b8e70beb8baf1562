// What the mutated copy of a source is compiled with: each of its mutants is a place that asks
// whether it is switched on.
//
// 1. At most one mutant of the program is on at a time; at the start none is.
// 2. A program's mutants are numbered from 1, by the names of their files and in a file by their
//    place. Within a file the number of a mutant depends on that file alone.
// 3. Switching is not synchronised: a program switches before it starts threads.
#ifndef TOOLS_MUTANTS_SWITCH_H_
#define TOOLS_MUTANTS_SWITCH_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace cm::mutant {

enum class Kind : uint8_t {
  kCondition,  // a condition is negated
  kStatement,  // a statement is left out
  kConstant,   // a constant or an enumerator is replaced by another one of its type
  kOffByOne,   // a number is one too large, a comparison includes its bound or excludes it
  kReturn,     // a function returns before a statement
};
inline constexpr Kind kKinds[] = {Kind::kCondition, Kind::kStatement, Kind::kConstant,
                                  Kind::kOffByOne, Kind::kReturn};
std::string_view ToString(Kind kind);

// One mutant, as the mutated copy of its source describes it.
struct Row {
  int line = 0;
  std::string_view function;
  Kind kind = Kind::kCondition;
  std::string_view before;
  std::string_view after;
};

// The mutants of one source. Each mutated copy has one, with static storage.
class File {
 public:
  // Both must live as long as the program.
  File(std::string_view name, std::span<const Row> rows);
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::string_view name() const { return name_; }
  std::span<const Row> rows() const { return rows_; }
  // Whether the place of the mutant that is on has been executed since it was switched on.
  bool reached() const { return reached_; }
  // Switches on the mutant of that number in this file, from 1; 0 switches off.
  void Choose(int number) {
    chosen_ = number;
    reached_ = false;
  }

  // What the mutated copies call.
  bool Is(int number) {
    if (number != chosen_) [[likely]]
      return false;
    reached_ = true;
    return true;
  }
  template <typename T>
  T Swap(int number, T value, std::type_identity_t<T> other) {
    return Is(number) ? other : value;
  }
  template <typename A, typename B>
  bool Less(int number, const A& a, const B& b) {
    return Is(number) ? a <= b : a < b;
  }
  template <typename A, typename B>
  bool LessEqual(int number, const A& a, const B& b) {
    return Is(number) ? a < b : a <= b;
  }
  template <typename A, typename B>
  bool Greater(int number, const A& a, const B& b) {
    return Is(number) ? a >= b : a > b;
  }
  template <typename A, typename B>
  bool GreaterEqual(int number, const A& a, const B& b) {
    return Is(number) ? a > b : a >= b;
  }

 private:
  int chosen_ = 0;
  bool reached_ = false;
  std::string_view name_;
  std::span<const Row> rows_;
};

// A mutant of the program.
struct Mutant {
  int number = 0;
  std::string_view file;
  const Row* row = nullptr;
};

// All mutants of the program in the order of their numbers: the first has the number 1, and no
// number is left out.
std::vector<Mutant> Mutants();
// Switches on the mutant of that number and every other one off; 0 switches all of them off. False
// when there is no such mutant: then all are off.
bool SwitchOn(int number);
// Whether the place of the mutant that is on has been executed since it was switched on.
bool Reached();

}  // namespace cm::mutant

#endif  // TOOLS_MUTANTS_SWITCH_H_
