// Statements, lemmas by exhaustion, where they are kept, and their use in proofs of values. Each
// lemma that holds has a neighbor that does not.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "core/hlo/float_format.h"
#include "verify/compare/same_value.h"
#include "verify/lemma/machine_code.h"
#include "verify/lemma/store.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"

namespace affirm::lemma {
namespace {

using hlo::PrimitiveType;
using terms::Pool;
using terms::Scope;
using terms::Term;

constexpr PrimitiveType kF32 = PrimitiveType::kF32, kS32 = PrimitiveType::kS32,
                        kF16 = PrimitiveType::kF16, kBF16 = PrimitiveType::kBF16,
                        kS16 = PrimitiveType::kS16, kPred = PrimitiveType::kPred;

bool OnlyItself(Term a, Term b) { return a == b; }

std::optional<Statement> Of(Term a, Term b, Generality generality = Generality::kOfElements) {
  return MakeStatement(a, b, generality, OnlyItself);
}

// A kernel's side and the computation's, over elements at an index.
struct Sides {
  Pool pool;
  Scope scope{pool};
  Term i = pool.Variable("i", {0, 99});

  Term Load(int64_t buffer, PrimitiveType type) { return pool.Load(buffer, i, type); }
  Term Float(PrimitiveType type, double number) {
    return pool.Literal(type, static_cast<Int128>(hlo::EncodeFloat(type, number)));
  }
  Term Bits(Term x) {
    return pool.IntegerOf(terms::WithBits(pool, x, terms::IntegerType(hlo::BitWidth(x->type))));
  }
  Term OfBits(Term integer, PrimitiveType type) {
    return terms::WithBits(pool, pool.OfInteger(integer, terms::IntegerType(hlo::BitWidth(type))),
                           type);
  }
  Term Abs(Term x) {
    const int64_t width = hlo::BitWidth(x->type);
    Term mask = pool.Number((Int128{1} << (width - 1)) - 1);
    return OfBits(terms::And(scope, Bits(x), mask, width), x->type);
  }
};

// ---- statements

TEST(Statements, NameElementsAndNothingElse) {
  Sides s;
  Term x = s.Load(3, kF16), y = s.pool.Load(7, s.pool.Number(5), kF16);
  auto of_x = Of(s.Abs(x), s.pool.Apply(terms::Op::kAbs, kF16, {x}));
  auto of_y = Of(s.Abs(y), s.pool.Apply(terms::Op::kAbs, kF16, {y}));
  ASSERT_TRUE(of_x && of_y);
  EXPECT_EQ(of_x->Text(), of_y->Text());
  EXPECT_EQ(of_x->bits, 16);
  EXPECT_EQ(of_x->leaf_terms, std::vector<Term>{x});
  EXPECT_TRUE(
      llvm::StringRef(of_x->Text()).starts_with("x0 f16\n0 leaf f16 x0\n1 bitcast s16 0\n"));
  auto negated = Of(s.Abs(x), s.pool.Apply(terms::Op::kNegate, kF16, {x}));
  EXPECT_NE(of_x->Text(), negated->Text());
}

TEST(Statements, HaveNothingElseThatIsOpen) {
  Sides s;
  Term x = s.Load(0, kF32), y = s.Load(1, kF32);
  auto add = [&](Term a, Term b) { return s.pool.Apply(terms::Op::kAdd, kF32, {a, b}); };
  // 64 bits of elements.
  EXPECT_FALSE(Of(add(x, y), s.pool.Apply(terms::Op::kSubtract, kF32, {x, y})));
  // An index, an integer or a value of which nothing is known.
  Term half = s.pool.Load(0, s.i, kF16);
  Term index = s.pool.Apply(terms::Op::kConvert, kF16, {s.pool.OfInteger(s.i, kS32)});
  Term unknown = s.pool.OfInteger(s.pool.Unknown({0, 5}), kS32);
  Term arbitrary = s.pool.Arbitrary(kF16);
  for (Term other : {index, s.pool.Apply(terms::Op::kConvert, kF16, {unknown}), arbitrary}) {
    Term sum = s.pool.Apply(terms::Op::kAdd, kF16, {half, other});
    EXPECT_FALSE(Of(sum, half));
    EXPECT_FALSE(Of(s.pool.Apply(terms::Op::kAbs, kF16, {sum}),
                    s.pool.Apply(terms::Op::kNegate, kF16, {sum})));
  }
  // A function that devices round as they like; not of a common value of it.
  Term exp = s.pool.Apply(terms::Op::kExponential, kF16, {half});
  EXPECT_FALSE(Of(exp, s.pool.Apply(terms::Op::kAbs, kF16, {half})));
  auto of_exp = Of(s.Abs(exp), s.pool.Apply(terms::Op::kAbs, kF16, {exp}));
  ASSERT_TRUE(of_exp);
  EXPECT_EQ(of_exp->leaf_terms, std::vector<Term>{exp});
}

TEST(Statements, OfCommonValuesAreStronger) {
  Sides s;
  Term x = s.Load(0, kF16);
  Term sum = s.pool.Apply(terms::Op::kAdd, kF16, {x, s.Float(kF16, 1)});
  auto general =
      Of(s.Abs(sum), s.pool.Apply(terms::Op::kAbs, kF16, {sum}), Generality::kOfCommonValues);
  ASSERT_TRUE(general);
  EXPECT_EQ(general->leaf_terms, std::vector<Term>{sum});
  EXPECT_TRUE(ProveLemma(*general, kMostWork).proved());
  // Over the elements it has bits of computed NaNs, which are unspecified.
  auto of_elements = Of(s.Abs(sum), s.pool.Apply(terms::Op::kAbs, kF16, {sum}));
  ASSERT_TRUE(of_elements);
  EXPECT_EQ(ProveLemma(*of_elements, kMostWork).verdict, Verdict::kRefuted);
}

// ---- lemmas

TEST(Lemmas, HoldAtAllPoints) {
  Sides s;
  for (PrimitiveType type : {kF16, kBF16}) {
    Term x = s.Load(0, type);
    Term abs = s.pool.Apply(terms::Op::kAbs, type, {x});
    EXPECT_TRUE(ProveLemma(*Of(s.Abs(x), abs), kMostWork).proved());
    Term negative = s.pool.Apply(terms::Op::kNegate, type, {x});
    const Lemma wrong = ProveLemma(*Of(negative, abs), kMostWork);
    EXPECT_EQ(wrong.verdict, Verdict::kRefuted);
    EXPECT_EQ(wrong.reason, "they differ where x0 = 0x0: 0x8000 and 0x0");
  }
}

// Two elements of 16 bits: x + y of f16 is that of f32, rounded; not of bf16 rounded twice.
TEST(Lemmas, HoldOfTwoElements) {
  Sides s;
  Term x = s.Load(0, kF16), y = s.Load(1, kF16);
  auto wide = [&](Term of) { return s.pool.Apply(terms::Op::kConvert, PrimitiveType::kF64, {of}); };
  Term in_f64 = s.pool.Apply(terms::Op::kAdd, PrimitiveType::kF64, {wide(x), wide(y)});
  Term sum = s.pool.Apply(terms::Op::kAdd, kF16, {x, y});
  const Lemma lemma =
      ProveLemma(*Of(s.pool.Apply(terms::Op::kConvert, kF16, {in_f64}), sum), kMostWork);
  EXPECT_TRUE(lemma.proved()) << lemma.reason;
  EXPECT_EQ(lemma.Name(), "exhaustion over 2^32 values");
  Term product = s.pool.Apply(terms::Op::kMultiply, kF16, {x, y});
  EXPECT_FALSE(ProveLemma(*Of(product, sum), kMostWork).proved());
}

TEST(Lemmas, HaveIndependentVariables) {
  Sides s;
  Term x = s.Load(0, PrimitiveType::kS8), y = s.Load(1, PrimitiveType::kS8);
  Term different = s.pool.Apply(terms::Op::kXor, PrimitiveType::kS8, {x, y});
  Term zero = s.pool.OfInteger(s.pool.Number(0), PrimitiveType::kS8);
  EXPECT_EQ(ProveLemma(*Of(different, zero), kMostWork).reason,
            "they differ where x0 = 0x1 and x1 = 0x0: 0x1 and 0x0");
}

TEST(Lemmas, AreRefusedForOneOfAllPoints) {
  Sides s;
  Term x = s.Load(0, kS32);
  const Int128 where = 0x3F9E3779;
  Term there = s.pool.Equal(s.pool.IntegerOf(x), s.pool.Number(where));
  auto other_there = [&](Int128 delta) {
    Term moved = s.pool.Add(s.pool.IntegerOf(x), s.pool.Number(delta));
    return s.pool.OfInteger(s.pool.PickAtom(there, moved, s.pool.IntegerOf(x)), kS32);
  };
  const Lemma wrong = ProveLemma(*Of(other_there(1), x), kMostWork);
  EXPECT_EQ(wrong.verdict, Verdict::kRefuted);
  EXPECT_EQ(wrong.reason, "they differ where x0 = 0x3f9e3779: 0x3f9e377a and 0x3f9e3779");
  // Modulo 2^32 it is no other.
  EXPECT_TRUE(ProveLemma(*Of(other_there(Int128{1} << 32), x), kMostWork).proved());
}

TEST(Lemmas, TakeAllNansForOne) {
  Sides s;
  Term x = s.Load(0, kF16);
  Term is_nan = s.pool.Not(s.pool.Holds(terms::CompareFloats(s.pool, "EQ", false, x, x)));
  auto other_nan = [&](Int128 bits) {
    return s.pool.Select(is_nan, s.pool.Literal(kF16, bits), x);
  };
  EXPECT_TRUE(ProveLemma(*Of(other_nan(0xFE01), x), kMostWork).proved());
  EXPECT_FALSE(ProveLemma(*Of(other_nan(0x7C00), x), kMostWork).proved());
  // Bits of integers are bits.
  auto as_integer = [&](Term of) { return s.pool.OfInteger(s.Bits(of), kS16); };
  EXPECT_FALSE(ProveLemma(*Of(as_integer(other_nan(0xFE01)), as_integer(x)), kMostWork).proved());
}

// maximum-number may give either of two zeros, and of a NaN that signals and a number either: the
// lemma must hold for each.
TEST(Lemmas, HoldForEitherZeroAndNaN) {
  Sides s;
  Term x = s.Load(0, kF16);
  auto apply = [&](terms::Op op, Term a, Term b) { return s.pool.Apply(op, kF16, {a, b}); };
  Term zero = s.Float(kF16, 0), one = s.Float(kF16, 1);
  Term is_nan = s.pool.Not(s.pool.Holds(terms::CompareFloats(s.pool, "EQ", false, x, x)));
  auto number = [&](Term bound, terms::Op op) {
    return s.pool.Select(is_nan, bound, apply(op, x, bound));
  };
  auto guarded = [&](Term bound) {
    return s.pool.Select(is_nan, bound, apply(terms::Op::kMaximumNumber, x, bound));
  };
  auto proves = [&](Term a, Term b) { return ProveLemma(*Of(a, b), kMostWork).proved(); };
  EXPECT_TRUE(proves(guarded(one), number(one, terms::Op::kMaximum)));
  EXPECT_FALSE(proves(apply(terms::Op::kMaximumNumber, x, one), number(one, terms::Op::kMaximum)));
  EXPECT_FALSE(proves(apply(terms::Op::kMaximumNumber, one, x), number(one, terms::Op::kMaximum)));
  EXPECT_FALSE(proves(guarded(zero), number(zero, terms::Op::kMaximum)));
  auto plus_zero = [&](Term a) { return apply(terms::Op::kAdd, a, zero); };
  EXPECT_TRUE(proves(plus_zero(guarded(zero)), plus_zero(number(zero, terms::Op::kMaximum))));
}

// A conversion beyond the range gives poison, which a choice may drop.
TEST(Lemmas, DropPoisonThatIsNotChosen) {
  Sides s;
  Term x = s.Load(0, kF16);
  Term unsaturated = s.pool.Apply(terms::Op::kConvertInRange, PrimitiveType::kS8, {x});
  Term saturated = s.pool.Apply(terms::Op::kConvert, PrimitiveType::kS8, {x});
  auto compare = [&](const char* direction, double bound) {
    return s.pool.Holds(terms::CompareFloats(s.pool, direction, false, x, s.Float(kF16, bound)));
  };
  auto chosen = [&](double bound) {
    return s.pool.Select(s.pool.And({compare("GE", -bound), compare("LT", bound)}), unsaturated,
                         saturated);
  };
  EXPECT_FALSE(ProveLemma(*Of(unsaturated, saturated), kMostWork).proved());
  EXPECT_TRUE(ProveLemma(*Of(chosen(128), saturated), kMostWork).proved());
  const Lemma wrong = ProveLemma(*Of(chosen(129), saturated), kMostWork);
  EXPECT_EQ(wrong.reason, "they differ where x0 = 0x5800: unspecified and 0x7f");
}

TEST(Lemmas, ThatCostTooMuchAreNotTried) {
  Sides s;
  Term x = s.Load(0, kBF16);
  auto statement =
      Of(s.pool.Apply(terms::Op::kSign, kBF16, {x}), s.pool.Apply(terms::Op::kAbs, kBF16, {x}));
  const Lemma lemma = ProveLemma(*statement, 1000);
  EXPECT_EQ(lemma.verdict, Verdict::kUnknown);
  EXPECT_EQ(lemma.reason, "there are too many values to try");
}

// Integers are mathematical: a sum of 2^33 is none of 32 bits.
TEST(Lemmas, DoNotWrapIntegers) {
  Sides s;
  Term x = s.pool.IntegerOf(s.Load(0, kS32));
  Term shifted = s.pool.Add(s.pool.Scale(x, Int128{1} << 40), s.pool.Number(1));
  // An atom as it is, which a scope would simplify.
  Term quotient = s.pool.QuotientAtom(shifted, Int128{1} << 39);
  auto low = [&](Term of) { return s.pool.OfInteger(of, kS32); };
  EXPECT_TRUE(ProveLemma(*Of(low(quotient), low(s.pool.Scale(x, 2))), kMostWork).proved());
  Term fourth = s.pool.Multiply(s.pool.Multiply(x, x), s.pool.Multiply(x, x));
  Term fifth = s.pool.QuotientAtom(s.pool.Multiply(fourth, x), 3);
  auto too_wide = Of(low(fifth), low(x));
  ASSERT_TRUE(too_wide);
  EXPECT_EQ(ProveLemma(*too_wide, kMostWork).reason, "an operation that is not compiled");
}

// ---- the folder

class Folder : public testing::Test {
 protected:
  void SetUp() override {
    path_ =
        std::filesystem::temp_directory_path() / ("affirm_lemmas_" + std::to_string(::getpid()));
    std::filesystem::remove_all(path_);
  }
  void TearDown() override { std::filesystem::remove_all(path_); }

  std::vector<std::filesystem::path> Files() const {
    std::vector<std::filesystem::path> files;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(path_, none))
      files.push_back(entry.path());
    return files;
  }

  std::filesystem::path path_;
};

TEST_F(Folder, KeepsProvedLemmasAlone) {
  const Lemma proved{.verdict = Verdict::kProved, .bits = 16};
  const Lemma refuted{.verdict = Verdict::kRefuted, .bits = 16, .reason = "they differ"};
  {
    Store store;
    store.SetFolder(path_.string());
    store.Keep("x0 f16\n1 = 2\n", proved);
    store.Keep("x0 f16\n1 = 3\n", refuted);
    EXPECT_EQ(Files().size(), 1u);
    EXPECT_EQ(store.Find("x0 f16\n1 = 3\n", 16)->reason, "they differ");
  }
  Store later;
  EXPECT_FALSE(later.Find("x0 f16\n1 = 2\n", 16));
  later.SetFolder(path_.string());
  ASSERT_TRUE(later.Find("x0 f16\n1 = 2\n", 16));
  EXPECT_TRUE(later.Find("x0 f16\n1 = 2\n", 16)->proved());
  EXPECT_FALSE(later.Find("x0 f16\n1 = 3\n", 16));
}

TEST_F(Folder, IgnoresFilesThatDoNotFit) {
  const std::string text = "x0 f16\n1 = 2\n";
  {
    Store store;
    store.SetFolder(path_.string());
    store.Keep(text, {.verdict = Verdict::kProved, .bits = 16});
  }
  ASSERT_EQ(Files().size(), 1u);
  std::stringstream whole;
  whole << std::ifstream(Files()[0]).rdbuf();
  const std::string kept = whole.str();
  EXPECT_TRUE(llvm::StringRef(kept).starts_with("affirm lemma\ncompiler "));
  EXPECT_TRUE(llvm::StringRef(kept).ends_with("\nexhaustion over 2^16 values\n" + text));
  auto found_with = [&](const std::string& content) {
    std::ofstream(Files()[0]) << content;
    Store store;
    store.SetFolder(path_.string());
    return store.Find(text, 16).has_value();
  };
  EXPECT_TRUE(found_with(kept));
  EXPECT_FALSE(found_with(kept + "\n"));
  EXPECT_FALSE(found_with(kept.substr(0, kept.size() / 2)));
  std::string of_other_code = kept;
  of_other_code[20] = of_other_code[20] == '0' ? '1' : '0';
  EXPECT_FALSE(found_with(of_other_code));
}

// ---- in proofs of values

struct Proof {
  bool proved;
  std::set<int> exhausted;
  std::string reason;
};

Proof Prove(Sides& s, Term kernel, Term hlo) {
  Proof proof;
  compare::SameValueOptions options;
  options.exhausted = &proof.exhausted;
  compare::SameValue same(s.scope, options);
  proof.proved = same.Prove(kernel, hlo).has_value();
  proof.reason = same.reason();
  return proof;
}

// The f8 of an f32 by integer operations on bits.
Term SmallByBits(Sides& s, Term x, Int128 lowest) {
  Term absolute = s.Abs(x), bits = s.Bits(absolute);
  Term odd = terms::And(s.scope, s.scope.Quotient(bits, 1 << 20), s.pool.Number(1), 32);
  Term raised = s.pool.Add(s.pool.Add(bits, odd), s.pool.Number((1 << 19) - 1));
  Term normal = s.pool.Add(s.scope.Quotient(raised, 1 << 20), s.pool.Number(-960));
  Term anchored = s.pool.Apply(terms::Op::kAdd, kF32, {absolute, s.Float(kF32, 16384)});
  Term small = s.pool.Add(s.Bits(anchored), s.pool.Number(-1182793728));
  Term code = s.scope.Pick(s.pool.AtLeast(bits, s.pool.Number(lowest)), normal, small);
  Term clamped = s.scope.Pick(s.pool.AtLeast(code, s.pool.Number(127)), s.pool.Number(127), code);
  Term sign = s.scope.Quotient(terms::Unsigned(s.scope, s.Bits(x), 32), Int128{1} << 31);
  return s.OfBits(s.pool.Add(clamped, s.pool.Scale(sign, 128)), PrimitiveType::kF8E4M3FN);
}

TEST(Proofs, RestOnExhaustionWhereNothingElseHelps) {
  Sides s;
  Term x = s.Load(0, kF32);
  Term convert = s.pool.Apply(terms::Op::kConvert, PrimitiveType::kF8E4M3FN, {x});
  const Proof right = Prove(s, SmallByBits(s, x, 1015021568), convert);
  EXPECT_TRUE(right.proved) << right.reason;
  EXPECT_EQ(right.exhausted, std::set<int>{32});
  // One float further it is the other form's turn.
  const Proof wrong = Prove(s, SmallByBits(s, x, 1015021568 - (1 << 20)), convert);
  EXPECT_FALSE(wrong.proved);
  EXPECT_TRUE(wrong.exhausted.empty());
}

TEST(Proofs, RestOnNothingWhereOtherStrategiesHelp) {
  Sides s;
  Term x = s.Load(0, kF16);
  const Proof proof = Prove(s, s.Abs(x), s.pool.Apply(terms::Op::kAbs, kF16, {x}));
  EXPECT_TRUE(proof.proved);
  EXPECT_TRUE(proof.exhausted.empty());
}

TEST(Proofs, NeedAPlaceToSayWhatTheyRestOn) {
  Sides s;
  Term x = s.Load(0, kF32);
  compare::SameValue same(s.scope, {});
  EXPECT_FALSE(same.Prove(SmallByBits(s, x, 1015021568),
                          s.pool.Apply(terms::Op::kConvert, PrimitiveType::kF8E4M3FN, {x})));
}

TEST(Proofs, SayWhereALemmaFails) {
  Sides s;
  Term x = s.Load(0, kF32);
  Term right = SmallByBits(s, x, 1015021568);
  Term there = s.pool.Equal(s.Bits(x), s.pool.Number(0x3F9E3779));
  Term other = s.pool.Select(there, s.pool.Literal(PrimitiveType::kF8E4M3FN, 1), right);
  const Proof proof =
      Prove(s, other, s.pool.Apply(terms::Op::kConvert, PrimitiveType::kF8E4M3FN, {x}));
  EXPECT_FALSE(proof.proved);
  EXPECT_TRUE(llvm::StringRef(proof.reason)
                  .contains("no lemma: they differ where x0 = 0x3f9e3779: 0x1 and 0x3a"))
      << proof.reason;
}

// All NaNs of a float are one, and its bits are what they are.
TEST(Proofs, KeepBitsOfNans) {
  Sides s;
  Term x = s.Load(0, kF32), y = s.Load(1, kF32);
  Term is_nan = s.pool.Not(s.pool.Holds(terms::CompareFloats(s.pool, "EQ", false, x, x)));
  Term other = s.pool.Select(is_nan, s.pool.Literal(kF32, 0x7FC00001), x);
  // The same float: alone, and as a part. Of the usual NaN a value rule says so.
  const Proof alone = Prove(s, other, x);
  EXPECT_TRUE(alone.proved);
  EXPECT_EQ(alone.exhausted, std::set<int>{32});
  auto with = [&](Term of) { return s.pool.Apply(terms::Op::kAdd, kF32, {of, y}); };
  EXPECT_TRUE(Prove(s, with(other), with(x)).proved);
  // In one value, where the float comes first.
  auto both = [&](Term of, Term shown) {
    Term sum = s.pool.Apply(terms::Op::kConvert, kS32, {with(of)});
    return s.pool.Apply(terms::Op::kSubtract, kS32,
                        {sum, s.pool.Apply(terms::Op::kBitcast, kS32, {shown})});
  };
  EXPECT_TRUE(Prove(s, both(other, y), both(x, y)).proved);
  EXPECT_FALSE(Prove(s, both(other, other), both(x, x)).proved);
  auto bits = [&](Term of) { return s.pool.OfInteger(s.Bits(of), kS32); };
  EXPECT_FALSE(Prove(s, bits(other), bits(x)).proved);
  auto twice = [&](Term of) {
    return s.pool.Apply(terms::Op::kAnd, kS32, {bits(of), s.pool.OfInteger(s.Bits(y), kS32)});
  };
  EXPECT_FALSE(Prove(s, twice(other), twice(x)).proved);
  Term one = s.Float(kF32, 1);
  auto sign = [&](Term of) { return s.pool.Apply(terms::Op::kCopysign, kF32, {one, of}); };
  EXPECT_FALSE(Prove(s, sign(other), sign(x)).proved);
}

// Elements are one variable where the facts say so, and only there.
TEST(Proofs, AreOfTheSameElements) {
  Sides s;
  Term j = s.pool.Variable("j", {0, 99});
  Term x = s.pool.Load(0, s.i, kF32), y = s.pool.Load(0, j, kF32);
  Term convert = s.pool.Apply(terms::Op::kConvert, PrimitiveType::kF8E4M3FN, {x});
  Term next = s.pool.Load(0, s.pool.Add(s.i, s.pool.Number(1)), kF32);
  EXPECT_FALSE(Prove(s, SmallByBits(s, next, 1015021568), convert).proved);
  EXPECT_FALSE(Prove(s, SmallByBits(s, y, 1015021568), convert).proved);
  ASSERT_TRUE(s.scope.Assume(s.pool.Equal(s.i, j)));
  EXPECT_TRUE(Prove(s, SmallByBits(s, y, 1015021568), convert).proved);
}

}  // namespace
}  // namespace affirm::lemma
