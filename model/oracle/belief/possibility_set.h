// Sets of possibilities: those that behave alike are stored once.
#ifndef MODEL_ORACLE_BELIEF_POSSIBILITY_SET_H_
#define MODEL_ORACLE_BELIEF_POSSIBILITY_SET_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "model/catalogue/catalogue.h"
#include "model/oracle/belief/state.h"

namespace cm::model {

// The same but for times and rows.
bool SameBehaviour(const Possibility& a, const Possibility& b);
uint64_t HashOf(const Possibility& p);
// How many messages each counted rule has hit at least, in all of them; none of no possibility.
Hits CertainHits(const std::vector<Possibility>& all);

// Possibilities without doubles.
class PossibilitySet {
 public:
  const std::vector<Possibility>& items() const { return items_; }
  // To change them: afterwards there may be doubles.
  std::vector<Possibility>& mutable_items() {
    has_doubles_ = true;
    return items_;
  }
  bool may_have_doubles() const { return has_doubles_; }
  // The rows that every one has used and that have not been taken yet; adds all rows to `reached`.
  RuleBits TakeCertain(RuleBits* reached);
  size_t size() const { return items_.size(); }
  // Keeps those for whose index `stays` is true.
  template <typename Stays>
  void Keep(Stays stays) {
    PossibilitySet kept;
    for (size_t i = 0; i < items_.size(); ++i)
      if (stays(i)) kept.Add(std::move(items_[i]));
    *this = std::move(kept);
  }
  // Keeps every second one until there are no more than `most`.
  void Thin(size_t most) {
    while (size() > most) Keep([](size_t i) { return i % 2 == 0; });
  }
  bool Has(const Possibility& p) const { return Find(p, HashOf(p)) != items_.size(); }
  bool empty() const { return items_.empty(); }
  void clear();
  // Room for so many.
  void Reserve(size_t count) {
    items_.reserve(count);
    hashes_.reserve(count);
  }

  enum class Added : uint8_t { kNew, kWidened, kKnown };
  // Adds, or widens the times of the one that it equals; its index. It takes the place of one that
  // is overdue, as far as known, where it is later.
  std::pair<Added, size_t> Add(Possibility p, std::vector<bool>* overdue = nullptr);

 private:
  // Where the one that `p` equals stands, or how many there are.
  size_t Find(const Possibility& p, uint64_t hash) const;
  void NoteLast();
  size_t PlaceOf(uint64_t hash) const { return (hash >> 32) & (index_.size() - 1); }
  size_t NextPlace(size_t place) const { return (place + 1) & (index_.size() - 1); }

  std::vector<Possibility> items_;
  std::vector<uint64_t> hashes_;
  // Of many: which stands there, by hash; where that is taken, further on. Half of it is free.
  std::vector<uint32_t> index_;
  bool has_doubles_ = false;
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_BELIEF_POSSIBILITY_SET_H_
