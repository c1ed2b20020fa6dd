// Copies of slices: hand-written modules, and loops with random starts, compared in each trip with
// a copy of bytes.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "core/hlo/text.h"
#include "driver/dump/slice_copies.h"
#include "llvm/Support/JSON.h"
#include "tests/tools/run_affirm.h"

namespace affirm::testing {
namespace {

std::string Config(int64_t offset, int64_t stride, const std::string& loop = "0") {
  return R"(, backend_config={"dynamic_slice_config":{)" +
         (loop.empty() ? "" : R"("loop_index":")" + loop + R"(",)") + R"("byte_offset":")" +
         std::to_string(offset) + R"(","byte_stride":")" + std::to_string(stride) + R"("}})";
}

// The fusion `f` of two operands, x and a start, in the entry.
std::string InEntry(const std::string& start, const std::string& slice) {
  return "HloModule m\nfused { x = f32[8,64] parameter(0) i = s32[] parameter(1) zero = s32[] "
         "constant(0)\n ROOT s = " +
         slice + " }\nENTRY e { x = f32[8,64] parameter(0) i = " + start +
         "\n ROOT f = " + slice.substr(0, slice.find(' ')) +
         " fusion(x, i), kind=kLoop, calls=fused }";
}

// The loop `for (i = first, n = trips; n > 0; i += step, --n)`, in which f is a slice at i.
std::string InLoop(int64_t first, int64_t step, int64_t trips, const std::string& slice) {
  auto constant = [](int64_t value) { return "s32[] constant(" + std::to_string(value) + ")"; };
  return "HloModule m\nfused { x = f32[8,64] parameter(0) i = s32[] parameter(1) zero = s32[] "
         "constant(0)\n ROOT s = " +
         slice + R"( }
    condition { s = (s32[], s32[], f32[8,64], f32[1,64]) parameter(0)
      n = s32[] get-tuple-element(s), index=1
      none = s32[] constant(0)
      ROOT again = pred[] compare(n, none), direction=GT }
    body { s = (s32[], s32[], f32[8,64], f32[1,64]) parameter(0)
      i = s32[] get-tuple-element(s), index=0
      n = s32[] get-tuple-element(s), index=1
      x = f32[8,64] get-tuple-element(s), index=2
      f = f32[1,64] fusion(x, i), kind=kLoop, calls=fused
      step = )" +
         constant(step) + R"(
      next = s32[] add(i, step)
      one = s32[] constant(1)
      left = s32[] subtract(n, one)
      ROOT r = (s32[], s32[], f32[8,64], f32[1,64]) tuple(next, left, x, f) }
    ENTRY e { x = f32[8,64] parameter(0)
      y = f32[1,64] parameter(1)
      first = )" +
         constant(first) + "\n trips = " + constant(trips) + R"(
      t = (s32[], s32[], f32[8,64], f32[1,64]) tuple(first, trips, x, y)
      w = (s32[], s32[], f32[8,64], f32[1,64]) while(t), condition=condition, body=body
      ROOT r = f32[1,64] get-tuple-element(w), index=3 })";
}

const std::string kRow = "f32[1,64] dynamic-slice(x, i, zero), dynamic_slice_sizes={1,64}";

driver::SliceCopy Check(const std::string& text, const std::string& buffers = "",
                        const std::string& fusion = "f") {
  auto module = hlo::ParseModule(text, "t");
  if (!module) {
    ADD_FAILURE() << llvm::toString(module.takeError()) << "\n" << text;
    return {};
  }
  auto copies = driver::CheckSliceCopies(**module, driver::BufferAssignment(buffers), {fusion});
  EXPECT_EQ(copies.size(), 1u);
  return copies.front();
}

std::string TextOf(const driver::SliceCopy& copy) {
  return std::string(Name(copy.verdict)) + (copy.reason.empty() ? "" : ": " + copy.reason);
}

TEST(SliceCopies, BeginWhereTheOperationSays) {
  EXPECT_EQ(TextOf(Check(InEntry("s32[] constant(3)", kRow + Config(768, 0, "")))), "proved");
  EXPECT_EQ(TextOf(Check(InEntry("s32[] constant(3)", kRow + Config(764, 0, "")))),
            "refuted: 's' starts at [3,0] of f32[8,64], which is byte 768, and the copy is of "
            "byte 764");
  // At the limits of integers.
  EXPECT_EQ(TextOf(Check(
                InEntry("s32[] constant(2147483647)", kRow + Config(9223372036854775807, 0, "")))),
            "proved");
  EXPECT_EQ(TextOf(Check(InLoop(0, 1, 2, kRow + Config(9223372036854775807, 9223372036854775807)))),
            "refuted: 's' starts at [0,0] of f32[8,64] in trip 0, which is byte 0, and the copy is "
            "of byte 1792");
  // A start beyond the rows is clamped, as the copy is.
  EXPECT_EQ(TextOf(Check(InEntry("s32[] constant(9)", kRow + Config(2304, 0, "")))), "proved");
  EXPECT_EQ(TextOf(Check(InEntry("s32[] constant(-2)", kRow + Config(-512, 0, "")))), "proved");
  // The operation clamps the start of the columns too; the copy clamps only its byte offset.
  const std::string part = "f32[1,60] dynamic-slice(x, i, i), dynamic_slice_sizes={1,60}";
  EXPECT_EQ(TextOf(Check(InEntry("s32[] constant(2)", part + Config(520, 0, "")))), "proved");
  EXPECT_EQ(TextOf(Check(InEntry("s32[] constant(6)", part + Config(1560, 0, "")))),
            "refuted: 's' starts at [6,6] of f32[8,64], which is byte 1552, and the copy is of "
            "byte 1560");
}

TEST(SliceCopies, MoveWithTheTrips) {
  EXPECT_EQ(TextOf(Check(InLoop(0, 1, 8, kRow + Config(0, 256)))), "proved");
  EXPECT_EQ(TextOf(Check(InLoop(7, -1, 8, kRow + Config(1792, -256)))), "proved");
  EXPECT_EQ(TextOf(Check(InLoop(1, 2, 4, kRow + Config(256, 512)))), "proved");
  EXPECT_EQ(TextOf(Check(InLoop(0, 1, 8, kRow + Config(0, 252)))),
            "refuted: 's' starts at [1,0] of f32[8,64] in trip 1, which is byte 256, and the copy "
            "is of byte 252");
  // Only the last trip is wrong.
  EXPECT_EQ(TextOf(Check(InLoop(0, 1, 8, kRow + Config(-256, 512)))),
            "refuted: 's' starts at [2,0] of f32[8,64] in trip 2, which is byte 512, and the copy "
            "is of byte 768");
}

TEST(SliceCopies, UnsupportedCopiesAreUnknown) {
  auto unknown = [](const std::string& text, const std::string& why) {
    const driver::SliceCopy copy = Check(text);
    EXPECT_EQ(copy.verdict, Verdict::kUnknown) << text;
    EXPECT_NE(copy.reason.find(why), std::string::npos) << copy.reason;
  };
  unknown(InEntry("s32[] parameter(1)", kRow + Config(0, 0, "")), "a start of 's', is not known");
  unknown(InEntry("s32[] constant(0)", kRow), "has no dynamic_slice_config");
  unknown(InEntry("s32[] constant(0)", kRow + ", backend_config={\"a\":1}"),
          "has no dynamic_slice_config");
  unknown(
      InEntry("s32[] constant(0)", kRow + ", backend_config={\"dynamic_slice_config\":{\"b\":1}}"),
      "'b' of a dynamic_slice_config is not known");
  unknown(InEntry("s32[] constant(0)",
                  kRow + ", backend_config={\"dynamic_slice_config\":{\"byte_offset\":\"x\"}}"),
          "is no integer");
  unknown(InEntry("s32[] constant(0)", kRow + Config(0, 4)), "is in no loop");
  unknown(InEntry("s32[] constant(0)", kRow + Config(0, 4, "")), "another loop");
  unknown(InLoop(0, 1, 8, kRow + Config(0, 256, "1")), "another loop");
  unknown(
      InEntry("s32[] constant(0)",
              "f32[0,64] dynamic-slice(x, i, zero), dynamic_slice_sizes={0,64}" + Config(0, 0, "")),
      "is empty");
  // Two instructions have this name.
  unknown(InEntry("s32[] constant(0)", kRow + Config(0, 0, "")) +
              "\nother { p = f32[] parameter(0) ROOT f = f32[] negate(p) }",
          "several instructions");
  unknown(InLoop(0, 1, 8, kRow + Config(0, 256, "9223372036854775807")), "another loop");
  // The loop never runs.
  unknown(InLoop(0, 1, 0, kRow + Config(0, 256)), "not seen to be copied");
  // A loop that does not end proves nothing.
  unknown(InLoop(0, 0, int64_t{1} << 30, kRow + Config(0, 0)), "is made is not known");
  unknown(
      InEntry("s32[] constant(0)",
              "f32[2,32] dynamic-slice(x, i, i), dynamic_slice_sizes={2,32}" + Config(0, 0, "")),
      "is not one run of bytes");
  EXPECT_EQ(TextOf(Check(InEntry("s32[] constant(3)", kRow + Config(768, 0, "")), "", "g")),
            "unknown: the optimized HLO has no fusion of this name");
}

// Elements that share a byte, and layouts.
TEST(SliceCopies, KnowHowArraysLie) {
  auto of = [](const std::string& array, const std::string& slice, int64_t offset) {
    return TextOf(Check("HloModule m\nfused { x = " + array +
                        " parameter(0) i = s32[] constant(2) zero = s32[] constant(0)\n ROOT s = " +
                        slice + Config(offset, 0, "") + " }\nENTRY e { x = " + array +
                        " parameter(0)\n ROOT f = " + slice.substr(0, slice.find(' ')) +
                        " fusion(x), kind=kLoop, calls=fused }"));
  };
  EXPECT_EQ(of("f32[8,64]{0,1}",
               "f32[8,1]{0,1} dynamic-slice(x, zero, i), dynamic_slice_sizes={8,1}", 64),
            "proved");
  EXPECT_EQ(of("u8[3,5,7]{2,1,0}",
               "u8[1,1,3]{2,1,0} dynamic-slice(x, i, i, i), dynamic_slice_sizes={1,1,3}", 86),
            "proved");
  EXPECT_NE(of("f32[8,64]{0,1}",
               "f32[1,64]{0,1} dynamic-slice(x, i, zero), dynamic_slice_sizes={1,64}", 8)
                .find("is not one run of bytes"),
            std::string::npos);
  // An element of less than a byte has no address of its own.
  EXPECT_NE(of("s4[8]", "s4[2] dynamic-slice(x, i), dynamic_slice_sizes={2}", 1)
                .find("have no known place"),
            std::string::npos);
}

// Two elements of four bits, or four of two, are a byte.
TEST(SliceCopies, OfPackedElements) {
  auto of = [](const std::string& array, int64_t size, int64_t start, int64_t offset) {
    const std::string part =
        array.substr(0, 2) + "[" + std::to_string(size) + "]{0:E(" + array.substr(1, 1) + ")}";
    const std::string text = "HloModule m\nfused { x = " + array +
                             " parameter(0) i = s32[] parameter(1)\n ROOT s = " + part +
                             " dynamic-slice(x, i), dynamic_slice_sizes={" + std::to_string(size) +
                             "}" + Config(offset, 0, "") + " }\nENTRY e { x = " + array +
                             " parameter(0) i = s32[] constant(" + std::to_string(start) +
                             ")\n ROOT f = " + part + " fusion(x, i), kind=kLoop, calls=fused }";
    return TextOf(Check(text));
  };
  EXPECT_EQ(of("s4[16]{0:E(4)}", 2, 4, 2), "proved");
  EXPECT_EQ(of("u2[16]{0:E(2)}", 4, 8, 2), "proved");
  EXPECT_NE(of("s4[16]{0:E(4)}", 2, 4, 4).find("which is byte 2, and the copy is of byte 4"),
            std::string::npos);
  EXPECT_NE(of("s4[16]{0:E(4)}", 2, 4, -4).find("which is byte 2, and the copy is of byte 0"),
            std::string::npos);
  EXPECT_NE(of("s4[16]{0:E(4)}", 2, 3, 1).find("which is byte 1 and 4 bits"), std::string::npos);
  EXPECT_NE(of("s4[16]{0:E(4)}", 3, 4, 2).find("ends within a byte"), std::string::npos);
}

const char* const kUpdate = R"(HloModule m
  fused { x = f32[8,64] parameter(0) u = f32[1,64] parameter(1) zero = s32[] constant(0)
    two = s32[] constant(2)
    ROOT s = f32[8,64] dynamic-update-slice(x, u, two, zero),
      backend_config={"dynamic_slice_config":{"byte_offset":"512","byte_stride":"0"}} }
  ENTRY e { x = f32[8,64] parameter(0) u = f32[1,64] parameter(1)
    n = f32[8,64] negate(x)
    ROOT f = f32[8,64] fusion(n, u), kind=kLoop, calls=fused })";

// An update leaves the rest of the array alone, which has to be there.
TEST(SliceCopies, UpdatesAreInPlace) {
  auto buffers = [](const char* of_f) {
    return std::string(
               "allocation 2: size 256, parameter 1:\n"
               " value: <0 u @0> (size=256,offset=0): f32[1,64]{1,0}\n"
               "allocation 0: size 2048, maybe-live-out:\n"
               " value: <1 n @0> (size=2048,offset=0): f32[8,64]{1,0}\n") +
           of_f;
  };
  EXPECT_EQ(
      TextOf(Check(kUpdate, buffers(" value: <2 f @0> (size=2048,offset=0): f32[8,64]{1,0}\n"))),
      "proved");
  const char* const kWhy = "unknown: 's' is not known to be written into what it updates";
  EXPECT_EQ(
      TextOf(Check(kUpdate, buffers("allocation 1: size 2048, maybe-live-out:\n"
                                    " value: <2 f @0> (size=2048,offset=0): f32[8,64]{1,0}\n"))),
      kWhy);
  EXPECT_EQ(TextOf(Check(kUpdate)), kWhy);
  // The update lies in the array that it updates, or at an unknown place.
  const std::string in_place =
      "allocation 0: size 2048, maybe-live-out:\n"
      " value: <1 n @0> (size=2048,offset=0): f32[8,64]{1,0}\n"
      " value: <2 f @0> (size=2048,offset=0): f32[8,64]{1,0}\n";
  const char* const kSelf = "unknown: 's' is not known to be copied from another buffer";
  EXPECT_EQ(TextOf(Check(kUpdate, in_place)), kSelf);
  const char* const kInside = " value: <0 u @0> (size=256,offset=1024): f32[1,64]{1,0}\n";
  EXPECT_EQ(TextOf(Check(kUpdate, in_place + kInside)), kSelf);
}

// A branch that is not taken copies nothing, and one that may be taken does.
TEST(SliceCopies, BranchesAreFollowed) {
  auto of = [](const std::string& choice) {
    return TextOf(
        Check("HloModule m\nfused { x = f32[8,64] parameter(0) i = s32[] constant(1) zero = s32[] "
              "constant(0)\n ROOT s = " +
              kRow + Config(0, 0, "") + R"( }
      yes { x = f32[8,64] parameter(0) ROOT f = f32[1,64] fusion(x), kind=kLoop, calls=fused }
      no { x = f32[8,64] parameter(0) ROOT s = f32[1,64] slice(x), slice={[0:1], [0:64]} }
      ENTRY e { x = f32[8,64] parameter(0) c = pred[] )" +
              choice +
              "\n ROOT r = f32[1,64] conditional(c, x, x), true_computation=yes, "
              "false_computation=no }"));
  };
  const char* const kWrong =
      "refuted: 's' starts at [1,0] of f32[8,64], which is byte 256, and the copy is of byte 0";
  EXPECT_EQ(of("constant(true)"), kWrong);
  EXPECT_EQ(of("parameter(1)"), kWrong);
  EXPECT_EQ(of("constant(false)"), "unknown: 's' is not seen to be copied");
}

// The bytes that the loop copies are those of the elements that it should read.
RC_GTEST_PROP(SliceCopies, AreRightInEveryTrip, ()) {
  const int64_t first = *rc::gen::inRange<int64_t>(-3, 10),
                step = *rc::gen::inRange<int64_t>(-2, 3);
  const int64_t trips = *rc::gen::inRange<int64_t>(1, 6);
  const int64_t columns = *rc::gen::element<int64_t>(1, 60, 63, 64);
  const bool two = *rc::gen::arbitrary<bool>();  // both starts are i
  // Offsets that are right without clamping, or wrong by a little.
  const int64_t row = two ? 260 : 256;
  const int64_t offset = first * row + *rc::gen::element<int64_t>(0, 0, 0, 4, -256);
  const int64_t stride = step * row + *rc::gen::element<int64_t>(0, 0, 0, 4);
  const std::string size = std::to_string(columns);
  const std::string slice = "f32[1," + size + "] dynamic-slice(x, i, " + (two ? "i" : "zero") +
                            "), dynamic_slice_sizes={1," + size + "}" + Config(offset, stride);
  std::string text = InLoop(first, step, trips, slice);
  const std::string of_row = "f32[1,64]", of_part = "f32[1," + size + "]";
  for (size_t at = 0; (at = text.find(of_row, at)) != std::string::npos; at += of_part.size())
    text.replace(at, of_row.size(), of_part);
  bool right = true;
  for (int64_t t = 0; t < trips; ++t) {
    const int64_t i = first + step * t;
    const int64_t element =
        std::clamp<int64_t>(i, 0, 7) * 64 + (two ? std::clamp<int64_t>(i, 0, 64 - columns) : 0);
    const int64_t byte = std::clamp<int64_t>(offset + stride * t, 0, 4 * (8 * 64 - columns));
    right = right && byte == 4 * element;
  }
  RC_TAG(right ? "right" : "wrong");
  const driver::SliceCopy copy = Check(text);
  RC_ASSERT(copy.verdict == (right ? Verdict::kProved : Verdict::kRefuted));
}

// The whole way: a dump whose only work is a copy.
TEST(SliceCopies, ArePartsOfADump) {
  auto dump_of = [](int64_t offset) {
    return TemporaryFolder::Files(
        {{"module_0001.m.sm_9.0a_gpu_after_optimizations.txt",
          "HloModule m, is_scheduled=true" +
              InEntry("s32[] constant(3)", kRow + Config(offset, 0, ""))
                  .substr(std::string("HloModule m").size())},
         {"module_0001.m.thunk_sequence.txt",
          "001: kDynamicSliceFusion [source | sink] params=1, results=1\n"
          "    002: kCopy [source | sink] kCopy\n"},
         {"module_0001.m.sm_9.0a_gpu_after_optimizations-buffer-assignment.txt",
          "allocation 0: size 2048, parameter 0, shape |f32[8,64]| at ShapeIndex {}:\n"
          " value: <0 x @0> (size=2048,offset=0): f32[8,64]{1,0}\n"
          "allocation 1: size 256, maybe-live-out:\n"
          " value: <1 f @0> (size=256,offset=0): f32[1,64]{1,0}\n"
          "allocation 2: size 4, constant:\n"
          " value: <2 i @0> (size=4,offset=0): s32[]\n"},
         {"module_0001.m.constants.ir-no-opt.ll", "@buffer_for_i = constant i32 3, align 256\n"},
         {"module_0001.m.thunk_metadata.txt",
          "thunk_metadata {\n  thunk_info {\n    profile_annotation: \"f\"\n    thunk_id: 1\n "
          " }\n}\n"}});
  };
  const TemporaryFolder right(dump_of(768)), wrong(dump_of(0));
  const auto good = RunAffirm({"xla", right.path(), "--kernels", "--json"});
  EXPECT_EQ(good.status, 0) << good.out << good.err;
  EXPECT_NE(good.out.find("\"copies\":[{\"module\":\"module_0001.m\",\"instruction\":\"f\","
                          "\"verdict\":\"proved\"}]"),
            std::string::npos)
      << good.out;
  EXPECT_EQ(good.out.find("kCopy"), std::string::npos);
  const auto bad = RunAffirm({"xla", wrong.path()});
  EXPECT_EQ(bad.status, 1) << bad.out << bad.err;
  EXPECT_NE(bad.out.find("REFUTED copy 'f': 's' starts at [3,0] of f32[8,64], which is byte 768"),
            std::string::npos)
      << bad.out;
  auto json = llvm::json::parse(RunAffirm({"xla", wrong.path(), "--json"}).out);
  ASSERT_TRUE(bool(json));
  const llvm::json::Object* first = json->getAsObject()->getObject("first_wrong");
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->getString("stage").value_or(""), "copy");
  EXPECT_EQ(first->getString("name").value_or(""), "f");
  // A compiler that makes such dumps of random modules.
  const std::string compiler =
      "f() { shift 4; for file in \"$@\"; do d=${file%.hlo}; mkdir -p $d; "
      "cp " +
      wrong.path() + "/* $d; done; }; f";
  const auto found =
      RunAffirm({"fuzz", "xla", "--runs", "2", "--no-reduce", "--out", "", "--compiler", compiler});
  EXPECT_EQ(found.status, 1) << found.out << found.err;
  EXPECT_NE(found.out.find("2 finding"), std::string::npos) << found.out;
  EXPECT_NE(found.out.find("copy f: 's' starts at [3,0]"), std::string::npos) << found.out;
}

}  // namespace
}  // namespace affirm::testing
