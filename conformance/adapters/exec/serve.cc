#include "conformance/adapters/exec/serve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/driver/perform.h"
#include "conformance/runner/campaign.h"
#include "model/conversation/parse.h"
#include "model/conversation/print.h"
#include "model/conversation/words.h"

namespace cm {
namespace {

// The text of a line as a request: concurrent calls are marked by `together`.
std::string RequestOf(Line line, const Conversation& conversation) {
  if (auto* calls = std::get_if<line::Calls>(&line)) calls->meanwhile = false;
  return ToString(line, conversation);
}

// As a line may say it.
std::string InAscii(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

class ConversationServer {
 public:
  ConversationServer(Implementation& implementation, const Greeting& greeting, std::FILE* input,
                     std::FILE* output)
      : implementation_(implementation), greeting_(greeting), input_(input), output_(output) {}
  ~ConversationServer() { std::free(buffer_); }
  ConversationServer(const ConversationServer&) = delete;
  ConversationServer& operator=(const ConversationServer&) = delete;

  bool Read(std::string* line) {
    const ssize_t size = getline(&buffer_, &capacity_, input_);
    if (size <= 0) return false;
    *line = std::string(buffer_, static_cast<size_t>(size));
    while (line->ends_with('\n') || line->ends_with('\r')) line->pop_back();
    return true;
  }

  bool Serve() {
    Write(ToText(greeting_));
    for (std::string line; std::fflush(output_) == 0 && !spoiled_ && Read(&line);) Take(line);
    return std::ferror(output_) == 0;
  }

 private:
  void Write(const std::string& text) { std::fputs(text.c_str(), output_); }
  void Answer(std::string_view text) { Write(fmt::format("{}{}\n", Time(), text)); }
  void Refuse(std::string_view why) { Write(fmt::format("error {}\n", why)); }
  std::string Time() {
    if (greeting_.clock == Clock::kSuite) return {};
    Instant now = session_ == nullptr ? Instant() : session_->driver().Now();
    // Times never go back, though a kernel's clock may: one that was held up, as a virtual machine
    // on a busy host.
    if (now < last_) went_back_ = std::max(went_back_, last_ - now);
    now = last_ = std::max(last_, now);
    return ToString(now) + " ";
  }

  void Take(const std::string& line) {
    Words words(line);
    const std::string_view first = words.Next("a word");
    if (session_ == nullptr) {
      if (first == "begin") return Begin();
      text_ += line + "\n";  // of the conversation; `begin` says what is wrong with it
      return;
    }
    if (first == "end") return End();
    if (first == "returned") return Returned(words.Next("a lane"));
    if (first == "together") return Together(words);
    const Line* const found = AgainOrNext(line);
    if (found == nullptr) return Refuse(Unexpected(line));
    Report(CarryOut(*found, *session_), *found);
  }

  void Begin() {
    auto parsed = ParseConversation(std::exchange(text_, {}));
    if (const auto* problem = std::get_if<TextProblem>(&parsed))
      return Refuse(fmt::format("line {} of the conversation: {}", problem->line, problem->what));
    conversation_ = std::get<Conversation>(std::move(parsed));
    next_ = 0;
    pending_.clear();
    last_ = {};
    went_back_ = {};
    std::unique_ptr<Session> session = implementation_.Start(conversation_);
    const std::string why = WhyUnsupported(implementation_, *session, conversation_);
    if (!why.empty()) return Answer("unsupported " + why);
    session_ = std::move(session);
    Answer("begun");
  }

  void End() {
    const std::string leaks = session_->Leaks();
    if (went_back_ > Duration())
      Answer(fmt::format("inconclusive the clock went back by {}", ToString(went_back_)));
    else if (const std::string why = InAscii(session_->Inconclusive()); !why.empty())
      Answer("inconclusive " + why);
    else
      Answer(leaks.empty() ? "ended" : "leaks " + leaks);
    session_.reset();
    spoiled_ = !implementation_.Spoiled().empty();
  }

  // A side of several is asked to settle until all have.
  const Line* AgainOrNext(std::string_view text) {
    if (next_ == 0) return Find(text);
    const Line& last = conversation_.lines[next_ - 1];
    const bool again =
        std::holds_alternative<line::Settles>(last) && text == RequestOf(last, conversation_);
    return again ? &last : Find(text);
  }

  // The next line with this text; those before it are left out. Null when there is none.
  const Line* Find(std::string_view text) {
    for (size_t i = next_; i < conversation_.lines.size(); ++i) {
      if (RequestOf(conversation_.lines[i], conversation_) != text) continue;
      next_ = i + 1;
      return &conversation_.lines[i];
    }
    return nullptr;
  }

  std::string Unexpected(std::string_view line) const {
    if (next_ == conversation_.lines.size())
      return fmt::format("\"{}\": the conversation is over, `end` is wanted", line);
    return fmt::format("\"{}\" is none of the lines from \"{}\" on", line,
                       RequestOf(conversation_.lines[next_], conversation_));
  }

  void Together(Words& words) {
    const auto count = static_cast<size_t>(std::atoi(std::string(words.Next("a number")).c_str()));
    std::vector<Submission> all;
    std::vector<const Line*> lines;
    for (std::string line; all.size() < count && Read(&line);) {
      const Line* const found = Find(line);
      const auto* const calls = found == nullptr ? nullptr : std::get_if<line::Calls>(found);
      if (calls == nullptr) return Refuse(Unexpected(line));
      all.push_back({calls->lane, calls->call});
      lines.push_back(found);
    }
    if (all.empty()) return Refuse("together: the number of the lines that follow is wanted");
    std::vector<seen::Answered> answers = session_->driver().SubmitTogether(all);
    for (size_t i = 0; i < answers.size(); ++i) Report(std::move(answers[i]), *lines[i]);
  }

  void Returned(std::string_view name) {
    for (size_t i = 0; i < pending_.size(); ++i) {
      const auto& calls = std::get<line::Calls>(*pending_[i]);
      if (ToString(calls.lane, *conversation_.topology) != name) continue;
      std::optional<seen::Released> released = session_->driver().Released(calls.lane);
      if (!released) return Answer("waiting");
      const Line& line = *pending_[i];
      pending_.erase(pending_.begin() + static_cast<ptrdiff_t>(i));
      return Report(*std::move(released), line);
    }
    Refuse(fmt::format("returned {}: no call of this lane is blocked", name));
  }

  void Report(Observation seen, const Line& line) {
    for (const WireRecord& wire : session_->TakeWire())
      Write(fmt::format("{} {}\n", ToString(wire.at), ToString(wire, *conversation_.topology)));
    if (const auto* answered = std::get_if<seen::Answered>(&seen)) {
      // The protocol has no outcome for it.
      if (answered->reply == Reply::NotApplicable()) return Refuse("its own driver has failed");
      if (answered->reply.kind == ReplyKind::kBlocked) pending_.push_back(&line);
    }
    const auto index = static_cast<uint32_t>(&line - conversation_.lines.data());
    const std::string text =
        ToString(Record{.line = index, .seen = std::move(seen)}, conversation_);
    Answer(std::string_view(text).substr(ArrowIn(text) + kArrow.size()));
  }

  Implementation& implementation_;
  const Greeting& greeting_;
  std::FILE* input_;
  std::FILE* output_;
  char* buffer_ = nullptr;
  size_t capacity_ = 0;
  std::string text_;  // of the conversation that will begin
  Conversation conversation_;
  std::unique_ptr<Session> session_;  // of the conversation that has begun
  size_t next_ = 0;                   // its next line
  std::vector<const Line*> pending_;  // calls that are blocked
  Instant last_;                      // the time of the last answer
  Duration went_back_;                // the clock, at most, in this conversation
  bool spoiled_ = false;              // no further one would start from the same state
};

}  // namespace

Greeting GreetingOf(const Implementation& implementation) {
  return {.name = implementation.name(),
          .profile = implementation.profile().name,
          .capabilities = implementation.capabilities(),
          .clock = implementation.concurrent() ? Clock::kVirtual : Clock::kOwn,
          .sees_messages = true};
}

bool ServeConversations(Implementation& implementation, const Greeting& greeting,
                        const std::string& token, std::FILE* input, std::FILE* output) {
  ConversationServer server(implementation, greeting, input, output);
  std::string line;
  if (!token.empty() && !(server.Read(&line) && line == "token " + token)) return false;
  return server.Serve();
}

}  // namespace cm
