// Functions of devices that are wrong by some ulp: they are an operation of HLO by name, and
// nothing computes them.
#include <gtest/gtest.h>

#include "core/hlo/text.h"
#include "driver/validate/validate.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::driver {
namespace {

// Sixty-four threads, each with element %i of %a and, in some, of %b.
struct Case {
  std::string name;
  std::string hlo;  // the entry
  std::vector<std::string> operands;
  std::string result;
  std::string body;  // from %pa, %pb and %pr on
  bool proved = false;
};

std::string Pointers(const std::string& operand, const std::string& result) {
  auto one = [](const char* name, const std::string& type) {
    return "  %p" + std::string(name) + " = getelementptr " + type + ", ptr %" + name +
           ", i32 %t\n";
  };
  return one("a", operand) + one("b", operand) + one("r", result);
}

Verdict ValuesOf(const Case& of) {
  std::string params;
  for (const std::string& operand : of.operands)
    params += R"({"shape": ")" + operand + R"([64]", "role": "input"}, )";
  params += R"({"shape": ")" + of.result + R"([64]", "role": "output"})";
  auto module = hlo::ParseModule("HloModule m\nENTRY e {\n" + of.hlo + "}\n", "hlo");
  auto launch = kernel::ParseLaunch(R"({"grid": [1], "threads": [64], "params": [)" + params + "]}",
                                    "launch");
  const bool two = of.operands.size() == 2;
  auto ir = kernel::ReadKernelIr(R"(target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare float @llvm.nvvm.div.full(float, float)
declare float @llvm.sqrt.f32(float)
declare i16 @llvm.fptosi.sat.i16.f32(float)
declare float @__nv_sqrtf(float)
declare float @__nv_expf(float)
declare float @__nv_fast_expf(float)
declare float @__nv_rsqrtf(float)
declare float @llvm.exp.f32(float)
declare float @_Z4sqrtf(float)
declare float @_Z3expf(float)
declare float @__ocml_exp_f32(float)
declare float @__ocml_native_exp_f32(float)
declare float @__ocml_sqrt_f32(float)
declare double @__ocml_sqrt_f64(double)
declare double @__nv_sqrt(double)
define ptx_kernel void @k(ptr %a, )" +
                                     std::string(two ? "ptr %b, " : "") +
                                     R"(ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
)" + of.body + "  ret void\n}\n",
                                 "kernel");
  EXPECT_TRUE(!!module) << llvm::toString(module.takeError());
  EXPECT_TRUE(!!launch) << llvm::toString(launch.takeError());
  EXPECT_TRUE(!!ir) << llvm::toString(ir.takeError());
  if (!module || !launch || !ir) return Verdict::kRefuted;
  const KernelSubject subject{(*module)->entry, &*ir, *launch};
  llvm::Error error = CheckSubject(subject);
  EXPECT_FALSE(!!error) << llvm::toString(std::move(error));
  const std::vector<ClaimResult> proofs = ProveClaims(subject, {});
  const auto values = llvm::find_if(
      proofs, [](const ClaimResult& claim) { return claim.claim == kernel::Claim::kValues; });
  return values == proofs.end() ? Verdict::kRefuted : values->verdict;
}

std::string Places(const std::string& operand, const std::string& result, bool two) {
  const std::string all = Pointers(operand, result);
  if (two) return all;
  const size_t begin = all.find("  %pb"), end = all.find("  %pr");
  return all.substr(0, begin) + all.substr(end);
}

// An integer, or an exact result, is no quotient of a function that may be 2 ulp away from it.
Case IntegerQuotient(const std::string& quotient, bool proved) {
  return {"integer",
          "p = s16[64] parameter(0)\n c = s16[] constant(3)\n"
          " b = s16[64] broadcast(c), dimensions={}\n"
          " ROOT d = s16[64] divide(p, b)\n",
          {"s16"},
          "s16",
          Places("i16", "i16", false) +
              "  %x = load i16, ptr %pa\n  %xf = sitofp i16 %x to float\n  %y = " + quotient +
              "\n  %i = call i16 @llvm.fptosi.sat.i16.f32(float %y)\n  store i16 %i, ptr %pr\n",
          proved};
}

Case ProductOfBf16(const std::string& quotient, bool proved) {
  return {"product",
          "p = bf16[64] parameter(0)\n c = bf16[] constant(0.25)\n"
          " b = bf16[64] broadcast(c), dimensions={}\n"
          " ROOT d = bf16[64] multiply(p, b)\n",
          {"bf16"},
          "bf16",
          Places("bfloat", "bfloat", false) +
              "  %x = load bfloat, ptr %pa\n  %xf = fpext bfloat %x to float\n  %y = " + quotient +
              "\n  %n = fptrunc float %y to bfloat\n  store bfloat %n, ptr %pr\n",
          proved};
}

Case Root(const std::string& function, bool proved) {
  return {"root",
          "p = s8[64] parameter(0)\n w = f32[64] convert(p)\n ROOT d = f32[64] abs(w)\n",
          {"s8"},
          "f32",
          Places("i8", "float", false) +
              "  %x = load i8, ptr %pa\n  %xf = sitofp i8 %x to float\n"
              "  %s = fmul float %xf, %xf\n  %y = call float @" +
              function + "(float %s)\n  store float %y, ptr %pr\n",
          proved};
}

TEST(DeviceFunctions, ExactValuesAreNotTheirs) {
  for (const Case& of :
       {IntegerQuotient("fdiv float %xf, 3.0", true),
        IntegerQuotient("call float @llvm.nvvm.div.full(float %xf, float 3.0)", false),
        ProductOfBf16("fdiv float %xf, 4.0", true),
        ProductOfBf16("call float @llvm.nvvm.div.full(float %xf, float 4.0)", false),
        Root("llvm.sqrt.f32", true), Root("__nv_sqrtf", false), Root("_Z4sqrtf", false),
        Root("__ocml_sqrt_f32", false)}) {
    EXPECT_EQ(ValuesOf(of) == Verdict::kProved, of.proved) << of.name << "\n" << of.body;
  }
}

// A quotient with 1 is no number that is known, either.
TEST(DeviceFunctions, NothingComputesThem) {
  for (const char* quotient : {"call float @llvm.nvvm.div.full(float %x, float 1.0)",
                               "call float @llvm.nvvm.div.full(float %n, float -1.0)"}) {
    const Case of{"same",
                  "ROOT p = f32[64] parameter(0)\n",
                  {"f32"},
                  "f32",
                  Places("float", "float", false) +
                      "  %x = load float, ptr %pa\n  %n = fneg float %x\n  %y = " + quotient +
                      "\n  store float %y, ptr %pr\n"};
    EXPECT_NE(ValuesOf(of), Verdict::kProved) << quotient;
  }
}

Case Quotient(const std::string& type, const std::string& of_llvm, const std::string& operands,
              bool proved) {
  const bool narrow = type != "f32";
  auto wide = [&](const char* x) {
    const std::string name(x);
    return narrow ? "  %w" + name + " = fpext " + of_llvm + " %" + name + " to float\n"
                  : "  %w" + name + " = fadd float %" + name + ", -0.0\n";
  };
  return {"quotient",
          "p = " + type + "[64] parameter(0)\n q = " + type +
              "[64] parameter(1)\n ROOT d = " + type + "[64] divide(p, q)\n",
          {type, type},
          type,
          Places(of_llvm, of_llvm, true) + "  %x = load " + of_llvm + ", ptr %pa\n  %y = load " +
              of_llvm + ", ptr %pb\n" + wide("x") + wide("y") +
              "  %z = call float @llvm.nvvm.div.full(" + operands + ")\n" +
              (narrow ? "  %n = fptrunc float %z to " + of_llvm + "\n  store " + of_llvm +
                            " %n, ptr %pr\n"
                      : "  store float %z, ptr %pr\n"),
          proved};
}

TEST(DeviceFunctions, AreTheOperationByName) {
  for (const auto& [type, of_llvm] :
       {std::pair("f32", "float"), {"bf16", "bfloat"}, {"f16", "half"}}) {
    EXPECT_EQ(ValuesOf(Quotient(type, of_llvm, "float %wx, float %wy", true)), Verdict::kProved)
        << type;
    EXPECT_NE(ValuesOf(Quotient(type, of_llvm, "float %wy, float %wx", false)), Verdict::kProved)
        << type;
  }
  for (const auto& [type, of_llvm, function] : {std::tuple("f32", "float", "__nv_sqrtf"),
                                                {"f32", "float", "_Z4sqrtf"},
                                                {"f32", "float", "llvm.sqrt.f32"},
                                                {"f32", "float", "__ocml_sqrt_f32"},
                                                {"f64", "double", "__ocml_sqrt_f64"},
                                                {"f64", "double", "__nv_sqrt"}}) {
    const std::string t = of_llvm;
    const Case of{
        "root",
        "p = " + std::string(type) + "[64] parameter(0)\n ROOT d = " + type + "[64] sqrt(p)\n",
        {type},
        type,
        Places(t, t, false) + "  %x = load " + t + ", ptr %pa\n  %y = call " + t + " @" + function +
            "(" + t + " %x)\n  store " + t + " %y, ptr %pr\n"};
    EXPECT_EQ(ValuesOf(of), Verdict::kProved) << function;
  }
}

// Native functions have errors of their own; and functions of two libraries are two values.
TEST(DeviceFunctions, OfRocmAreThoseOfHlo) {
  auto sum = [](const std::string& first, const std::string& second) {
    return ValuesOf({"exponential",
                     "p = f32[64] parameter(0)\n e = f32[64] exponential(p)\n"
                     " ROOT d = f32[64] add(e, e)\n",
                     {"f32"},
                     "f32",
                     Places("float", "float", false) +
                         "  %x = load float, ptr %pa\n  %y = call float @" + first +
                         "(float %x)\n  %z = call float @" + second +
                         "(float %x)\n  %s = fadd float %y, %z\n  store float %s, ptr %pr\n"});
  };
  EXPECT_EQ(sum("__ocml_exp_f32", "__ocml_exp_f32"), Verdict::kProved);
  EXPECT_NE(sum("__ocml_native_exp_f32", "__ocml_native_exp_f32"), Verdict::kProved);
  EXPECT_NE(sum("__ocml_exp_f32", "_Z3expf"), Verdict::kProved);
}

// One quotient of HLO is one value, whether it is written there or part of what an operation is.
TEST(DeviceFunctions, AreNotMixedWithTheExactOnes) {
  const std::string quotient =
      "p = f32[64] parameter(0)\n q = f32[64] parameter(1)\n"
      " d = f32[64] divide(p, q)\n ROOT r = f32[64] multiply(d, d)\n";
  const std::string logistic =
      "p = f32[64] parameter(0)\n q = f32[64] parameter(1)\n"
      " d = f32[64] logistic(q)\n ROOT r = f32[64] multiply(d, d)\n";
  for (const std::string& hlo : {quotient, logistic}) {
    const bool divides = hlo == quotient;
    const std::string divisor = divides ? "%y" : "%s", dividend = divides ? "%x" : "1.0";
    for (const auto& [second, proved] :
         {std::pair("call float @llvm.nvvm.div.full(float " + dividend + ", float " + divisor + ")",
                    true),
          {"fdiv float " + dividend + ", " + divisor, false}}) {
      const Case of{"twice",
                    hlo,
                    {"f32", "f32"},
                    "f32",
                    Places("float", "float", true) +
                        "  %x = load float, ptr %pa\n  %y = load float, ptr %pb\n"
                        "  %n = fneg float %y\n  %e = call float @__nv_expf(float %n)\n"
                        "  %s = fadd float %e, 1.0\n  %f = call float @llvm.nvvm.div.full(float " +
                        dividend + ", float " + divisor + ")\n  %g = " + second +
                        "\n  %m = fmul float %f, %g\n  store float %m, ptr %pr\n"};
      EXPECT_EQ(ValuesOf(of) == Verdict::kProved, proved) << hlo << second;
    }
  }
}

// A function by two libraries, or by its definition as well, is two values.
Case Difference(const std::string& op, const std::string& first, const std::string& second,
                bool proved) {
  return {
      "difference of " + op,
      "p = f32[64] parameter(0)\n e = f32[64] " + op + "(p)\n ROOT d = f32[64] subtract(e, e)\n",
      {"f32"},
      "f32",
      Places("float", "float", false) + "  %x = load float, ptr %pa\n" + first + second +
          "  %d = fsub float %f, %g\n  store float %d, ptr %pr\n",
      proved};
}

TEST(DeviceFunctions, OneOperationIsOneFunction) {
  const std::string root = "  %s = call float @llvm.sqrt.f32(float %x)\n";
  auto call = [](const std::string& result, const std::string& function) {
    return "  %" + result + " = call float @" + function + "(float %x)\n";
  };
  auto reciprocal = [](const std::string& result) {
    return "  %" + result + " = fdiv float 1.0, %s\n";
  };
  const Case cases[] = {
      Difference("exponential", call("f", "__nv_expf"), call("g", "__nv_expf"), true),
      Difference("exponential", call("f", "__nv_expf"), call("g", "llvm.exp.f32"), false),
      Difference("rsqrt", call("f", "__nv_rsqrtf"), call("g", "__nv_rsqrtf"), true),
      Difference("rsqrt", root + reciprocal("f"), reciprocal("g"), true),
      Difference("rsqrt", root + call("f", "__nv_rsqrtf"), reciprocal("g"), false),
      Difference("rsqrt", root + reciprocal("f"), call("g", "__nv_rsqrtf"), false)};
  for (const Case& of : cases)
    EXPECT_EQ(ValuesOf(of) == Verdict::kProved, of.proved) << of.name << "\n" << of.body;
}

// LLVM computes functions of constants itself, and no function of a number that the launch gives.
TEST(DeviceFunctions, OfConstantsAreOfTheCompiler) {
  for (const auto& [number, proved] : {std::pair("1.5", true), {"%n", false}}) {
    const Case of{"constants",
                  "p = f32[64] parameter(0)\n c = f32[] constant(1.5)\n"
                  " b = f32[64] broadcast(c), dimensions={}\n e = f32[64] exponential(b)\n"
                  " ROOT d = f32[64] subtract(e, e)\n",
                  {"f32"},
                  "f32",
                  Places("float", "float", false) +
                      "  %blocks = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()\n"
                      "  %one = uitofp i32 %blocks to float\n  %n = fmul float %one, 1.5\n"
                      "  %f = call float @__nv_expf(float 1.5)\n"
                      "  %g = call float @__nv_expf(float " +
                      std::string(number) +
                      ")\n  %d = fsub float %f, %g\n  store float %d, ptr %pr\n"};
    EXPECT_EQ(ValuesOf(of) == Verdict::kProved, proved) << number;
  }
}

// exp(x) in 16 bits: fast everywhere or nowhere.
TEST(DeviceFunctions, FastExponentials) {
  const std::string narrow = "e = bf16[64] exponential(p)\n w = f32[64] convert(e)\n";
  const std::string wide =
      "c = f32[64] convert(p)\n h = f32[64] exponential(c)\n e = bf16[64] convert(h)\n"
      " w = f32[64] convert(e)\n";
  auto call = [](const std::string& result, const std::string& function) {
    return "  %w" + result + " = call float @" + function + "(float %x)\n  %n" + result +
           " = fptrunc float %w" + result + " to bfloat\n  %" + result + " = fpext bfloat %n" +
           result + " to float\n";
  };
  const std::string fast = "__nv_fast_expf", exact = "__nv_expf";
  auto of = [&](const std::string& hlo, const std::string& body, bool proved) {
    return Case{hlo,
                "p = bf16[64] parameter(0)\n " + hlo,
                {"bf16"},
                "f32",
                Places("bfloat", "float", false) +
                    "  %b = load bfloat, ptr %pa\n  %x = fpext bfloat %b to float\n" + body +
                    "  %d = fsub float %f, %g\n  store float %d, ptr %pr\n",
                proved};
  };
  for (const std::string& exponential : {narrow, wide}) {
    const std::string difference = exponential + " ROOT d = f32[64] subtract(w, w)\n";
    for (const auto& [first, second] :
         {std::pair(fast, fast), {exact, exact}, {fast, exact}, {exact, fast}}) {
      const Case one = of(difference, call("f", first) + call("g", second), first == second);
      EXPECT_EQ(ValuesOf(one) == Verdict::kProved, one.proved) << one.name << "\n" << one.body;
    }
  }
  // Not without the rounding.
  const Case wide_only{"f32",
                       "p = f32[64] parameter(0)\n ROOT e = f32[64] exponential(p)\n",
                       {"f32"},
                       "f32",
                       Places("float", "float", false) +
                           "  %x = load float, ptr %pa\n  %y = call float @__nv_fast_expf(float "
                           "%x)\n  store float %y, ptr %pr\n"};
  EXPECT_NE(ValuesOf(wide_only), Verdict::kProved);
  const Case unrounded = of(wide + " ROOT d = f32[64] subtract(w, h)\n",
                            call("f", fast) + "  %g = call float @__nv_expf(float %x)\n", false);
  EXPECT_NE(ValuesOf(unrounded), Verdict::kProved);
}

}  // namespace
}  // namespace affirm::driver
