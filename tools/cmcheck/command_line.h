// The verbs of a command and their options, over CLI11. Only command_line.cc includes CLI11: its
// headers multiply the time of compilation.
#ifndef TOOLS_CMCHECK_COMMAND_LINE_H_
#define TOOLS_CMCHECK_COMMAND_LINE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace CLI {
class App;
}

namespace cm {

// A verb, or the command itself, to which verbs and options are added. The variables hold the
// defaults, and must exist when the arguments are parsed.
class Verb {
 public:
  // `more` is printed by --help below the options.
  [[nodiscard]] Verb Add(const std::string& name, const std::string& sentence,
                         const std::string& more);
  // Requires one of the verbs.
  void RequireVerb();

  // `names` as in CLI11: "--output", "-o,--output"; "!--no-output" sets a flag to false. An empty
  // text is refused.
  void Text(const std::string& names, std::string* value, const std::string& sentence);
  // An option that may be repeated.
  void Texts(const std::string& names, std::vector<std::string>* values,
             const std::string& sentence);
  void Flag(const std::string& names, bool* value, const std::string& sentence);
  // Any number that is not negative.
  void Number(const std::string& names, uint64_t* value, const std::string& sentence);
  void Number(const std::string& names, uint64_t* value, uint64_t lowest, uint64_t highest,
              const std::string& sentence);
  void Number(const std::string& names, int* value, int lowest, int highest,
              const std::string& sentence);
  void PerCent(const std::string& names, double* value, const std::string& sentence);

  // A positional argument; required.
  void Argument(const std::string& name, std::string* value, const std::string& sentence);
  void Arguments(const std::string& name, std::vector<std::string>* values,
                 const std::string& sentence);
  // All words from the first one that is no option, or from `--`; required.
  void Words(const std::string& name, std::vector<std::string>* values,
             const std::string& sentence);
  // All words after `--`; may be none.
  void Behind(const std::string& name, std::vector<std::string>* values,
              const std::string& sentence);

  // True when the option was given; valid after parsing.
  [[nodiscard]] bool Given(const std::string& name) const;

  // The action of the verb; returns the exit code.
  void Does(std::function<int()> work);

 private:
  friend class CommandLine;
  Verb(CLI::App* app, int* exit_code) : app_(app), exit_code_(exit_code) {}

  CLI::App* app_;
  int* exit_code_;
};

class CommandLine {
 public:
  CommandLine(const std::string& program, const std::string& sentence, const std::string& more);
  CommandLine(CommandLine&&) noexcept;
  ~CommandLine();

  [[nodiscard]] Verb command();
  // Of the command, or of one of its verbs.
  [[nodiscard]] std::vector<std::string> verbs(const std::string& of = {}) const;

  // Runs the verb: its exit code, or the error in the arguments. Prints --help.
  [[nodiscard]] std::variant<int, std::string> Parse(std::vector<std::string> arguments);

 private:
  std::unique_ptr<CLI::App> app_;
  std::unique_ptr<int> exit_code_;
};

}  // namespace cm

#endif  // TOOLS_CMCHECK_COMMAND_LINE_H_
