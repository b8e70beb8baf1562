#include "tools/cmcheck/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

namespace cm {
namespace {

// CLI11 would read -1 as the largest number.
std::string IsNatural(const std::string& text) {
  uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end
             ? std::string()
             : fmt::format("'{}' is no number from 0 to {}", text, UINT64_MAX);
}

// Rejects an empty name, file or folder.
std::string IsSomething(const std::string& text) {
  return text.empty() ? "it is empty" : std::string();
}

// Text that is no number passes the range check; the conversion rejects it.
std::string IsFinite(const std::string& text) {
  const double number = std::strtod(text.c_str(), nullptr);
  return std::isfinite(number) ? std::string() : fmt::format("'{}' is no number", text);
}

// CLI11 names them all, the last one first: a pattern of the shell stands for hundreds of files.
std::string NotExpected(const std::vector<std::string>& arguments) {
  constexpr size_t kMost = 3;
  const auto end = arguments.begin() + static_cast<ptrdiff_t>(std::min(kMost, arguments.size()));
  return fmt::format(
      "The following argument{} not expected: {}{}", arguments.size() == 1 ? " was" : "s were",
      fmt::join(arguments.begin(), end, " "),
      arguments.size() > kMost ? fmt::format(" and {} more", arguments.size() - kMost) : "");
}

}  // namespace

Verb Verb::Add(const std::string& name, const std::string& sentence, const std::string& more) {
  CLI::App* verb = app_->add_subcommand(name, sentence);
  verb->footer(more);
  return {verb, exit_code_};
}

void Verb::RequireVerb() { app_->require_subcommand(1); }

void Verb::Text(const std::string& names, std::string* value, const std::string& sentence) {
  app_->add_option(names, *value, sentence)->capture_default_str()->check(IsSomething);
}

void Verb::Texts(const std::string& names, std::vector<std::string>* values,
                 const std::string& sentence) {
  app_->add_option(names, *values, sentence)->allow_extra_args(false)->check(IsSomething);
}

void Verb::Flag(const std::string& names, bool* value, const std::string& sentence) {
  // CLI11 would show the "!" as {false}, which it does not take there.
  if (names.starts_with('!'))
    app_->add_flag_callback(
        names.substr(1), [value] { *value = false; }, sentence);
  else
    app_->add_flag(names, *value, sentence);
}

void Verb::Number(const std::string& names, uint64_t* value, const std::string& sentence) {
  app_->add_option(names, *value, sentence)->capture_default_str()->check(IsNatural, "UINT");
}

void Verb::Number(const std::string& names, uint64_t* value, uint64_t lowest, uint64_t highest,
                  const std::string& sentence) {
  app_->add_option(names, *value, sentence)
      ->capture_default_str()
      ->check(CLI::Range(lowest, highest));
}

void Verb::Number(const std::string& names, int* value, int lowest, int highest,
                  const std::string& sentence) {
  app_->add_option(names, *value, sentence)
      ->capture_default_str()
      ->check(CLI::Range(lowest, highest));
}

void Verb::PerCent(const std::string& names, double* value, const std::string& sentence) {
  app_->add_option(names, *value, sentence)
      ->capture_default_str()
      ->check(CLI::Range(0.0, 100.0))
      ->check(IsFinite);
}

void Verb::Argument(const std::string& name, std::string* value, const std::string& sentence) {
  app_->add_option(name, *value, sentence)->required()->check(IsSomething);
}

void Verb::Arguments(const std::string& name, std::vector<std::string>* values,
                     const std::string& sentence) {
  app_->add_option(name, *values, sentence)->required()->check(IsSomething);
}

void Verb::Words(const std::string& name, std::vector<std::string>* values,
                 const std::string& sentence) {
  app_->positionals_at_end();
  app_->add_option(name, *values, sentence)->required();
}

void Verb::Behind(const std::string& name, std::vector<std::string>* values,
                  const std::string& sentence) {
  app_->add_option(name, *values, sentence);
}

bool Verb::Given(const std::string& name) const { return app_->count(name) > 0; }

void Verb::Does(std::function<int()> work) {
  app_->callback([work = std::move(work), exit_code = exit_code_] { *exit_code = work(); });
}

CommandLine::CommandLine(const std::string& program, const std::string& sentence,
                         const std::string& more)
    : app_(std::make_unique<CLI::App>(sentence, program)), exit_code_(std::make_unique<int>(0)) {
  app_->footer(more);
}

CommandLine::CommandLine(CommandLine&&) noexcept = default;
CommandLine::~CommandLine() = default;

Verb CommandLine::command() { return {app_.get(), exit_code_.get()}; }

std::vector<std::string> CommandLine::verbs(const std::string& of) const {
  std::vector<std::string> names;
  const CLI::App* const all = of.empty() ? app_.get() : app_->get_subcommand(of);
  for (const CLI::App* verb : all->get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(verb->get_name());
  return names;
}

std::variant<int, std::string> CommandLine::Parse(std::vector<std::string> arguments) {
  std::reverse(arguments.begin(), arguments.end());  // in the order that CLI11 expects
  try {
    app_->parse(std::move(arguments));
  } catch (const CLI::Success& help) {  // --help; CLI11 throws it
    return app_->exit(help);
  } catch (const CLI::ExtrasError&) {
    return NotExpected(app_->remaining(true));
  } catch (const CLI::ParseError& problem) {
    return std::string(problem.what());
  }
  return *exit_code_;
}

}  // namespace cm
