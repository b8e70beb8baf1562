#include "tools/cmcheck/conversation_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>

#include "conformance/runner/profile_file.h"
#include "model/base/files.h"
#include "model/conversation/parse.h"
#include "model/vocabulary/profile.h"

namespace cm {

std::string CutOff(const std::string& path, const std::string& text) {
  if (text.empty()) return fmt::format("{}: the file is empty", path);
  return text.ends_with('\n')
             ? std::string()
             : fmt::format("{}: the last line has no end: the file was cut off", path);
}

std::variant<ConversationFile, std::string> ReadConversationFile(const std::string& path) {
  const std::string real_path = FromUsersFolder(path);
  auto content = ReadFile(real_path);
  if (!content) return fmt::format("{} cannot be read: {}", path, WhyNotRead(real_path));
  ConversationFile file{
      .path = path, .conversation = {}, .text = *std::move(content), .history = {}};
  if (std::string problem = CutOff(path, file.text); !problem.empty()) return problem;
  auto conversation = ParseConversation(file.text);
  if (const auto* problem = std::get_if<TextProblem>(&conversation))
    return fmt::format("{}:{}: {}", path, problem->line, problem->what);
  file.conversation = std::get<Conversation>(std::move(conversation));
  if (!FindDashes(file.text)) return file;
  auto history = ParseHistory(file.text);
  if (const auto* problem = std::get_if<TextProblem>(&history))
    return fmt::format("{}:{}: {}", path, problem->line, problem->what);
  file.history = std::get<History>(std::move(history));
  return file;
}

std::string TakeItsProfile(const std::string& path, const Conversation& conversation,
                           std::string_view text, std::string* asked) {
  const std::string& name = conversation.profile;
  if (!asked->empty()) return {};
  if (name.empty())
    return fmt::format("{}: it has no line `profile NAME`, and --profile gives none either", path);
  *asked = name;
  auto known = LoadProfile(ProfileFromUser(name));
  const auto* problem = std::get_if<std::string>(&known);
  if (problem == nullptr) return {};
  const size_t at = text.starts_with("profile ") ? 0 : text.find("\nprofile ") + 1;
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(at), '\n');
  return fmt::format("{}:{}: {}", path, line, *problem);
}

std::string WhyBeyond(const std::string& capabilities, const std::string& path,
                      const Conversation& conversation) {
  if (capabilities.empty()) return {};
  const auto asked = ParseCapabilities(capabilities);
  if (!asked)
    return fmt::format("--capabilities '{}' is no list of capabilities; some are '{}'",
                       capabilities, ToString(Profiles().front().capabilities));
  const Capabilities missing = Lacking(WantedBy(conversation), *asked);
  return missing.bits() == 0
             ? std::string()
             : fmt::format("{}: it needs {}, which --capabilities '{}' does not have", path,
                           ToString(missing), capabilities);
}

std::variant<CarriedOut, std::string> CarryOut(const std::string& path,
                                               const Conversation& conversation,
                                               std::string_view text, Asked asked) {
  std::string problem = TakeItsProfile(path, conversation, text, &asked.profile);
  if (problem.empty()) problem = WhyBeyond(asked.capabilities, path, conversation);
  if (!problem.empty()) return problem;
  auto resolved = Resolve(asked);
  if (auto* why = std::get_if<std::string>(&resolved)) return std::move(*why);
  CarriedOut done{.answering = std::get<Answering>(std::move(resolved)), .run = {}};
  done.run = RunOne(*done.answering.implementation, conversation, {});
  if (std::string why = done.answering.implementation->Spoiled(); Interrupted() && !why.empty())
    return why;
  if (done.run.result.verdict == Verdict::kUnsupported)
    return fmt::format("{}: {}", path, done.run.result.reason);
  return done;
}

std::string WhyUnreadable(const std::string& path) {
  std::error_code error;
  const std::filesystem::path folder = FromUsersFolder(path);
  if (!std::filesystem::is_directory(folder, error)) return {};
  for (std::filesystem::recursive_directory_iterator at(folder, error), end; !error && at != end;)
    at.increment(error);
  return error ? fmt::format("{} cannot be read: {}", path, error.message()) : std::string();
}

std::vector<std::string> ConversationFilesIn(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path from = FromUsersFolder(path);
  if (!fs::is_directory(from, error)) return {path};
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(from, error))
    if (entry.path().extension() == ".conv") files.push_back(entry.path().string());
  std::ranges::sort(files);  // lint: keys are unique
  return files;
}

std::string Describe(const Finding& finding) {
  std::string text = fmt::format("{} at: {}\n  saw        {}\n  permitted  {}\n", finding.id,
                                 finding.where, finding.saw, finding.permitted);
  if (!finding.source.empty()) text += fmt::format("  source     {}\n", finding.source);
  return text;
}

}  // namespace cm
