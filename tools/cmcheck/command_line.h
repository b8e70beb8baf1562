// The verbs of a command and their options. CLI11 stands behind them, in command_line.cc alone:
// compiling what includes it takes many times as long.
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

// A verb, or the command itself, whose verbs and options are added here. The variables are as good
// as what they say by default, and have to be there when the arguments are parsed.
class Verb {
 public:
  // `more` is what --help says below the options.
  [[nodiscard]] Verb Add(const std::string& name, const std::string& sentence,
                         const std::string& more);
  // One of the verbs has to be given.
  void RequireVerb();

  // `names` as CLI11 has them: "--output", "-o,--output"; "!--no-output" sets a flag to false. An
  // empty text is refused.
  void Text(const std::string& names, std::string* value, const std::string& sentence);
  // As often as it is given.
  void Texts(const std::string& names, std::vector<std::string>* values,
             const std::string& sentence);
  void Flag(const std::string& names, bool* value, const std::string& sentence);
  // Any that is not negative.
  void Number(const std::string& names, uint64_t* value, const std::string& sentence);
  void Number(const std::string& names, uint64_t* value, uint64_t lowest, uint64_t highest,
              const std::string& sentence);
  void Number(const std::string& names, int* value, int lowest, int highest,
              const std::string& sentence);
  void PerCent(const std::string& names, double* value, const std::string& sentence);

  // What stands without a name, and has to be there.
  void Argument(const std::string& name, std::string* value, const std::string& sentence);
  void Arguments(const std::string& name, std::vector<std::string>* values,
                 const std::string& sentence);
  // All from the first word on that is no option, or from `--`; has to be there.
  void Words(const std::string& name, std::vector<std::string>* values,
             const std::string& sentence);
  // All behind `--`, which may be nothing.
  void Behind(const std::string& name, std::vector<std::string>* values,
              const std::string& sentence);

  // Whether the option was, once the arguments are parsed.
  [[nodiscard]] bool Given(const std::string& name) const;

  // What is done when the verb was given; returns the exit code.
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

  // Does what the arguments ask for: its exit code, or what is wrong with them. --help is printed.
  [[nodiscard]] std::variant<int, std::string> Parse(std::vector<std::string> arguments);

 private:
  std::unique_ptr<CLI::App> app_;
  std::unique_ptr<int> exit_code_;
};

}  // namespace cm

#endif  // TOOLS_CMCHECK_COMMAND_LINE_H_
