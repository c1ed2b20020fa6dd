// Each operation of HLO on single elements, at each of its types: its value term, each form that
// CorrespondencesOf and value rules give of it, and what both are of numbers in the place of some
// operands have the value that the interpreter gives.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "core/hlo/float_format.h"
#include "core/hlo/text.h"
#include "tests/compare/single_operations.h"
#include "tests/hlo_values/value_evaluator.h"
#include "verify/compare/correspondences.h"
#include "verify/hlo/values/values.h"
#include "verify/logic/inference.h"
#include "verify/scalar/elementwise.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"
#include "verify/terms/query.h"

namespace affirm::compare {
namespace {

using hlo::Opcode;
using hlo::PrimitiveType;
using terms::Pool;
using terms::Scope;
using terms::Term;

class Numbers {
 public:
  hlo::Literal Draw(PrimitiveType type) {
    hlo::Literal literal(hlo::Shape::Array(type, {}));
    auto* bytes = reinterpret_cast<uint8_t*>(literal.data());
    if (hlo::IsComplex(type)) {
      const PrimitiveType part = hlo::PartType(type);
      const size_t size = hlo::ByteWidth(part);
      for (size_t k : {size_t{0}, size}) {
        const uint64_t bits = BitsOf(part);
        std::memcpy(bytes + k, &bits, size);
      }
    } else if (hlo::IsFloat(type)) {
      literal.SetFloat(0, hlo::DecodeFloat(type, BitsOf(type)));
    } else {
      const int width = type == PrimitiveType::kPred ? 1 : static_cast<int>(hlo::BitWidth(type));
      const hlo::IntType of =
          type == PrimitiveType::kPred ? hlo::IntType{1, false} : hlo::IntType::Of(type);
      const uint64_t few[] = {0,
                              1,
                              ~uint64_t{0},
                              uint64_t{1} << (width - 1),
                              2,
                              3,
                              7,
                              8,
                              (uint64_t{1} << (width - 1)) - 1};
      const bool special = random_() % 2 == 0;
      literal.SetInt(0, of.Wrap(special ? few[random_() % std::size(few)] : random_()));
    }
    return literal;
  }

 private:
  uint64_t BitsOf(PrimitiveType type) {
    constexpr double kSpecial[] = {0,   -0.0, 1,    -1,    0.5,  2,        3,         -2.5, 1e-5,
                                   1e5, 127,  -128, 255.5, 3e38, INFINITY, -INFINITY, NAN,  6e-8};
    if (random_() % 2 == 0)
      return hlo::EncodeFloat(type, kSpecial[random_() % std::size(kSpecial)]);
    const int width = static_cast<int>(hlo::BitWidth(type));
    const uint64_t bits = random_() >> (64 - width);
    // One NaN, as a literal has it.
    return hlo::EncodeFloat(type, hlo::DecodeFloat(type, bits));
  }
  std::mt19937_64 random_{1};
};

bool IsSame(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}
bool IsSame(const TypedScalar& a, const TypedScalar& b) {
  if (a.type != b.type) return false;
  if (hlo::IsComplex(a.type))
    return IsSame(a.value.re, b.value.re) && IsSame(a.value.im, b.value.im);
  if (hlo::IsFloat(a.type)) return IsSame(a.value.re, b.value.re);
  return a.value.i == b.value.i;
}

class Forms {
 public:
  // The forms that were compared, with some operands as numbers where `mask` says so.
  int Try(const hlo::Module& module, llvm::ArrayRef<hlo::Literal> arguments, unsigned mask) {
    const hlo::Instruction& op = *module.entry->root;
    auto function = hlo::ResolveElementwise(op);
    if (!function) {
      llvm::consumeError(function.takeError());
      return 0;
    }
    std::vector<hlo::Scalar> scalars;
    for (const hlo::Literal& argument : arguments) scalars.push_back(ScalarOf(argument));
    const TypedScalar expected = OfScalar(op.shape.type, (*function)(scalars.data()));
    Pool pool;
    Scope scope(pool);
    auto element = [&](int64_t parameter, int64_t, llvm::ArrayRef<Term>) {
      const hlo::Literal& argument = arguments[static_cast<size_t>(parameter)];
      if ((mask >> parameter & 1) != 0) return terms::ElementOfLiteral(pool, argument, 0);
      return pool.Load(parameter, pool.Number(0), terms::TermType(argument.shape().type));
    };
    hlo_values::ComputationValues values(scope, *module.entry, element);
    auto value = values.At(op, 0, {});
    if (!value) {
      llvm::consumeError(value.takeError());
      return 0;
    }
    std::vector<Term> forms = {*value};
    if ((*value)->kind == terms::Kind::kApply) {
      const std::vector<Term> others = CorrespondencesOf(scope, *value);
      forms.insert(forms.end(), others.begin(), others.end());
      logic::Inference infer(scope);
      for (const logic::TermRule& rule : logic::TermRules::Builtin().RulesFor(*value)) {
        if (auto same = infer.OfRule(rule, *value)) forms.push_back(same->right());
      }
    }
    for (Term form : forms) {
      // Nothing computes the functions of a device.
      const bool is_of_device = terms::AnyPart(form, [](Term part) {
        return part->op() == terms::Op::kDivideFull || part->op() == terms::Op::kSqrtOfDevice;
      });
      if (is_of_device) continue;
      ValueWorld world(module, arguments);
      ValueEvaluator evaluator(world, llvm::DenseMap<Term, terms::Int128>());
      const TypedScalar found = evaluator.Value(form);
      if (world.problem.empty() && IsSame(found, expected)) continue;
      ADD_FAILURE() << hlo::ToString(module) << "\n"
                    << ToString(form) << " " << world.problem << " is " << found.value.i << " "
                    << found.value.re << ", expected " << expected.value.i << " "
                    << expected.value.re;
    }
    return static_cast<int>(forms.size());
  }

 private:
  static hlo::Scalar ScalarOf(const hlo::Literal& literal) {
    const PrimitiveType type = literal.shape().type;
    if (hlo::IsComplex(type)) {
      const auto parts = ValueWorld::Element(literal, 0);
      return parts.value;
    }
    if (hlo::IsFloat(type)) return {.re = literal.GetFloat(0)};
    return {.i = literal.GetInt(0)};
  }
};

TEST(Forms, HaveTheValueOfTheOperation) {
  constexpr int kTries = 60;
  Numbers numbers;
  std::set<Opcode> tried;
  int64_t more_than_one = 0;
  for (const Opcode opcode : ElementwiseOpcodes()) {
    for (const char* type : TypesOfElements()) {
      for (const auto& module : ModulesOf(opcode, type)) {
        for (int k = 0; k < kTries; ++k) {
          std::vector<hlo::Literal> arguments;
          for (const hlo::Instruction* parameter : module->entry->parameters)
            arguments.push_back(numbers.Draw(parameter->shape.type));
          const unsigned all = (1U << arguments.size()) - 1;
          const unsigned mask = k % 2 == 0 ? 0 : static_cast<unsigned>(k / 2) & all;
          const int forms = Forms().Try(*module, arguments, mask);
          if (forms > 0) tried.insert(opcode);
          more_than_one += forms > 1 ? 1 : 0;
          if (testing::Test::HasFailure() && k > 4) break;
        }
      }
    }
  }
  EXPECT_GE(tried.size(), 55U);
  EXPECT_GE(more_than_one, 10'000);
}

}  // namespace
}  // namespace affirm::compare
