#include "hw_tests/lab/image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace lab {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The builder's view of a machine: a folder of fake programs.
class ImageTest : public ::testing::Test {
 protected:
  ImageTest() {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "bin");
    settings_.cache = folder_ / "cache";
    settings_.search_path = (folder_ / "bin").string() + ":/usr/bin:/bin";
    settings_.package_lists = folder_ / "lists";
    caller_.progress = [this](std::string_view line) { progress_.emplace_back(line); };
    for (const char* program : {"xz", "zstd", "flock", "dpkg-deb"}) Install(program, "exit 0");
    Install("dpkg", "echo amd64");
    Install("apt-cache", R"(
      case "$1 $*" in
        depends*linux-image-amd64) echo linux-image-amd64; echo '  Depends: linux-image-6.1.0-1-amd64' ;;
        depends*) printf 'libc6\n  Depends: libgcc-s1\n' ;;
        show*) printf 'Package: linux-image-6.1.0-1-amd64\nVersion: 6.1.5-1\n\n'
               printf 'Package: librdmacm1\nVersion: 44.0-2\n' ;;
      esac)");
    Install("apt-get", "echo 'E: Unable to fetch some archives'; exit 100");
    Install("df", "echo header; echo /dev/disk 9999999 0 9999999 0% /");
  }

  void Install(const std::string& program, const std::string& script) {
    const fs::path path = folder_ / "bin" / program;
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(path, fs::perms::owner_all);
  }

  std::string ProblemLine() {
    const Outcome<Image> image = Image::Ensure(settings_, caller_);
    return image.ok() ? "no problem" : image.problem().line;
  }

  std::vector<std::string> Cached() const {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(settings_.cache)) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  fs::path folder_ = fs::path(::testing::TempDir()) / "image_test";
  ImageSettings settings_;
  Caller caller_;
  std::vector<std::string> progress_;
};

TEST_F(ImageTest, WithoutPackageListsSaysHowToGetThem) {
  Install("apt-cache", "echo 'E: No packages found' >&2; exit 100");
  EXPECT_EQ(ProblemLine(), "apt has no package lists: run 'apt-get update' first");
  EXPECT_THAT(Cached(), IsEmpty());
}

TEST_F(ImageTest, WithoutDiskSpaceSaysHowMuchIsNeeded) {
  Install("df", "echo header; echo /dev/disk 100000 0 51200 0% /");
  EXPECT_EQ(ProblemLine(), settings_.cache.string() + " has 50 MB free, 900 MB are needed");
  EXPECT_THAT(Cached(), IsEmpty());
}

TEST_F(ImageTest, FailedDownloadLeavesNothingBehind) {
  EXPECT_EQ(ProblemLine(), "download failed: E: Unable to fetch some archives");
  EXPECT_THAT(progress_, ElementsAre("downloading 2 packages"));
  EXPECT_THAT(Cached(), IsEmpty());
}

TEST_F(ImageTest, FailureOfAProgramIsToldInItsOwnWords) {
  Install("apt-get", "touch a.deb");
  Install("dpkg-deb", "echo 'dpkg-deb: error: no space left on device' >&2; exit 2");
  EXPECT_EQ(ProblemLine(), "building the image failed: dpkg-deb: error: no space left on device");
  EXPECT_THAT(Cached(), IsEmpty());
}

TEST_F(ImageTest, OnAnotherArchitectureSaysSo) {
  Install("dpkg", "echo riscv64");
  EXPECT_EQ(ProblemLine(), "the lab is made for amd64, this is riscv64");
}

TEST_F(ImageTest, InterruptedBuildIsNoFailureAndLeavesNothingBehind) {
  Install("apt-get", "exec sleep 1000");
  bool downloads = false;
  caller_.progress = [&](std::string_view line) {
    downloads = downloads || line.starts_with("downloading");
  };
  caller_.cancelled = [&] { return downloads; };
  const Outcome<Image> image = Image::Ensure(settings_, caller_);
  ASSERT_FALSE(image.ok());
  EXPECT_EQ(image.problem().kind, ProblemKind::kCancelled);
  EXPECT_THAT(Cached(), IsEmpty());
}

TEST_F(ImageTest, CacheThatCannotBeMadeIsNamed) {
  std::ofstream(folder_ / "file") << "in the way";
  settings_.cache = folder_ / "file" / "cache";
  EXPECT_THAT(ProblemLine(), HasSubstr("file/cache: "));
}

std::string TextOf(const fs::path& path) {
  std::ifstream file(path);
  return std::string((std::istreambuf_iterator<char>(file)), {});
}

TEST_F(ImageTest, OfAnotherReleaseIsMadeWithListsOfItsOwn) {
  settings_.suite = "trixie";
  const fs::path asked = folder_ / "asked";
  Install("apt-get", "case $* in *update) cat $APT_CONFIG >" + asked.string() +
                         "; exit ;; esac; echo 'E: Unable to fetch some archives'; exit 100");
  EXPECT_EQ(ProblemLine(), "download failed: E: Unable to fetch some archives");
  const fs::path state = settings_.cache / "apt-trixie";
  EXPECT_THAT(TextOf(asked), HasSubstr("Dir::State::Lists \"" + (state / "lists").string()));
  EXPECT_THAT(TextOf(state / "sources.list"), HasSubstr("deb.debian.org/debian trixie main"));

  // Existing lists are not fetched again.
  std::ofstream(state / "lists" / "debian_Packages.lz4") << "lists";
  fs::remove(asked);
  EXPECT_EQ(ProblemLine(), "download failed: E: Unable to fetch some archives");
  EXPECT_FALSE(fs::exists(asked));
}

TEST_F(ImageTest, ListsAreFetchedByOneAtATime) {
  settings_.suite = "trixie";
  const fs::path state = settings_.cache / "apt-trixie";
  Install("flock", "exec /usr/bin/flock \"$@\"");
  Install("apt-get", "case $* in *update) flock -n " + state.string() + " true || : >" +
                         (state / "alone").string() + " ;; esac; exit 100");
  EXPECT_EQ(ProblemLine(), "the package lists of another release cannot be fetched");
  EXPECT_TRUE(fs::exists(state / "alone"));
}

// Programs that are built here need a C library of bookworm's age.
TEST_F(ImageTest, OfAnOlderReleaseTakesTheRestFromBookworm) {
  settings_.suite = "bullseye";
  EXPECT_EQ(ProblemLine(), "the package lists of another release cannot be fetched");
  const fs::path state = settings_.cache / "apt-bullseye";
  EXPECT_THAT(TextOf(state / "sources.list"),
              AllOf(HasSubstr("debian bullseye main"), HasSubstr("security bullseye-security main"),
                    HasSubstr("debian bookworm main")));
  EXPECT_THAT(TextOf(state / "preferences"),
              AllOf(HasSubstr("librdmacm1"), HasSubstr("Pin: release n=bullseye-security")));
}

TEST_F(ImageTest, WithSoftIwarpIsMadeOfTheKernelsSourceToo) {
  Install("apt-cache", R"(
    case "$1 $*" in
      depends*linux-image-amd64) echo '  Depends: linux-image-6.1.0-1-amd64' ;;
      depends*linux-headers*) printf '  Depends: linux-headers-6.1.0-1-common\n'
                              printf '  Depends: linux-kbuild-6.1\n' ;;
      depends*) printf 'libc6\n' ;;
      show*) shift 2; for name; do printf 'Package: %s\nVersion: 1\n\n' "$name"; done ;;
    esac)");
  for (const char* program : {"make", "gcc", "strip"}) Install(program, "exit 0");
  const fs::path asked = folder_ / "asked";
  Install("apt-get", "echo $* >" + asked.string() + "; exit 100");
  settings_.driver = RdmaDriver::kSiw;
  EXPECT_THAT(ProblemLine(), HasSubstr("download failed"));
  for (const char* package :
       {"linux-image-6.1.0-1-amd64", "linux-headers-6.1.0-1-amd64", "linux-headers-6.1.0-1-common",
        "linux-kbuild-6.1", "linux-source-6.1"})
    EXPECT_THAT(TextOf(asked), HasSubstr(std::string(package) + "=1 "));
}

// Creates the files of a finished build, under the name for the settings.
TEST_F(ImageTest, IsFoundAgainUntilAPackageChanges) {
  const fs::path made = folder_ / "made";
  // The builder calls flock, whose parent's last argument is the folder.
  Install("flock",
          "tr '\\0' '\\n' </proc/$PPID/cmdline | "
          "tail -n 1 >>" +
              made.string());
  EXPECT_THAT(ProblemLine(), HasSubstr("download failed"));
  std::string folder;
  std::ifstream(made) >> folder;
  ASSERT_THAT(folder, HasSubstr("/image-"));
  fs::create_directories(folder);
  std::ofstream(folder + "/vmlinux") << "kernel";
  std::ofstream(folder + "/release") << "6.1.0-1-amd64\n";
  std::ofstream(folder + "/versions") << "librdmacm1 44.0-2\nlinux-image-6.1.0-1-amd64 6.1.5-1\n";
  EXPECT_EQ(ProblemLine(), "no problem");

  // With the same lists apt is not run.
  Install("apt-cache", "exit 100");
  EXPECT_EQ(ProblemLine(), "no problem");

  // With other lists it is, and when it fails, the existing image is used.
  fs::create_directories(settings_.package_lists);
  std::ofstream(settings_.package_lists / "archive_Packages") << "new";
  EXPECT_EQ(ProblemLine(), "no problem");

  Install("apt-cache", R"(
    case "$1 $*" in
      depends*linux-image-amd64) echo '  Depends: linux-image-6.1.0-2-amd64' ;;
      depends*) echo libc6 ;;
      show*) printf 'Package: linux-image-6.1.0-2-amd64\nVersion: 6.1.6-1\n' ;;
    esac)");
  EXPECT_THAT(ProblemLine(), HasSubstr("download failed"));
}

TEST(Image, OpenReadsTheVersionsOfKernelAndLibrary) {
  const fs::path folder = fs::path(::testing::TempDir()) / "opened_image";
  fs::create_directories(folder);
  std::ofstream(folder / "release") << "6.1.0-56-amd64\n";
  std::ofstream(folder / "versions") << "ibverbs-providers 43.0-1\n"
                                     << "librdmacm1 44.0-2\n"
                                     << "linux-image-6.1.0-56-amd64 6.1.192-2\n";
  const Outcome<Image> image = Image::Open(folder);
  ASSERT_TRUE(image.ok());
  EXPECT_EQ(image.value().kernel_release(), "6.1.0-56-amd64");
  EXPECT_EQ(image.value().kernel_version(), "6.1.192-2");
  EXPECT_EQ(image.value().librdmacm_version(), "44.0-2");
  EXPECT_EQ(image.value().kernel(), folder / "vmlinux");
}

TEST(Image, OpenRefusesAFolderThatIsNone) {
  const Outcome<Image> image = Image::Open("/nowhere/at/all");
  ASSERT_FALSE(image.ok());
  EXPECT_THAT(image.problem().line, HasSubstr("/nowhere/at/all is no image"));
}

}  // namespace
}  // namespace lab
