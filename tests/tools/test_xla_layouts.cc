// Where a dump puts arrays: the layouts of the entry, and the places in allocations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hlo/text.h"
#include "driver/buffers/buffer_assignment.h"
#include "driver/dump/entry_layouts.h"
#include "driver/dump/launch_builder.h"

namespace affirm::driver {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<hlo::Module> Read(const std::string& header, const std::string& parameter,
                                  const std::string& result) {
  auto module =
      hlo::ParseModule("HloModule m" + header + "\nENTRY e {\n  p = f32[2,3]" + parameter +
                           " parameter(0)\n  ROOT r = f32[2,3]" + result + " negate(p)\n}\n",
                       "m.hlo");
  return llvm::cantFail(std::move(module));
}

std::string Header(const std::string& operand, const std::string& result) {
  return ", entry_computation_layout={(f32[2,3]" + operand + ")->f32[2,3]" + result + "}";
}

std::string NotKept(const hlo::Module& first, const hlo::Module& last) {
  std::string text;
  for (const Uncovered& of : EntryLayoutsNotKept(first, last)) text += of.text + "\n";
  return text;
}

TEST(EntryLayouts, AreThoseOfTheCallers) {
  const std::string rows = "{1,0}", columns = "{0,1}";
  const auto by_rows = Read(Header(rows, rows), rows, rows);
  EXPECT_EQ(NotKept(*by_rows, *by_rows), "");
  EXPECT_EQ(NotKept(*Read(Header(columns, rows), rows, rows), *by_rows),
            "entry layouts: operand 0 is f32[2,3]{0,1}, and f32[2,3]{1,0} after the passes\n");
  EXPECT_THAT(NotKept(*Read(Header(rows, columns), rows, rows), *by_rows), HasSubstr("result 0"));
  EXPECT_THAT(NotKept(*by_rows, *Read(Header(rows, columns), rows, rows)),
              HasSubstr("result 0 is f32[2,3]{0,1}, and f32[2,3]{1,0} in the entry"));
  EXPECT_THAT(NotKept(*by_rows, *Read(Header(rows, rows), columns, rows)),
              HasSubstr("operand 0 is f32[2,3]{1,0}, and f32[2,3]{0,1} in the entry"));
  // Shapes without a layout say nothing.
  EXPECT_EQ(NotKept(*Read("", "", ""), *by_rows), "");
  EXPECT_EQ(NotKept(*Read(Header("", ""), "", ""), *by_rows), "");
  EXPECT_EQ(NotKept(*by_rows, *Read("", columns, columns)), "");
}

TEST(EntryLayouts, OperandsAreKeptUnlessTheyAreGivenAway) {
  const auto kept = Read("", "", "");
  const auto aliased = Read(", input_output_alias={ {}: (0, {}, may-alias) }", "", "");
  const auto donated = Read(", buffer_donor={ (0, {}) }", "", "");
  EXPECT_TRUE(OperandsNotKept(*kept, *kept).empty());
  EXPECT_TRUE(OperandsNotKept(*aliased, *aliased).empty());
  EXPECT_TRUE(OperandsNotKept(*aliased, *kept).empty());
  // A donated operand may be taken for any result.
  EXPECT_TRUE(OperandsNotKept(*donated, *aliased).empty());
  for (const auto& taken : {&aliased, &donated}) {
    const std::vector<Uncovered> found = OperandsNotKept(*kept, **taken);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_THAT(found.front().text, HasSubstr("array 0 of operand 0 may be written over"));
  }
}

// The alignment of an array at a place in an allocation; 0 where the launch says none.
int64_t AlignmentAt(int64_t offset) {
  const auto module = Read("", "", "");
  const BufferAssignment buffers(
      "allocation 0: size 1024, preallocated-temp:\n"
      " value: <1 p @0> (size=24,offset=" +
      std::to_string(offset) + "): f32[2,3]{1,0}\n");
  LaunchBuilder builder({.kernel = "k"}, &buffers);
  llvm::Error error = builder.Add(*module->entry->parameters[0], kernel::Param::kInput);
  EXPECT_FALSE(!!error) << llvm::toString(std::move(error));
  const kernel::Launch launch = builder.Finish();
  return launch.params.empty() ? -1 : launch.params[0].alignment.value_or(0);
}

TEST(LaunchBuilder, ArraysAreAlignedAsTheirPlace) {
  EXPECT_EQ(AlignmentAt(0), 0);
  EXPECT_EQ(AlignmentAt(512), 0);
  EXPECT_EQ(AlignmentAt(2), 2);
  EXPECT_EQ(AlignmentAt(20), 4);
  EXPECT_EQ(AlignmentAt(192), 64);
}

}  // namespace
}  // namespace affirm::driver
