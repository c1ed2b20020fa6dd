// A kernel against another one: what is proved, refuted, executed, and left open.
#include <gtest/gtest.h>

#include "driver/validate/kernel_pair.h"

namespace affirm::driver {
namespace {

constexpr char kLaunch[] = R"({"kernel": "k", "grid": [3, 1, 1], "threads": [32, 1, 1], "params": [
  {"name": "x", "shape": "f32[90]{0}", "bytes": 360, "role": "input", "memory": 0},
  {"name": "y", "shape": "f32[90]{0}", "bytes": 360, "role": "output", "memory": 1}]})";

// y[i] = VALUE of x[i], by the threads below LAST.
std::string Kernel(const std::string& value, const std::string& last = "90") {
  return R"(target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr noalias align 16 dereferenceable(360) %p,
                          ptr noalias align 16 dereferenceable(360) %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %row = mul i32 %b, 32
  %i = add i32 %row, %t
  %inside = icmp slt i32 %i, )" +
         last + R"(
  br i1 %inside, label %write, label %done
write:
  %at = getelementptr float, ptr %p, i32 %i
  %x = load float, ptr %at, align 4
)" + value +
         R"(
  %to = getelementptr float, ptr %r, i32 %i
  store float %v, ptr %to, align 4
  br label %done
done:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare float @llvm.exp.f32(float)
declare float @__nv_expf(float)
)";
}

KernelComparison Compare(const std::string& before, const std::string& after,
                         const std::string& json = kLaunch) {
  auto launch = kernel::ParseLaunch(json, "launch.json");
  auto a = kernel::ReadKernelIr(before, "before.ll", "k");
  auto b = kernel::ReadKernelIr(after, "after.ll", "k");
  if (!launch || !a || !b) {
    ADD_FAILURE() << llvm::toString(launch.takeError()) << llvm::toString(a.takeError())
                  << llvm::toString(b.takeError());
    return {};
  }
  KernelPair pair;
  pair.before = std::make_unique<kernel::KernelIr>(std::move(*a));
  pair.after = std::make_unique<kernel::KernelIr>(std::move(*b));
  pair.launch = std::move(*launch);
  return CompareKernels(pair, /*seed=*/0);
}

TEST(KernelPair, IsProvedForAllArguments) {
  const KernelComparison same =
      Compare(Kernel("  %v = fmul float %x, 2.0"), Kernel("  %v = fmul float 2.0, %x", "90"));
  EXPECT_EQ(same.verdict, Verdict::kProved) << same.reason;
  EXPECT_GT(same.runs, 0);
  EXPECT_EQ(same.elements, 90 * same.runs);
  EXPECT_FALSE(same.counterexample);
}

TEST(KernelPair, NamesTheElementAndBothValues) {
  const KernelComparison other =
      Compare(Kernel("  %v = fadd float %x, 1.0"), Kernel("  %v = fadd float %x, 2.0"));
  ASSERT_EQ(other.verdict, Verdict::kRefuted) << other.reason;
  ASSERT_TRUE(other.counterexample);
  EXPECT_EQ(other.counterexample->buffer, "y");
  EXPECT_EQ(other.counterexample->element, 0);
  EXPECT_NE(other.counterexample->expected, other.counterexample->actual);
}

TEST(KernelPair, NamesABufferWithoutANameByItsParameter) {
  constexpr char kNameless[] =
      R"({"kernel": "k", "grid": [3, 1, 1], "threads": [32, 1, 1], "params": [
  {"shape": "f32[90]{0}", "bytes": 360, "role": "input", "memory": 0},
  {"shape": "f32[90]{0}", "bytes": 360, "role": "output", "memory": 1}]})";
  const KernelComparison other =
      Compare(Kernel("  %v = fadd float %x, 1.0"), Kernel("  %v = fadd float %x, 2.0"), kNameless);
  ASSERT_EQ(other.verdict, Verdict::kRefuted) << other.reason;
  EXPECT_EQ(other.counterexample->buffer, "parameter 1");
  EXPECT_EQ(other.reason.rfind("element 0 of parameter 1 is ", 0), 0) << other.reason;
}

// -0.0 + 0.0 is 0.0.
TEST(KernelPair, TellsZerosApart) {
  const KernelComparison other =
      Compare(Kernel("  %v = fadd float %x, -0.0"), Kernel("  %v = fadd float %x, 0.0"));
  ASSERT_EQ(other.verdict, Verdict::kRefuted) << other.reason;
  EXPECT_EQ(other.counterexample->expected, "-0");
  EXPECT_EQ(other.counterexample->actual, "0");
}

TEST(KernelPair, RefutesAnAccessOutsideOfABuffer) {
  const std::string value = "  %v = fadd float %x, 1.0";
  const KernelComparison outside = Compare(Kernel(value), Kernel(value, "91"));
  ASSERT_EQ(outside.verdict, Verdict::kRefuted) << outside.reason;
  EXPECT_GT(outside.counterexample->line, 0);
  // A comparison with a kernel that is wrong itself is unknown.
  const KernelComparison both = Compare(Kernel(value, "91"), Kernel(value));
  EXPECT_EQ(both.verdict, Verdict::kUnknown) << both.reason;
  EXPECT_EQ(both.runs, 0);
}

TEST(KernelPair, RefutesAnElementThatIsNotWritten) {
  const std::string value = "  %v = fadd float %x, 1.0";
  EXPECT_EQ(Compare(Kernel(value), Kernel(value, "89")).verdict, Verdict::kRefuted);
  EXPECT_EQ(Compare(Kernel(value, "89"), Kernel(value, "89")).verdict, Verdict::kProved);
}

// (x * 3) * 5 rounds in another order than x * 15.
TEST(KernelPair, LeavesOpenWhatAFlagAllows) {
  const std::string exact = "  %a = fmul float %x, 3.0\n  %v = fmul float %a, 5.0";
  const std::string loose = "  %a = fmul reassoc float %x, 3.0\n  %v = fmul reassoc float %a, 5.0";
  const std::string folded = "  %v = fmul float %x, 15.0";
  EXPECT_EQ(Compare(Kernel(exact), Kernel(folded)).verdict, Verdict::kRefuted);
  const KernelComparison open = Compare(Kernel(loose), Kernel(folded));
  EXPECT_EQ(open.verdict, Verdict::kUnknown) << open.reason;
  EXPECT_NE(open.reason.find("allows other values"), std::string::npos) << open.reason;
  // A flag more is a change that no run shows.
  EXPECT_NE(Compare(Kernel(exact), Kernel(loose)).verdict, Verdict::kProved);
}

// LangRef, "Fast-Math Flags", "nofpclass": a float that is excluded is poison, which no run shows.
TEST(KernelPair, LeavesOpenWhereFloatsAreExcluded) {
  const auto of = [](const std::string& flags) {
    return "  %c = fcmp " + flags + " uno float %x, 0.0\n  %v = uitofp i1 %c to float";
  };
  const std::string zero = "  %v = fmul float 0.0, 0.0";
  EXPECT_EQ(Compare(Kernel(of("")), Kernel(zero)).verdict, Verdict::kRefuted);
  for (const char* flags : {"nnan", "ninf"}) {
    const KernelComparison open = Compare(Kernel(of(flags)), Kernel(zero));
    EXPECT_EQ(open.verdict, Verdict::kUnknown) << flags << ": " << open.reason;
  }
  const std::string declared = "declare float @llvm.fabs.f32(float)\n";
  const std::string call = "  %v = call float @llvm.fabs.f32(float nofpclass(inf) %x)";
  EXPECT_EQ(Compare(Kernel(call) + declared, Kernel(zero)).verdict, Verdict::kUnknown);
  const std::string function = "declare float @__nv_fabsf(float nofpclass(inf))\n";
  const std::string plain = "  %v = call float @__nv_fabsf(float %x)";
  EXPECT_EQ(Compare(Kernel(plain) + function, Kernel(zero)).verdict, Verdict::kUnknown);
  const std::string open = "declare float @__nv_fabsf(float)\n";
  EXPECT_EQ(Compare(Kernel(plain) + open, Kernel(zero)).verdict, Verdict::kRefuted);
}

// The emulator computes both by one function; devices do not.
TEST(KernelPair, TellsLibrariesApart) {
  const std::string of_llvm = "  %v = call float @llvm.exp.f32(float %x)";
  const std::string of_device = "  %v = call float @__nv_expf(float %x)";
  EXPECT_EQ(Compare(Kernel(of_llvm), Kernel(of_llvm)).verdict, Verdict::kProved);
  EXPECT_EQ(Compare(Kernel(of_device), Kernel(of_device)).verdict, Verdict::kProved);
  const KernelComparison other = Compare(Kernel(of_device), Kernel(of_llvm));
  EXPECT_NE(other.verdict, Verdict::kProved);
  EXPECT_NE(other.verdict, Verdict::kRefuted);
}

// PTX ISA, "ex2", "lg2": within an error, and not what the emulator computes.
TEST(KernelPair, LeavesApproximationsOfPtxOpen) {
  const std::string declared =
      "declare float @llvm.nvvm.lg2.approx.f(float)\ndeclare float @llvm.fabs.f32(float)\n"
      "declare float @llvm.nvvm.sqrt.rn.f(float)\ndeclare float @__nv_logf(float)\n";
  const std::string magnitude = "  %m = call float @llvm.fabs.f32(float %x)\n";
  const KernelComparison open =
      Compare(Kernel(magnitude + "  %v = call float @llvm.nvvm.lg2.approx.f(float %m)") + declared,
              Kernel(magnitude + "  %s = call float @__nv_logf(float %m)\n"
                                 "  %v = fmul float %s, 0x3FF7154760000000") +
                  declared);
  EXPECT_EQ(open.verdict, Verdict::kUnknown) << open.reason;
  const std::string root = " = call float @llvm.nvvm.sqrt.rn.f(float %m)";
  EXPECT_EQ(Compare(Kernel(magnitude + "  %v" + root) + declared,
                    Kernel(magnitude + "  %s" + root + "\n  %v = fadd float %s, 1.0") + declared)
                .verdict,
            Verdict::kRefuted);
}

// Several threads may store to one element without a race; one of them is the last.
TEST(KernelPair, LeavesTheOrderOfAtomicStoresOpen) {
  constexpr char kOne[] = R"({"kernel": "k", "grid": [1, 1, 1], "threads": [32, 1, 1], "params": [
    {"name": "x", "shape": "f32[90]{0}", "bytes": 360, "role": "input", "memory": 0},
    {"name": "y", "shape": "s32[1]{0}", "bytes": 4, "role": "output", "memory": 1}]})";
  auto kernel = [](const std::string& store) {
    return R"(target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp eq i32 %t, 0
)" + store +
           R"(
  br label %done
done:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
)";
  };
  auto first = [&](const std::string& number) {
    return kernel("  br i1 %c, label %write, label %done\nwrite:\n  store i32 " + number +
                  ", ptr addrspace(1) %r, align 4");
  };
  for (const std::string store :
       {"  store atomic i32 %t, ptr addrspace(1) %r monotonic, align 4",
        "  store volatile i32 %t, ptr addrspace(1) %r, align 4",
        "  call void asm sideeffect \"st.relaxed.gpu.global.b32 [ $0 + 0 ], { $1 };\", "
        "\"l,r\"(ptr addrspace(1) %r, i32 %t)"}) {
    const KernelComparison open = Compare(kernel(store), first("0"), kOne);
    EXPECT_EQ(open.verdict, Verdict::kUnknown) << store << open.reason;
  }
  EXPECT_EQ(Compare(first("0"), first("7"), kOne).verdict, Verdict::kRefuted);
}

// So it does where a float is stored in a result of another type.
TEST(KernelPair, DoesNotRefuteByNansInResultsOfOtherTypes) {
  auto launch = [](const std::string& type, const std::string& size) {
    return R"({"kernel": "k", "grid": [3, 1, 1], "threads": [32, 1, 1], "params": [
      {"name": "x", "shape": "f32[90]{0}", "bytes": 360, "role": "input", "memory": 0},
      {"name": "y", "shape": ")" +
           type + "[" + size + R"(]{0}", "bytes": 360, "role": "output", "memory": 1}]})";
  };
  const std::string sum = Kernel("  %v = fadd float %x, 0x7FF8000020000000"),
                    chosen = Kernel("  %v = select i1 true, float 0x7FF8000020000000, float %x");
  EXPECT_NE(Compare(sum, chosen, launch("f16", "180")).verdict, Verdict::kRefuted);
  const std::string stored = "store float %v, ptr %to, align 4";
  auto in_structure = [&](std::string kernel) {
    return kernel.replace(kernel.find(stored), stored.size(),
                          "%l = insertvalue {float} poison, float %v, 0\n"
                          "  store {float} %l, ptr %to, align 4");
  };
  EXPECT_NE(Compare(in_structure(sum), in_structure(chosen), launch("u32", "90")).verdict,
            Verdict::kRefuted);
  EXPECT_EQ(Compare(Kernel("  %v = fadd float %x, 1.0"), Kernel("  %v = fadd float %x, 2.0"),
                    launch("f32", "90"))
                .verdict,
            Verdict::kRefuted);
}

// The integer depends on the bits of a NaN difference, which LLVM leaves open.
TEST(KernelPair, DoesNotRefuteByTheBitsOfANan) {
  auto bits_of = [](const std::string& negated) {
    return Kernel("  %s = " + negated +
                  "\n  %n = bitcast float %s to i32\n  %h = lshr i32 %n, 1\n"
                  "  %v = sitofp i32 %h to float");
  };
  const KernelComparison nan = Compare(bits_of("fsub float -0.0, %x"), bits_of("fneg float %x"));
  EXPECT_EQ(nan.verdict, Verdict::kUnknown) << nan.reason;
  EXPECT_NE(nan.reason.find("the bits of a NaN may be seen"), std::string::npos) << nan.reason;
  EXPECT_EQ(Compare(bits_of("fadd float %x, 1.0"), bits_of("fadd float %x, 2.0")).verdict,
            Verdict::kRefuted);
}

// LLVM's maxnum gives either of two zeros, and a device that of PTX.
TEST(KernelPair, LeavesTheZeroOfAMaximumOpen) {
  const std::string declared = "declare float @llvm.maxnum.f32(float, float)\n";
  const KernelComparison zeros =
      Compare(Kernel("  %v = call float @llvm.maxnum.f32(float %x, float 0.0)") + declared,
              Kernel("  %v = call float @llvm.maxnum.f32(float 0.0, float %x)") + declared);
  EXPECT_NE(zeros.verdict, Verdict::kRefuted) << zeros.reason;
}

// The results of other kernels may not be there before the wait.
TEST(KernelPair, KeepsTheWaitForOtherKernels) {
  const std::string declared = "declare void @llvm.nvvm.griddepcontrol.wait()\n";
  const std::string wait = "  call void @llvm.nvvm.griddepcontrol.wait()\n";
  const std::string late = Kernel(wait + "  %v = fadd float %x, 1.0") + declared;
  std::string first = Kernel("  %v = fadd float %x, 1.0") + declared;
  first.replace(first.find("  %t = "), 0, wait);
  EXPECT_EQ(Compare(first, first).verdict, Verdict::kProved);
  EXPECT_EQ(Compare(first, late).verdict, Verdict::kExecuted);
}

// To the bit, a store of a float is one of its NaN.
TEST(KernelPair, DoesNotRefuteByANanThatIsStoredAsAnInteger) {
  std::string text = kLaunch;
  const size_t output = text.rfind("f32[90]");
  text.replace(output, 3, "s32");
  const KernelComparison nan =
      Compare(Kernel("  %v = fmul float %x, -1.0"), Kernel("  %v = fneg float %x"), text);
  EXPECT_NE(nan.verdict, Verdict::kRefuted) << nan.reason;
}

TEST(KernelPair, ProvesNothingOfBitsOfNans) {
  const std::string of_sign = R"(  %n = bitcast float Y to i32
  %s = lshr i32 %n, 31
  %v = uitofp i32 %s to float)";
  auto with = [&](const std::string& before, const std::string& y) {
    std::string text = of_sign;
    return Kernel(before + text.replace(text.find('Y'), 1, y));
  };
  EXPECT_NE(Compare(with("", "%x"), with("  %y = fmul float %x, 1.0\n", "%y")).verdict,
            Verdict::kProved);
}

TEST(KernelPair, AScalarOfARangeIsNotExecuted) {
  std::string text = kLaunch;
  text.replace(text.rfind("]}"), 2,
               R"(, {"name": "n", "shape": "s32[]", "role": "scalar", "range": [0, 90]}]})");
  std::string kernel = Kernel("  %v = fadd float %x, 1.0", "%n");
  kernel.replace(kernel.find(" %r)"), 4, " %r, i32 %n)");
  const KernelComparison same = Compare(kernel, kernel, text);
  EXPECT_EQ(same.verdict, Verdict::kProved) << same.reason;
  EXPECT_EQ(same.runs, 0);
  std::string other = kernel;
  other.replace(other.find("fadd float %x, 1.0"), 18, "fadd float %x, 2.0");
  const KernelComparison open = Compare(kernel, other, text);
  EXPECT_EQ(open.verdict, Verdict::kUnknown);
  EXPECT_NE(open.reason.find("scalar 'n' has a range"), std::string::npos) << open.reason;
}

}  // namespace
}  // namespace affirm::driver
