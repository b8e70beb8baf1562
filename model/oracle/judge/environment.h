// Lines of the environment: faults and their effects on what may be so.
#ifndef MODEL_ORACLE_JUDGE_ENVIRONMENT_H_
#define MODEL_ORACLE_JUDGE_ENVIRONMENT_H_

#include <cstdint>

#include "model/conversation/history.h"
#include "model/oracle/judge/judge_context.h"
#include "model/oracle/judge/tester_messages.h"
#include "model/oracle/judge/verdict.h"

namespace cm::model {

class Environment : JudgeBase {
 public:
  explicit Environment(JudgeContext& context) : JudgeBase(context), tester_(context) {}

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
  void MeetNeighbour(IdState* id, uint8_t device, const Window& window) const;
  void FailOver(uint8_t device, const Window& window);
  void ChangeNeighbours(const Window& window);
  void ChangeAnswers();
  void Fail(AskedNeighbour neighbour);
  void Exit(uint8_t side, const Window& window);
  void Crash(uint8_t kernel);
  void Forget(uint8_t side);

  TesterMessages tester_;
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_ENVIRONMENT_H_
