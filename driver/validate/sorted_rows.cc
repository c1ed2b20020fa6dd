#include "driver/validate/sorted_rows.h"

#include <cstring>

#include "core/hlo/leaves.h"
#include "verify/reference/interpreter.h"
#include "verify/reference/scalar_function.h"
#include "verify/scalar/scalar.h"
#include "verify/terms/machine.h"

namespace affirm::driver {

using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

namespace {

// Longer rows take too long for a few elements.
constexpr int64_t kLongestRow = 4096;

// The sort of one row, by itself.
llvm::Expected<hlo::Literal> Sorted(const Instruction& sort, std::vector<hlo::Literal> row) {
  hlo::Computation computation;
  auto made = hlo::CopyOf(sort);
  std::vector<Shape> shapes;
  for (auto [k, array] : llvm::enumerate(row)) {
    auto parameter = std::make_unique<Instruction>();
    parameter->name = "row." + std::to_string(k);
    parameter->opcode = Opcode::kParameter;
    parameter->opcode_text = "parameter";
    parameter->shape = array.shape();
    parameter->parameter_number = static_cast<int64_t>(k);
    shapes.push_back(array.shape());
    made->operands.push_back(computation.Add(std::move(parameter)));
  }
  made->attributes.dimensions = {0};
  made->shape = sort.shape.IsTuple() ? Shape::Tuple(shapes) : shapes[0];
  computation.root = computation.Add(std::move(made));
  computation.NumberParameters();
  return hlo::Interpret(computation, row);
}

bool SameElements(llvm::ArrayRef<hlo::Literal> row, int64_t p, int64_t q) {
  return llvm::all_of(row, [&](const hlo::Literal& array) {
    const auto width = static_cast<size_t>(hlo::ByteWidth(array.shape().type));
    return std::memcmp(array.data() + static_cast<size_t>(p) * width,
                       array.data() + static_cast<size_t>(q) * width, width) == 0;
  });
}

// The positions of a sorted row whose elements are not identical, but equal by the comparator of an
// unstable sort.
llvm::Expected<std::vector<bool>> OpenPositions(const Instruction& sort,
                                                llvm::ArrayRef<hlo::Literal> row) {
  const int64_t size = row.front().NumElements();
  std::vector<bool> open(static_cast<size_t>(size), false);
  if (sort.attributes.is_stable) return open;
  std::vector<hlo::PrimitiveType> types;
  for (const hlo::Literal& array : row) types.insert(types.end(), 2, array.shape().type);
  auto less = hlo::ScalarFunction::Create(sort, *sort.called[0], types, hlo::PrimitiveType::kPred);
  if (!less) return less.takeError();
  for (int64_t begin = 0, end = 1; begin < size; begin = end++) {
    // Equal ones stand beside each other, and the row is in order.
    bool same = true;
    for (; end < size; ++end) {
      std::vector<hlo::Scalar> pair;
      for (const hlo::Literal& array : row) {
        pair.push_back(hlo::Load(array, begin));
        pair.push_back(hlo::Load(array, end));
      }
      hlo::Scalar is_less;
      if (llvm::Error error = less->Apply(pair, is_less)) return error;
      if (is_less.i != 0) break;
      same = same && SameElements(row, begin, end);
    }
    for (int64_t p = begin; p < end; ++p) open[static_cast<size_t>(p)] = !same;
  }
  return open;
}

}  // namespace

SortedRows::SortedRows(const hlo::Computation& computation, int64_t first_buffer,
                       terms::Scope& scope, hlo_values::ComputationValues& values)
    : first_buffer_(first_buffer), scope_(scope), values_(values), evaluator_(computation) {
  std::map<const Instruction*, int64_t> first_of;
  for (const auto& op : computation.instructions) {
    if (op->opcode != Opcode::kSort || op->called.size() != 1) continue;
    first_of[op.get()] = first_buffer_ + std::ssize(buffers_);
    for (size_t k = 0; k < op->operands.size(); ++k) buffers_.emplace_back(op.get(), k);
  }
  if (first_of.empty()) return;
  values_.SetOpaque([this, first_of = std::move(first_of)](
                        const Instruction& op, int64_t leaf,
                        llvm::ArrayRef<terms::Term> index) -> llvm::Expected<terms::Term> {
    auto found = first_of.find(&op);
    if (found == first_of.end()) return terms::Term{};
    Shape shape = *hlo::LeafShape(op.shape, leaf);
    shape.layout.reset();
    return scope_.pool().Load(found->second + leaf, hlo_values::LinearElement(scope_, shape, index),
                              terms::TermType(shape.type));
  });
}

void SortedRows::Begin(ElementValues::LoadFunction load, enclosure::Freedom freedom,
                       int64_t most_steps) {
  rows_.clear();
  problem_.clear();
  evaluator_.Begin(
      [this, load = std::move(load)](int64_t buffer, int64_t position) -> EnclosedScalar {
        if (!IsOne(buffer)) return load(buffer, position);
        problem_ = "sorts of what is sorted";
        return {.scalar = {hlo::PrimitiveType::kInvalid, {}}, .enclosure = {}};
      },
      freedom, most_steps);
}

EnclosedScalar SortedRows::Load(int64_t buffer, int64_t position) {
  const EnclosedScalar nothing{.scalar = {hlo::PrimitiveType::kInvalid, {}}, .enclosure = {}};
  const auto [sort, operand] = buffers_[static_cast<size_t>(buffer - first_buffer_)];
  const Shape& shape = sort->operands[operand]->shape;
  const auto dimension = static_cast<size_t>(sort->attributes.dimensions[0]);
  std::vector<int64_t> index(shape.dims.size());
  for (size_t d = index.size(); d-- > 0;) {
    index[d] = position % shape.dims[d];
    position /= shape.dims[d];
  }
  const int64_t at = index[dimension];
  index[dimension] = 0;
  const Row* row = RowOf(*sort, index);
  if (row == nullptr) return nothing;
  if (row->open[static_cast<size_t>(at)]) {
    problem_ = "equal elements that an unstable sort may leave in any order";
    return nothing;
  }
  const auto value = compare::OfScalar(shape.type, hlo::Load(row->arrays[operand], at));
  return row->is_exact ? EnclosedScalar::Point(value) : EnclosedScalar::Whole(value);
}

const SortedRows::Row* SortedRows::RowOf(const Instruction& sort,
                                         const std::vector<int64_t>& index) {
  auto [found, is_new] = rows_.try_emplace({&sort, index});
  Row& row = found->second;
  if (!is_new) return row.arrays.empty() ? nullptr : &row;
  const auto dimension = static_cast<size_t>(sort.attributes.dimensions[0]);
  const int64_t size = sort.operands[0]->shape.dims[dimension];
  auto fail = [&](const std::string& why) {
    if (problem_.empty()) problem_ = why;
    return nullptr;
  };
  if (size > kLongestRow) return fail("a row that is sorted is too long");
  std::vector<hlo::Literal> arrays;
  bool is_exact = true;
  for (const Instruction* operand : sort.operands) {
    const hlo::PrimitiveType type = operand->shape.type;
    arrays.emplace_back(Shape::Array(type, {size}));
    for (int64_t p = 0; p < size; ++p) {
      std::vector<terms::Term> at;
      at.reserve(index.size());
      for (int64_t i : index) at.push_back(scope_.pool().Number(i));
      at[dimension] = scope_.pool().Number(p);
      auto term = values_.At(*operand, 0, at);
      if (!term) return fail(llvm::toString(term.takeError()));
      auto value = evaluator_.Evaluate(*term);
      if (!value) return fail(llvm::toString(value.takeError()));
      is_exact = is_exact && value->IsPoint();
      hlo::Store(arrays.back(), p, compare::AsType(value->scalar, type));
    }
  }
  auto sorted = Sorted(sort, std::move(arrays));
  if (!sorted) return fail(llvm::toString(sorted.takeError()));
  arrays.clear();
  if (!sorted->shape().IsTuple()) {
    arrays.push_back(std::move(*sorted));
  } else {
    for (const hlo::Literal& array : sorted->tuple()) arrays.push_back(array);
  }
  auto open = OpenPositions(sort, arrays);
  if (!open) return fail(llvm::toString(open.takeError()));
  row = {std::move(arrays), std::move(*open), is_exact};
  return &row;
}

}  // namespace affirm::driver
