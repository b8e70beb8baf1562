// Lines of the environment: faults and their effects on what may be so.
#ifndef MODEL_ORACLE_JUDGE_ENVIRONMENT_H_
#define MODEL_ORACLE_JUDGE_ENVIRONMENT_H_

#include <cstdint>
#include <vector>

#include "model/conversation/history.h"
#include "model/oracle/judge/judge_context.h"
#include "model/oracle/judge/verdict.h"

namespace cm::model {

class Environment : JudgeBase {
 public:
  explicit Environment(JudgeContext& context) : JudgeBase(context) {}

  Verdict Line(const Record& record, const cm::Line& line);
  // Interfaces that go down or up by themselves do so until then, and neighbours that do not answer
  // fail.
  void TurnLinks(int64_t until);

 private:
  // What may become of replies from then on.
  void NoteAnswers(const cm::Line& line);
  void Inject(const Fault& fault, const Window& window);
  bool MessagesUnderWay(int64_t now) const;
  // What a fault of the side brings about at once.
  void SpreadMutes(Certainty most);
  void Unmute(uint8_t device, bool all_of_host);
  void Tell(FaultTells tells, uint8_t side, const Window& window);
  void RemoveDevice(uint8_t device, const Window& window);
  // Each id that is there and for which it holds has one more report to come.
  template <typename Holds>
  void TellIds(uint8_t IdState::*due, Span when, Holds holds);
  // The same of a change of the neighbour, for ids whose kernel follows that: `holds(info)`.
  template <typename Holds>
  void TellTrackers(Span when, Holds holds);
  void FailOver(uint8_t device, const Window& window);
  void ChangeNeighbours(const Window& window);
  void ChangeAnswers();
  void Fail(AskedNeighbour neighbour);
  void Exit(uint8_t side, const Window& window);
  void Crash(uint8_t kernel);
  void Forget(uint8_t side);

  // The message of the line is sent. tester_messages.cc
  Verdict SendByTester(uint32_t line, Span when);
  std::vector<IdRef> ConcernedBy(const TesterMessage& message) const;
  Flight FlightOf(uint16_t number, Span when) const;
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_ENVIRONMENT_H_
