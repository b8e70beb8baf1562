// Groups of ids that can influence one another, with what may be so of each.
#ifndef MODEL_ORACLE_JUDGE_COMPONENTS_H_
#define MODEL_ORACLE_JUDGE_COMPONENTS_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "model/oracle/belief/conversation_facts.h"
#include "model/oracle/belief/possibility_set.h"

namespace cm::model {

class Components {
 public:
  using Number = uint32_t;

  // The facts outlive it.
  explicit Components(ConversationFacts& facts) : facts_(facts) {}
  Components(const Components&) = delete;
  // What another has of a copy of the facts.
  Components& operator=(const Components& other);

  // Ids. A new id is a component of its own; a request belongs to that of its listener.
  void Add(IdRef id);
  void AddRequest(IdRef listener, IdRef request) { Of(listener).ids.push_back(request); }
  // The id, and all that it can influence, are not judged any more.
  void MarkOutOfScope(IdRef id);
  void MarkOutOfScope(Number number);
  // None of an id that is not judged.
  const std::vector<Possibility>& PossibilitiesOf(IdRef id) const;
  const ConversationFacts& facts() const { return facts_; }
  // What may be so of the component; nothing of one that is not there.
  const PossibilitySet& Peek(Number number) const;
  // The same, to change it.
  PossibilitySet& SetOf(Number number) {
    Component& component = components_[number];
    component.changed = true;
    component.followed = 0;
    return component.set;
  }
  void Put(Number number, PossibilitySet set) {
    SetOf(number) = std::move(set);
    NoteSize(number);
    ForgetFollowed();
  }
  // Hidden steps of the component were followed until then, and nothing was judged since: copies of
  // the oracle need not do it again.
  void NoteFollowed(Number number, int64_t until) {
    followed_until_ = until;
    components_[number].followed = followed_;
  }
  bool IsFollowed(Number number, int64_t until) const {
    const auto found = components_.find(number);
    return found != components_.end() && found->second.followed == followed_ &&
           followed_until_ == until;
  }
  void ForgetFollowed() { ++followed_; }
  void NoteSize(Number number) { largest_ = std::max(largest_, components_[number].set.size()); }
  const std::vector<IdRef>& IdsOf(Number number) { return components_[number].ids; }
  Number NumberOf(IdRef id) const { return facts_.id(id).component; }
  std::vector<Number> All() const;
  bool Has(Number number) const { return components_.contains(number); }
  // Those with an id, or a request that was left, on the channel.
  std::vector<Number> On(ChannelRef channel) const;

  // Joining and parting: the sender of a request with the owners of its port, the owner of a port
  // with those that ask for it, and those that may find one another's queue pair in use.
  void Merge(IdRef a, IdRef b);
  void MergeForRequest(IdRef id);
  // The senders of requests that may reach an owner of their port again, because the id that they
  // have reached has ended, or may end: those of all components.
  void JoinAllAsked();
  // A counted fault hits so many messages in the whole conversation: what others' messages have
  // taken of it for certain is not left for those of the component. False where nothing else
  // explains what was seen of these.
  bool CountHitsElsewhere(Number number);
  // What happens until then is judged next: what may end by then is not parted from those that it
  // would no longer answer.
  void LookAhead(int64_t until);
  void MergeForService(IdRef id, uint16_t port);
  void MergeForQp(IdRef id);
  // One id of each component with one that asks for the port, in the port space and at the kernel
  // of the id.
  std::vector<IdRef> AskersOf(IdRef id, uint16_t port) const;
  // One id of each component in which the number of the id's queue pair may be in use.
  std::vector<IdRef> SharersOfQp(IdRef id) const;

  // Crowds (crowds.cc): each that asks a listener is judged apart from it, and what its request has
  // met there is left open until something shows it.
  //
  // Those that ask the listener are judged together with it from now on.
  void JudgeTogether(IdRef listener);
  void JudgeAllTogether();
  // A call on the id is judged: with those that ask it, and over iWARP with whom it asks.
  void PrepareCall(IdRef id);
  // Rules that lose messages end: which they have lost by then is left open.
  void LeaveOpenUntil(int64_t until);
  // Whether the request of one that is judged apart may be in the queue, or come there.
  bool AsksApart(IdRef id) const;
  // Those whose requests may be in its queue, or come there.
  std::vector<IdRef> AskingApart(IdRef listener) const;
  // The listeners on the channel that have such.
  std::vector<IdRef> CrowdsOn(ChannelRef channel) const;
  // What they have asked with, and whom: equal for those that look the same.
  struct Asked {
    IdRef listener;
    uint16_t payload = kNoPayload;
    bool answers = false;  // it is an id that such a request has made
    friend bool operator==(const Asked&, const Asked&) = default;
  };
  Asked AskedBy(IdRef id) const;
  // The two change places in what may be so of them.
  void Exchange(IdRef a, IdRef b);
  // Counts them, and notes when they were too many for its queue.
  void CountAsking(IdRef listener);

  // The listener has a crowd, and no other named id is in its component.
  bool IsAloneButForCrowd(IdRef listener);
  // The other components with ids that are judged apart from it.
  std::vector<Number> ApartFrom(IdRef listener) const;
  // Joins the asker with a copy of its listener and calls `use(number of that component)`, which
  // takes the listener out of every possibility unless it fails. The listener's own component stays
  // as it was.
  template <typename Use>
  bool WithCopyOf(IdRef listener, IdRef asker, Use use) {
    const Number own = NumberOf(listener);
    const Component copy = components_[own];
    Merge(asker, listener);
    const bool fine = use(NumberOf(asker));
    std::erase(Of(asker).ids, listener);
    facts_.id(listener).component = own;
    components_[own] = copy;
    return fine;
  }
  // None asks the listener apart from it any more.
  void EndCrowd(IdRef listener);

  // Parts the component where nothing couples its ids any more, if its set is the product of its
  // parts.
  void Split(Number number);

  // Whether it may be so of the id.
  template <typename Is>
  bool MayBe(IdRef id, Is is) const {
    return std::ranges::any_of(PossibilitiesOf(id), [&](const Possibility& p) {
      const uint8_t at = p.Find(id);
      return at != kNoId && is(p.ids[at]);
    });
  }
  // One id of each component in which it may be so; `is(possibility)`.
  template <typename Is>
  std::vector<IdRef> WhereMayBe(Is is) const {
    std::vector<IdRef> found;
    for (const auto& [number, component] : components_)
      if (!component.ids.empty() && std::ranges::any_of(component.set.items(), is))
        found.push_back(component.ids.front());
    return found;
  }

  // The largest number of possibilities of a component so far.
  size_t largest() const { return largest_; }
  // Of each of its ids so much may be so that not all is followed, also in what they are joined to.
  bool IsLazy(Number number) const;
  // False where that is so already.
  bool MakeLazy(Number number) { return MakeLazy(components_[number].ids); }

 private:
  // Judges it apart from the one owner that it asks, if that has a crowd.
  bool PutApart(IdRef id, const std::vector<IdRef>& owners);
  bool MayStandApart(IdRef id) const;
  // Parts so many that ask a listener from it.
  void FormCrowd(IdRef listener);
  // The same of those that have changed since, where no time has passed.
  void JoinChanged();
  // Those of one; the number that its ids have then.
  Number JoinAsked(Number number);

  struct Component {
    PossibilitySet set;
    std::vector<IdRef> ids;  // the named ones
    bool changed = true;     // since its senders were joined
    uint32_t followed = 0;   // equals that of all components: nothing was judged since
    Hits elsewhere{};        // of the hits in each possibility, those that are of other components
  };
  bool MakeLazy(const std::vector<IdRef>& ids);
  // Drops possibilities of two components that are too many to be joined.
  void Thin(Component* one, Component* other);
  static Hits Sum(Hits a, const Hits& b);
  // What its own messages have taken for certain.
  static Hits OwnHits(const Component& component);
  Hits HitsExcept(Number a, Number b) const;

  Component& Of(IdRef id) { return components_[NumberOf(id)]; }

  ConversationFacts& facts_;
  std::map<Number, Component> components_;
  Number next_ = 0;
  Span look_ahead_;     // from what was judged last
  Hits hits_before_{};  // those that were certain when components were parted, or ended
  uint32_t followed_ = 1;
  int64_t followed_until_ = 0;
  size_t largest_ = 0;
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_COMPONENTS_H_
