// The forms that are written in C++ (CorrespondencesOf, verify/terms/small_floats.h) are what they
// stand for: by exhaustion over the bits of the operands, for all operations on at most 32 of them.
#include <gtest/gtest.h>

#include <map>

#include "tests/compare/single_operations.h"
#include "verify/compare/correspondences.h"
#include "verify/compare/narrow_values.h"
#include "verify/hlo/values/values.h"
#include "verify/lemma/lemma.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"
#include "verify/terms/small_floats.h"

namespace affirm::compare {
namespace {

using hlo::Opcode;
using hlo::PrimitiveType;
using terms::Op;
using terms::Pool;
using terms::Scope;
using terms::Term;

// Statements over as many bits are proved; AFFIRM_FORM_BITS is another number. Over 32 bits each
// takes seconds.
int MostBits() {
  const char* wanted = std::getenv("AFFIRM_FORM_BITS");
  return wanted ? std::atoi(wanted) : 16;
}

bool OnlyItself(Term a, Term b) { return a == b; }

// The lemma by exhaustion over at most that many bits; nullopt if there is no such statement.
std::optional<lemma::Lemma> Exhaust(Term form, Term operation, int most_bits) {
  auto statement =
      lemma::MakeStatement(form, operation, lemma::Generality::kOfElements, OnlyItself);
  if (!statement || statement->bits > most_bits) return std::nullopt;
  return lemma::ProveLemma(*statement, lemma::kMostWork);
}

TEST(FormLemmas, FormsOfOperations) {
  std::map<Opcode, int> proved;
  for (const Opcode opcode : ElementwiseOpcodes()) {
    for (const char* type : TypesOfElements()) {
      for (const auto& module : ModulesOf(opcode, type)) {
        Pool pool;
        Scope scope(pool);
        auto element = [&](int64_t parameter, int64_t, llvm::ArrayRef<Term>) {
          const hlo::Shape& shape =
              module->entry->parameters[static_cast<size_t>(parameter)]->shape;
          return pool.Load(parameter, pool.Number(0), terms::TermType(shape.type));
        };
        hlo_values::ComputationValues values(scope, *module->entry, element);
        auto value = values.At(*module->entry->root, 0, {});
        if (!value) {
          llvm::consumeError(value.takeError());
          continue;
        }
        // Lemmas do not cover NaNs in the total order (TotalOrderIsThatOfTheBits).
        if ((*value)->kind != terms::Kind::kApply || terms::IsTotalComparison((*value)->op()))
          continue;
        for (Term form : CorrespondencesOf(scope, *value)) {
          const auto lemma = Exhaust(form, *value, MostBits());
          if (!lemma) continue;
          if (lemma->proved()) ++proved[opcode];
          EXPECT_NE(lemma->verdict, Verdict::kRefuted)
              << hlo::Name(opcode).str() << " of " << type << ": " << ToString(form) << "\n"
              << lemma->reason;
        }
      }
    }
  }
  EXPECT_GE(proved[Opcode::kConvert], 180);
  EXPECT_GE(proved[Opcode::kSign], 2);
}

// A NaN that was computed may have any sign: a form that converts its operands is another order.
TEST(FormLemmas, TotalOrderIsThatOfTheBits) {
  int forms = 0;
  for (PrimitiveType type : SmallFloats()) {
    for (Op op : {Op::kCompareEqTotal, Op::kCompareLtTotal, Op::kCompareLeTotal}) {
      Pool pool;
      Scope scope(pool);
      Term x = pool.Load(0, pool.Number(0), type), y = pool.Load(1, pool.Number(0), type);
      auto less = [&](Term a, Term b) { return pool.Apply(op, PrimitiveType::kPred, {a, b}); };
      const Term order = less(x, y);
      int64_t steps = int64_t{1} << 26;
      for (Term form : CorrespondencesOf(scope, order)) {
        ++forms;
        EXPECT_EQ(SameAtAllValues(form, order, OnlyItself, steps), true)
            << hlo::Name(type).str() << ": " << ToString(form);
      }
    }
  }
  EXPECT_EQ(forms, 6);  // of f8e4m3fn and f4e2m1fn
}

// Compiled code has no f8e8m0fnu, and no lemma knows the NaN of NarrowedByInstruction:
// test_small_floats tries these at fewer values.
TEST(FormLemmas, ConversionsOfSmallFloats) {
  for (PrimitiveType type : SmallFloats()) {
    Pool pool;
    Scope scope(pool);
    const Term x = pool.Load(0, pool.Number(0), PrimitiveType::kF32);
    const Term small = pool.Load(1, pool.Number(0), type);
    const auto narrow =
        Exhaust(terms::NarrowedByBits(scope, x, type), pool.Apply(Op::kConvert, type, {x}), 32);
    const auto wide = Exhaust(terms::WidenedByBits(scope, small),
                              pool.Apply(Op::kConvert, PrimitiveType::kF32, {small}), 32);
    ASSERT_TRUE(narrow && wide);
    if (type == PrimitiveType::kF8E8M0FNU) {
      EXPECT_EQ(narrow->verdict, Verdict::kUnknown);
      EXPECT_EQ(wide->verdict, Verdict::kUnknown);
      continue;
    }
    EXPECT_TRUE(narrow->proved()) << hlo::Name(type).str() << ": " << narrow->reason;
    EXPECT_TRUE(wide->proved()) << hlo::Name(type).str() << ": " << wide->reason;
  }
}

}  // namespace
}  // namespace affirm::compare
