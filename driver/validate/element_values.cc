#include "driver/validate/element_values.h"

#include "core/hlo/leaves.h"
#include "core/symbolic/error.h"
#include "driver/validate/sorted_rows.h"
#include "driver/validate/term_evaluator.h"
#include "verify/hlo/values/values.h"
#include "verify/terms/machine.h"

namespace affirm::driver {

namespace {

// The most terms of all elements together: writing them takes time and memory.
constexpr size_t kMostTerms = size_t{1} << 18;

}  // namespace

struct ElementValues::Impl {
  Impl(const hlo::Computation& computation, std::vector<hlo::Shape> leaves)
      : computation(computation), shapes(std::move(leaves)), evaluator(computation) {
    int64_t count = 0;
    for (const hlo::Instruction* parameter : computation.parameters) {
      buffers.emplace_back();
      for (const hlo::Shape* leaf : hlo::LeafShapes(parameter->shape)) {
        buffers.back().push_back(leaf->IsArray() ? count++ : -1);
      }
    }
    values = std::make_unique<hlo_values::ComputationValues>(
        scope, computation,
        [this](int64_t parameter, int64_t leaf, llvm::ArrayRef<terms::Term> index) {
          const int64_t buffer = buffers[parameter][leaf];
          const hlo::Shape& shape = shapes[buffer];
          return pool.Load(buffer, hlo_values::LinearElement(scope, shape, index),
                           terms::TermType(shape.type));
        });
    sorts = std::make_unique<SortedRows>(computation, count, scope, *values);
  }

  const hlo::Computation& computation;
  std::vector<hlo::Shape> shapes;
  terms::Pool pool;
  terms::Scope scope{pool};
  std::vector<std::vector<int64_t>> buffers;  // of the leaves of each parameter
  std::unique_ptr<hlo_values::ComputationValues> values;
  std::unique_ptr<SortedRows> sorts;
  TermEvaluator evaluator;
};

ElementValues::ElementValues(const hlo::Computation& computation, std::vector<hlo::Shape> shapes)
    : impl_(std::make_unique<Impl>(computation, std::move(shapes))) {}
ElementValues::~ElementValues() = default;

llvm::Expected<terms::Term> ElementValues::TermOf(int64_t leaf, llvm::ArrayRef<int64_t> index) {
  if (impl_->pool.size() > kMostTerms) return MakeError("their values are too large");
  std::vector<terms::Term> at;
  for (int64_t i : index) at.push_back(impl_->pool.Number(i));
  return impl_->values->At(*impl_->computation.root, leaf, at);
}

void ElementValues::Begin(LoadFunction load, enclosure::Freedom freedom, int64_t most_steps) {
  impl_->sorts->Begin(load, freedom, most_steps);
  impl_->evaluator.Begin(
      [impl = impl_.get(), load = std::move(load)](int64_t buffer, int64_t position) {
        return impl->sorts->IsOne(buffer) ? impl->sorts->Load(buffer, position)
                                          : load(buffer, position);
      },
      freedom, most_steps);
}

llvm::Expected<EnclosedScalar> ElementValues::Evaluate(terms::Term term) {
  auto value = impl_->evaluator.Evaluate(term);
  if (value || impl_->sorts->problem().empty()) return value;
  llvm::consumeError(value.takeError());
  return MakeError(impl_->sorts->problem());
}

int64_t ElementValues::steps() const { return impl_->evaluator.steps() + impl_->sorts->steps(); }

}  // namespace affirm::driver
