#include "tools/cmcheck/own_guest.h"

#include <fmt/format.h>

#include "hw_tests/lab/own_kernel.h"
#include "hw_tests/lab/own_modules.h"
#include "tools/cmcheck/command.h"

namespace cm {

namespace fs = std::filesystem;

void AddOwnGuest(Verb verb, OwnGuest* own) {
  verb.Texts("--module", &own->modules,
             "A kernel module (.ko) in place of the guest's of that name, may be repeated");
  verb.Text("--kernel", &own->kernel,
            "A bzImage, a vmlinux or a package of Debian's (.deb) in place of the guest's kernel; "
            "the profile says what is expected of it");
  verb.Text("--modules", &own->kernel_modules,
            "The modules of --kernel: the folder of `make modules_install INSTALL_MOD_PATH=...`; a "
            "package has its own");
}

bool IsOwn(const OwnGuest& own) { return !own.modules.empty() || !own.kernel.empty(); }

std::string WhyUnusable(const OwnGuest& own) {
  if (!own.kernel.empty() && !fs::is_regular_file(FromUsersFolder(own.kernel)))
    return fmt::format("--kernel {}: no such file", own.kernel);
  if (own.kernel.empty() && !own.kernel_modules.empty())
    return "--modules are those of --kernel; one module of the guest's kernel goes with --module";
  if (!own.kernel.empty() && !own.modules.empty())
    return "--module replaces one of the guest's kernel: with --kernel it has to be in --modules";
  if (!own.kernel_modules.empty() && !fs::is_directory(FromUsersFolder(own.kernel_modules)))
    return fmt::format("--modules {}: no such folder", own.kernel_modules);
  return {};
}

std::string ArgumentsOf(const OwnGuest& own) {
  std::string arguments;
  if (!own.kernel.empty()) arguments += " --kernel " + ShellWord(own.kernel);
  if (!own.kernel_modules.empty()) arguments += " --modules " + ShellWord(own.kernel_modules);
  for (const std::string& module : own.modules) arguments += " --module " + ShellWord(module);
  return arguments;
}

lab::Outcome<lab::Image> OwnImage(const OwnGuest& own, const lab::Image& image,
                                  const fs::path& folder) {
  if (!IsOwn(own)) return image;
  if (folder.empty())
    return lab::Problem{
        fmt::format("no folder in {} for the guest's files", fs::temp_directory_path().string())};
  const auto here = [](const std::string& path) {
    return path.empty() ? fs::path() : fs::path(FromUsersFolder(path));
  };
  if (!own.kernel.empty())
    return lab::WithKernel(image, {here(own.kernel), here(own.kernel_modules)}, folder);
  std::vector<fs::path> modules;
  for (const std::string& module : own.modules) modules.push_back(here(module));
  return lab::WithModules(image, modules, folder);
}

}  // namespace cm
