// Kernels are lifted to terms, and what a kernel must promise is proved or not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <sstream>

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "verify/kernel/lift/lift.h"

namespace affirm::kernel {
namespace {

using ::testing::HasSubstr;

struct Lifted {
  terms::Pool pool;
  std::optional<KernelIr> ir;
  std::string error;
  LiftedKernel kernel;

  const Effect& effect(size_t k) const { return kernel.cases.at(0).effects.at(k); }
  std::string unproved() const {
    std::string text;
    for (const Obligation& o : kernel.obligations) {
      if (!o.proved()) text += ToString(o) + "\n";
    }
    return text;
  }
};

std::unique_ptr<Lifted> LiftText(const std::string& text, const std::string& json,
                                 const LiftOptions& options = {}) {
  auto lifted = std::make_unique<Lifted>();
  auto launch = ParseLaunch(json, "launch.json");
  if (!launch) {
    lifted->error = llvm::toString(launch.takeError());
    return lifted;
  }
  auto ir = ReadKernelIr(text, "kernel.ll", launch->kernel);
  if (!ir) {
    lifted->error = llvm::toString(ir.takeError());
    return lifted;
  }
  lifted->ir = std::move(*ir);
  auto kernel = Lift(*lifted->ir, *launch, lifted->pool, options);
  if (kernel) {
    lifted->kernel = std::move(*kernel);
  } else {
    lifted->error = llvm::toString(kernel.takeError());
  }
  return lifted;
}

// A kernel of an operand p and a result q, arrays of `elements` of a type. The body begins where
// %t is the thread and %b the block.
std::unique_ptr<Lifted> LiftBody(const std::string& body, int64_t blocks, int64_t threads,
                                 const std::string& type, int64_t elements,
                                 const std::string& outside = "") {
  int64_t bytes = elements * (type == "pred" ? 1 : 4);
  std::string text = R"(
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare float @llvm.nvvm.shfl.sync.down.f32(i32, float, i32, i32)
declare float @__nv_expf(float)
declare float @_Z4tanhf(float)
declare i32 @llvm.smax.i32(i32, i32)
declare void @llvm.assume(i1)
)" + outside + R"(
define ptx_kernel void @k(ptr %p, ptr %q) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
)" + body + "\n}\n";
  std::string array =
      "\"" + type + "[" + std::to_string(elements) + "]\", \"bytes\": " + std::to_string(bytes);
  std::string json = "{\"kernel\": \"k\", \"grid\": [" + std::to_string(blocks) +
                     ", 1, 1], \"threads\": [" + std::to_string(threads) +
                     ", 1, 1], \"shared\": 0, \"params\": [{\"shape\": " + array +
                     ", \"role\": \"input\", \"memory\": 0}, {\"shape\": " + array +
                     ", \"role\": \"output\", \"memory\": 1}]}";
  return LiftText(text, json);
}

// Loads %x of element %i, and stores %y to it.
std::string Elementwise(const std::string& compute) {
  return R"(
  %base = mul i32 %b, 128
  %i = add i32 %base, %t
  %in = getelementptr inbounds float, ptr %p, i32 %i
  %x = load float, ptr %in, align 4
)" + compute +
         R"(
  %out = getelementptr inbounds float, ptr %q, i32 %i
  store float %y, ptr %out, align 4
  ret void)";
}

TEST(Lift, OneThreadIsEnough) {
  auto lifted = LiftBody(Elementwise("%y = call float @__nv_expf(float %x)"), 10, 128, "f32", 1280);
  ASSERT_EQ(lifted->error, "");
  EXPECT_EQ(lifted->unproved(), "");
  EXPECT_FALSE(lifted->kernel.by_block);
  ASSERT_EQ(lifted->kernel.cases[0].effects.size(), 1u);
  const Effect& store = lifted->effect(0);
  EXPECT_EQ(terms::ToString(store.element), "th_x + 128*bl_x");
  EXPECT_EQ(terms::ToString(store.value), "exponential(load0[th_x + 128*bl_x])");
  EXPECT_EQ(store.guard, lifted->pool.True());
  EXPECT_EQ(store.buffer, 1);
}

TEST(Lift, OutOfBoundsByOne) {
  auto lifted = LiftBody(Elementwise("%y = fneg float %x"), 10, 128, "f32", 1279);
  ASSERT_EQ(lifted->error, "");
  EXPECT_THAT(lifted->unproved(), HasSubstr("bounds: the access is inside its buffer: not proved"));
}

TEST(Lift, AGuardIsAFact) {
  auto body = [](const std::string& limit) {
    return R"(
  %base = mul i32 %b, 128
  %i = add i32 %base, %t
  %inside = icmp sle i32 %i, )" +
           limit + R"(
  br i1 %inside, label %yes, label %no
yes:
  %in = getelementptr inbounds float, ptr %p, i32 %i
  %x = load float, ptr %in, align 4
  %out = getelementptr inbounds float, ptr %q, i32 %i
  store float %x, ptr %out, align 4
  br label %no
no:
  ret void)";
  };
  auto lifted = LiftBody(body("1199"), 10, 128, "f32", 1200);
  ASSERT_EQ(lifted->error, "");
  EXPECT_EQ(lifted->unproved(), "");
  EXPECT_EQ(terms::ToString(lifted->effect(0).guard), "-1*th_x + -128*bl_x + 1199 >= 0");
  EXPECT_NE(LiftBody(body("1200"), 10, 128, "f32", 1200)->unproved(), "");
}

TEST(Lift, PhisAreChoices) {
  auto lifted = LiftBody(R"(
  %in = getelementptr float, ptr %p, i32 %t
  %x = load float, ptr %in, align 4
  %c = fcmp olt float %x, 0.0
  br i1 %c, label %yes, label %join
yes:
  %n = fneg float %x
  br label %join
join:
  %v = phi float [ %n, %yes ], [ %x, %0 ]
  %out = getelementptr float, ptr %q, i32 %t
  store float %v, ptr %out, align 4
  ret void)",
                         1, 32, "f32", 32);
  ASSERT_EQ(lifted->error, "");
  EXPECT_EQ(lifted->unproved(), "");
  EXPECT_EQ(terms::ToString(lifted->effect(0).value),
            "(compare-LT(load0[th_x], f32#0) ? negate(load0[th_x]) : load0[th_x])");
}

TEST(Lift, LoopsAreUnrolled) {
  auto lifted = LiftBody(R"(
  br label %head
head:
  %k = phi i32 [ 0, %0 ], [ %next, %body ]
  %sum = phi float [ 0.0, %0 ], [ %more, %body ]
  %go = icmp slt i32 %k, 3
  br i1 %go, label %body, label %exit
body:
  %row = mul nuw nsw i32 %k, 32
  %i = add nuw nsw i32 %row, %t
  %in = getelementptr inbounds float, ptr %p, i32 %i
  %x = load float, ptr %in, align 4
  %more = fadd float %sum, %x
  %next = add nuw nsw i32 %k, 1
  br label %head
exit:
  %out = getelementptr inbounds float, ptr %q, i32 %t
  store float %sum, ptr %out, align 4
  ret void)",
                         1, 32, "f32", 96);
  ASSERT_EQ(lifted->error, "");
  EXPECT_EQ(lifted->unproved(), "");
  EXPECT_EQ(terms::ToString(lifted->effect(0).value),
            "add(add(add(f32#0, load0[th_x]), load0[th_x + 32]), load0[th_x + 64])");
}

// Each kind of promise, kept and broken.
TEST(Lift, PromisesOfIntegers) {
  auto unproved = [](const std::string& instructions) {
    auto lifted = LiftBody(instructions + "\n  ret void", 4, 64, "f32", 64);
    return lifted->error + lifted->unproved();
  };
  EXPECT_EQ(unproved("%a = add nsw i8 63, 64"), "");
  EXPECT_THAT(unproved("%a = add nsw i8 64, 64"), HasSubstr("nsw"));
  EXPECT_THAT(unproved("%a = sub nuw i32 %t, 1"), HasSubstr("nuw"));
  EXPECT_EQ(unproved("%a = mul nuw nsw i32 %t, 34087042"), "");
  EXPECT_THAT(unproved("%a = mul nsw i32 %t, 34087043"), HasSubstr("nsw"));
  EXPECT_EQ(unproved("%a = shl nuw i32 %t, 26"), "");
  EXPECT_THAT(unproved("%a = shl nuw i32 %t, 27"), HasSubstr("nuw"));
  EXPECT_THAT(unproved("%a = lshr i32 %t, %t"), HasSubstr("the shift is below the width"));
  EXPECT_THAT(unproved("%a = udiv i32 7, %t"), HasSubstr("the divisor is not zero"));
  EXPECT_EQ(unproved("%m = mul i32 %t, 4\n%a = udiv exact i32 %m, 2"), "");
  EXPECT_THAT(unproved("%a = udiv exact i32 %t, 2"), HasSubstr("exact"));
  EXPECT_EQ(unproved("%m = shl i32 %b, 6\n%a = or disjoint i32 %m, %t"), "");
  EXPECT_THAT(unproved("%m = shl i32 %b, 5\n%a = or disjoint i32 %m, %t"), HasSubstr("disjoint"));
  EXPECT_THAT(unproved("%a = zext nneg i32 -1 to i64"), HasSubstr("nneg"));
  EXPECT_THAT(unproved("%a = getelementptr inbounds i32, ptr %p, i32 65"), HasSubstr("inbounds"));
  EXPECT_EQ(unproved("%a = getelementptr inbounds i32, ptr %p, i32 64"), "");
  EXPECT_EQ(unproved("%c = icmp ult i32 %t, 64\ncall void @llvm.assume(i1 %c)"), "");
  EXPECT_THAT(unproved("%c = icmp ult i32 %t, 63\ncall void @llvm.assume(i1 %c)"),
              HasSubstr("what is assumed holds"));
  EXPECT_THAT(unproved("%x = load i32, ptr %p, align 8"), testing::IsEmpty());
  EXPECT_THAT(unproved("%a = getelementptr i32, ptr %p, i32 1\n%x = load i32, ptr %a, align 8"),
              HasSubstr("aligned"));
}

// Threads of one block: a tile of shared memory, written in rows and read in columns.
std::string Tile(const std::string& barrier, const std::string& row = "udiv i32 %t, 8") {
  return R"(
  %column = urem i32 %t, 8
  %row = )" +
         row + R"(
  %in = getelementptr inbounds float, ptr %p, i32 %t
  %x = load float, ptr %in, align 4
  %down = mul i32 %row, 9
  %to = add i32 %down, %column
  %cell = getelementptr inbounds [72 x float], ptr addrspace(3) @tile, i32 0, i32 %to
  store float %x, ptr addrspace(3) %cell, align 4
  )" + barrier +
         R"(
  %across = mul i32 %column, 9
  %from = add i32 %across, %row
  %other = getelementptr inbounds [72 x float], ptr addrspace(3) @tile, i32 0, i32 %from
  %y = load float, ptr addrspace(3) %other, align 4
  %out = getelementptr inbounds float, ptr %q, i32 %t
  store float %y, ptr %out, align 4
  ret void)";
}
constexpr const char* kTile = "@tile = private addrspace(3) global [72 x float] undef\n";
constexpr const char* kBarrier = "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)";

TEST(Lift, SharedTile) {
  auto lifted = LiftBody(Tile(kBarrier), 1, 64, "f32", 64, kTile);
  ASSERT_EQ(lifted->error, "");
  EXPECT_EQ(lifted->unproved(), "");
  EXPECT_TRUE(lifted->kernel.by_block);
  ASSERT_EQ(lifted->kernel.cases[0].effects.size(), 64u);
  for (const Effect& store : lifted->kernel.cases[0].effects) {
    int64_t from = store.thread % 8 * 8 + store.thread / 8;
    EXPECT_EQ(terms::ToString(store.element), std::to_string(store.thread));
    EXPECT_EQ(terms::ToString(store.value), "load0[" + std::to_string(from) + "]");
    EXPECT_EQ(store.phase, 1);
  }
}

TEST(Lift, MissingBarrierIsARace) {
  auto lifted = LiftBody(Tile(""), 1, 64, "f32", 64, kTile);
  ASSERT_EQ(lifted->error, "");
  EXPECT_THAT(lifted->unproved(), HasSubstr("races: no two threads race for shared memory"));
}

TEST(Lift, TwoThreadsWriteOneCell) {
  auto lifted = LiftBody(Tile(kBarrier, "udiv i32 %t, 16"), 1, 64, "f32", 64, kTile);
  EXPECT_THAT(lifted->unproved(), HasSubstr("accesses what is written"));
}

TEST(Lift, BarrierUnderACondition) {
  auto lifted = LiftBody(R"(
  %c = icmp slt i32 %t, 32
  br i1 %c, label %yes, label %no
yes:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %no
no:
  ret void)",
                         1, 64, "f32", 64);
  ASSERT_EQ(lifted->error, "");
  EXPECT_THAT(lifted->unproved(), HasSubstr("barriers: all threads come to the barrier"));
}

TEST(Lift, ShuffleReduction) {
  auto reduce = [](const std::string& distance) {
    return LiftBody(R"(
  %in = getelementptr inbounds float, ptr %p, i32 %t
  %x = load float, ptr %in, align 4
  %a = call float @llvm.nvvm.shfl.sync.down.f32(i32 -1, float %x, i32 )" +
                        distance + R"(, i32 31)
  %y = fadd float %x, %a
  %first = icmp eq i32 %t, 0
  br i1 %first, label %yes, label %no
yes:
  store float %y, ptr %q, align 4
  br label %no
no:
  ret void)",
                    1, 32, "f32", 32);
  };
  auto lifted = reduce("16");
  ASSERT_EQ(lifted->error, "");
  EXPECT_EQ(lifted->unproved(), "");
  ASSERT_EQ(lifted->kernel.cases[0].effects.size(), 1u);
  EXPECT_EQ(terms::ToString(lifted->effect(0).value), "add(load0[0], load0[16])");
  EXPECT_EQ(terms::ToString(reduce("8")->effect(0).value), "add(load0[0], load0[8])");
}

// A branch on the block gives cases; each block is in one of them.
TEST(Lift, CasesOfBlocks) {
  auto lifted = LiftBody(R"(
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %base = mul i32 %b, 32
  %i = add i32 %base, %t
  %inside = icmp slt i32 %i, 100
  br i1 %inside, label %yes, label %no
yes:
  %in = getelementptr inbounds float, ptr %p, i32 %i
  %x = load float, ptr %in, align 4
  %out = getelementptr inbounds float, ptr %q, i32 %i
  store float %x, ptr %out, align 4
  br label %no
no:
  ret void)",
                         4, 32, "f32", 100);
  ASSERT_EQ(lifted->error, "");
  EXPECT_EQ(lifted->unproved(), "");
  ASSERT_EQ(lifted->kernel.cases.size(), 2u);
  size_t stores = lifted->kernel.cases[0].effects.size() + lifted->kernel.cases[1].effects.size();
  EXPECT_EQ(stores, 32u + 4u);
}

// What a branch on data stores to shared memory is a choice afterwards, though not inside of it.
TEST(Lift, SharedMemoryUnderAConditionOnData) {
  auto lifted = LiftBody(R"(
  %in = getelementptr inbounds float, ptr %p, i32 %t
  %x = load float, ptr %in, align 4
  %cell = getelementptr inbounds [72 x float], ptr addrspace(3) @tile, i32 0, i32 %t
  store float %x, ptr addrspace(3) %cell, align 4
  %c = fcmp olt float %x, 0.0
  br i1 %c, label %yes, label %no
yes:
  store float 1.0, ptr addrspace(3) %cell, align 4
  br label %no
no:
  %y = load float, ptr addrspace(3) %cell, align 4
  %out = getelementptr inbounds float, ptr %q, i32 %t
  store float %y, ptr %out, align 4
  ret void)",
                         1, 1, "f32", 1, kTile);
  ASSERT_EQ(lifted->error, "");
  EXPECT_EQ(lifted->unproved(), "");
  EXPECT_EQ(terms::ToString(lifted->effect(0).value),
            "(compare-LT(load0[0], f32#0) ? f32#1065353216 : load0[0])");
}

TEST(Lift, BitsAndConversions) {
  auto value = [](const std::string& compute) {
    auto lifted = LiftBody(Elementwise(compute), 1, 128, "f32", 128);
    return lifted->error + lifted->unproved() +
           (lifted->error.empty() ? terms::ToString(lifted->effect(0).value) : "");
  };
  EXPECT_EQ(value("%n = bitcast float %x to i32\n%y = bitcast i32 %n to float"), "load0[th_x]");
  EXPECT_EQ(value("%h = fptrunc float %x to bfloat\n%y = fpext bfloat %h to float"),
            "convert(convert(load0[th_x]))");
  EXPECT_EQ(value("%y = sitofp i32 %t to float"), "convert(s64(th_x))");
  EXPECT_EQ(value("%y = call float @_Z4tanhf(float %x)"), "tanh(load0[th_x])");
  EXPECT_EQ(value("%c = fcmp une float %x, %x\n%y = select i1 %c, float 0.0, float %x"),
            "(compare-EQ(load0[th_x], load0[th_x]) ? load0[th_x] : f32#0)");
  EXPECT_THAT(value("%m = insertelement <2 x float> poison, float %x, i32 0\n"
                    "%y = extractelement <2 x float> %m, i32 1"),
              HasSubstr("arbitrary"));
}

// fptosi says nothing beyond the integer's range, unless the kernel chooses around it.
// A vector has a class for each element.
TEST(Lift, ClassesOfFloats) {
  auto lifted =
      LiftBody(R"(
%a = getelementptr float, ptr %p, i32 0
%v = load <2 x float>, ptr %a, align 4
%c = call <2 x i1> @llvm.is.fpclass.v2f32(<2 x float> %v, i32 504)
%w = select <2 x i1> %c, <2 x float> %v, <2 x float> zeroinitializer
store <2 x float> %w, ptr %q, align 4
ret void)",
               1, 1, "f32", 2, "declare <2 x i1> @llvm.is.fpclass.v2f32(<2 x float>, i32)");
  ASSERT_EQ(lifted->error, "");
  for (size_t k = 0; k < 2; ++k)
    EXPECT_THAT(terms::ToString(lifted->effect(k).value), HasSubstr("is-finite(load0["));
  lifted = LiftBody(R"(
%v = load float, ptr %p, align 4
%c = call i1 @llvm.is.fpclass.f32(float %v, i32 96)
%w = select i1 %c, float %v, float 0.0
store float %w, ptr %q, align 4
ret void)",
                    1, 1, "f32", 1, "declare i1 @llvm.is.fpclass.f32(float, i32)");
  EXPECT_THAT(lifted->error, HasSubstr("a class of floats"));
}

TEST(Lift, ConversionsThatSaturate) {
  auto value =
      [](const std::string& highest) {
        auto lifted = LiftBody(Elementwise(R"(
  %n = fptosi float %x to i32
  %high = fcmp oge float %x, 0x41E0000000000000
  %low = fcmp ole float %x, 0xC1E0000000000000
  %nan = fcmp uno float %x, %x
  %a = select i1 %high, i32 )" + highest + R"(, i32 %n
  %c = select i1 %low, i32 -2147483648, i32 %a
  %d = select i1 %nan, i32 0, i32 %c
  %y = bitcast i32 %d to float)"),
                               1, 128, "f32", 128);
        return lifted->error + terms::ToString(lifted->effect(0).value);
      };
  EXPECT_EQ(value("2147483647"), "bitcast(convert(load0[th_x]))");
  // A NaN, and what is too large, may be replaced before the conversion.
  auto replaced = [](const std::string& number) {
    auto lifted = LiftBody(Elementwise(R"(
  %high = fcmp oge float %x, 0x41E0000000000000
  %low = fcmp ole float %x, 0xC1E0000000000000
  %nan = fcmp uno float %x, %x
  %beyond = or i1 %high, %low
  %bad = or i1 %beyond, %nan
  %safe = select i1 %bad, float )" + number +
                                       R"(, float %x
  %n = fptosi float %safe to i32
  %a = select i1 %high, i32 2147483647, i32 %n
  %c = select i1 %low, i32 -2147483648, i32 %a
  %y = bitcast i32 %c to float)"),
                           1, 128, "f32", 128);
    return lifted->error + terms::ToString(lifted->effect(0).value);
  };
  EXPECT_EQ(replaced("0.0"), "bitcast(convert(load0[th_x]))");
  EXPECT_THAT(replaced("1.0"), HasSubstr("convert-in-range"));
  EXPECT_THAT(value("2147483646"), HasSubstr("convert-in-range"));
}

// A loop around a compare-and-swap replaces x by what it computes of x, whatever it expected first.
TEST(Lift, CompareAndSwap) {
  auto lift = [](const std::string& next, const std::string& again) {
    return LiftBody(R"(
  %in = getelementptr inbounds i32, ptr %p, i32 %t
  %x = load i32, ptr %in, align 4
  %out = getelementptr inbounds i32, ptr %q, i32 0
  %first = load i32, ptr %out, align 4
  br label %loop
loop:
  %expected = phi i32 [ %first, %0 ], [ )" +
                        next + R"(, %loop ]
  %new = mul i32 %expected, %x
  %pair = cmpxchg ptr %out, i32 %expected, i32 %new monotonic monotonic, align 4
  %found = extractvalue { i32, i1 } %pair, 0
  %done = extractvalue { i32, i1 } %pair, 1
  %failed = xor i1 %done, true
  br i1 )" + again + R"(, label %loop, label %exit
exit:
  ret void)",
                    1, 128, "s32", 128);
  };
  auto lifted = lift("%found", "%failed");
  ASSERT_EQ(lifted->error, "");
  ASSERT_EQ(lifted->kernel.cases[0].effects.size(), 1U);
  const Effect& effect = lifted->effect(0);
  EXPECT_EQ(effect.kind, Effect::Kind::kAtomic);
  EXPECT_EQ(effect.operation, "update");
  terms::Pool& pool = lifted->pool;
  terms::Term x =
      pool.IntegerOf(pool.Load(0, pool.Variable("th_x", {0, 127}), hlo::PrimitiveType::kS32));
  terms::Term product = pool.Multiply(pool.IntegerOf(effect.old), x);
  EXPECT_EQ(effect.value, pool.OfInteger(product, hlo::PrimitiveType::kS32));
  // One that goes on expecting what it expected, or that ends when it failed, is no such loop.
  EXPECT_THAT(lift("%first", "%failed")->error, HasSubstr("compare-and-swap that is no loop's"));
  EXPECT_THAT(lift("%found", "%done")->error, HasSubstr("compare-and-swap that is no loop's"));
}

// A branch on undef may go either way: nothing is known of such a kernel.
TEST(Lift, NoBranchOnUnspecifiedValues) {
  auto body = [](const char* condition) {
    return std::string("  %c = icmp slt i32 ") + condition + R"(, 3
  br i1 %c, label %then, label %end
then:
  %a = getelementptr float, ptr %q, i32 %t
  store float 1.0, ptr %a
  br label %end
end:
  ret void)";
  };
  EXPECT_EQ(LiftBody(body("%t"), 1, 8, "f32", 8)->error, "");
  EXPECT_NE(LiftBody(body("undef"), 1, 8, "f32", 8)->error.find("a branch on an unspecified value"),
            std::string::npos);
}

TEST(Lift, WhatTheEmulatorDoesNotSee) {
  auto unproved = [](const std::string& compute, const std::string& outside = "") {
    auto lifted = LiftBody(Elementwise(compute), 1, 128, "f32", 128, outside);
    return lifted->error + lifted->unproved();
  };
  // Memory of a thread holds nothing once its lifetime has ended, or begins.
  auto own = [&](const std::string& between) {
    auto lifted = LiftBody(Elementwise("%own = alloca float\n  store float %x, ptr %own\n  " +
                                       between + "\n  %y = load float, ptr %own"),
                           1, 128, "f32", 128, "declare void @llvm.lifetime.start.p0(ptr)\n");
    return terms::ToString(lifted->effect(0).value);
  };
  EXPECT_THAT(own(""), HasSubstr("load0"));
  EXPECT_THAT(own("call void @llvm.lifetime.start.p0(ptr %own)"), HasSubstr("arbitrary"));
  // Floats of a class that is excluded are poison, of arguments and of what is returned.
  const std::string minus = ") { %y = fneg float %x\n ret float %y }\n";
  const std::string call = "%y = call float @minus(float %x)";
  EXPECT_EQ(unproved(call, "define internal float @minus(float %x" + minus), "");
  EXPECT_THAT(unproved(call, "define internal float @minus(float nofpclass(nan) %x" + minus),
              HasSubstr("nofpclass"));
  EXPECT_THAT(unproved(call, "define internal nofpclass(inf) float @minus(float %x" + minus),
              HasSubstr("nofpclass"));
  // A division that flushes denormals is none.
  auto divided = [&](const std::string& name) {
    auto lifted = LiftBody(Elementwise("%y = call float @" + name + "(float %x, float 3.0)"), 1,
                           128, "f32", 128, "declare float @" + name + "(float, float)\n");
    return terms::ToString(lifted->effect(0).value);
  };
  EXPECT_THAT(divided("llvm.nvvm.div.full"), HasSubstr("divide("));
  EXPECT_THAT(divided("llvm.nvvm.div.full.ftz"), HasSubstr("divide-flushing("));
}

TEST(Lift, PointersAreOfTheirAddressSpace) {
  auto unproved = [](const std::string& space) {
    auto lifted = LiftBody("  %s = addrspacecast ptr %p to ptr addrspace(" + space +
                               ")\n  %x = load float, ptr addrspace(" + space + ") %s\n  ret void",
                           1, 1, "f32", 1);
    return lifted->error + lifted->unproved();
  };
  EXPECT_EQ(unproved("1"), "");
  EXPECT_THAT(unproved("3"), HasSubstr("address space"));
  EXPECT_THAT(unproved("5"), HasSubstr("address space"));
}

TEST(Lift, AtomicsOfABlockAreNoneOfTheDevice) {
  auto unproved = [](const std::string& scope) {
    auto lifted =
        LiftBody("  %o = atomicrmw fadd ptr %q, float 1.0 " + scope + " monotonic\n  ret void", 2,
                 32, "f32", 64);
    return lifted->error + lifted->unproved();
  };
  EXPECT_EQ(unproved(""), "");
  EXPECT_EQ(unproved("syncscope(\"device\")"), "");
  EXPECT_THAT(unproved("syncscope(\"block\")"), HasSubstr("atomics are those of the whole device"));
}

TEST(Lift, WhatIsNotKnownNamesTheLine) {
  auto lifted = LiftBody("  %n = ptrtoint ptr %p to i64\n  ret void", 1, 32, "f32", 32);
  EXPECT_THAT(lifted->error, HasSubstr("kernel.ll:15:1: error: unknown: "));
  EXPECT_THAT(lifted->error, HasSubstr("ptrtoint"));
}

// ---- kernels of another compiler

constexpr const char* kKernels = "../shared/cases/kernels";

std::string Read(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> KernelFolders() {
  std::vector<std::string> folders;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator at(kKernels, error), end; at != end && !error;
       at.increment(error)) {
    folders.push_back(at->path());
  }
  llvm::sort(folders);
  return folders;
}

// Fusions of which the code is inline assembly are not lifted.
bool IsTriton(const std::string& folder) { return folder.find("triton") != std::string::npos; }

TEST(Kernels, AreLiftedAndProved) {
  auto folders = KernelFolders();
  if (folders.empty()) GTEST_SKIP() << kKernels << " is not here";
  for (const std::string& folder : folders) {
    if (IsTriton(folder)) continue;
    SCOPED_TRACE(folder);
    auto lifted = LiftText(Read(folder + "/kernel.ll"), Read(folder + "/launch.json"));
    EXPECT_EQ(lifted->error, "");
    EXPECT_EQ(lifted->unproved(), "");
  }
}

// A mutant that touches what it must not, as runs showed, has an obligation that is not proved:
// but for races on the buffers of results, which are not decided here.
TEST(Kernels, MutantsAreNotProved) {
  auto folders = KernelFolders();
  if (folders.empty()) GTEST_SKIP() << kKernels << " is not here";
  int64_t mutants = 0;
  for (const std::string& folder : folders) {
    llvm::SmallVector<llvm::StringRef> lines;
    std::string list = Read(folder + "/mutants.jsonl");
    llvm::StringRef(list).split(lines, '\n', -1, false);
    for (llvm::StringRef line : lines) {
      auto json = llvm::json::parse(line);
      ASSERT_TRUE(static_cast<bool>(json));
      const llvm::json::Object& mutant = *json->getAsObject();
      if (mutant.getString("class") != "race/oob") continue;
      llvm::StringRef detail = mutant.getString("detail").value_or("");
      if (detail.starts_with("race-") && detail.contains("argument")) continue;
      std::string file = folder + "/" + mutant.getString("file")->str();
      auto lifted = LiftText(Read(file), Read(folder + "/launch.json"));
      EXPECT_FALSE(lifted->error.empty() && lifted->kernel.AllProved())
          << file << ": " << detail.str();
      ++mutants;
    }
  }
  EXPECT_GT(mutants, 20);
}

}  // namespace
}  // namespace affirm::kernel
