// Enclosures of modules that tests write, and values of other modules to compare with them.
#ifndef AFFIRM_TESTS_ENCLOSURE_ENCLOSED_MODULE_H_
#define AFFIRM_TESTS_ENCLOSURE_ENCLOSED_MODULE_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/parse_module.h"
#include "verify/enclosure/enclose.h"
#include "verify/reference/arguments.h"
#include "verify/reference/interpreter.h"
#include "verify/scalar/scalar.h"

namespace affirm::enclosure {

// x has 8 rows of 8 features, s, o and v one number for each feature; v is not negative.
inline std::string ModuleOf(const std::string& body) {
  return "HloModule m\n"
         "sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
         "less { a = f32[] parameter(0) b = f32[] parameter(1) c = s32[] parameter(2) d = s32[] "
         "parameter(3) ROOT r = pred[] compare(a, b), direction=LT }\n"
         "ge { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), "
         "direction=GE }\n"
         "best { a = f32[] parameter(0) i = s32[] parameter(1) b = f32[] parameter(2) j = s32[] "
         "parameter(3) p = pred[] compare(a, b), direction=GE k = f32[] select(p, a, b) n = s32[] "
         "select(p, i, j) ROOT t = (f32[], s32[]) tuple(k, n) }\n"
         "step { a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] add(a, b) ROOT t = "
         "(f32[], "
         "f32[]) tuple(c, c) }\n"
         "lt { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), "
         "direction=LT }\n"
         "total { a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] parameter(2) d = f32[] "
         "parameter(3) z = f32[] constant(0) n = f32[] constant(nan) p = pred[] compare(a, z), "
         "direction=EQ k = f32[] select(p, z, a) p2 = pred[] compare(a, a), direction=NE k2 = "
         "f32[] select(p2, n, k) q = pred[] compare(b, z), direction=EQ l = f32[] select(q, z, b) "
         "q2 = pred[] compare(b, b), direction=NE l2 = f32[] select(q2, n, l) ROOT r = pred[] "
         "compare(k2, l2), direction=LT, type=TOTALORDER }\n"
         "first { a = f32[] parameter(0) i = s32[] parameter(1) b = f32[] parameter(2) j = s32[] "
         "parameter(3) p = pred[] compare(a, b), direction=GT n = pred[] compare(a, a), "
         "direction=NE o = pred[] or(p, n) k = f32[] select(o, a, b) e = pred[] compare(a, b), "
         "direction=EQ f = pred[] compare(i, j), direction=LT g = pred[] and(e, f) h = pred[] "
         "or(o, g) m = s32[] select(h, i, j) ROOT t = (f32[], s32[]) tuple(k, m) }\n"
         "third { a = f32[] parameter(0) c = f32[] constant(3) ROOT r = f32[] divide(a, c) }\n"
         "one { a = f32[64] parameter(0) ROOT r = f32[64] copy(a) }\n"
         "two { a = f32[64] parameter(0) ROOT r = f32[64] tanh(a) }\n"
         "ENTRY e { x = f32[64] parameter(0) y = f32[64] parameter(1) s = f32[8] parameter(2) o = "
         "f32[8] parameter(3) w = f32[8] parameter(4) v = f32[8] abs(w) z = f32[] constant(0) m = "
         "f32[8,8] reshape(x) g = f32[8,8] reshape(y) " +
         body + " }\n";
}

inline std::vector<hlo::Literal> Arguments(const hlo::Module& module) {
  return hlo::MakeArguments(*module.entry, 3, hlo::ArgumentKind::kRounding);
}

inline Enclosures Of(const std::string& body) {
  auto module = testing::ParseOrFail(ModuleOf(body));
  if (!module) return {};
  auto enclosures = Enclose(*module->entry, Arguments(*module));
  if (enclosures) return std::move(*enclosures);
  ADD_FAILURE() << llvm::toString(enclosures.takeError());
  return {};
}

inline hlo::Literal RunText(const std::string& text) {
  auto module = testing::ParseOrFail(text);
  if (!module) return {};
  auto value = hlo::Interpret(*module->entry, Arguments(*module));
  if (value) return std::move(*value);
  ADD_FAILURE() << llvm::toString(value.takeError());
  return {};
}
inline hlo::Literal RunEntry(const std::string& entry) {
  return RunText("HloModule m\n" + entry + "\n");
}

// How many elements of `value` are outside of their enclosures; the type of `value` may be a wider
// one of the same kind.
inline int64_t OutsideOf(const Enclosures& of, const hlo::Literal& value) {
  EXPECT_EQ(of.not_known, "");
  if (of.result.leaves.empty() || !value.shape().IsArray()) return -1;
  const hlo::PrimitiveType type = of.result.value.shape().type;
  int64_t outside = 0;
  for (int64_t i = 0; i < value.NumElements(); ++i) {
    if (!Contains(type, of.result.At(0, i), hlo::Load(value, i))) ++outside;
  }
  return outside;
}

// How many elements of the interpreter's value of b are outside of the enclosures of a.
inline int64_t Outside(const std::string& a, const std::string& b) {
  return OutsideOf(Of(a), RunText(ModuleOf(b)));
}

}  // namespace affirm::enclosure

#endif  // AFFIRM_TESTS_ENCLOSURE_ENCLOSED_MODULE_H_
