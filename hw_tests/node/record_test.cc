#include "hw_tests/node/record.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "model/base/own_folder.h"

namespace node {
namespace {

class RecordTest : public testing::Test {
 protected:
  void SetUp() override { folder_ = cm::MakeOwnFolder(testing::TempDir() + "record"); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Record Locked() const {
    auto locked = Record::Lock(folder_, "veth0", {});
    EXPECT_TRUE(std::holds_alternative<Record>(locked));
    return std::get<Record>(std::move(locked));
  }

  const ToUndo kSome{.interface = "veth0",
                     .before = {"link up", "route4 10.1.0.0/16 via 10.0.0.7"},
                     .undo = {{"/opt/site/flap", "undo", "with a space"}, {"/opt/site/x"}},
                     .remake = {{"sh", "-c", "true"}}};
  std::string folder_;
};

TEST_F(RecordTest, HasWhatWasWritten) {
  const std::optional<ToUndo> read = ParseRecord(ToText(kSome));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->interface, kSome.interface);
  EXPECT_EQ(read->before, kSome.before);
  EXPECT_EQ(read->undo, kSome.undo);
  EXPECT_EQ(read->remake, kSome.remake);
}

TEST_F(RecordTest, APartOfItIsNone) {
  const std::string whole = ToText(kSome);
  for (size_t size = 0; size + 4 < whole.size(); ++size)
    EXPECT_FALSE(ParseRecord(whole.substr(0, size))) << whole.substr(0, size);
  EXPECT_FALSE(ParseRecord("cmcheck undo 1\ninterface veth0\nundo {}\nend\n"));
  EXPECT_FALSE(ParseRecord("cmcheck undo 1\ninterface veth0\nundo [1]\nend\n"));
  EXPECT_FALSE(ParseRecord("cmcheck undo 1\ninterface veth0\nredo []\nend\n"));
}

TEST_F(RecordTest, IsOfOneProcessAtATimeAndOutlivesIt) {
  {
    const Record record = Locked();
    EXPECT_FALSE(record.Left()) << "a new one";
    EXPECT_TRUE(record.Write(kSome));
    EXPECT_TRUE(std::holds_alternative<std::string>(Record::Lock(folder_, "veth0", {})));
    EXPECT_TRUE(std::holds_alternative<Record>(Record::Lock(folder_, "veth1", {})));
  }
  const Record record = Locked();
  ASSERT_TRUE(record.Left());
  EXPECT_EQ(record.Left()->undo, kSome.undo);
  record.Clear();
  EXPECT_FALSE(record.Left()) << "a shorter text over a longer one";
  EXPECT_TRUE(record.Write({.interface = "veth0", .before = {}, .undo = {}, .remake = {}}));
  EXPECT_TRUE(record.Left()->before.empty());
  EXPECT_EQ(RecordsIn(folder_).interfaces, (std::vector<std::string>{"veth0", "veth1"}));
  record.Remove();
  EXPECT_EQ(RecordsIn(folder_).interfaces, (std::vector<std::string>{"veth1"}));
}

}  // namespace
}  // namespace node
