#include "hw_tests/node/record.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

#include "conformance/process/real_time.h"
#include "model/base/json.h"

namespace node {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFirstLine = "cmcheck undo 1";
constexpr std::string_view kEnding = ".undo";
constexpr cm::Duration kBetweenReads = cm::Duration::Milliseconds(20);

// Interfaces of other name spaces may have the same names.
std::string NameSpace() {
  struct stat status = {};
  return stat("/proc/self/ns/net", &status) == 0 ? fmt::format("@{}", status.st_ino) : "@0";
}

bool IsAt(int file, const std::string& path) {
  struct stat opened = {};
  struct stat named = {};
  return fstat(file, &opened) == 0 && stat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

}  // namespace

std::string ToText(const ToUndo& what) {
  std::string text = fmt::format("{}\ninterface {}\n", kFirstLine, what.interface);
  for (const std::string& fact : what.before) text += fmt::format("before {}\n", fact);
  for (const Words& undo : what.undo)
    text += fmt::format("undo {}\n", cm::JsonText(nlohmann::json(undo)));
  for (const Words& remake : what.remake)
    text += fmt::format("remake {}\n", cm::JsonText(nlohmann::json(remake)));
  return text + "end\n";
}

std::optional<ToUndo> ParseRecord(const std::string& text) {
  std::istringstream stream(text);
  std::string line;
  if (!std::getline(stream, line) || line != kFirstLine) return std::nullopt;
  ToUndo what;
  while (std::getline(stream, line) && line != "end") {
    const size_t space = line.find(' ');
    if (space == std::string::npos) return std::nullopt;
    const std::string_view key = std::string_view(line).substr(0, space);
    const std::string rest = line.substr(space + 1);
    if (key == "interface") {
      what.interface = rest;
    } else if (key == "before") {
      what.before.push_back(rest);
    } else if (key == "undo" || key == "remake") {
      const auto words = cm::ParseJson(rest);
      if (!words.is_array() || words.empty()) return std::nullopt;
      for (const auto& word : words)
        if (!word.is_string()) return std::nullopt;
      (key == "undo" ? what.undo : what.remake).push_back(words.get<Words>());
    } else {
      return std::nullopt;
    }
  }
  if (line != "end" || what.interface.empty()) return std::nullopt;
  return what;
}

std::variant<Record, std::string> Record::Lock(const std::string& folder,
                                               const std::string& interface, cm::Duration wait) {
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  const std::string path = fmt::format("{}/{}{}{}", folder, interface, NameSpace(), kEnding);
  const cm::Instant until = cm::RealNow() + wait;
  for (;;) {
    cm::Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (file.get() < 0) return fmt::format("{}: {}", path, strerror(errno));
    const bool locked = flock(file.get(), LOCK_EX | LOCK_NB) == 0;
    if (locked && IsAt(file.get(), path)) return Record(std::move(file), path);
    if (locked) continue;  // who had it has removed it
    if (cm::RealNow() >= until)
      return fmt::format("{}: another run does faults on {}, or is putting it right", path,
                         interface);
    cm::ReallySleep(kBetweenReads);
  }
}

std::optional<ToUndo> Record::Left() const { return ParseRecord(cm::ReadFromStart(file_)); }

// The end of the old text stays behind the new one's `end`.
bool Record::Write(const ToUndo& what) const {
  const std::string text = what.interface.empty() ? "none\n" : ToText(what);
  return pwrite(file_.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()) &&
         fdatasync(file_.get()) == 0;
}

void Record::Remove() const {
  Clear();
  unlink(path_.c_str());
}

Recorded RecordsIn(const std::string& folder) {
  Recorded found;
  const std::string here = NameSpace() + std::string(kEnding);
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    if (name.ends_with(here))
      found.interfaces.push_back(name.substr(0, name.size() - here.size()));
    else if (name.ends_with(kEnding))
      ++found.elsewhere;
  }
  std::ranges::sort(found.interfaces);
  return found;
}

}  // namespace node
