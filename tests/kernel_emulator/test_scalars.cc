// Scalars that a kernel takes by value: how launch files give them, and kernels that are right at
// one value, at all values of a range, or at none.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/hlo/text.h"
#include "core/symbolic/error.h"
#include "driver/validate/open_scalars.h"
#include "driver/validate/validate.h"
#include "verify/kernel/emulator/emulator.h"
#include "verify/kernel/json_parts.h"
#include "verify/kernel/scalar_value.h"

namespace affirm::driver {
namespace {

using hlo::PrimitiveType;
using kernel::Claim;

// ---- text

std::string LaunchText(const std::string& entries) {
  return R"({"grid":[8],"threads":[128],"params":[
{"shape":"f32[1000]","role":"input","memory":0},
{"shape":"f32[1000]","role":"output","memory":1})" +
         (entries.empty() ? "" : ",\n" + entries) + "]}";
}

std::string Given(const std::string& shape, const std::string& value) {
  return R"({"shape":")" + shape + R"(","role":"scalar","value":)" + value + "}";
}

std::string Between(const std::string& shape, const std::string& range) {
  return R"({"shape":")" + shape + R"(","role":"scalar","range":)" + range + "}";
}

std::string LaunchError(const std::string& entries) {
  auto launch = kernel::ParseLaunch(LaunchText(entries), "l.json");
  return launch ? "" : llvm::toString(launch.takeError());
}

const std::vector<PrimitiveType>& ScalarTypes() {
  static const std::vector<PrimitiveType> types = [] {
    std::vector<PrimitiveType> list;
    for (int k = 0; k <= static_cast<int>(PrimitiveType::kTuple); ++k) {
      const auto type = static_cast<PrimitiveType>(k);
      if (kernel::IsScalarType(type)) list.push_back(type);
    }
    return list;
  }();
  return types;
}

RC_GTEST_PROP(Scalars, TextReadsBackToTheSameBits, ()) {
  const PrimitiveType type = *rc::gen::elementOf(ScalarTypes());
  const int width = type == PrimitiveType::kPred ? 1 : hlo::BitWidth(type);
  const uint64_t bits = *rc::gen::arbitrary<uint64_t>() & (~uint64_t{0} >> (64 - width));
  auto read = kernel::ReadScalarValue(kernel::ScalarValueText(bits, type), type);
  if (!read) RC_FAIL(llvm::toString(read.takeError()));
  RC_ASSERT(*read == bits);
}

RC_GTEST_PROP(Scalars, IntegersOutsideTheirTypeAreErrors, ()) {
  const PrimitiveType type =
      *rc::gen::suchThat(rc::gen::elementOf(ScalarTypes()),
                         [](PrimitiveType t) { return hlo::IsInt(t) && hlo::BitWidth(t) < 64; });
  const int64_t value = *rc::gen::arbitrary<int64_t>() >> *rc::gen::inRange(0, 64);
  const int width = hlo::BitWidth(type) - (hlo::IsSignedInt(type) ? 1 : 0);
  const int64_t most = (int64_t{1} << width) - 1, least = hlo::IsSignedInt(type) ? -most - 1 : 0;
  auto read = kernel::ReadScalarValue(std::to_string(value), type);
  RC_ASSERT(!!read == (least <= value && value <= most));
  if (read) {
    RC_ASSERT(kernel::ScalarInteger(*read, type) == value);
  } else {
    llvm::consumeError(read.takeError());
  }
}

TEST(Scalars, FloatsAreRoundedOnce) {
  auto bits = [](const char* text, PrimitiveType type) {
    auto read = kernel::ReadScalarValue(text, type);
    return read ? *read : (llvm::consumeError(read.takeError()), ~uint64_t{0});
  };
  EXPECT_EQ(bits("0.1", PrimitiveType::kF32), 0x3dcccccdu);
  EXPECT_EQ(bits("-0", PrimitiveType::kF32), 0x80000000u);
  EXPECT_EQ(bits("\"-inf\"", PrimitiveType::kF16), 0xfc00u);
  EXPECT_EQ(bits("\"nan\"", PrimitiveType::kBF16), 0x7fc0u);
  EXPECT_EQ(bits("\"0x7f800001\"", PrimitiveType::kF32), 0x7f800001u);
  // Above the middle of two f32, and in the middle once it is rounded to f64.
  EXPECT_EQ(bits("1.00000005960464477540", PrimitiveType::kF32), 0x3f800001u);
}

TEST(Scalars, ValuesOfOtherTypesAreErrorsWithTheirPlace) {
  const std::pair<const char*, const char*> refused[] = {{"s8[]", "300"},
                                                         {"s8[]", "-129"},
                                                         {"u8[]", "-1"},
                                                         {"u64[]", "1.0"},
                                                         {"s32[]", "1e3"},
                                                         {"s32[]", "0.5"},
                                                         {"s32[]", "\"1\""},
                                                         {"s32[]", "true"},
                                                         {"s32[]", "\"nan\""},
                                                         {"s32[]", "null"},
                                                         {"s32[]", "[1]"},
                                                         {"pred[]", "2"},
                                                         {"u64[]", "18446744073709551616"},
                                                         {"s64[]", "9223372036854775808"},
                                                         {"f32[]", "1e39"},
                                                         {"f32[]", "1e-60"},
                                                         {"f32[]", "\"NaN\""},
                                                         {"f32[]", "\"1\""},
                                                         {"f32[]", "\"0x3f8\""},
                                                         {"f32[]", "true"},
                                                         {"f16[]", "65520"},
                                                         {"f8e4m3fn[]", "1"},
                                                         {"f8e4m3fn[]", "\"0x100\""}};
  for (const auto& [shape, value] : refused) {
    const std::string error = LaunchError(Given(shape, value));
    EXPECT_EQ(error.substr(0, 9), "l.json:4:") << shape << " " << value;
    EXPECT_NE(error.find(std::string(value).substr(0, 40) + " is no value of "), std::string::npos)
        << error;
  }
}

TEST(Scalars, EntriesThatDoNotSayOneValueAreErrors) {
  const std::string scalar = R"({"shape":"s32[]","role":"scalar")";
  for (const std::string& entry :
       {scalar + "}", scalar + R"(,"value":1,"range":[0,1]})", scalar + R"(,"value":1,"value":2})",
        scalar + R"(,"range":[1]})", scalar + R"(,"range":[2,1]})", scalar + R"(,"range":7})",
        scalar + R"(,"value":1,"argument":1})", scalar + R"(,"value":1,"argument":3})",
        scalar + R"(,"value":1,"bytes":8})", scalar + R"(,"value":1,"memory":1})",
        scalar + R"(,"value":1,"starts_as":0})", scalar + R"(,"value":1,"alignment":16})",
        Given("s32[1]", "1"), Given("c64[]", "1"), Between("f32[]", R"(["nan",1])"),
        Between("f8e5m2[]", R"(["0x00","0x01"])"),
        std::string(R"({"shape":"s32[]","role":"input","value":1})")}) {
    const std::string error = LaunchError(entry);
    EXPECT_EQ(error.substr(0, 9), "l.json:4:") << entry << error;
  }
  EXPECT_NE(LaunchError(R"({"shape":"s32[]","role":"scalar","value":1,"argument":2},)" +
                        Given("s32[]", "1") + "," +
                        R"({"shape":"s32[]","role":"scalar","value":1,"argument":2})"),
            "");
}

TEST(Scalars, AreWrittenAsTheyAreRead) {
  const std::string text =
      R"({"grid":[1,1,1],"threads":[1,1,1],"params":[)"
      R"({"name":"n","shape":"s64[]","role":"scalar","value":-5},)"
      R"({"shape":"f32[4]","bytes":16,"role":"input","memory":1},)"
      R"({"shape":"f32[]","role":"scalar","range":[-0.0,"inf"]},)"
      R"({"shape":"f32[4]","bytes":16,"role":"output","memory":3,"starts_as":1},)"
      R"({"shape":"pred[]","role":"scalar","value":true}]})";
  auto launch = kernel::ParseLaunch(text, "l.json");
  ASSERT_TRUE(!!launch) << llvm::toString(launch.takeError());
  EXPECT_EQ(launch->params[1].starts_as, 0);
  EXPECT_EQ(launch->ArgumentOf(1), 3);
  EXPECT_EQ(launch->NumArguments(), 5);
  std::string written;
  llvm::raw_string_ostream stream(written);
  llvm::json::OStream json(stream);
  WriteJson(json, *launch);
  EXPECT_EQ(written, text);
}

TEST(Scalars, PartsOfJsonAreFound) {
  const llvm::StringRef text = R"( {"a" : [1, "x]\"", {"b":2}] , "c":-1.5e3,"d":{}} )";
  const auto members = kernel::JsonMembers(text);
  ASSERT_EQ(members.size(), 3u);
  EXPECT_EQ(members[1].key, "c");
  EXPECT_EQ(members[1].value, "-1.5e3");
  EXPECT_EQ(kernel::JsonElements(members[0].value),
            (std::vector<llvm::StringRef>{"1", R"("x]\"")", R"({"b":2})"}));
  EXPECT_TRUE(kernel::JsonElements("[ ]").empty());
}

// ---- kernels

constexpr const char* kHead =
    "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\ndeclare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"
    "declare void @llvm.assume(i1)\n";
constexpr const char* kIndex =
    "  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"
    "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
    "  %s = shl i32 %b, 7\n  %i = or disjoint i32 %s, %t\n  %in = icmp slt i32 %i, 1000\n";

// A kernel of 1024 threads: `condition` sets %c, under which each stores %v, which `value` makes of
// the element %w of its own.
struct Kernel {
  std::string arguments, condition;
  std::string value = "%v = fneg float %w";

  std::string Text() const {
    return std::string(kHead) + "define ptx_kernel void @k(ptr %x, ptr %o, " + arguments + ") {\n" +
           kIndex + condition + "\n  br i1 %c, label %body, label %exit\nbody:\n" +
           "  %j = sext i32 %i to i64\n  %px = getelementptr float, ptr %x, i64 %j\n" +
           "  %w = load float, ptr %px, align 4\n  " + value +
           "\n  %po = getelementptr float, ptr %o, i64 %j\n" +
           "  store float %v, ptr %po, align 4\n  br label %exit\nexit:\n  ret void\n}\n";
  }
};

constexpr const char* kNegate = "p = f32[1000] parameter(0)\n ROOT n = f32[1000] negate(p)";
constexpr const char* kScale =
    "p = f32[1000] parameter(0)\n c = f32[] constant(2.5)\n"
    " b = f32[1000] broadcast(c), dimensions={}\n ROOT n = f32[1000] multiply(p, b)";

// Validation, or the error of a launch that does not fit.
llvm::Expected<Validation> Judge(const std::string& kernel, const std::string& hlo,
                                 const std::string& entries) {
  auto module = hlo::ParseModule("HloModule m\nENTRY e {\n " + hlo + "\n}", "m.hlo");
  if (!module) return module.takeError();
  auto launch = kernel::ParseLaunch(LaunchText(entries), "l.json");
  if (!launch) return launch.takeError();
  auto ir = kernel::ReadKernelIr(kernel, "k.ll");
  if (!ir) return ir.takeError();
  const KernelSubject subject{(*module)->entry, &*ir, *launch};
  if (llvm::Error error = CheckSubject(subject)) return error;
  if (llvm::Error error = kernel::CheckFits(*ir, *launch)) return error;
  return Validate(subject, {});
}

Verdict VerdictOf(const Kernel& kernel, const std::string& entries, const char* hlo = kNegate) {
  auto validation = Judge(kernel.Text(), hlo, entries);
  EXPECT_TRUE(!!validation) << entries;
  if (validation) return validation->verdict;
  ADD_FAILURE() << llvm::toString(validation.takeError());
  return Verdict::kUnknown;
}

std::string ErrorOf(const Kernel& kernel, const std::string& entries) {
  auto validation = Judge(kernel.Text(), kNegate, entries);
  return validation ? "" : llvm::toString(validation.takeError());
}

// Whether the claim is proved from the LLVM IR, whatever runs say.
bool IsProved(const std::string& kernel, const std::string& entries, Claim claim) {
  auto module =
      hlo::ParseModule("HloModule m\nENTRY e {\n " + std::string(kNegate) + "\n}", "m.hlo");
  auto launch = kernel::ParseLaunch(LaunchText(entries), "l.json");
  auto ir = kernel::ReadKernelIr(kernel, "k.ll");
  EXPECT_TRUE(!!module && !!launch && !!ir) << entries;
  if (!module || !launch || !ir) return false;
  const std::vector<ClaimResult> claims = ProveClaims({(*module)->entry, &*ir, *launch}, {});
  return claims[static_cast<size_t>(claim)].verdict == Verdict::kProved;
}

const Kernel kBound{"i32 %n", "  %c = icmp slt i32 %i, %n"};
const Kernel kBothBounds{"i32 %n", "  %d = icmp slt i32 %i, %n\n  %c = and i1 %d, %in"};

TEST(Scalars, BoundsHoldAtTheirValueOnly) {
  EXPECT_EQ(VerdictOf(kBound, Given("s32[]", "1000")), Verdict::kProved);
  EXPECT_EQ(VerdictOf(kBound, Given("u32[]", "1000")), Verdict::kProved);
  for (const char* wrong : {"999", "1001", "0", "-1000"})
    EXPECT_EQ(VerdictOf(kBound, Given("s32[]", wrong)), Verdict::kRefuted) << wrong;
  const Kernel wide{"i64 %n",
                    "  %e = zext i32 %i to i64\n  %d = icmp slt i64 %e, %n\n"
                    "  %c = and i1 %d, %in"};
  EXPECT_EQ(VerdictOf(wide, Given("s64[]", "9223372036854775807")), Verdict::kProved);
  EXPECT_EQ(VerdictOf(wide, Given("u64[]", "18446744073709551615")), Verdict::kRefuted);
}

TEST(Scalars, PredicatesAndBytesDecide) {
  const Kernel flag{"i1 zeroext %f", "  %c = and i1 %in, %f"};
  EXPECT_EQ(VerdictOf(flag, Given("pred[]", "true")), Verdict::kProved);
  EXPECT_EQ(VerdictOf(flag, Given("pred[]", "false")), Verdict::kRefuted);
  const Kernel byte{"i8 %f", "  %d = icmp slt i8 %f, 0\n  %c = and i1 %in, %d"};
  EXPECT_EQ(VerdictOf(byte, Given("s8[]", "-128")), Verdict::kProved);
  EXPECT_EQ(VerdictOf(byte, Given("u8[]", "128")), Verdict::kProved);
  EXPECT_EQ(VerdictOf(byte, Given("pred[]", "true")), Verdict::kRefuted);
}

TEST(Scalars, FloatsAreValues) {
  const Kernel scale{"float %a", "  %c = and i1 %in, true", "%v = fmul float %w, %a"};
  EXPECT_EQ(VerdictOf(scale, Given("f32[]", "2.5"), kScale), Verdict::kProved);
  EXPECT_EQ(VerdictOf(scale, Given("f32[]", "\"0x40200000\""), kScale), Verdict::kProved);
  EXPECT_EQ(VerdictOf(scale, Given("f32[]", "\"0x40200001\""), kScale), Verdict::kRefuted);
  EXPECT_EQ(VerdictOf(scale, Given("f32[]", "\"nan\""), kScale), Verdict::kRefuted);
  EXPECT_EQ(VerdictOf(scale, Given("f32[]", "-1")), Verdict::kProved);
}

TEST(Scalars, UndefinedBehaviorAtTheValueIsNoticed) {
  const Kernel wraps{"i32 %n",
                     "  %m = add nsw i32 %n, 1\n  %d = icmp slt i32 %i, %m\n"
                     "  %c = and i1 %d, %in"};
  EXPECT_EQ(VerdictOf(wraps, Given("s32[]", "2147483646")), Verdict::kProved);
  EXPECT_EQ(VerdictOf(wraps, Given("s32[]", "2147483647")), Verdict::kRefuted);
  const Kernel divides{"i32 %n", "  %q = udiv i32 %i, %n\n  %c = icmp ult i32 %q, 10"};
  EXPECT_EQ(VerdictOf(divides, Given("s32[]", "100")), Verdict::kProved);
  EXPECT_EQ(VerdictOf(divides, Given("s32[]", "0")), Verdict::kRefuted);
}

// LangRef, "Parameter Attributes": what breaks `range` or `nofpclass` is poison, which nothing
// shows where it is not used, unless `noundef` forbids it.
TEST(Scalars, PromisesOfArgumentsAreKept) {
  auto bound = [](const std::string& attributes) {
    return Kernel{"i32 " + attributes + " %n", kBothBounds.condition};
  };
  EXPECT_EQ(VerdictOf(bound("noundef range(i32 0, 1001)"), Given("s32[]", "1000")),
            Verdict::kProved);
  EXPECT_EQ(VerdictOf(bound("range(i32 0, 1000)"), Given("s32[]", "1000")), Verdict::kRefuted);
  auto unused = [](const std::string& argument) {
    return Kernel{argument + " %a", "  %c = and i1 %in, true"};
  };
  EXPECT_EQ(VerdictOf(unused("i32 range(i32 0, 9)"), Given("s32[]", "9")), Verdict::kUnknown);
  EXPECT_EQ(VerdictOf(unused("i32 noundef range(i32 0, 9)"), Given("s32[]", "9")),
            Verdict::kRefuted);
  EXPECT_EQ(VerdictOf(unused("float nofpclass(nan inf)"), Given("f32[]", "1")), Verdict::kProved);
  EXPECT_EQ(VerdictOf(unused("float nofpclass(nan inf)"), Given("f32[]", "\"inf\"")),
            Verdict::kUnknown);
  EXPECT_EQ(VerdictOf(unused("float noundef nofpclass(nan inf)"), Given("f32[]", "\"nan\"")),
            Verdict::kRefuted);
}

TEST(Scalars, ArgumentsWithoutTheirValueAreErrors) {
  EXPECT_NE(ErrorOf(kBound, "").find("argument 2 of the kernel, 'i32 %n', is passed by value"),
            std::string::npos);
  EXPECT_NE(ErrorOf({"i32 %n, i32 %m", kBound.condition}, Given("s32[]", "1000")).find("'i32 %m'"),
            std::string::npos);
  EXPECT_NE(ErrorOf(kBound, Given("s32[]", "1000") + "," + Given("s32[]", "1000"))
                .find("has 3 arguments, and the launch 4"),
            std::string::npos);
  const Kernel pointer{"ptr %q", "  %c = and i1 %in, true"};
  EXPECT_EQ(ErrorOf(pointer, Given("s64[]", "1000")).substr(0, 11), "l.json:4:1:");
  EXPECT_NE(ErrorOf(pointer, Given("s64[]", "1000")).find("is a pointer"), std::string::npos);
  for (const char* other : {"s64[]", "f32[]", "s8[]", "pred[]"}) {
    const std::string value = std::string(other) == "pred[]" ? "true" : "100";
    EXPECT_NE(ErrorOf(kBound, Given(other, value)).find("expected the shape s32[]"),
              std::string::npos)
        << other;
  }
  const Kernel pair{"{ i32, i32 } %n", "  %c = and i1 %in, true"};
  EXPECT_NE(ErrorOf(pair, Given("s32[]", "1")).find("a type that no scalar has"),
            std::string::npos);
}

// ---- ranges

TEST(Scalars, RangesAreProvedForAllValues) {
  EXPECT_EQ(VerdictOf(kBothBounds, Between("s32[]", "[1000,2147483647]")), Verdict::kProved);
  EXPECT_EQ(VerdictOf(kBothBounds, Between("s32[]", "[999,2147483647]")), Verdict::kRefuted);
  // As unsigned numbers they go on past the sign bit, where the comparison takes them for negative.
  EXPECT_EQ(VerdictOf(kBothBounds, Between("u32[]", "[1000,4294967295]")), Verdict::kRefuted);
  EXPECT_EQ(VerdictOf(kBound, Between("s32[]", "[1000,1000]")), Verdict::kProved);
  EXPECT_EQ(VerdictOf(kBound, Between("s32[]", "[1000,1001]")), Verdict::kRefuted);
  const Kernel flag{"i1 %f", "  %c = and i1 %in, %f"};
  EXPECT_EQ(VerdictOf(flag, Between("pred[]", "[false,true]")), Verdict::kRefuted);
  const Kernel idle{"float %a", "  %c = and i1 %in, true",
                    "%y = fadd float %a, 1.0\n  %v = fneg float %w"};
  EXPECT_EQ(VerdictOf(idle, Between("f32[]", R"(["-inf","inf"])")), Verdict::kProved);
  const Kernel scale{"float %a", "  %c = and i1 %in, true", "%v = fmul float %w, %a"};
  EXPECT_EQ(VerdictOf(scale, Between("f32[]", "[-1,1]")), Verdict::kRefuted);
}

// Few values are proved one by one where they are not together.
TEST(Scalars, FewValuesAreProvedOneByOne) {
  const Kernel parts{"i32 %n",
                     "  %m = mul i32 %n, %n\n  %q = urem i32 1000, %m\n"
                     "  %z = icmp ne i32 %q, 1000\n  %c = and i1 %in, %z"};
  EXPECT_EQ(VerdictOf(parts, Between("s32[]", "[1,16]")), Verdict::kProved);
  // 40 * 40 is more than 1000.
  EXPECT_EQ(VerdictOf(parts, Between("s32[]", "[25,40]")), Verdict::kRefuted);
  EXPECT_FALSE(IsProved(parts.Text(), Between("s32[]", "[25,40]"), Claim::kWrites));
}

// The ways of a branch on the scalar store, which is proved below 500 and from there on.
TEST(Scalars, RangesAreProvedInParts) {
  auto kernel = [](const std::string& condition, const std::string& otherwise) {
    return Kernel{"i32 %n", "  %c = and i1 %in, true",
                  "%q = getelementptr float, ptr %o, i64 %j\n" + condition +
                      "\n  br i1 %d, label %low, label %high\nlow:\n  %u = fneg float %w\n"
                      "  store float %u, ptr %q, align 4\n  br label %exit\nhigh:\n  %v = " +
                      otherwise};
  };
  const std::string below = "  %d = icmp slt i32 %n, 500", fault = "fadd float %w, 0.0";
  const Kernel right = kernel(below, "fneg float %w"), wrong = kernel(below, fault);
  EXPECT_EQ(VerdictOf(right, Between("s32[]", "[-7,100000]")), Verdict::kProved);
  EXPECT_EQ(VerdictOf(wrong, Between("s32[]", "[-7,499]")), Verdict::kProved);
  for (const char* range : {"[-7,500]", "[-7,100000]"}) {
    EXPECT_EQ(VerdictOf(wrong, Between("s32[]", range)), Verdict::kRefuted) << range;
    EXPECT_FALSE(IsProved(wrong.Text(), Between("s32[]", range), Claim::kValues)) << range;
  }
  // Neither an end of the range nor a number that the code compares with is 2 modulo 8.
  const Kernel inside =
      kernel("  %k = add i32 %n, 1\n  %m = and i32 %k, 7\n  %d = icmp ne i32 %m, 3", fault);
  EXPECT_FALSE(IsProved(inside.Text(), Between("s32[]", "[-7,100000]"), Claim::kValues));
}

// One thread writes the element that the scalar numbers: over all values of the range each element
// is written once, and at none of them is more than one.
TEST(Scalars, ValuesOfARangeAreNoThreads) {
  const Kernel one{"i32 %n", "  %c = icmp eq i32 %i, %n"};
  EXPECT_EQ(VerdictOf(one, Between("s32[]", "[0,999]")), Verdict::kRefuted);
  EXPECT_FALSE(IsProved(one.Text(), Between("s32[]", "[0,999]"), Claim::kWrites));
  const std::string by_number =
      std::string(kHead) + "define ptx_kernel void @k(ptr %x, ptr %o, i32 %n) {\n" + kIndex +
      "  %z = icmp eq i32 %i, 0\n  br i1 %z, label %body, label %exit\nbody:\n"
      "  %j = sext i32 %n to i64\n  %px = getelementptr float, ptr %x, i64 %j\n"
      "  %w = load float, ptr %px, align 4\n  %v = fneg float %w\n"
      "  %po = getelementptr float, ptr %o, i64 %j\n  store float %v, ptr %po, align 4\n"
      "  br label %exit\nexit:\n  ret void\n}\n";
  EXPECT_FALSE(IsProved(by_number, Between("s32[]", "[0,999]"), Claim::kWrites));
}

TEST(Scalars, ConditionsOnRangesAreDroppedWhereOthersImplyThem) {
  EXPECT_TRUE(IsProved(kBothBounds.Text(), Between("s32[]", "[1000,9000]"), Claim::kWrites));
  EXPECT_FALSE(IsProved(kBothBounds.Text(), Between("s32[]", "[999,9000]"), Claim::kWrites));
  EXPECT_FALSE(IsProved(kBothBounds.Text(), Between("s32[]", "[0,1000]"), Claim::kWrites));
}

// An open scalar that the proof cannot follow is not taken for one of its values.
TEST(Scalars, UnprovedRangesStayUnknown) {
  const Kernel odd{"i32 %n",
                   "  %m = mul i32 %n, %n\n  %a = and i32 %m, 3\n"
                   "  %z = icmp ult i32 %a, 2\n  %c = and i1 %in, %z"};
  const Verdict verdict = VerdictOf(odd, Between("s32[]", "[0,2147483647]"));
  EXPECT_TRUE(verdict == Verdict::kUnknown || verdict == Verdict::kProved);
  const Kernel hole{"i32 %n", "  %q = icmp ne i32 %n, 512\n  %c = and i1 %in, %q"};
  EXPECT_EQ(VerdictOf(hole, Between("s32[]", "[0,100000]")), Verdict::kRefuted);
  EXPECT_EQ(VerdictOf({"i32 noundef range(i32 3000, 2999) %n", kBothBounds.condition},
                      Between("s32[]", "[1000,5000]")),
            Verdict::kRefuted);
}

TEST(Scalars, EmulatorNeedsAValue) {
  auto ir = kernel::ReadKernelIr(kBound.Text(), "k.ll");
  auto launch = kernel::ParseLaunch(LaunchText(Between("s32[]", "[1,2]")), "l.json");
  ASSERT_TRUE(!!ir && !!launch);
  auto emulator = kernel::Emulator::Create(*ir, *launch);
  ASSERT_FALSE(!!emulator);
  EXPECT_NE(llvm::toString(emulator.takeError()).find("l.json:4:1: error: parameter 2 has a range"),
            std::string::npos);
}

}  // namespace
}  // namespace affirm::driver
