#include "tests/compare/single_operations.h"

#include "core/hlo/text.h"
#include "core/hlo/verifier.h"
#include "verify/scalar/elementwise.h"

namespace affirm::compare {

using hlo::Opcode;
using hlo::PrimitiveType;

namespace {

constexpr const char* kTypes[] = {
    "pred",      "s2",     "s4",     "s8",       "s16",        "s32",        "s64",
    "u2",        "u4",     "u8",     "u16",      "u32",        "u64",        "f4e2m1fn",
    "f8e3m4",    "f8e4m3", "f8e5m2", "f8e4m3fn", "f8e4m3fnuz", "f8e5m2fnuz", "f8e4m3b11fnuz",
    "f8e8m0fnu", "f16",    "bf16",   "f32",      "f64",        "c64",        "c128"};

std::string Operands(int count) {
  std::string text;
  for (int k = 0; k < count; ++k) text += (k == 0 ? "p" : ", p") + std::to_string(k);
  return text;
}

}  // namespace

llvm::ArrayRef<const char*> TypesOfElements() { return kTypes; }

std::vector<PrimitiveType> SmallFloats() {
  return {PrimitiveType::kF8E5M2,     PrimitiveType::kF8E4M3,        PrimitiveType::kF8E4M3FN,
          PrimitiveType::kF8E3M4,     PrimitiveType::kF8E4M3B11FNUZ, PrimitiveType::kF8E5M2FNUZ,
          PrimitiveType::kF8E4M3FNUZ, PrimitiveType::kF8E8M0FNU,     PrimitiveType::kF4E2M1FN};
}

std::vector<Opcode> ElementwiseOpcodes() {
  std::vector<Opcode> opcodes = {
#define AFFIRM_OPCODE(id, text, arity) Opcode::id,
#include "core/hlo/opcodes.def"
#undef AFFIRM_OPCODE
  };
  std::erase_if(opcodes, [](Opcode opcode) { return !hlo::IsElementwise(opcode); });
  return opcodes;
}

std::vector<std::unique_ptr<hlo::Module>> ModulesOf(Opcode opcode, const std::string& type) {
  std::vector<std::string> results = {type}, more = {""};
  if (opcode == Opcode::kConvert) results.assign(std::begin(kTypes), std::end(kTypes));
  if (opcode == Opcode::kCompare || opcode == Opcode::kIsFinite) results = {"pred"};
  if (opcode == Opcode::kReal || opcode == Opcode::kImag || opcode == Opcode::kAbs)
    results = {type, "f32", "f64"};
  if (opcode == Opcode::kComplex) results = {"c64", "c128"};
  if (opcode == Opcode::kCompare) {
    more.clear();
    for (const char* direction : {"EQ", "NE", "LT", "LE", "GT", "GE"}) {
      for (const char* order : {"", ", type=TOTALORDER"})
        more.push_back(", direction=" + std::string(direction) + order);
    }
  }
  if (opcode == Opcode::kReducePrecision) {
    more.clear();
    for (const char* exponent : {"1", "4", "5", "8", "11"}) {
      for (const char* mantissa : {"0", "1", "3", "7", "10", "23"})
        more.push_back(", exponent_bits=" + std::string(exponent) + ", mantissa_bits=" + mantissa);
    }
  }
  std::vector<std::unique_ptr<hlo::Module>> modules;
  const int arity = hlo::Arity(opcode);
  for (const std::string& result : results) {
    for (const std::string& attributes : more) {
      std::string text = "HloModule m\nENTRY e {\n";
      for (int k = 0; k < arity; ++k) {
        const std::string of = opcode == Opcode::kSelect && k == 0 ? "pred" : type;
        const std::string number = std::to_string(k);
        text += "p" + number + " = " + of + "[] parameter(" + number + ")\n";
      }
      text += "ROOT r = " + result + "[] " + hlo::Name(opcode).str() + "(" + Operands(arity) + ")" +
              attributes + "\n}\n";
      auto module = hlo::ParseModule(text, "test");
      llvm::Error error = module ? hlo::Verify(**module, "test") : module.takeError();
      if (!error) modules.push_back(std::move(*module));
      llvm::consumeError(std::move(error));  // not at this type
    }
  }
  return modules;
}

}  // namespace affirm::compare
