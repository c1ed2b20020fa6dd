// The results of instructions, by kernels that store them.
#include <gtest/gtest.h>

#include "tests/kernel_emulator/run_kernel.h"

namespace affirm::testing {
namespace {

// Stores the i32 that `code` names %x, from one thread.
int32_t Value(const std::string& code, const std::string& around = "") {
  TestRun run = RunKernel({.body = code + "\nstore i32 %x, ptr %out, align 4\nret void",
                           .around = around,
                           .threads = 1,
                           .outputs = 1});
  EXPECT_EQ(run.Claims(), "") << code;
  return run.error.empty() ? run.output[0] : -1;
}

TEST(Instructions, FloatsOfAllKinds) {
  EXPECT_EQ(
      Value("%h = fadd half 1.0, 2.0\n%f = fpext half %h to float\n%x = fptosi float %f to i32"),
      3);
  EXPECT_EQ(
      Value(
          "%h = fmul bfloat 3.0, 2.0\n%f = fpext bfloat %h to float\n%x = fptosi float %f to i32"),
      6);
  EXPECT_EQ(
      Value("%d = fdiv double 1.0, 4.0\n%e = fmul double %d, 100.0\n%x = fptoui double %e to i32"),
      25);
  EXPECT_EQ(Value("%f = fptrunc double 1.0e300 to float\n%x = bitcast float %f to i32"),
            0x7f800000);
  EXPECT_EQ(Value("%h = fptrunc float 65519.0 to half\n%b = bitcast half %h to i16\n%x = zext i16 "
                  "%b to i32"),
            0x7bff);
}

TEST(Instructions, MinimumAndMinnumDifferOnNaN) {
  const char* around =
      "declare float @llvm.minimum.f32(float, float)\ndeclare float @llvm.minnum.f32(float, float)";
  EXPECT_EQ(Value("%f = call float @llvm.minnum.f32(float 0x7FF8000000000000, float 2.0)\n%x = "
                  "fptosi float %f to i32",
                  around),
            2);
  EXPECT_EQ(Value("%f = call float @llvm.minimum.f32(float 0x7FF8000000000000, float 2.0)\n%c = "
                  "fcmp uno float %f, 0.0\n%x = zext i1 %c to i32",
                  around),
            1);
  EXPECT_EQ(
      Value(
          "%f = call float @llvm.minimum.f32(float 0.0, float -0.0)\n%x = bitcast float %f to i32",
          around),
      INT32_MIN);
}

TEST(Instructions, MathematicalFunctionsOfAllLibraries) {
  const char* around =
      "declare float @__nv_expf(float)\ndeclare double @_Z5atan2dd(double, double)\n"
      "declare float @llvm.nvvm.ex2.approx.f(float)\ndeclare double @__nv_erf(double)\n"
      "declare float @__nv_fmaf(float, float, float)\ndeclare float @_Z3powff(float, float)";
  EXPECT_EQ(Value("%f = call float @__nv_expf(float 0.0)\n%x = fptosi float %f to i32", around), 1);
  EXPECT_EQ(Value("%f = call float @__nv_fmaf(float 2.0, float 3.0, float 4.0)\n%x = fptosi float "
                  "%f to i32",
                  around),
            10);
  EXPECT_EQ(Value("%f = call float @_Z3powff(float 2.0, float 10.0)\n%x = fptosi float %f to i32",
                  around),
            1024);
  EXPECT_EQ(Value("%f = call float @llvm.nvvm.ex2.approx.f(float 5.0)\n%x = fptosi float %f to i32",
                  around),
            32);
  EXPECT_EQ(Value("%f = call double @__nv_erf(double 30.0)\n%x = fptosi double %f to i32", around),
            1);
  EXPECT_EQ(Value("%f = call double @_Z5atan2dd(double 1.0, double 1.0)\n%g = fmul double %f, "
                  "1000.0\n%x = fptosi double %g to i32",
                  around),
            785);
}

// LangRef, "llvm.minimumnum": -0.0 is less than +0.0, and a number wins over a NaN that signals.
TEST(Instructions, MinimumnumOrdersZerosAndNans) {
  const char* around =
      "declare float @llvm.minimumnum.f32(float, float)\n"
      "declare float @llvm.maximumnum.f32(float, float)\n"
      "declare float @llvm.nvvm.fmax.f(float, float)";
  auto bits_of = [&](const std::string& call) {
    return Value("%f = call float @llvm." + call + "\n%x = bitcast float %f to i32", around);
  };
  EXPECT_EQ(bits_of("minimumnum.f32(float 0.0, float -0.0)"), INT32_MIN);
  EXPECT_EQ(bits_of("minimumnum.f32(float -0.0, float 0.0)"), INT32_MIN);
  EXPECT_EQ(bits_of("maximumnum.f32(float -0.0, float 0.0)"), 0);
  EXPECT_EQ(bits_of("nvvm.fmax.f(float -0.0, float 0.0)"), 0);
  EXPECT_EQ(bits_of("nvvm.fmax.f(float 0.0, float -0.0)"), 0);
  EXPECT_EQ(bits_of("maximumnum.f32(float 0x7FF4000000000000, float 1.0)"), 0x3f800000);
}

// An address in shared memory has 32 bits in memory on AMDGPU, where the emulator's have 64.
TEST(Instructions, ShortPointersInMemoryAreErrors) {
  const auto run = [](const std::string& body) {
    return RunKernel({.body = body + "ret void",
                      .around = "@s = internal addrspace(3) global [4 x i32] poison",
                      .triple = "amdgcn-amd-amdhsa"});
  };
  const std::string box = "%b = alloca ptr addrspace(3), addrspace(5)\n";
  EXPECT_NE(run(box + "store ptr addrspace(3) @s, ptr addrspace(5) %b\n").error, "");
  EXPECT_NE(run(box + "%p = load ptr addrspace(3), ptr addrspace(5) %b\n").error, "");
  EXPECT_EQ(run("%b = alloca ptr, addrspace(5)\nstore ptr %in, ptr addrspace(5) %b\n").error, "");
}

// The suffixes of an intrinsic are part of its meaning: .rz, .xorsign.abs, .clamp.
TEST(Instructions, RoundingsThatAreNotKnownAreErrors) {
  for (const std::string function : {"llvm.nvvm.div.rz.f", "llvm.nvvm.fmax.xorsign.abs.f",
                                     "llvm.nvvm.add.rn.sat.f", "llvm.nvvm.mul.rn.ftz.f"}) {
    const TestRun run =
        RunKernel({.body = "%f = call float @" + function + "(float 1.0, float 2.0)\nret void",
                   .around = "declare float @" + function + "(float, float)"});
    EXPECT_NE(run.error, "") << function;
  }
  EXPECT_EQ(Value("%f = call float @llvm.nvvm.div.rn.f(float 1.0, float 2.0)\n"
                  "%x = bitcast float %f to i32",
                  "declare float @llvm.nvvm.div.rn.f(float, float)"),
            0x3f000000);
}

// llvm.fabs clears a sign, also that of a NaN; llvm.fma rounds once.
TEST(Instructions, FabsAndFmaOfNarrowFloats) {
  const char* around =
      "declare half @llvm.fabs.f16(half)\ndeclare float @llvm.fabs.f32(float)\n"
      "declare bfloat @llvm.fma.bf16(bfloat, bfloat, bfloat)";
  EXPECT_EQ(Value("%h = bitcast i16 -1 to half\n%f = call half @llvm.fabs.f16(half %h)\n"
                  "%b = bitcast half %f to i16\n%x = zext i16 %b to i32",
                  around),
            0x7fff);
  EXPECT_EQ(Value("%h = bitcast i32 -1 to float\n%f = call float @llvm.fabs.f32(float %h)\n"
                  "%x = bitcast float %f to i32",
                  around),
            0x7fffffff);
  // 1.5 * 1.0078125 - 2^-60 is less than the middle of two neighbours.
  EXPECT_EQ(Value("%h = call bfloat @llvm.fma.bf16(bfloat 1.5, bfloat 1.0078125, "
                  "bfloat 0xRA180)\n%b = bitcast bfloat %h to i16\n%x = zext i16 %b to i32",
                  around),
            0x3fc1);
}

TEST(Instructions, VectorsAndAggregates) {
  EXPECT_EQ(
      Value("%v = insertelement <2 x i32> <i32 1, i32 2>, i32 7, i32 %t\n"
            "%s = shufflevector <2 x i32> %v, <2 x i32> <i32 3, i32 4>, <2 x i32> <i32 3, i32 0>\n"
            "%a = extractelement <2 x i32> %s, i32 0\n%b = extractelement <2 x i32> %s, i32 1\n"
            "%c = mul i32 %a, 10\n%x = add i32 %c, %b"),
      47);
  EXPECT_EQ(Value("%p = insertvalue {i32, [2 x i32]} undef, i32 5, 1, 1\n%x = extractvalue {i32, "
                  "[2 x i32]} %p, 1, 1"),
            5);
  EXPECT_EQ(Value("%v = bitcast i32 16909060 to <4 x i8>\n%b = extractelement <4 x i8> %v, i32 "
                  "1\n%x = zext i8 %b to i32"),
            3);
  EXPECT_EQ(Value("%v = trunc <2 x i32> <i32 9, i32 6> to <2 x i4>\n%b = bitcast <2 x i4> %v to "
                  "i8\n%x = zext i8 %b to i32"),
            0x69);
}

TEST(Instructions, UnspecifiedHalvesOfAPairDoNotReachTheOther) {
  EXPECT_EQ(
      Value("%v = insertelement <2 x i16> undef, i16 5, i32 0\n%p = bitcast <2 x i16> %v to i32\n"
            "%w = bitcast i32 %p to <2 x i16>\n%h = extractelement <2 x i16> %w, i32 0\n%x = zext "
            "i16 %h to i32"),
      5);
  EXPECT_EQ(Value("%v = insertelement <2 x i16> undef, i16 5, i32 0\n%p = bitcast <2 x i16> %v to "
                  "i32\n%x = and i32 %p, 65535"),
            5);
}

TEST(Instructions, PairsOfSmallFloats) {
  const char* around =
      "declare i16 @llvm.nvvm.ff.to.e4m3x2.rn(float, float)\n"
      "declare i16 @llvm.nvvm.f16x2.to.e5m2x2.rn(<2 x half>)\n"
      "declare <2 x half> @llvm.nvvm.e4m3x2.to.f16x2.rn(i16)\n";
  auto narrowed = [&](const std::string& high, const std::string& low) {
    return Value("%p = call i16 @llvm.nvvm.ff.to.e4m3x2.rn(float " + high + ", float " + low +
                     ")\n%x = zext i16 %p to i32",
                 around);
  };
  EXPECT_EQ(narrowed("1.0", "-2.0"), 0x38c0);
  EXPECT_EQ(narrowed("464.0", "1000.0"), 0x7e7e);  // the largest finite number
  EXPECT_EQ(narrowed("0xFFF0000000000000", "29.0"), 0xfe5e);
  EXPECT_EQ(narrowed("0x7FF8000000000000", "0.0009765625"), 0x7f00);
  EXPECT_EQ(Value("%p = call i16 @llvm.nvvm.f16x2.to.e5m2x2.rn(<2 x half> <half 65504.0, half "
                  "1.0>)\n%x = zext i16 %p to i32",
                  around),
            0x3c7b);
  EXPECT_EQ(Value("%v = call <2 x half> @llvm.nvvm.e4m3x2.to.f16x2.rn(i16 14464)\n%x = bitcast <2 "
                  "x half> %v to i32",  // 0x3880
                  around),
            0x3c008000);
}

TEST(Instructions, CallsLoopsAndSwitches) {
  const char* around = R"(
define internal {i32, i32} @twice(i32 %a) {
  %b = add i32 %a, %a
  %r = insertvalue {i32, i32} undef, i32 %b, 0
  %s = insertvalue {i32, i32} %r, i32 %a, 1
  ret {i32, i32} %s
})";
  EXPECT_EQ(
      Value("%r = call {i32, i32} @twice(i32 21)\n%x = extractvalue {i32, i32} %r, 0", around), 42);
  // Two phis that change places.
  EXPECT_EQ(
      Value("br label %l\nl:\n%a = phi i32 [1, %entry], [%b, %l]\n%b = phi i32 [2, %entry], [%a, "
            "%l]\n"
            "%i = phi i32 [0, %entry], [%j, %l]\n%j = add i32 %i, 1\n%c = icmp slt i32 %j, 4\n"
            "br i1 %c, label %l, label %e\ne:\n%m = mul i32 %a, 10\n%x = add i32 %m, %b"),
      21);
  EXPECT_EQ(Value("switch i32 %t, label %d [ i32 5, label %d\n i32 0, label %z ]\nd:\nbr label "
                  "%e\nz:\nbr label %e\n"
                  "e:\n%x = phi i32 [1, %d], [2, %z]"),
            2);
}

TEST(Instructions, InlinePtx) {
  EXPECT_EQ(Value("%r = call {i32, i32} asm sideeffect \"mov.u32 $0, 0x7;\\0A mov.u32 $1, $0; @$3 "
                  "ld.global.v2.b32 { $0, $1 }, [ $2 + 8 ];\", \"=r,=r,l,b\"(ptr %in, i1 true)\n"
                  "%x = extractvalue {i32, i32} %r, 1"),
            40);
  EXPECT_EQ(Value("%r = call i32 asm sideeffect \"mov.u32 $0, 0x7; @!$2 ld.global.b32 { $0 }, [ $1 "
                  "+ 0 ];\", \"=r,l,b\"(ptr %in, i1 true)\n"
                  "%x = add i32 %r, 0"),
            7);
  TestRun run =
      RunKernel({.body = "call void asm sideeffect \"frob.u32 $0, $0;\", \"r\"(i32 1)\nret void"});
  EXPECT_NE(run.error.find("frob.u32"), std::string::npos) << run.error;
  EXPECT_NE(run.error.find("test.ll:"), std::string::npos) << run.error;
}

// Whether inline PTX with two results and these constraints is executed, of arguments %x and %y.
std::string PtxError(const std::string& ptx, const std::string& constraints,
                     const std::string& types = "i32, i32",
                     const std::string& arguments = "i32 %x, i32 %y") {
  return RunKernel({.body = "%x = add i32 %t, 1\n%y = add i32 %t, 2\n%r = call {" + types +
                            "} asm sideeffect \"" + ptx + "\", \"" + constraints + "\"(" +
                            arguments + ")\nret void"})
      .error;
}

TEST(Instructions, ResultWrittenBeforeAnArgumentIsReadNeedsEarlyClobber) {
  const std::string writes_first = "mov.u32 $0, 0x0; mov.u32 $1, $2;";
  constexpr const char* kSays = "writes $0 before it reads $2";
  for (const char* constraints :
       {"=r,=r,r,r", "=f,=r,r,r", "=r,=&r,r,r", "=r,=r,0,r", "=&r,=r,0,r"}) {
    const bool is_float = constraints[1] == 'f';
    const std::string error =
        PtxError(writes_first, constraints, is_float ? "float, i32" : "i32, i32");
    EXPECT_NE(error.find(kSays), std::string::npos) << constraints << ": " << error;
  }
  // Early clobber, an argument that is tied to another result, and registers of another width.
  for (const char* constraints : {"=&r,=r,r,r", "=r,=r,1,r"})
    EXPECT_EQ(PtxError(writes_first, constraints), "") << constraints;
  EXPECT_EQ(PtxError("mov.u64 $0, 0x0; mov.u32 $1, $2;", "=l,=r,r,r", "i64, i32"), "");
  // All arguments are read by the instruction that writes first, or before it.
  EXPECT_EQ(PtxError("mov.u32 $0, $2; mov.u32 $1, 0x0;", "=r,=r,r,r"), "");
}

TEST(Instructions, AddressesAndPredicatesOfPtxAreReadToo) {
  EXPECT_NE(PtxError("mov.u64 $0, 0x0; ld.global.b32 { $1 }, [ $2 + 0 ];", "=l,=r,l", "i64, i32",
                     "ptr %in")
                .find("before it reads $2"),
            std::string::npos);
  EXPECT_NE(PtxError("mov.pred $0, 0x0; @$2 mov.u32 $1, 0x1;", "=b,=r,b", "i1, i32", "i1 true")
                .find("before it reads $2"),
            std::string::npos);
  EXPECT_EQ(PtxError("mov.u64 $0, 0x0; ld.global.b32 { $1 }, [ $2 + 0 ];", "=&l,=r,l", "i64, i32",
                     "ptr %in"),
            "");
}

// Elements that begin as one number: in whichever register it lies, it is that number.
TEST(Instructions, ResultMayGetTheArgumentItSharesARegisterWith) {
  const std::string copies = "mov.u32 $0, $2; mov.u32 $1, $3;";
  EXPECT_EQ(PtxError(copies, "=r,=r,r,r", "i32, i32", "i32 %x, i32 %x"), "");
  EXPECT_EQ(PtxError(copies, "=r,=r,r,r", "i32, i32", "i32 0, i32 0"), "");
  EXPECT_NE(PtxError(copies, "=r,=r,r,r"), "");
  EXPECT_NE(PtxError("mov.u16 $0, $2; mov.u32 $1, $3;", "=r,=r,r,r", "i32, i32", "i32 %x, i32 %x"),
            "");
  EXPECT_NE(PtxError("mov.u32 $0, $2; mov.u32 $0, 0x1; mov.u32 $1, $3;", "=r,=r,r,r", "i32, i32",
                     "i32 %x, i32 %x"),
            "");
}

TEST(Instructions, WhatIsNotKnownIsAnErrorThatNamesIt) {
  TestRun run = RunKernel(
      {.body = "%x = call i32 @mystery(i32 1)\nret void", .around = "declare i32 @mystery(i32)"});
  EXPECT_NE(run.error.find("mystery"), std::string::npos) << run.error;
  EXPECT_NE(run.error.find(": error: "), std::string::npos) << run.error;
}

TEST(Instructions, ConstantArraysAndTheirBounds) {
  const char* around = "@table = internal constant [3 x i32] [i32 5, i32 6, i32 7]";
  EXPECT_EQ(
      Value(
          "%p = getelementptr [3 x i32], ptr @table, i32 0, i32 2\n%x = load i32, ptr %p, align 4",
          around),
      7);
  TestRun run = RunKernel(
      {.body =
           "%p = getelementptr i32, ptr @table, i32 3\n%x = load i32, ptr %p, align 4\nret void",
       .around = around,
       .outputs = 0});
  EXPECT_EQ(run.Claims(), "bounds");
}

}  // namespace
}  // namespace affirm::testing
