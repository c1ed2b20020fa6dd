// reduce and scan.
#include "verify/reference/fold.h"
#include "verify/reference/index.h"
#include "verify/reference/ops.h"
#include "verify/reference/trace.h"

namespace affirm::hlo {

// A left fold by to_apply(running values..., elements...) from the initial values over the reduced
// dimensions in row-major order, unless the options give the instruction another order.
Result EvaluateReduce(const OpInvocation& call) {
  auto fold = Fold::Create(call);
  if (!fold) return fold.takeError();
  const std::vector<int64_t>& sizes = fold->shape().dims;
  const auto& reduced = call.attributes().dimensions;
  if (auto error = CheckDimensions(call.instruction, reduced, sizes.size())) return error;
  const Index kept = Without(sizes.size(), {reduced});
  Index ascending(reduced.begin(), reduced.end());
  llvm::sort(ascending);
  const Shape& shape = call.instruction.shape;
  if (!llvm::equal(Select(sizes, kept), (shape.IsTuple() ? shape.tuple[0] : shape).dims)) {
    return Fail(call.instruction, "does not have the sizes that are left");
  }
  const EvaluationOrder* order = call.order();
  // An element is at the sum of a position of those that are kept and one of those that are
  // reduced.
  const std::vector<int64_t> starts = PositionsOf(kept, sizes);
  const std::vector<int64_t> offsets = PositionsOf(ascending, sizes);
  if (order == nullptr && fold->TakesSpans()) {
    fold->TakeSpans(starts, offsets);
    return fold->Finish();
  }
  for (auto [out, start] : llvm::enumerate(starts)) {
    const auto result = static_cast<int64_t>(out);
    fold->Begin(result);
    if (order != nullptr) {
      std::vector<int64_t> positions = offsets;
      for (int64_t& position : positions) position += start;
      if (auto error = fold->TakeAll(result, positions, *order)) return error;
    } else {
      for (int64_t offset : offsets) {
        if (auto error = fold->Take(result, start + offset)) return error;
      }
    }
    if (auto error = fold->End(result)) return error;
  }
  return fold->Finish();
}

namespace {

// Copies the slice at `position` of dimension `dim` between an array and an array without that
// dimension.
void CopySlice(Literal& array, int64_t dim, int64_t position, Literal& slice, bool into_slice) {
  const size_t width = ByteWidth(slice.shape().type);
  for (IndexIterator at(slice.shape().dims); !at.Done(); at.Next()) {
    Index index = at.index();
    index.insert(index.begin() + dim, position);
    uint8_t* whole = array.data() + array.Linear(index) * width;
    uint8_t* part = slice.data() + at.linear() * width;
    std::memcpy(into_slice ? part : whole, into_slice ? whole : part, width);
  }
}

// The shape of one slice across `dim`.
Shape SliceShape(const Shape& shape, int64_t dim) {
  std::vector<int64_t> dims = shape.dims;
  dims.erase(dims.begin() + dim);
  return Shape::Array(shape.type, std::move(dims));
}

// The row-major position in an array of each element of a slice across `dim`.
std::vector<int64_t> SlicePositions(const Shape& array, int64_t dim, int64_t position) {
  std::vector<int64_t> positions;
  for (IndexIterator at(SliceShape(array, dim).dims); !at.Done(); at.Next()) {
    Index index = at.index();
    index.insert(index.begin() + dim, position);
    positions.push_back(Linearize(index, array.dims));
  }
  return positions;
}

// The elements of a slice of operand `operand`, each read from itself.
std::vector<Traced::Sources> SliceSources(int64_t operand, const Shape& array, int64_t dim,
                                          int64_t position) {
  std::vector<Traced::Sources> sources;
  for (int64_t linear : SlicePositions(array, dim, position))
    sources.push_back({{operand, 0, linear}});
  return sources;
}

void ReportElement(const OpInvocation& call, int64_t leaf, int64_t linear,
                   const Traced::Sources& sources) {
  for (const SourceElement& from : sources) {
    call.Read(leaf, linear, from.operand, from.leaf, from.linear);
  }
}

void ReportSlice(const OpInvocation& call, int64_t leaf, const Shape& array, int64_t dim,
                 int64_t position, llvm::ArrayRef<Traced::Sources> sources) {
  const std::vector<int64_t> positions = SlicePositions(array, dim, position);
  for (size_t i = 0; i < positions.size(); ++i) ReportElement(call, leaf, positions[i], sources[i]);
}

void ReportElements(const OpInvocation& call, int64_t leaf,
                    llvm::ArrayRef<Traced::Sources> sources) {
  for (size_t i = 0; i < sources.size(); ++i) ReportElement(call, leaf, i, sources[i]);
}

}  // namespace

// (outputs..., carries...) = to_apply(slices of the inputs..., carries...), once for each position
// of the scanned dimension, from the last one when reversed. The outputs are stacked along that
// dimension; the last results are the final carries.
Result EvaluateScan(const OpInvocation& call) {
  auto callee = Callee(call.instruction, "to_apply");
  if (!callee) return callee.takeError();
  const int64_t carries = call.attributes().num_carries;
  if (carries < 0 || carries > std::ssize(call.operands)) {
    return Fail(call.instruction, "has num_carries out of range");
  }
  const int64_t inputs = std::ssize(call.operands) - carries;
  const auto& dimensions = call.attributes().dimensions;
  const Shape& shape = call.instruction.shape;
  const int64_t outputs = std::ssize(shape.tuple) - carries;
  if (inputs < 1 || outputs < 0 || dimensions.size() != 1) {
    return Fail(call.instruction, "needs inputs, carries and one dimension");
  }
  const int64_t dim = dimensions[0];
  for (int64_t k = 0; k < inputs; ++k) {
    if (auto error = CheckDimensions(call.instruction, dim, call.operand(k).shape().rank()))
      return error;
  }
  const int64_t trips = call.operand(0).shape().dims[dim];
  for (int64_t k = 0; k < std::max(inputs, outputs); ++k) {
    if ((k < inputs && call.operand(k).shape().dims[dim] != trips) ||
        (k < outputs && (dim >= shape.tuple[k].rank() || shape.tuple[k].dims[dim] != trips))) {
      return Fail(call.instruction, "scans arrays of different lengths");
    }
  }
  Result result = NewLiteral(call);
  if (!result) return result;
  const bool trace = call.observer != nullptr;
  std::vector<Literal> arrays;
  std::vector<Traced> arguments;
  for (int64_t k = 0; k < inputs; ++k) {
    arrays.push_back(call.operand(k));
    arguments.push_back({Literal(SliceShape(call.operand(k).shape(), dim)), {}});
  }
  for (int64_t k = 0; k < carries; ++k) arguments.push_back(TracedOperand(call, inputs + k));
  std::vector<const Traced*> pointers;
  pointers.reserve(arguments.size());
  for (const Traced& argument : arguments) pointers.push_back(&argument);
  for (int64_t trip = 0; trip < trips; ++trip) {
    const int64_t position = call.attributes().is_reverse ? trips - 1 - trip : trip;
    for (int64_t k = 0; k < inputs; ++k) {
      CopySlice(arrays[k], dim, position, arguments[k].value, true);
      if (trace) arguments[k].sources = {SliceSources(k, arrays[k].shape(), dim, position)};
    }
    auto step = InterpretTraced(**callee, pointers, trace, call.options);
    if (!step) return step.takeError();
    std::vector<Literal>& values = step->value.tuple();
    if (std::ssize(values) != outputs + carries ||
        (trace && std::ssize(step->sources) != outputs + carries)) {
      return Fail(call.instruction,
                  "calls " + (*callee)->name + ", which gives another number of values");
    }
    for (int64_t k = 0; k < outputs; ++k) {
      if (!values[k].shape().SameIgnoringLayout(SliceShape(shape.tuple[k], dim))) {
        return Fail(call.instruction, "calls " + (*callee)->name + ", which gives another shape");
      }
      CopySlice(result->tuple()[k], dim, position, values[k], false);
      if (trace) ReportSlice(call, k, shape.tuple[k], dim, position, step->sources[k]);
    }
    for (int64_t k = 0; k < carries; ++k) {
      arguments[inputs + k].value = values[outputs + k];
      if (trace) arguments[inputs + k].sources = {step->sources[outputs + k]};
    }
  }
  for (int64_t k = 0; k < carries; ++k) {
    result->tuple()[outputs + k] = arguments[inputs + k].value;
    if (trace) ReportElements(call, outputs + k, arguments[inputs + k].sources[0]);
  }
  return result;
}

}  // namespace affirm::hlo
