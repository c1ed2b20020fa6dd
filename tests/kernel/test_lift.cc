// Kernels are lifted to terms: control flow, memory, and what is not known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/kernel/lift_text.h"

namespace affirm::kernel {
namespace {

using ::testing::HasSubstr;

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

// An obligation of a loop stays, whether the loop is executed once for all iterations or, if a
// difference of differences is unknown, one by one. Obligations met in abandoned attempts do not
// count.
TEST(Lift, LoopsOweWhatTheirIterationsDo) {
  auto lift = [](const std::string& operation, int64_t elements) {
    return LiftBody(R"(
  br label %head
head:
  %k = phi i32 [ 0, %0 ], [ %next, %body ]
  %sum = phi float [ 0.0, %0 ], [ %more, %body ]
  %go = icmp slt i32 %k, 40
  br i1 %go, label %body, label %exit
body:
  %row = mul nuw nsw i32 %k, 32
  %i = add nuw nsw i32 %row, %t
  %in = getelementptr inbounds float, ptr %p, i32 %i
  %x = load float, ptr %in, align 4
  %more = )" + operation +
                        R"(
  %next = add nuw nsw i32 %k, 1
  br label %head
exit:
  %out = getelementptr inbounds float, ptr %q, i32 %t
  store float %sum, ptr %out, align 4
  ret void)",
                    1, 32, "f32", elements);
  };
  const std::string sum = "fadd float %sum, %x", difference = "fsub float %x, %sum";
  for (const auto& [operation, times] : {std::pair(sum, 1), std::pair(difference, 40)}) {
    auto inside = lift(operation, 1280), outside = lift(operation, 1279);
    ASSERT_EQ(inside->error + outside->error, "");
    EXPECT_EQ(inside->unproved(), "");
    EXPECT_THAT(outside->unproved(),
                HasSubstr("bounds: the access is inside its buffer: not proved"));
    int64_t most = 0;
    for (const Obligation& owed : inside->kernel.obligations) most = std::max(most, owed.times);
    EXPECT_EQ(most, times);
  }
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
  // A division that is wrong by some ulp, or flushes denormals, is none.
  auto divided = [&](const std::string& name) {
    auto lifted = LiftBody(Elementwise("%y = call float @" + name + "(float %x, float 3.0)"), 1,
                           128, "f32", 128, "declare float @" + name + "(float, float)\n");
    return terms::ToString(lifted->effect(0).value);
  };
  EXPECT_THAT(divided("llvm.nvvm.div.full"), HasSubstr("divide-full("));
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

TEST(Lift, WhatIsNotKnownNamesTheLine) {
  auto lifted = LiftBody("  %n = ptrtoint ptr %p to i64\n  ret void", 1, 32, "f32", 32);
  EXPECT_THAT(lifted->error, HasSubstr("kernel.ll:15:1: error: unknown: "));
  EXPECT_THAT(lifted->error, HasSubstr("ptrtoint"));
}

}  // namespace
}  // namespace affirm::kernel
