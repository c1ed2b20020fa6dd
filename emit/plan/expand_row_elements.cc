// Gathers that take one element of each row of an array, and scatters that change one. Columns of
// the indices count the rows:
//
//   gather(x: f32[3,1000], {row, label}: s32[3,2])          (logits[arange(3), labels] of JAX)
//
// becomes a gather whose dimension 0 is a batch dimension, and reads no row numbers from memory. A
// scatter into a broadcast becomes a select:
//
//   scatter(zeros: f32[3,1000], {row, label}, updates)   is   label = k ? zero + update : zero
#include "emit/plan/expander.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace affirm::emit {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

constexpr int kMostSteps = 16;  // from an index to what counts it

bool IsZero(const Instruction& value) {
  switch (value.opcode) {
    case Opcode::kConstant:
      return value.literal && llvm::all_of(value.literal->bytes(), [](uint8_t b) { return !b; });
    case Opcode::kBroadcast:
    case Opcode::kReshape:
      return IsZero(*value.operands[0]);
    default:
      return false;
  }
}

bool Holds(PrimitiveType type, int64_t number) {
  if (!hlo::IsInt(type)) return false;
  const int64_t bits = hlo::BitWidth(type) - (hlo::IsSignedInt(type) ? 1 : 0);
  return bits >= 63 || number < (int64_t{1} << bits);
}

int64_t Stride(const Shape& shape, int64_t dimension) {
  int64_t stride = 1;
  for (int64_t size : llvm::ArrayRef(shape.dims).drop_front(dimension + 1)) stride *= size;
  return stride;
}

bool IsCountedBy(const hlo::Literal& literal, int64_t dimension) {
  const int64_t stride = Stride(literal.shape(), dimension);
  const int64_t size = literal.shape().dims[dimension];
  for (int64_t k = 0; k < literal.NumElements(); ++k) {
    if (literal.GetInt(k) != k / stride % size) return false;
  }
  return true;
}

// Whether each element of an array of integers is its index in the dimension.
bool IsIndex(const Instruction& value, int64_t dimension, int steps = kMostSteps) {
  const Shape& shape = value.shape;
  if (steps == 0 || !shape.IsArray() || !Holds(shape.type, shape.dims[dimension] - 1)) return false;
  const auto is_of_operand = [&](size_t operand, int64_t d) {
    return IsIndex(*value.operands[operand], d, steps - 1);
  };
  switch (value.opcode) {
    case Opcode::kIota:
      return value.attributes.dimensions == std::vector{dimension};
    case Opcode::kConstant:
      return value.literal && IsCountedBy(*value.literal, dimension);
    case Opcode::kConvert:
      return is_of_operand(0, dimension);
    case Opcode::kBroadcast: {
      const auto& places = value.attributes.dimensions;
      const int64_t from = llvm::find(places, dimension) - places.begin();
      return from < std::ssize(places) && is_of_operand(0, from);
    }
    case Opcode::kReshape: {
      const Shape& of = value.operands[0]->shape;
      for (int64_t d = 0; d < std::ssize(of.dims); ++d) {
        const bool same =
            of.dims[d] == shape.dims[dimension] && Stride(of, d) == Stride(shape, dimension);
        if (same && is_of_operand(0, d)) return true;
      }
      return false;
    }
    case Opcode::kSelect: {  // of an index below 0, that counts from the end
      const Instruction& below = *value.operands[0];
      return below.opcode == Opcode::kCompare && below.attributes.comparison_direction == "LT" &&
             below.operands[0] == value.operands[2] && IsZero(*below.operands[1]) &&
             is_of_operand(2, dimension);
    }
    default:
      return false;
  }
}

// The elements that a gather takes of an array, or that a scatter changes: one of each row.
struct OneOfEachRow {
  int64_t dimension = 0;              // of the elements of a row
  std::vector<int64_t> others{};      // the dimensions that number the rows
  std::vector<int64_t> num_other{};   // their sizes, which are those of the updates
  std::optional<size_t> column = {};  // of the indices: the place; nullopt: they are the places
};

OneOfEachRow OneOfEach(const Shape& array, int64_t dimension) {
  OneOfEachRow rows{.dimension = dimension};
  for (int64_t d = 0; d < std::ssize(array.dims); ++d) {
    if (d == dimension) continue;
    rows.others.push_back(d);
    rows.num_other.push_back(array.dims[d]);
  }
  return rows;
}

// The rows of an array, where column k of the indices is the index in dimension map[k].
std::optional<OneOfEachRow> CountedRows(const Shape& array, const Instruction& indices,
                                        int64_t vector_dimension, llvm::ArrayRef<int64_t> map) {
  const auto& columns = indices.operands;
  const bool of_columns = indices.opcode == Opcode::kConcatenate && map.size() > 1 &&
                          map.size() == array.dims.size() && columns.size() == map.size() &&
                          vector_dimension == std::ssize(indices.shape.dims) - 1 &&
                          indices.attributes.dimensions == std::vector{vector_dimension};
  if (!of_columns) return std::nullopt;
  for (size_t place = 0; place < map.size(); ++place) {
    OneOfEachRow rows = OneOfEach(array, map[place]);
    rows.column = place;
    std::vector<int64_t> sizes = rows.num_other;
    sizes.push_back(1);
    const bool counted = llvm::all_of(llvm::enumerate(columns), [&](auto column) {
      auto [k, values] = column;
      if (values->shape.dims != sizes) return false;
      return k == place || IsIndex(*values, llvm::find(rows.others, map[k]) - rows.others.begin());
    });
    if (counted) return rows;
  }
  return std::nullopt;
}

bool AreAllOnes(llvm::ArrayRef<int64_t> sizes) {
  return llvm::all_of(sizes, [](int64_t size) { return size == 1; });
}

bool IsStatic(const Shape& shape) {
  if (!shape.IsArray()) return false;
  return llvm::none_of(llvm::seq<int64_t>(0, std::ssize(shape.dims)),
                       [&](int64_t d) { return shape.IsDynamic(d); });
}

// Gathers and scatters of one array.
bool OperandsAreStatic(const Instruction& op) {
  return op.shape.IsArray() &&
         llvm::all_of(op.operands, [](const Instruction* of) { return IsStatic(of->shape); });
}

std::optional<OneOfEachRow> GatheredRows(const Instruction& gather) {
  const hlo::Attributes& numbers = gather.attributes;
  const Shape& array = gather.operands[0]->shape;
  if (!numbers.offset_dims.empty() || !numbers.operand_batching_dims.empty() ||
      numbers.collapsed_slice_dims.size() != array.dims.size() || !AreAllOnes(numbers.slice_sizes))
    return std::nullopt;
  return CountedRows(array, *gather.operands[1], numbers.index_vector_dim, numbers.start_index_map);
}

std::optional<OneOfEachRow> ScatteredRows(const Instruction& scatter) {
  const hlo::Attributes& numbers = scatter.attributes;
  const Shape& array = scatter.operands[0]->shape;
  const Instruction& indices = *scatter.operands[1];
  const auto& map = numbers.scatter_dims_to_operand_dims;
  if (!numbers.update_window_dims.empty()) return std::nullopt;
  if (numbers.input_batching_dims.empty()) {
    if (numbers.inserted_window_dims.size() != array.dims.size()) return std::nullopt;
    return CountedRows(array, indices, numbers.index_vector_dim, map);
  }
  if (map.size() != 1 || numbers.inserted_window_dims != map) return std::nullopt;
  OneOfEachRow rows = OneOfEach(array, map[0]);
  int64_t num_rows = 1;
  for (int64_t size : rows.num_other) num_rows *= size;
  const bool in_order = numbers.input_batching_dims == rows.others &&
                        llvm::is_sorted(numbers.scatter_indices_batching_dims);
  if (!in_order || indices.shape.NumElements() != num_rows) return std::nullopt;
  return rows;
}

// Whether a scatter updates one array that broadcasts a scalar, and its combiner has that type.
bool IsOfBroadcast(const Instruction& scatter) {
  if (scatter.operands.size() != 3 || scatter.called.size() != 1) return false;
  const hlo::Computation& combiner = *scatter.called[0];
  auto is_of_type = [&](const Instruction* value) {
    return value->shape.type == scatter.shape.type;
  };
  return scatter.operands[0]->opcode == Opcode::kBroadcast &&
         scatter.operands[0]->attributes.dimensions.empty() && IsOfElements(combiner) &&
         combiner.parameters.size() == 2 && is_of_type(combiner.root) &&
         combiner.root->shape.IsArray() && llvm::all_of(combiner.parameters, is_of_type) &&
         is_of_type(scatter.operands[0]) && is_of_type(scatter.operands[2]);
}

}  // namespace

std::optional<PrimitiveType> PlacesType(PrimitiveType type) {
  if (!hlo::IsInt(type) || type == PrimitiveType::kU64) return std::nullopt;
  const int64_t bits = hlo::BitWidth(type) + (hlo::IsSignedInt(type) ? 0 : 1);
  return bits <= 32 ? PrimitiveType::kS32 : PrimitiveType::kS64;
}

bool ExpandsRowGather(const Instruction& gather) {
  return gather.operands.size() == 2 && OperandsAreStatic(gather) &&
         GatheredRows(gather).has_value();
}

Instruction* ExpandRowGather(Expander& expander, const Instruction& gather,
                             llvm::ArrayRef<Instruction*> operands) {
  const OneOfEachRow rows = *GatheredRows(gather);
  hlo::Attributes numbers = gather.attributes;
  numbers.collapsed_slice_dims = numbers.start_index_map = {rows.dimension};
  numbers.operand_batching_dims = rows.others;
  for (int64_t d = 0; d < std::ssize(rows.others); ++d)
    numbers.start_indices_batching_dims.push_back(d);
  return expander.b().Add(Opcode::kGather, "elements", gather.shape,
                          {operands[0], operands[1]->operands[*rows.column]}, std::move(numbers));
}

bool ExpandsRowScatter(const Instruction& scatter) {
  if (!OperandsAreStatic(scatter) || !IsOfBroadcast(scatter)) return false;
  const std::optional<OneOfEachRow> rows = ScatteredRows(scatter);
  if (!rows) return false;
  const auto places = PlacesType(scatter.operands[1]->shape.type);
  return places && Holds(*places, scatter.shape.dims[rows->dimension]);
}

Instruction* ExpandRowScatter(Expander& expander, const Instruction& scatter,
                              llvm::ArrayRef<Instruction*> operands) {
  const OneOfEachRow rows = *ScatteredRows(scatter);
  HloBuilder& b = expander.b();
  const std::vector<int64_t>& dims = scatter.shape.dims;
  const PrimitiveType type = *PlacesType(scatter.operands[1]->shape.type);
  Instruction* indices = rows.column ? operands[1]->operands[*rows.column] : operands[1];
  Instruction* place = b.Convert(b.Reshape(indices, rows.num_other), type);
  Instruction* is_changed = b.Compare("EQ", b.Iota(type, dims, rows.dimension),
                                      b.BroadcastInto(place, dims, rows.others));
  Instruction* update = b.BroadcastInto(b.Reshape(operands[2], rows.num_other), dims, rows.others);
  Instruction* changed = b.Apply(*scatter.called[0], {operands[0], update})[0];
  return b.Select(is_changed, changed, operands[0]);
}

}  // namespace affirm::emit
