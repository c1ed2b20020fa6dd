// Holds the value terms of a module's results against the interpreter.
#ifndef AFFIRM_TESTS_HLO_VALUES_CHECK_VALUES_H_
#define AFFIRM_TESTS_HLO_VALUES_CHECK_VALUES_H_

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/hlo/leaves.h"
#include "core/hlo/text.h"
#include "tests/hlo_values/value_evaluator.h"
#include "verify/hlo/values/values.h"
#include "verify/reference/index.h"
#include "verify/reference/interpreter.h"

namespace affirm {

using hlo_values::ComputationValues;
using terms::Int128;
using terms::Pool;
using terms::Scope;
using terms::Term;

inline constexpr int64_t kMostElements = 48;

inline bool SameValue(hlo::PrimitiveType type, const hlo::Scalar& a, const hlo::Scalar& b) {
  if (terms::IntegerWidth(type) > 0) return a.i == b.i;
  auto same = [](double x, double y) {
    return (x == y && std::signbit(x) == std::signbit(y)) || (std::isnan(x) && std::isnan(y));
  };
  return same(a.re, b.re) && same(a.im, b.im);
}

struct Counts {
  int64_t elements = 0, arrays = 0, unknown = 0;
  std::map<std::string, int64_t> errors;
  std::map<std::string, int64_t> opcodes;  // arrays that were computed from such an op

  void Print() const {
    std::printf("%lld elements of %lld arrays, %lld unknown\n", static_cast<long long>(elements),
                static_cast<long long>(arrays), static_cast<long long>(unknown));
    for (const auto& [opcode, count] : opcodes)
      std::printf("  %s %lld", opcode.c_str(), static_cast<long long>(count));
    std::printf("\n");
    for (const auto& [error, count] : errors)
      std::printf("  %lld: %s\n", static_cast<long long>(count), error.c_str());
  }
};

// The error without its place and the name of the instruction.
inline std::string Reason(llvm::Error error) {
  std::string text = llvm::toString(std::move(error));
  size_t begin = text.find("error: ");
  text = begin == std::string::npos ? text : text.substr(begin + 7);
  if (text.find("no value term for ") == 0) {
    size_t end = text.find(' ', 18);
    text = text.substr(0, end);
  }
  return text;
}

// One module: its argument values, and what each leaf of the root is.
class Subject {
 public:
  explicit Subject(const hlo::Module& module)
      : Subject(module, hlo::MakeArguments(*module.entry, 7)) {}
  Subject(const hlo::Module& module, std::vector<hlo::Literal> arguments)
      : module_(module), arguments_(std::move(arguments)), world_(module, arguments_) {}

  void Check(Counts& counts) {
    auto expected = hlo::Interpret(*module_.entry, arguments_);
    if (!expected) {
      llvm::consumeError(expected.takeError());
      return;
    }
    const hlo::Instruction& root = *module_.entry->root;
    std::vector<const hlo::Literal*> leaves;
    std::function<void(const hlo::Literal&)> add = [&](const hlo::Literal& literal) {
      if (!literal.shape().IsTuple()) return leaves.push_back(&literal);
      for (const hlo::Literal& element : literal.tuple()) add(element);
    };
    add(*expected);
    const auto shapes = hlo::LeafShapes(root.shape);
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      if (!shapes[leaf]->IsArray() || leaves[leaf]->NumElements() == 0) continue;
      CheckLeaf(root, static_cast<int64_t>(leaf), *shapes[leaf], *leaves[leaf], counts);
      if (testing::Test::HasFailure()) return;
    }
  }

 private:
  using Variables = llvm::DenseMap<Term, Int128>;

  void CheckLeaf(const hlo::Instruction& root, int64_t leaf, const hlo::Shape& shape,
                 const hlo::Literal& expected, Counts& counts) {
    Pool pool;
    Scope scope(pool), plain(pool);
    ComputationValues values(scope, *module_.entry), plain_values(plain, *module_.entry);
    // At an index of one variable for each dimension, and at the position of one variable.
    std::vector<Term> index;
    for (int64_t d = 0; d < shape.rank(); ++d)
      index.push_back(pool.Variable("i" + std::to_string(d), {0, shape.dims[d] - 1}));
    Term position = pool.Variable("p", {0, shape.NumElements() - 1});
    auto symbolic = values.At(root, leaf, index);
    if (!symbolic) {
      ++counts.errors[Reason(symbolic.takeError())];
      return;
    }
    auto linear = values.At(root, leaf, hlo_values::IndexOfElement(scope, shape, position));
    ASSERT_TRUE(static_cast<bool>(linear)) << llvm::toString(linear.takeError());
    ++counts.arrays;
    CountOps(*module_.entry, counts);
    const int64_t step = std::max<int64_t>(1, expected.NumElements() / kMostElements);
    for (hlo::IndexIterator at(shape.dims); !at.Done(); at.Next()) {
      if (at.linear() % step != 0) continue;
      Variables variables;
      llvm::DenseMap<Term, Term> numbers;
      std::vector<Term> concrete;
      for (int64_t d = 0; d < shape.rank(); ++d) {
        concrete.push_back(pool.Number(at[d]));
        if (index[d]->IsNumber()) continue;
        variables[index[d]] = at[d];
        numbers[index[d]] = concrete[d];
      }
      Term at_position = hlo_values::LinearElement(plain, shape, concrete);
      ASSERT_TRUE(at_position->IsNumber());
      Variables of_position;
      if (!position->IsNumber()) of_position[position] = at_position->number;
      TypedScalar want = ValueWorld::Element(expected, at.linear());
      auto number = plain_values.At(root, leaf, concrete);
      ASSERT_TRUE(static_cast<bool>(number)) << llvm::toString(number.takeError());
      Compare("at numbers", *number, Variables(), want, at.linear(), counts);
      Compare("at variables", *symbolic, variables, want, at.linear(), counts);
      Compare("substituted", plain.Substitute(*symbolic, numbers), Variables(), want, at.linear(),
              counts);
      Compare("at a position", *linear, of_position, want, at.linear(), counts);
      ++counts.elements;
      if (testing::Test::HasFailure()) return;
    }
  }

  void Compare(const char* what, Term term, const Variables& variables, const TypedScalar& want,
               int64_t linear, Counts& counts) {
    world_.problem.clear();
    world_.unknown = false;
    TypedScalar got = ValueEvaluator(world_, variables).Value(term);
    if (world_.unknown) {
      ++counts.unknown;
      return;
    }
    ASSERT_EQ(world_.problem, "") << what << " of element " << linear << "\n"
                                  << terms::ToString(term) << "\n"
                                  << hlo::ToString(module_);
    ASSERT_EQ(term->type, want.type) << terms::ToString(term) << "\n" << hlo::ToString(module_);
    ASSERT_TRUE(SameValue(want.type, got.value, want.value))
        << what << " of element " << linear << ": " << got.value.i << " " << got.value.re << " "
        << got.value.im << " instead of " << want.value.i << " " << want.value.re << " "
        << want.value.im << "\n"
        << terms::ToString(term) << "\n"
        << hlo::ToString(module_);
  }

  static void CountOps(const hlo::Computation& computation, Counts& counts) {
    for (const auto& op : computation.instructions) {
      ++counts.opcodes[hlo::Name(op->opcode).str()];
      for (const hlo::Computation* called : op->called) CountOps(*called, counts);
    }
  }

  const hlo::Module& module_;
  std::vector<hlo::Literal> arguments_;
  ValueWorld world_;
};

}  // namespace affirm

#endif  // AFFIRM_TESTS_HLO_VALUES_CHECK_VALUES_H_
