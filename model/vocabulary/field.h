// Descriptions of the parts of a value, as data, for reading, printing, hashing and renaming. A row
// of fields is a std::tuple of Field.
#ifndef MODEL_VOCABULARY_FIELD_H_
#define MODEL_VOCABULARY_FIELD_H_

#include <cstdint>
#include <string_view>
#include <tuple>

namespace cm {

// The effect of a call on the object of a name.
enum class NameUse : uint8_t { kNone, kMakes, kUses, kFrees };

struct FieldInfo {
  std::string_view key;   // "backlog" in backlog=8; without one the word is positional
  std::string_view noun;  // of a name: its kind, "an id"
  NameUse use = NameUse::kNone;
  bool needed = false;        // has no default: a text without it is refused
  bool always = false;        // is printed even if it has its default
  bool or_null = false;       // of a name: "null" is a null pointer
  bool derived = false;       // of a name: without the word it follows from that of the event
  bool inverted = false;      // of a flag: the word says false
  bool remote = false;        // of a name: the peer may have created it
  bool hidden = false;        // is hashed, and has no text
  bool without_port = false;  // of an address
  bool hexadecimal = false;
  bool one_piece = false;      // of a list of pieces: exactly one
  bool hashed_if_set = false;  // adds nothing to a digest while it is empty
  int64_t low = 0;             // a number's bounds, where they are narrower than its type's
  int64_t high = 0;            // 0: those of its type
  std::string_view says;       // for the manual of the language; empty where the key is enough
};

template <typename Owner, typename Member>
struct Field {
  FieldInfo info;
  Member Owner::*member;

  // The same field with another property; can be chained.
  constexpr Field Needed() const {
    return With([](FieldInfo* i) { i->needed = true; });
  }
  constexpr Field Always() const {
    return With([](FieldInfo* i) { i->always = true; });
  }
  constexpr Field OrNull() const {
    return With([](FieldInfo* i) { i->or_null = true; });
  }
  constexpr Field Derived() const {
    return With([](FieldInfo* i) { i->derived = true; });
  }
  constexpr Field Inverted() const {
    return With([](FieldInfo* i) { i->inverted = true; });
  }
  constexpr Field WithoutPort() const {
    return With([](FieldInfo* i) { i->without_port = true; });
  }
  constexpr Field Hexadecimal() const {
    return With([](FieldInfo* i) { i->hexadecimal = true; });
  }
  constexpr Field OnePiece() const {
    return With([](FieldInfo* i) { i->one_piece = true; });
  }
  constexpr Field HashedIfSet() const {
    return With([](FieldInfo* i) { i->hashed_if_set = true; });
  }
  constexpr Field Within(int64_t low, int64_t high) const {
    return With([=](FieldInfo* i) { i->low = low, i->high = high; });
  }
  constexpr Field Named(std::string_view key) const {
    return With([=](FieldInfo* i) { i->key = key; });
  }
  constexpr Field Says(std::string_view what) const {
    return With([=](FieldInfo* i) { i->says = what; });
  }

 private:
  template <typename Change>
  constexpr Field With(Change change) const {
    Field changed = *this;
    change(&changed.info);
    return changed;
  }
};

// A word key=value.
template <typename Owner, typename Member>
constexpr Field<Owner, Member> Key(std::string_view key, Member Owner::*member) {
  return {{.key = key}, member};
}
// A positional word: a value that every call has, before all keys.
template <typename Owner, typename Member>
constexpr Field<Owner, Member> Word(std::string_view noun, Member Owner::*member) {
  return {{.noun = noun, .needed = true}, member};
}
// The name of an object that the call creates, uses, or frees.
template <typename Owner, typename Member>
constexpr Field<Owner, Member> Makes(std::string_view noun, Member Owner::*member) {
  return {{.noun = noun, .use = NameUse::kMakes, .needed = true}, member};
}
template <typename Owner, typename Member>
constexpr Field<Owner, Member> Uses(std::string_view noun, Member Owner::*member) {
  return {{.noun = noun, .use = NameUse::kUses, .needed = true}, member};
}
template <typename Owner, typename Member>
constexpr Field<Owner, Member> Frees(std::string_view noun, Member Owner::*member) {
  return {{.noun = noun, .use = NameUse::kFrees, .needed = true}, member};
}
// Hashed, and not printed.
template <typename Owner, typename Member>
constexpr Field<Owner, Member> Hidden(Member Owner::*member) {
  return {{.hidden = true}, member};
}

// Calls visit(field) for each field of a row, in order.
template <typename Row, typename Visit>
constexpr void ForEachField(const Row& row, Visit visit) {
  std::apply([&](const auto&... field) { (visit(field), ...); }, row);
}

}  // namespace cm

#endif  // MODEL_VOCABULARY_FIELD_H_
