// Validation of small kernels: layouts, narrow types, buffers in place, and what is merged.
#include <gtest/gtest.h>

#include "core/hlo/text.h"
#include "driver/validate/argument_sets.h"
#include "driver/validate/buffers.h"
#include "driver/validate/validate.h"
#include "emit/kernel.h"
#include "emit/runtime/device_kernel.h"
#include "verify/kernel/proof/prove_kernel.h"
#include "verify/reference/arguments.h"

namespace affirm::driver {
namespace {

using kernel::Claim;

Validation RunOn(const std::string& hlo, const std::string& body, const std::string& launch_text) {
  auto module = hlo::ParseModule(hlo, "m.hlo");
  auto launch = kernel::ParseLaunch(launch_text, "l.json");
  auto ir = kernel::ReadKernelIr(
      "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
      "define ptx_kernel void @k(ptr %in, ptr %out) {\nentry:\n"
      "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n" +
          body + "\nret void\n}",
      "k.ll");
  EXPECT_TRUE(!!module && !!launch && !!ir);
  KernelSubject subject{(*module)->entry, &*ir, *launch};
  llvm::Error error = CheckSubject(subject);
  EXPECT_FALSE(!!error) << llvm::toString(std::move(error));
  return Validate(subject, {});
}

std::string Launch(const std::string& in, const std::string& out, int bytes, int threads,
                   int out_memory = 1) {
  const std::string b = std::to_string(bytes);
  return R"({"grid": [1], "threads": [)" + std::to_string(threads) +
         R"(], "params": [{"shape": ")" + in + R"(", "bytes": )" + b +
         R"(, "role": "input", "memory": 0}, {"shape": ")" + out + R"(", "bytes": )" + b +
         R"(, "role": "output", "memory": )" + std::to_string(out_memory) + "}]}";
}

const ClaimResult& Of(const Validation& validation, Claim claim) {
  return validation.claims[static_cast<size_t>(claim)];
}

constexpr const char* kCopyWords =
    "%p = getelementptr i32, ptr %in, i32 %t\n%v = load i32, ptr %p, align 4\n"
    "%q = getelementptr i32, ptr %out, i32 %t\nstore i32 %v, ptr %q, align 4";

// LLVM leaves the bits of NaN * 1 open, and terms have those of the NaN.
TEST(Validate, BitsOfConstantNansAreOpen) {
  auto module = hlo::ParseModule(
      "HloModule m\nENTRY e {\n  p = f32[4] parameter(0)\n  c = u32[] constant(2143289345)\n"
      "  ROOT r = u32[4] broadcast(c), dimensions={}\n}",
      "m.hlo");
  auto launch = kernel::ParseLaunch(Launch("f32[4]", "u32[4]", 16, 4), "l.json");
  ASSERT_TRUE(!!module && !!launch);
  auto verdict = [&](const std::string& value) {
    auto ir = kernel::ReadKernelIr(
        "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
        "define ptx_kernel void @k(ptr %in, ptr %out) {\n"
        "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n%v = " +
            value +
            "\n%b = bitcast float %v to i32\n%q = getelementptr i32, ptr %out, i32 %t\n"
            "store i32 %b, ptr %q, align 4\nret void\n}",
        "k.ll");
    EXPECT_TRUE(!!ir) << value;
    if (!ir) return Verdict::kUnknown;
    return kernel::ProveKernel(*ir, *launch, *(*module)->entry, {}).Of(Claim::kValues).verdict;
  };
  EXPECT_EQ(verdict("select i1 true, float 0x7FF8000020000000, float 0.0"), Verdict::kProved);
  EXPECT_EQ(verdict("fmul float 0x7FF8000020000000, 1.0"), Verdict::kUnknown);
}

// The low half of a float's bits is another number for another NaN.
TEST(Validate, HalvesOfAChangedNanAreOpen) {
  auto module = hlo::ParseModule(
      "HloModule m\nENTRY e {\n  p = f32[4] parameter(0)\n  b = u32[4] bitcast-convert(p)\n"
      "  h = u16[4] convert(b)\n  ROOT r = f16[4] bitcast-convert(h)\n}",
      "m.hlo");
  auto launch = kernel::ParseLaunch(
      R"({"grid": [1], "threads": [4], "params": [
        {"shape": "f32[4]", "bytes": 16, "role": "input", "memory": 0},
        {"shape": "f16[4]", "bytes": 8, "role": "output", "memory": 1}]})",
      "l.json");
  ASSERT_TRUE(!!module && !!launch);
  auto verdict = [&](const std::string& value) {
    auto ir = kernel::ReadKernelIr(
        "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
        "define ptx_kernel void @k(ptr %in, ptr %out) {\n"
        "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
        "%p = getelementptr float, ptr %in, i32 %t\n%x = load float, ptr %p, align 4\n%v = " +
            value +
            "\n%b = bitcast float %v to i32\n%h = trunc i32 %b to i16\n"
            "%f = bitcast i16 %h to half\n%q = getelementptr half, ptr %out, i32 %t\n"
            "store half %f, ptr %q, align 2\nret void\n}",
        "k.ll");
    EXPECT_TRUE(!!ir) << value;
    if (!ir) return Verdict::kUnknown;
    return kernel::ProveKernel(*ir, *launch, *(*module)->entry, {}).Of(Claim::kValues).verdict;
  };
  EXPECT_EQ(verdict("select i1 true, float %x, float 0.0"), Verdict::kProved);
  EXPECT_EQ(verdict("fmul float %x, 1.0"), Verdict::kUnknown);
}

TEST(Validate, LayoutsAreThoseOfTheLaunch) {
  const std::string hlo =
      "HloModule m\nENTRY e {\n  p = s32[2,3] parameter(0)\n"
      "  ROOT t = s32[3,2] transpose(p), dimensions={1,0}\n}";
  // The transpose of a row-major array is the same bytes read column-major.
  Validation right = RunOn(hlo, kCopyWords, Launch("s32[2,3]{1,0}", "s32[3,2]{0,1}", 24, 6));
  EXPECT_EQ(right.verdict, Verdict::kProved);
  const int64_t runs = std::size(hlo::kArgumentKinds) + ArgumentSets::kFurther;
  EXPECT_EQ(right.executed.runs, runs);
  EXPECT_EQ(right.executed.elements, 6 * runs);
  Validation wrong = RunOn(hlo, kCopyWords, Launch("s32[2,3]{1,0}", "s32[3,2]{1,0}", 24, 6));
  EXPECT_EQ(wrong.verdict, Verdict::kRefuted);
  ASSERT_TRUE(Of(wrong, Claim::kValues).counterexample);
  const KernelCounterexample& example = *Of(wrong, Claim::kValues).counterexample;
  EXPECT_NE(example.expected, example.actual);
  EXPECT_EQ(example.block, 0);
  EXPECT_EQ(example.thread, example.element);  // as the copy writes
}

TEST(Validate, PackedElements) {
  const std::string hlo =
      "HloModule m\nENTRY e {\n  p = s4[8] parameter(0)\n  ROOT n = s4[8] copy(p)\n}";
  const char* copy_bytes =
      "%p = getelementptr i8, ptr %in, i32 %t\n%v = load i8, ptr %p, align 1\n"
      "%q = getelementptr i8, ptr %out, i32 %t\nstore i8 %v, ptr %q, align 1";
  EXPECT_EQ(RunOn(hlo, copy_bytes, Launch("s4[8]", "s4[8]", 4, 4)).verdict, Verdict::kProved);
  const char* drop_upper =
      "%p = getelementptr i8, ptr %in, i32 %t\n%v = load i8, ptr %p, align 1\n%w = and i8 %v, 15\n"
      "%q = getelementptr i8, ptr %out, i32 %t\nstore i8 %w, ptr %q, align 1";
  Validation wrong = RunOn(hlo, drop_upper, Launch("s4[8]", "s4[8]", 4, 4));
  ASSERT_EQ(wrong.verdict, Verdict::kRefuted);
  EXPECT_EQ(Of(wrong, Claim::kValues).counterexample->element % 2, 1);
}

// The layout says that one element is packed, too: the bits beside it belong to no element, and
// in a byte of its own they belong to the element.
TEST(Validate, BitsBesideAPackedElement) {
  const std::string hlo =
      "HloModule m\nENTRY e {\n  p = s2[] parameter(0)\n  ROOT n = s2[] copy(p)\n}";
  const std::string load = "%v = load i8, ptr %in, align 1\n%old = load i8, ptr %out, align 1\n";
  const std::string store =
      "%w = and i8 %x, 3\n%rest = and i8 %old, -4\n%new = or i8 %w, %rest\n"
      "store i8 %new, ptr %out, align 1";
  const std::string right = load + "%x = or i8 %v, %v\n" + store,
                    wrong = load + "%x = xor i8 %v, 1\n" + store;
  auto verdict = [&](const std::string& body, const std::string& shape, int bytes) {
    return RunOn(hlo, body, Launch(shape, shape, bytes, 1)).verdict;
  };
  EXPECT_NE(verdict(right, "s2[]{:E(2)}", 1), Verdict::kRefuted);
  EXPECT_EQ(verdict(right, "s2[]", 1), Verdict::kRefuted);
  EXPECT_EQ(verdict(wrong, "s2[]{:E(2)}", 1), Verdict::kRefuted);
  // The buffer may be larger than its elements need.
  EXPECT_NE(verdict(right, "s2[]{:E(2)}", 16), Verdict::kRefuted);
  EXPECT_EQ(verdict(wrong, "s2[]{:E(2)}", 16), Verdict::kRefuted);
}

// If roundings move an element further than its value on all arguments, runs do not test it.
TEST(Validate, ValuesThatNoRunTestsAreUnknown) {
  auto run = [](const std::string& shift, const std::string& stored) {
    const std::string hlo =
        "HloModule m\nENTRY e {\n  p = s32[4] parameter(0)\n  f = f32[4] convert(p)\n"
        "  z = f32[] constant(0)\n  zs = f32[4] broadcast(z), dimensions={}\n"
        "  n = f32[4] multiply(f, zs)\n  o = f32[] constant(1)\n"
        "  os = f32[4] broadcast(o), dimensions={}\n  x = f32[4] add(n, os)\n"
        "  t = f32[4] tanh(x)\n  c = f32[] constant(" +
        shift +
        ")\n  cs = f32[4] broadcast(c), dimensions={}\n  ROOT r = f32[4] subtract(t, cs)\n}";
    const std::string body =
        "%p = getelementptr i32, ptr %in, i32 %t\n%v = load i32, ptr %p, align 4\n"
        "%f = sitofp i32 %v to float\n%n = fmul float %f, 0.0\n%r = fadd float %n, " +
        stored + "\n%q = getelementptr float, ptr %out, i32 %t\nstore float %r, ptr %q, align 4";
    return RunOn(hlo, body, Launch("s32[4]", "f32[4]", 16, 4));
  };
  const Validation open = run("0.76159418", "0x3E70000000000000");  // 2^-24
  EXPECT_EQ(open.verdict, Verdict::kUnknown);
  EXPECT_NE(Of(open, Claim::kValues).reason.find("subtract r"), std::string::npos)
      << Of(open, Claim::kValues).reason;
  EXPECT_EQ(run("0.76159418", "1.0").verdict, Verdict::kRefuted);
  EXPECT_EQ(run("0.5", "0x3FD0BDF600000000").verdict, Verdict::kExecuted);  // two places off
}

// Neither claim is proved of a kernel that writes nothing, or an operand besides its result.
TEST(Validate, ProofsSeeEveryElementAndEveryStore) {
  const std::string hlo =
      "HloModule m\nENTRY e {\n  p = s32[4] parameter(0)\n  ROOT c = s32[4] copy(p)\n}";
  const std::string launch = Launch("s32[4]", "s32[4]", 16, 4);
  Validation copy = RunOn(hlo, kCopyWords, launch);
  EXPECT_EQ(copy.verdict, Verdict::kProved);
  Validation nothing = RunOn(hlo, "", launch);
  EXPECT_EQ(nothing.verdict, Verdict::kRefuted);
  Validation stray =
      RunOn(hlo, std::string(kCopyWords) + "\nstore i32 0, ptr %in, align 4", launch);
  EXPECT_EQ(stray.verdict, Verdict::kRefuted);
  for (const Validation& wrong : {nothing, stray}) {
    for (const ClaimResult& claim : wrong.claims) EXPECT_FALSE(claim.contradicted) << claim.reason;
  }
}

TEST(Validate, ResultsInPlace) {
  const std::string hlo =
      "HloModule m\nENTRY e {\n  p = s32[4] parameter(0)\n  c = s32[1] constant({7})\n"
      "  z = s32[] constant(2)\n  ROOT d = s32[4] dynamic-update-slice(p, c, z)\n}";
  const char* update = "%q = getelementptr i32, ptr %out, i32 2\nstore i32 7, ptr %q, align 4";
  EXPECT_EQ(RunOn(hlo, update, Launch("s32[4]", "s32[4]", 16, 1, 0)).verdict, Verdict::kProved);
  // In a buffer of its own the other elements are never written.
  Validation apart = RunOn(hlo, update, Launch("s32[4]", "s32[4]", 16, 1, 1));
  EXPECT_EQ(Of(apart, Claim::kWrites).verdict, Verdict::kRefuted);
}

// The operand under another name, of the same bytes.
TEST(Validate, ResultsInPlaceOfARenamedOperand) {
  auto update = [](const std::string& parameter, const std::string& renamed, const char* in) {
    const std::string hlo = "HloModule m\nENTRY e {\n  p = s32[2,2]" + parameter +
                            " parameter(0)\n  b = s32[2,2]" + renamed +
                            " bitcast(p)\n  c = s32[1,1]{1,0} constant({{7}})\n"
                            "  o = s32[] constant(1)\n  z = s32[] constant(0)\n"
                            "  ROOT d = s32[2,2]" +
                            renamed + " dynamic-update-slice(b, c, o, z)\n}";
    const char* kernel = "%q = getelementptr i32, ptr %out, i32 2\nstore i32 7, ptr %q, align 4";
    return RunOn(hlo, kernel, Launch(in, "s32[2,2]{1,0}", 16, 1, 0));
  };
  EXPECT_EQ(update("{1,0}", "{1,0}", "s32[2,2]{1,0}").verdict, Verdict::kProved);
  EXPECT_EQ(update("{0,1}", "{1,0}", "s32[2,2]{0,1}").verdict, Verdict::kProved);
  // The text has rows, and what is there in memory columns.
  const Validation columns = update("", "{1,0}", "s32[2,2]{0,1}");
  EXPECT_NE(columns.verdict, Verdict::kProved);
  for (const ClaimResult& claim : columns.claims) EXPECT_FALSE(claim.contradicted) << claim.reason;
}

// Nibbles stand on bytes of their own, and two of them are a byte of the text.
TEST(Validate, ResultsInPlaceOfNibbles) {
  const std::string hlo =
      "HloModule m\nENTRY e {\n  p = s4[8]{0} parameter(0)\n  b = s8[4]{0} bitcast(p)\n"
      "  c = s8[1]{0} constant({7})\n  o = s32[] constant(1)\n"
      "  ROOT d = s8[4]{0} dynamic-update-slice(b, c, o)\n}";
  const Validation bytes =
      RunOn(hlo, "%q = getelementptr i8, ptr %out, i32 1\nstore i8 7, ptr %q, align 1",
            Launch("s4[8]{0}", "s8[4]{0}", 8, 1, 0));
  EXPECT_NE(bytes.verdict, Verdict::kProved);
  for (const ClaimResult& claim : bytes.claims) EXPECT_FALSE(claim.contradicted) << claim.reason;
}

TEST(Validate, ConstantsThatScalarsAreComparedWith) {
  const std::string hlo =
      "HloModule m\nENTRY e {\n  p = s32[1] parameter(0)\n  c = s32[] constant(1234567)\n"
      "  b = s32[1] broadcast(c), dimensions={}\n  q = pred[1] compare(p, b), direction=EQ\n"
      "  ROOT r = s32[1] select(q, b, p)\n}";
  // select(p == c, c, p) is p; a kernel that gives 0 there is wrong for one argument of 2^32.
  const char* wrong =
      "%v = load i32, ptr %in, align 4\n%c = icmp eq i32 %v, 1234567\n"
      "%x = select i1 %c, i32 0, i32 %v\nstore i32 %x, ptr %out, align 4";
  EXPECT_EQ(RunOn(hlo, wrong, Launch("s32[1]", "s32[1]", 4, 1)).verdict, Verdict::kRefuted);
}

TEST(Validate, SumsMayBeTakenInAnotherOrderButNotBeOthers) {
  const std::string hlo =
      "HloModule m\nadd {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
      "  ROOT s = f32[] add(a, b)\n}\nENTRY e {\n  p = f32[64] parameter(0)\n"
      "  z = f32[] constant(0)\n  ROOT r = f32[] reduce(p, z), dimensions={0}, to_apply=add\n}";
  auto sum = [](int first, int last, int step) {
    return "br label %l\nl:\n%i = phi i32 [" + std::to_string(first) +
           ", %entry], [%j, %l]\n%a = phi float [0.0, %entry], [%b, %l]\n"
           "%p = getelementptr float, ptr %in, i32 %i\n%v = load float, ptr %p, align 4\n"
           "%b = fadd float %a, %v\n%j = add i32 %i, " +
           std::to_string(step) + "\n%c = icmp eq i32 %i, " + std::to_string(last) +
           "\nbr i1 %c, label %e, label %l\ne:\nstore float %b, ptr %out, align 4";
  };
  const std::string launch =
      R"({"grid": [1], "threads": [1], "params": [{"shape": "f32[64]", "role": "input"},
          {"shape": "f32[]", "role": "output"}]})";
  EXPECT_EQ(RunOn(hlo, sum(0, 63, 1), launch).verdict, Verdict::kProved);
  EXPECT_EQ(RunOn(hlo, sum(63, 0, -1), launch).verdict, Verdict::kProved);
  EXPECT_EQ(RunOn(hlo, sum(1, 63, 1), launch).verdict, Verdict::kRefuted);
}

// Two operands in one memory have one value: a kernel may rest on that, and is held to it.
TEST(Validate, OperandsInOneMemoryAreEqual) {
  const std::string hlo =
      "HloModule m\nENTRY e {\n  p = s32[4] parameter(0)\n  q = s32[4] parameter(1)\n"
      "  ROOT r = s32[4] subtract(p, q)\n}";
  auto module = hlo::ParseModule(hlo, "m.hlo");
  ASSERT_TRUE(!!module);
  auto verdict_of = [&](const std::string& stored, int memory_of_q) {
    const std::string launch_text =
        R"({"grid": [1], "threads": [4], "params": [{"shape": "s32[4]", "role": "input", "memory": 0},
            {"shape": "s32[4]", "role": "input", "memory": )" +
        std::to_string(memory_of_q) + R"(}, {"shape": "s32[4]", "role": "output", "memory": 2}]})";
    auto launch = kernel::ParseLaunch(launch_text, "l.json");
    auto ir = kernel::ReadKernelIr(
        "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
        "define ptx_kernel void @k(ptr %p, ptr %q, ptr %r) {\n"
        "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
        "%a = getelementptr i32, ptr %r, i32 %t\nstore i32 " +
            stored + ", ptr %a, align 4\nret void\n}",
        "k.ll");
    EXPECT_TRUE(!!launch && !!ir);
    return Validate({(*module)->entry, &*ir, *launch}, {}).verdict;
  };
  EXPECT_EQ(verdict_of("0", 0), Verdict::kProved);
  EXPECT_EQ(verdict_of("1", 0), Verdict::kRefuted);
  EXPECT_EQ(verdict_of("0", 1), Verdict::kRefuted);
}

// Only what an execution shows is refuted: a result that is marked as unspecified may be the same
// whatever unwritten memory contains.
TEST(Validate, WhatDoesNotDependOnUnwrittenMemoryIsNotRefuted) {
  const std::string hlo =
      "HloModule m\nENTRY e {\n  p = s8[4] parameter(0)\n  ROOT r = s8[4] negate(p)\n}";
  auto module = hlo::ParseModule(hlo, "m.hlo");
  ASSERT_TRUE(!!module);
  auto verdict_of = [&](const std::string& of_old, const std::string& before = "") {
    auto launch = kernel::ParseLaunch(
        R"({"grid": [1], "threads": [4], "params": [{"shape": "s8[4]", "role": "input"},
            {"shape": "s8[4]", "role": "output"}]})",
        "l.json");
    auto ir = kernel::ReadKernelIr(
        "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
        "@tile = internal addrspace(3) global [4 x i8] undef\n"
        "define ptx_kernel void @k(ptr %p, ptr %r) {\n"
        "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
        "%at = getelementptr i8, ptr %p, i32 %t\n%a = load i8, ptr %at\n"
        "%to = getelementptr i8, ptr %r, i32 %t\n%old = load i8, ptr %to\n"
        "%in = getelementptr i8, ptr addrspace(3) @tile, i32 %t\n"
        "%tile = load i8, ptr addrspace(3) %in\n" +
            before + "%none = " + of_old +
            "\n%n = sub i8 %none, %a\nstore i8 %n, ptr %to\nret void\n}",
        "k.ll");
    EXPECT_TRUE(!!launch && !!ir);
    return Validate({(*module)->entry, &*ir, *launch}, {}).verdict;
  };
  for (const char* same :
       {"mul i8 %old, 0", "xor i8 %old, %old", "urem i8 %old, 1", "mul i8 undef, 0"})
    EXPECT_EQ(verdict_of(same), Verdict::kProved) << same;
  // Bit 0 of what is computed from an undef need not be any.
  EXPECT_NE(verdict_of("and i8 %masked, 1",
                       "%even = and i8 %tile, 2\nstore i8 %even, ptr addrspace(3) %in\n"
                       "%masked = load i8, ptr addrspace(3) %in\n"),
            Verdict::kRefuted);
  for (const char* other :
       {"add i8 %old, 0", "mul i8 %tile, 2", "xor i8 undef, 0", "and i8 %old, 1",
        "sub i8 %tile, %tile", "xor i8 undef, undef", "shl i8 %old, 7"})
    EXPECT_EQ(verdict_of(other), Verdict::kRefuted) << other;
}

TEST(Validate, ProofsAndExecutionAreMerged) {
  Validation executed;
  for (Claim claim : kernel::kClaims)
    executed.claims.push_back({.claim = claim, .engine = "emulator"});
  executed.executed.elements = 4;
  std::vector<ClaimResult> proofs;
  for (Claim claim : kernel::kClaims) {
    if (claim != Claim::kValues) {
      proofs.push_back({.claim = claim, .verdict = Verdict::kProved, .engine = "prover"});
    }
  }
  Validation merged = Merge(proofs, executed);
  // A kernel whose values were only executed is not proved.
  EXPECT_EQ(merged.verdict, Verdict::kExecuted);
  EXPECT_EQ(Of(merged, Claim::kValues).verdict, Verdict::kExecuted);
  EXPECT_EQ(Of(merged, Claim::kRaces).engine, "prover");
  executed.claims[0].verdict = Verdict::kRefuted;
  merged = Merge(proofs, executed);
  EXPECT_EQ(merged.verdict, Verdict::kRefuted);
  EXPECT_NE(merged.claims[0].reason.find("one of them is wrong"), std::string::npos);
  EXPECT_EQ(Merge({}, executed).verdict, Verdict::kRefuted);
  // Behind what is undefined anything may happen, which a proof of bounds says nothing of.
  const auto integers = llvm::find(kernel::kClaims, Claim::kIntegers) - kernel::kClaims;
  executed.claims[integers].verdict = Verdict::kRefuted;
  EXPECT_TRUE(Merge(proofs, executed).claims[0].contradicted);
  proofs[integers].verdict = Verdict::kUnknown;
  merged = Merge(proofs, executed);
  EXPECT_FALSE(merged.claims[0].contradicted);
  EXPECT_EQ(merged.verdict, Verdict::kRefuted);
  proofs[integers].verdict = Verdict::kProved;
  executed.claims[integers].verdict = Verdict::kUnknown;
  executed.claims[0].verdict = Verdict::kUnknown;
  EXPECT_EQ(Merge({}, executed).verdict, Verdict::kUnknown);
  proofs[0].verdict = Verdict::kRefuted;
  EXPECT_EQ(Merge(proofs, executed).verdict, Verdict::kRefuted);
}

// Runs a product of matrices of TF32 as a dot, as HLO writes it; with operands that the kernel
// rounds, or that the device cuts off.
Validation RunTf32Product(const std::string& dot_says, bool rounds_a, bool rounds_b) {
  auto module = hlo::ParseModule(
      "HloModule m\nENTRY e {\n  a = f32[16,4] parameter(0)\n  b = f32[4,8] parameter(1)\n"
      "  ROOT r = f32[16,8] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}" +
          dot_says + "\n}",
      "m.hlo");
  auto launch = kernel::ParseLaunch(
      R"({"grid": [1], "threads": [32], "params": [{"shape": "f32[16,4]", "role": "input"},
          {"shape": "f32[4,8]", "role": "input"}, {"shape": "f32[16,8]", "role": "output"}]})",
      "l.json");
  std::string body;
  auto load = [&](const std::string& name, const std::string& from, const std::string& at) {
    body += "%p" + name + " = getelementptr float, ptr " + from + ", i32 " + at + "\n%l" + name +
            " = load float, ptr %p" + name + "\n";
    if (from == "%a" ? rounds_a : rounds_b) {
      body += "%" + name + " = call float asm \"cvt.rna.tf32.f32 $0, $1;\", \"=r,r\"(float %l" +
              name + ")\n";
    } else {
      body += "%" + name + " = freeze float %l" + name + "\n";
    }
  };
  load("a0", "%a", "%t");
  load("a1", "%a", "%later");
  load("b0", "%b", "%of_b");
  for (int k = 0; k < 4; ++k) {
    const std::string n = std::to_string(k);
    body += (k == 0 ? "%d = call { float, float, float, float } asm sideeffect "
                      "\"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 { $0, $1, $2, $3 }, "
                      "{ $8, $9 }, { $10 }, { $4, $5, $6, $7 };\", "
                      "\"=f,=f,=f,=f,0,1,2,3,r,r,r\"(float 0.0, float 0.0, float 0.0, float 0.0, "
                      "float %a0, float %a1, float %b0)\n%pairs = shl i32 %t, 1\n"
                    : "") +
            std::string("%d") + n + " = extractvalue { float, float, float, float } %d, " + n +
            "\n%o" + n + " = add i32 %pairs, " + std::to_string(k / 2 * 64 + k % 2) + "\n%q" + n +
            " = getelementptr float, ptr %r, i32 %o" + n + "\nstore float %d" + n + ", ptr %q" + n +
            "\n";
  }
  auto ir = kernel::ReadKernelIr(
      "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
      "define ptx_kernel void @k(ptr %a, ptr %b, ptr %r) {\nentry:\n"
      "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n%later = add i32 %t, 32\n"
      "%row = lshr i32 %t, 2\n%column = and i32 %t, 3\n%there = shl i32 %column, 3\n"
      "%of_b = add i32 %there, %row\n" +
          body + "ret void\n}",
      "k.ll");
  EXPECT_TRUE(!!module && !!launch && !!ir);
  const KernelSubject subject{(*module)->entry, &*ir, *launch};
  llvm::Error error = CheckSubject(subject);
  EXPECT_FALSE(!!error) << llvm::toString(std::move(error));
  return Validate(subject, {});
}

// Default precision leaves it to the device, and TF32 is what the algorithm says; f32 is not.
TEST(Validate, DotsOfF32MayBeComputedInTf32) {
  for (bool rounds : {true, false}) {
    for (const char* says :
         {"", ", operand_precision={default,default}", ", algorithm=dot_tf32_tf32_f32"}) {
      EXPECT_EQ(RunTf32Product(says, rounds, rounds).verdict, Verdict::kProved) << says << rounds;
    }
    for (const char* says : {", operand_precision={highest,highest}",
                             ", operand_precision={high,default}", ", algorithm=dot_f32_f32_f32"}) {
      const Validation validation = RunTf32Product(says, rounds, rounds);
      EXPECT_EQ(validation.verdict, Verdict::kRefuted) << says << rounds;
      EXPECT_EQ(Of(validation, Claim::kValues).verdict, Verdict::kRefuted) << says << rounds;
    }
  }
}

// One matrix is rounded and the other one cut: two choices, of which a kernel has one.
TEST(Validate, OperandsInTf32AreRoundedInOneWay) {
  EXPECT_NE(RunTf32Product("", true, false).verdict, Verdict::kProved);
  EXPECT_NE(RunTf32Product("", false, true).verdict, Verdict::kProved);
}

// A proof that takes too much is unknown, and says so.
TEST(Validate, ProofsHaveALimit) {
  auto module = hlo::ParseModule(
      "HloModule m\nENTRY e {\n  p = f32[40,70] parameter(0)\n"
      "  ROOT t = f32[70,40] transpose(p), dimensions={1,0}\n}",
      "m.hlo");
  ASSERT_TRUE(!!module);
  Context context;
  auto kernel = emit::EmitKernel(*(*module)->entry, context);
  ASSERT_TRUE(!!kernel);
  auto device = emit::DeviceKernelOf(*kernel);
  ASSERT_TRUE(!!device);
  kernel::ProveKernelOptions options;
  auto prove = [&] {
    return kernel::ProveKernel(device->ir, device->launch, *(*module)->entry, options);
  };
  EXPECT_EQ(prove().Of(Claim::kValues).verdict, Verdict::kProved);
  options.ranges = 10;
  const kernel::ClaimProof values = prove().Of(Claim::kValues);
  EXPECT_EQ(values.verdict, Verdict::kUnknown);
  EXPECT_EQ(values.reason.find("too much work: "), 0u) << values.reason;
}

// The error of a launch with arrays of [2,3], of these layouts.
std::string LayoutError(const std::string& hlo, const std::string& in, const std::string& out,
                        const std::string& fusion = "") {
  auto module = hlo::ParseModule(hlo, "m.hlo");
  auto launch = kernel::ParseLaunch(Launch("f32[2,3]" + in, "f32[2,3]" + out, 24, 6), "l.json");
  EXPECT_TRUE(!!module && !!launch) << hlo;
  auto computation = FindComputation(**module, fusion);
  EXPECT_TRUE(!!computation);
  return llvm::toString(CheckSubject({*computation, nullptr, *launch}));
}

TEST(Validate, LayoutsOfTheTextAndOfTheLaunchMustAgree) {
  auto entry = [](const std::string& header, const std::string& in, const std::string& out) {
    return "HloModule m" + header + "\nENTRY e {\n  p = f32[2,3]" + in +
           " parameter(0)\n  ROOT s = f32[2,3]" + out + " copy(p)\n}\n";
  };
  const std::string by_columns = entry("", "{0,1}", "{1,0}");
  EXPECT_EQ(LayoutError(by_columns, "{0,1}", "{1,0}"), "");
  EXPECT_EQ(LayoutError(by_columns, "{0,1}", ""), "");  // {1,0} is the default of a launch
  EXPECT_NE(LayoutError(by_columns, "{1,0}", "{1,0}").find("3:3: error: "), std::string::npos);
  EXPECT_NE(LayoutError(by_columns, "{0,1}", "{0,1}").find("4:8: error: "), std::string::npos);
  // Where the text writes none, the launch says it.
  for (const char* layout : {"{0,1}", "{1,0}"})
    EXPECT_EQ(LayoutError(entry("", "", ""), layout, layout), "");
  const std::string header = ", entry_computation_layout={(f32[2,3]{0,1})->f32[2,3]{1,0}}";
  EXPECT_EQ(LayoutError(entry(header, "", ""), "{0,1}", "{1,0}"), "");
  EXPECT_NE(LayoutError(entry(header, "", ""), "{1,0}", "{1,0}"), "");
  EXPECT_NE(LayoutError(entry(header, "", ""), "{0,1}", "{0,1}"), "");
}

TEST(Validate, LayoutsOfTheCallOfAFusionCount) {
  const std::string text =
      "HloModule m\nf {\n  a = f32[2,3] parameter(0)\n  ROOT n = f32[2,3] negate(a)\n}\n"
      "ENTRY e {\n  p = f32[2,3]{0,1} parameter(0)\n"
      "  ROOT s = f32[2,3]{0,1} fusion(p), kind=kLoop, calls=f\n}\n";
  EXPECT_EQ(LayoutError(text, "{0,1}", "{0,1}", "s"), "");
  EXPECT_NE(LayoutError(text, "{1,0}", "{0,1}", "s"), "");
  EXPECT_NE(LayoutError(text, "{0,1}", "{1,0}", "s"), "");
}

// An element of four bits takes a byte, or half of one where the text says so.
TEST(Validate, PackedElementsOfTheTextMustBePackedInTheLaunch) {
  auto error = [](int bytes) {
    auto module = hlo::ParseModule(
        "HloModule m\nENTRY e {\n  p = s4[8]{0:E(4)} parameter(0)\n"
        "  ROOT s = s4[8]{0:E(4)} copy(p)\n}\n",
        "m.hlo");
    auto launch = kernel::ParseLaunch(Launch("s4[8]", "s4[8]", bytes, 8), "l.json");
    EXPECT_TRUE(!!module && !!launch);
    return llvm::toString(CheckSubject({(*module)->entry, nullptr, *launch}));
  };
  EXPECT_EQ(error(4), "");
  EXPECT_NE(error(8), "");
}

}  // namespace
}  // namespace affirm::driver
