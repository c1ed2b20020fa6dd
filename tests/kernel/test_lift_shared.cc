// Kernels are lifted to terms: what threads of a block have to do with each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/kernel/lift_text.h"

namespace affirm::kernel {
namespace {

using ::testing::HasSubstr;

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

// A store to shared memory under a branch on data is a choice afterwards, though not inside of it.

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

// A sort of predicates leaves a predicate in a byte, which only the name says; another byte may be
// anything.
TEST(Lift, NamesOfPredicatesArePredicates) {
  LiftOptions options;
  options.name_choices = true;
  auto name_of = [&](const std::string& byte) {
    auto lifted = LiftBody(R"(
  %x = load i8, ptr %p, align 1
  %in = getelementptr inbounds i8, ptr %p, i32 1
  %y = load i8, ptr %in, align 1
  %byte = )" + byte + R"(
  store i8 %x, ptr addrspace(3) @tile, align 4
  %c = icmp eq i8 %y, 0
  br i1 %c, label %yes, label %no
yes:
  store i8 %byte, ptr addrspace(3) @tile, align 4
  br label %no
no:
  ret void)",
                           1, 1, "pred", 2, kTile, options);
    EXPECT_EQ(lifted->error, "");
    const NamedChoice& choice = lifted->kernel.cases.at(0).choices.at(0);
    EXPECT_EQ(choice.name->type, choice.stored->type);
    EXPECT_EQ(choice.name->type, choice.kept->type);
    return choice.name->type;
  };
  EXPECT_EQ(name_of("or i8 %y, 0"), hlo::PrimitiveType::kPred);
  EXPECT_EQ(name_of("add i8 %y, 1"), hlo::PrimitiveType::kS8);
  EXPECT_EQ(name_of("sub i8 0, %y"), hlo::PrimitiveType::kS8);
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
  EXPECT_EQ(effect.operation, terms::Op::kNone);
  EXPECT_NE(effect.old, nullptr);
  terms::Pool& pool = lifted->pool;
  terms::Term x =
      pool.IntegerOf(pool.Load(0, pool.Variable("th_x", {0, 127}), hlo::PrimitiveType::kS32));
  terms::Term product = pool.Multiply(pool.IntegerOf(effect.old), x);
  EXPECT_EQ(effect.value, pool.OfInteger(product, hlo::PrimitiveType::kS32));
  // A loop that keeps its first expected value, or that ends when the exchange failed, is no loop
  // of an atomic update.
  EXPECT_THAT(lift("%first", "%failed")->error, HasSubstr("compare-and-swap that is no loop's"));
  EXPECT_THAT(lift("%found", "%done")->error, HasSubstr("compare-and-swap that is no loop's"));
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

}  // namespace
}  // namespace affirm::kernel
