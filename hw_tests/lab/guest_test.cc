#include "hw_tests/lab/guest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace lab {
namespace {

namespace fs = std::filesystem;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// An image with everything but a kernel that can boot.
Image HollowImage(const std::string& name) {
  const fs::path folder = fs::path(::testing::TempDir()) / name;
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::ofstream(folder / "release") << "6.1.0-56-amd64\n";
  std::ofstream(folder / "versions") << "librdmacm1 44.0-2\nlinux-image-6.1.0-56-amd64 6.1.192-2\n";
  return Image::Open(folder).value();
}

// A folder whose qemu-system-x86_64 is the script.
std::string PathWithEmulator(const std::string& name, const std::string& script) {
  const fs::path folder = fs::path(::testing::TempDir()) / name;
  fs::create_directories(folder);
  const fs::path program = folder / "qemu-system-x86_64";
  std::ofstream(program) << "#!/bin/sh\n" << script << "\n";
  fs::permissions(program, fs::perms::owner_all);
  return folder.string();
}

TEST(Guest, WithoutQemuSaysInOneLineWhatToInstall) {
  GuestSettings settings;
  settings.search_path = "/nowhere/at/all";
  const Outcome<Guest> guest = Guest::Start(HollowImage("no_qemu"), settings, {});
  ASSERT_FALSE(guest.ok());
  EXPECT_EQ(guest.problem().line, "qemu-system-x86_64 is not installed: run tools/setup.sh --lab");
  EXPECT_EQ(guest.problem().kind, ProblemKind::kUnusable);
}

TEST(Guest, PassesOnWhyQemuRefuses) {
  GuestSettings settings;
  settings.search_path =
      PathWithEmulator("refusing_qemu", "echo \"qemu: cannot set up guest memory\" >&2; exit 1");
  const Image image = HollowImage("refused");
  const Outcome<Guest> guest = Guest::Start(image, settings, {});
  ASSERT_FALSE(guest.ok());
  EXPECT_THAT(guest.problem().line, StartsWith("QEMU has "));
  EXPECT_THAT(guest.problem().line, EndsWith(" (qemu: cannot set up guest memory)"));
  EXPECT_EQ(guest.problem().kind, ProblemKind::kLost);
  // No unfinished snapshot remains.
  for (const fs::directory_entry& entry : fs::directory_iterator(image.folder())) {
    EXPECT_THAT(entry.path().filename().string(), ::testing::AnyOf("release", "versions"));
  }
}

TEST(Guest, NamesASharedFolderThatIsNotThere) {
  GuestSettings settings;
  settings.share = "/nowhere/at/all";
  const Outcome<Guest> guest = Guest::Start(HollowImage("no_share"), settings, {});
  ASSERT_FALSE(guest.ok());
  EXPECT_EQ(guest.problem().line, "/nowhere/at/all is no folder to share");
}

TEST(Topology, HasANameAndIsFoundByIt) {
  for (Topology topology : {Topology::kPair, Topology::kBond}) {
    EXPECT_EQ(TopologyNamed(NameOf(topology)), topology);
  }
  EXPECT_FALSE(TopologyNamed("ring"));
}

}  // namespace
}  // namespace lab
