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

constexpr PrimitiveType kSmall[] = {
    PrimitiveType::kF8E4M3FN,      PrimitiveType::kF8E5M2,    PrimitiveType::kF8E4M3FNUZ,
    PrimitiveType::kF8E5M2FNUZ,    PrimitiveType::kF8E4M3,    PrimitiveType::kF8E3M4,
    PrimitiveType::kF8E4M3B11FNUZ, PrimitiveType::kF8E8M0FNU, PrimitiveType::kF4E2M1FN};

// Statements over as many bits are proved; AFFIRM_FORM_BITS is another number. Over 32 bits each
// takes seconds.
int MostBits() {
  const char* wanted = std::getenv("AFFIRM_FORM_BITS");
  return wanted ? std::atoi(wanted) : 16;
}

bool OnlyItself(Term a, Term b) { return a == b; }

// What exhaustion says of each statement that it was asked.
struct Tally {
  std::map<Verdict, int> lemmas;
  std::map<Opcode, int> proved;

  void Add(Opcode opcode, const std::string& name, Term form, Term operation, int most_bits) {
    auto statement =
        lemma::MakeStatement(form, operation, lemma::Generality::kOfElements, OnlyItself);
    if (!statement || statement->bits > most_bits) return;
    const lemma::Lemma lemma = lemma::ProveLemma(*statement, lemma::kMostWork);
    ++lemmas[lemma.verdict];
    if (lemma.proved()) ++proved[opcode];
    // Where the bits of a computed NaN matter, nothing is said.
    const bool is_open = lemma.reason.find("unspecified") != std::string::npos;
    EXPECT_TRUE(lemma.verdict != Verdict::kRefuted || is_open)
        << name << ": " << ToString(form) << "\n"
        << lemma.reason;
  }
};

TEST(FormLemmas, FormsOfOperations) {
  Tally tally;
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
        // Lemmas say nothing of NaNs in the total order (TotalOrderIsThatOfTheBits).
        if ((*value)->kind != terms::Kind::kApply || terms::IsTotalComparison((*value)->op()))
          continue;
        for (Term form : CorrespondencesOf(scope, *value))
          tally.Add(opcode, hlo::Name(opcode).str() + " of " + type, form, *value, MostBits());
      }
    }
  }
  EXPECT_GE(tally.proved[Opcode::kConvert], 180);
  EXPECT_GE(tally.proved[Opcode::kSign], 2);
}

// A NaN that was computed may have any sign: a form that converts its operands is another order.
TEST(FormLemmas, TotalOrderIsThatOfTheBits) {
  int forms = 0;
  for (PrimitiveType type : kSmall) {
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

TEST(FormLemmas, ConversionsOfSmallFloats) {
  Tally tally;
  constexpr int kAll = 32;
  for (PrimitiveType type : kSmall) {
    Pool pool;
    Scope scope(pool);
    Term x = pool.Load(0, pool.Number(0), PrimitiveType::kF32);
    Term small = pool.Load(1, pool.Number(0), type);
    Term narrowed = pool.Apply(Op::kConvert, type, {x});
    const std::string name = "convert to " + hlo::Name(type).str();
    tally.Add(Opcode::kConvert, name, terms::NarrowedByBits(scope, x, type), narrowed, kAll);
    tally.Add(Opcode::kConvert, name, terms::WidenedByBits(scope, small),
              pool.Apply(Op::kConvert, PrimitiveType::kF32, {small}), kAll);
    if (type != PrimitiveType::kF8E4M3FN && type != PrimitiveType::kF8E5M2) continue;
    Term bits = pool.OfInteger(terms::NarrowedByInstruction(scope, x, type), PrimitiveType::kS8);
    tally.Add(Opcode::kConvert, name, terms::WithBits(pool, bits, type), narrowed, kAll);
  }
  // Four give a NaN whose bits are open: test_small_floats has them at fewer points.
  EXPECT_EQ(tally.lemmas[Verdict::kProved], 16);
}

}  // namespace
}  // namespace affirm::compare
