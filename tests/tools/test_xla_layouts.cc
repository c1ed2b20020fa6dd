// Where a dump puts arrays: the layouts of the entry, and the places in allocations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hlo/text.h"
#include "driver/buffers/buffer_assignment.h"
#include "driver/dump/entry_layouts.h"
#include "driver/dump/handed_layouts.h"
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

// One buffer has one layout, whatever hands it on.
TEST(HandedLayouts, AreThoseOfTheOperands) {
  const std::string rows = "f32[2,3]{1,0}", columns = "f32[2,3]{0,1}";
  const auto found = [](const std::string& text) {
    const auto module = llvm::cantFail(hlo::ParseModule("HloModule m\n" + text, "m.hlo"));
    return LayoutsNotHandedOn(*module).size();
  };
  // Six places at which an array is handed on; `other` has another layout, 0 for none.
  const auto handed = [&](int other) {
    auto at = [&](int place) { return place == other ? columns : rows; };
    return found("f { p = " + at(1) + " parameter(0) ROOT r = " + at(2) +
                 " copy(p) }\n"
                 "b { s = (" +
                 at(3) + ") parameter(0) g = " + rows +
                 " get-tuple-element(s), index=0 ROOT t = (" + at(4) +
                 ") tuple(g) }\n"
                 "c { s = (" +
                 rows +
                 ") parameter(0) ROOT k = pred[] constant(false) }\n"
                 "ENTRY e { x = " +
                 rows + " parameter(0) y = " + rows + " call(x), to_apply=f\n t = (" + at(5) +
                 ") tuple(y)\n w = (" + rows + ") while(t), condition=c, body=b\n z = " + at(6) +
                 " get-tuple-element(w), index=0\n k = pred[] constant(true)\n ROOT q = " + rows +
                 " conditional(k, y, y), true_computation=f, false_computation=f }");
  };
  EXPECT_EQ(handed(0), 0u);
  for (int place = 1; place <= 6; ++place) EXPECT_NE(handed(place), 0u) << place;
  EXPECT_EQ(found("ENTRY e { x = " + rows + " parameter(0) ROOT t = (" + columns + ") tuple(x) }"),
            1u);
  // Shapes without a layout are taken as they stand; a bitcast says that it reads bytes anew.
  EXPECT_EQ(found("ENTRY e { x = " + rows + " parameter(0) t = (f32[2,3]) tuple(x) ROOT y = " +
                  columns + " get-tuple-element(t), index=0 }"),
            0u);
  EXPECT_EQ(found("ENTRY e { x = " + rows + " parameter(0) ROOT b = f32[3,2]{0,1} bitcast(x) }"),
            0u);
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
