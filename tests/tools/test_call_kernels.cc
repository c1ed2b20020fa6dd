// Kernels that XLA:CPU makes of whole calls: a loop that doubles a number three times, whose arrays
// are in a table on the kernel's stack.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/hlo/text.h"
#include "driver/dump/call_kernels.h"
#include "driver/validate/validate.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm::driver {
namespace {

constexpr const char* kHlo = R"(HloModule m
body {
  s = (s32[], s32[]) parameter(0)
  x = s32[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=1
  one = s32[] constant(1)
  twice = s32[] add(x, x)
  next = s32[] add(n, one)
  ROOT t = (s32[], s32[]) tuple(twice, next)
}
more {
  s = (s32[], s32[]) parameter(0)
  n = s32[] get-tuple-element(s), index=1
  three = s32[] constant(3)
  ROOT less = pred[] compare(n, three), direction=LT
}
looped {
  s = (s32[], s32[]) parameter(0)
  ROOT loop = (s32[], s32[]) while(s), condition=more, body=body
}
ENTRY e {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  x0 = s32[] copy(a)
  n0 = s32[] copy(b)
  start = (s32[], s32[]) tuple(x0, n0)
  ROOT call = (s32[], s32[]) call(start), to_apply=looped
})";

constexpr const char* kBuffers = R"(BufferAssignment:
allocation 0: size 16, output shape is |(s32[], s32[])|, maybe-live-out:
 value: <1 loop{} @0> (size=16,offset=0): (s32[], s32[])
allocation 1: size 4, maybe-live-out:
 value: <2 x0 @0> (size=4,offset=0): s32[]
 value: <3 twice @0> (size=4,offset=0): s32[]
 value: <4 loop{0} (phi) @0> (size=4,offset=0): s32[]
allocation 2: size 4, maybe-live-out:
 value: <5 n0 @0> (size=4,offset=0): s32[]
 value: <6 next @0> (size=4,offset=0): s32[]
 value: <7 loop{1} (phi) @0> (size=4,offset=0): s32[]
allocation 3: size 96, preallocated-temp:
 value: <8 less @0> (size=1,offset=64): pred[]
allocation 4: size 4, constant:
 value: <9 one @0> (size=4,offset=0): s32[]
)";

// Array 0 is that of no instruction of the loop. `step` is what the body adds to the number,
// `scope` says which array number 3 is.
std::string IrOf(llvm::StringRef step, llvm::StringRef scope = "!alias.scope !1") {
  std::string text = R"(target triple = "x86_64-unknown-linux-gnu"
%XLA_CPU_KernelCallFrame = type { ptr, ptr, i64, ptr }
%XLA_CPU_KernelArg = type { ptr, i64 }
@three = private unnamed_addr constant [4 x i8] c"\03\00\00\00"
define ptr @call_kernel(ptr %0) {
  %args_gep = getelementptr inbounds %XLA_CPU_KernelCallFrame, ptr %0, i32 0, i32 3
  %args = load ptr, ptr %args_gep
  %g0 = getelementptr %XLA_CPU_KernelArg, ptr %args, i32 0, i32 0
  %a0 = load ptr, ptr %g0
  %g1 = getelementptr %XLA_CPU_KernelArg, ptr %args, i32 1, i32 0
  %a1 = load ptr, ptr %g1
  %g2 = getelementptr %XLA_CPU_KernelArg, ptr %args, i32 2, i32 0
  %a2 = load ptr, ptr %g2
  %g3 = getelementptr %XLA_CPU_KernelArg, ptr %args, i32 3, i32 0
  %a3 = load ptr, ptr %g3
  %g4 = getelementptr %XLA_CPU_KernelArg, ptr %args, i32 4, i32 0
  %a4 = load ptr, ptr %g4
  %buffer_table = alloca ptr, i64 5, align 8
  store ptr %a0, ptr %buffer_table
  %t1 = getelementptr inbounds ptr, ptr %buffer_table, i64 1
  store ptr %a1, ptr %t1
  %t2 = getelementptr inbounds ptr, ptr %buffer_table, i64 2
  store ptr %a2, ptr %t2
  %t3 = getelementptr inbounds ptr, ptr %buffer_table, i64 3
  store ptr %a3, ptr %t3
  %t4 = getelementptr inbounds ptr, ptr %buffer_table, i64 4
  store ptr %a4, ptr %t4
  call void @looped(ptr %buffer_table)
  ret ptr null
}
define internal void @more(ptr noalias %buffer_table) {
  %e2 = getelementptr inbounds ptr, ptr %buffer_table, i64 2
  %1 = load ptr, ptr %e2
  %e3 = getelementptr inbounds ptr, ptr %buffer_table, i64 3
  %2 = load ptr, ptr %e3
  %n = load i32, ptr %1, align 4
  %three = load i32, ptr @three, align 4
  %c = icmp slt i32 %n, %three
  %z = zext i1 %c to i8
  store i8 %z, ptr %2, align 1, SCOPE
  ret void
}
define internal void @body(ptr noalias %buffer_table) {
  %e1 = getelementptr inbounds ptr, ptr %buffer_table, i64 1
  %twice = load ptr, ptr %e1
  %e2 = getelementptr inbounds ptr, ptr %buffer_table, i64 2
  %next = load ptr, ptr %e2
  %e4 = getelementptr inbounds ptr, ptr %buffer_table, i64 4
  %t = load ptr, ptr %e4
  %x = load i32, ptr %twice, align 4
  %y = add i32 %x, STEP
  store i32 %y, ptr %twice, align 4
  %n = load i32, ptr %next, align 4
  %m = add i32 %n, 1
  store i32 %m, ptr %next, align 4
  store ptr %twice, ptr %t, align 8
  ret void
}
define internal void @looped(ptr noalias %buffer_table) {
  br label %header
header:
  call void @more(ptr %buffer_table)
  %e3 = getelementptr inbounds ptr, ptr %buffer_table, i64 3
  %1 = load ptr, ptr %e3
  %2 = load i8, ptr %1, align 1
  %3 = icmp ne i8 %2, 0
  br i1 %3, label %inside, label %exit
inside:
  call void @body(ptr %buffer_table)
  br label %header
exit:
  ret void
}
!1 = !{!2}
!2 = !{!"buffer: {index:3, offset:64, size:1}", !3}
!3 = !{!"arrays"}
!4 = !{!5}
!5 = !{!"buffer: {index:4, offset:0, size:4}", !3}
!6 = !{!7}
!7 = !{!"buffer: {index:1, offset:2, size:4}", !3}
)";
  auto replace = [&](llvm::StringRef from, llvm::StringRef to) {
    text.replace(text.find(from), from.size(), to.str());
  };
  replace("STEP", step);
  replace(", SCOPE", scope.empty() ? "" : (", " + scope).str());
  return text;
}

class CallKernels : public testing::Test {
 protected:
  void SetUp() override {
    auto module = hlo::ParseModule(kHlo, "hlo");
    ASSERT_TRUE(!!module) << llvm::toString(module.takeError());
    module_ = std::move(*module);
    call_ = module_->FindInstruction("call");
  }

  // The kernel with its arrays as parameters; an error as it reads.
  std::string Take(const std::string& text) {
    auto ir = kernel::ReadKernelIr(text, "ir", "call_kernel");
    if (!ir) return llvm::toString(ir.takeError());
    ir_ = std::make_unique<kernel::KernelIr>(std::move(*ir));
    const std::vector<BufferSlice> params = {{1, 0, 4}, {2, 0, 4}, {1, 0, 4}, {2, 0, 4}};
    return llvm::toString(TakeParameters(*call_, BufferAssignment(kBuffers), params, *ir_));
  }

  Validation Validated() {
    KernelSubject subject{call_->called.front(), ir_.get(), {}};
    subject.launch.grid = subject.launch.threads = {1, 1, 1};
    for (int64_t k : {0, 1, 2, 3}) {
      kernel::Param param;
      param.shape = hlo::Shape::Array(hlo::PrimitiveType::kS32, {});
      param.bytes = 4;
      param.role = k < 2 ? kernel::Param::kInput : kernel::Param::kOutput;
      param.memory = k % 2;
      subject.launch.params.push_back(param);
    }
    llvm::Error error = CheckSubject(subject);
    EXPECT_FALSE(!!error) << llvm::toString(std::move(error));
    return Validate(subject, {});
  }

  std::unique_ptr<hlo::Module> module_;
  const hlo::Instruction* call_ = nullptr;
  std::unique_ptr<kernel::KernelIr> ir_;
};

TEST_F(CallKernels, AreRunAsTheCall) {
  ASSERT_EQ(Take(IrOf("%x")), "");
  const Validation validation = Validated();
  EXPECT_NE(validation.verdict, Verdict::kRefuted);
  EXPECT_GT(validation.executed.runs, 10);
  EXPECT_EQ(validation.executed.elements, 2 * validation.executed.runs);
}

TEST_F(CallKernels, ThatComputeAnotherValueAreRefuted) {
  ASSERT_EQ(Take(IrOf("1")), "");
  const Validation validation = Validated();
  EXPECT_EQ(validation.verdict, Verdict::kRefuted);
  EXPECT_EQ(validation.claims.back().verdict, Verdict::kRefuted);
}

TEST_F(CallKernels, HaveArraysThatAreKnown) {
  EXPECT_NE(Take(IrOf("%x", "")).find("nothing says which array the kernel's number 3 is"),
            std::string::npos);
  EXPECT_NE(Take(IrOf("%x", "!alias.scope !4")).find("is a constant"), std::string::npos);
  // A table that is stored elsewhere, and an array that is large.
  std::string elsewhere = IrOf("%x");
  const std::string call = "call void @more(ptr %buffer_table)";
  elsewhere.insert(elsewhere.find(call), "store ptr %buffer_table, ptr @kept\n  ");
  elsewhere += "@kept = private global ptr null\n";
  EXPECT_NE(Take(elsewhere).find("uses its table in another way"), std::string::npos);
  std::string large = IrOf("%x");
  const std::string slice = "index:3, offset:64, size:1";
  large.replace(large.find(slice), slice.size(), "index:3, offset:64, size:99999999");
  EXPECT_NE(Take(large).find("large arrays of its own"), std::string::npos);
  EXPECT_NE(Take(IrOf("%x", "!alias.scope !6")).find("lies across the buffer of a parameter"),
            std::string::npos);
}

}  // namespace
}  // namespace affirm::driver
