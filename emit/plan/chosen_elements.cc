#include "emit/plan/chosen_elements.h"

#include "emit/plan/expander.h"
#include "emit/plan/row_fusion.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace affirm::emit {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

// The integer type that holds the bits of a value; nullopt where there is none.
std::optional<PrimitiveType> BitsType(PrimitiveType type) {
  if (hlo::IsInt(type) && hlo::BitWidth(type) >= 8) return type;
  if (type == PrimitiveType::kPred) return PrimitiveType::kU8;
  if (!hlo::IsFloat(type)) return std::nullopt;
  switch (hlo::BitWidth(type)) {
    case 8:
      return PrimitiveType::kU8;
    case 16:
      return PrimitiveType::kU16;
    case 32:
      return PrimitiveType::kU32;
    case 64:
      return PrimitiveType::kU64;
    default:
      return std::nullopt;
  }
}

// An array of which an op takes one element of each row.
struct Rows {
  std::vector<int64_t> dims;         // of the array
  int64_t dimension = 0;             // of the elements of a row
  std::vector<int64_t> others{};     // the dimensions that number the rows
  std::vector<int64_t> num_other{};  // their sizes
  size_t place = 0;  // the operand with the element's index: one for each row, or one for all
  PrimitiveType places = PrimitiveType::kInvalid;
};

// Fills the rest, given the dimension and the operand.
std::optional<Rows> RowsAlong(const Instruction& op, int64_t dimension, size_t place) {
  Rows rows{.dims = op.operands[0]->shape.dims, .dimension = dimension, .place = place};
  for (int64_t d = 0; d < std::ssize(rows.dims); ++d) {
    if (d == dimension) continue;
    rows.others.push_back(d);
    rows.num_other.push_back(rows.dims[d]);
  }
  const int64_t length = rows.dims[dimension];
  const auto type = PlacesType(op.operands[place]->shape.type);
  const bool takes_one_of_each =
      op.shape.NumElements() * length == op.operands[0]->shape.NumElements();
  if (!type || !takes_one_of_each || length < 1 || length > kMaxRow) return std::nullopt;
  rows.places = *type;
  return rows;
}

std::optional<Rows> RowsOfGather(const Instruction& gather) {
  const hlo::Attributes& numbers = gather.attributes;
  if (gather.operands.size() != 2 || numbers.collapsed_slice_dims.size() != 1 ||
      !numbers.offset_dims.empty() ||
      gather.shape.NumElements() != gather.operands[1]->shape.NumElements())
    return std::nullopt;
  std::optional<Rows> rows = RowsAlong(gather, numbers.collapsed_slice_dims[0], 1);
  const bool in_order = rows && numbers.start_index_map == numbers.collapsed_slice_dims &&
                        numbers.operand_batching_dims == rows->others &&
                        llvm::is_sorted(numbers.start_indices_batching_dims);
  return in_order ? rows : std::nullopt;
}

// A dynamic-slice has one place for all rows.
std::optional<Rows> RowsOfSlice(const Instruction& slice) {
  const auto& sizes = slice.attributes.dynamic_slice_sizes;
  const auto& dims = slice.operands[0]->shape.dims;
  if (sizes.size() != dims.size() || slice.operands.size() != dims.size() + 1) return std::nullopt;
  auto is_cut = [&](int64_t d) { return sizes[d] != dims[d]; };
  const auto all = llvm::seq<int64_t>(0, std::ssize(dims));
  if (llvm::count_if(all, is_cut) != 1) return std::nullopt;
  const int64_t dimension = *llvm::find_if(all, is_cut);
  return RowsAlong(slice, dimension, 1 + dimension);
}

std::optional<Rows> RowsOf(const Instruction& op) {
  if (op.opcode == Opcode::kGather) return RowsOfGather(op);
  return op.opcode == Opcode::kDynamicSlice ? RowsOfSlice(op) : std::nullopt;
}

class Chooser {
 public:
  explicit Chooser(const FlatGraph& graph) : graph_(graph) {}

  std::optional<FlatGraph> Run() {
    module_ = std::make_shared<hlo::Module>();
    for (int64_t n = 0; n < std::ssize(graph_.nodes); ++n) {
      FlatNode node = graph_.nodes[n];
      if (node.is_parameter()) first_of_.try_emplace(node.buffer, std::ssize(nodes_));
      for (ValueRef& operand : node.operands) operand = New(operand);
      if (std::optional<Rows> rows = RowsOf(*node.instruction)) {
        chosen_now_.clear();
        node.operands[0] = Chosen(*rows, graph_.nodes[n].operands[0], node.operands[rows->place]);
      }
      new_.push_back(Add(std::move(node)));
    }
    if (module_->computations.empty()) return std::nullopt;
    FlatGraph result = graph_;
    result.nodes = std::move(nodes_);
    for (ValueRef& output : result.outputs) output = New(output);
    result.made = std::move(module_);
    return result;
  }

 private:
  ValueRef New(ValueRef old) const { return {old.node < 0 ? -1 : new_[old.node], old.leaf}; }
  int64_t Add(FlatNode node) {
    nodes_.push_back(std::move(node));
    return std::ssize(nodes_) - 1;
  }

  // The same value at the place that a gather takes, given by a value of the old graph.
  ValueRef Chosen(const Rows& rows, ValueRef old, ValueRef places) {
    if (old.node < 0 || graph_.shape(old).dims != rows.dims) return New(old);
    if (auto known = chosen_now_.find({old.node, old.leaf}); known != chosen_now_.end())
      return known->second;
    const FlatNode& node = graph_.nodes[old.node];
    ValueRef chosen = New(old);
    if (hlo::IsElementwise(node.instruction->opcode) && node.instruction->called.empty()) {
      FlatNode copy = node;
      for (ValueRef& operand : copy.operands) operand = Chosen(rows, operand, places);
      chosen = {Add(std::move(copy)), old.leaf};
    } else if (std::optional<ValueRef> elements = ElementsOf(rows, old)) {
      chosen = ChosenOf(rows, *elements, graph_.shape(old), places);
    }
    chosen_now_[{old.node, old.leaf}] = chosen;
    return chosen;
  }

  // A parameter, moved perhaps, as other nodes of the graph need it; nothing for other values and
  // for those that are the same along a row.
  std::optional<ValueRef> ElementsOf(const Rows& rows, ValueRef old) {
    std::vector<int64_t> moves;
    ValueRef value = old;
    while (value.node >= 0 && IsMovement(graph_.nodes[value.node].instruction->opcode)) {
      const Instruction& move = *graph_.nodes[value.node].instruction;
      const bool is_broadcast = move.opcode == Opcode::kBroadcast;
      if (is_broadcast &&
          (value != old || !llvm::is_contained(move.attributes.dimensions, rows.dimension)))
        return std::nullopt;
      moves.push_back(value.node);
      value = graph_.nodes[value.node].operands[0];
    }
    if (value.node < 0 || !graph_.nodes[value.node].is_parameter()) return std::nullopt;
    if (!BitsType(graph_.shape(old).type) || graph_.shape(old).type != graph_.shape(value).type)
      return std::nullopt;
    ValueRef moved = {first_of_.lookup(graph_.nodes[value.node].buffer), value.leaf};
    for (int64_t n : llvm::reverse(moves)) {
      FlatNode move = graph_.nodes[n];
      move.operands[0] = moved;
      moved = {Add(std::move(move)), 0};
    }
    return moved;
  }
  static bool IsMovement(Opcode opcode) {
    return opcode == Opcode::kBitcast || opcode == Opcode::kBroadcast ||
           opcode == Opcode::kReshape || opcode == Opcode::kTranspose;
  }

  ValueRef ChosenOf(const Rows& rows, ValueRef elements, const Shape& shape, ValueRef places) {
    hlo::Computation& made = NewComputation("chosen");
    HloBuilder b(made);
    const PrimitiveType bits = *BitsType(shape.type);
    const int64_t length = rows.dims[rows.dimension];
    Instruction* x = b.Parameter("x", Shape::Array(shape.type, rows.dims));
    Instruction* place = b.Parameter("place", nodes_[places.node].instruction->shape);
    const bool is_one = place->shape.dims.empty();
    Instruction* row_place =
        b.Convert(is_one ? b.Broadcast(place, rows.num_other) : b.Reshape(place, rows.num_other),
                  rows.places);
    Instruction* at = b.Add(
        Opcode::kClamp, "at", row_place->shape,
        {b.Scalar("first", rows.places, 0), row_place, b.Scalar("last", rows.places, length - 1)});
    Instruction* is_chosen = b.Compare("EQ", b.Iota(rows.places, rows.dims, rows.dimension),
                                       b.BroadcastInto(at, rows.dims, rows.others));
    Instruction* none = b.Scalar("none", bits, 0);
    Instruction* candidates = b.Select(is_chosen, Cast(b, x, bits), b.Broadcast(none, rows.dims));
    hlo::Attributes along;
    along.dimensions = {rows.dimension};
    Instruction* chosen = b.Add(Opcode::kReduce, "chosen", Shape::Array(bits, rows.num_other),
                                {candidates, none}, std::move(along));
    chosen->called = {&OrOf(bits)};
    b.BroadcastInto(Cast(b, chosen, shape.type), rows.dims, rows.others);

    llvm::DenseMap<const Instruction*, ValueRef> values = {{x, elements}, {place, places}};
    ValueRef last;
    for (const auto& op : made.instructions) {
      if (op->opcode == Opcode::kParameter) continue;
      FlatNode node{op.get(), {}, -1};
      for (const Instruction* operand : op->operands)
        node.operands.push_back(values.lookup(operand));
      last = values[op.get()] = {Add(std::move(node)), 0};
    }
    return last;
  }

  static Instruction* Cast(HloBuilder& b, Instruction* value, PrimitiveType type) {
    if (value->shape.type == PrimitiveType::kPred || type == PrimitiveType::kPred ||
        value->shape.type == type)
      return b.Convert(value, type);
    return b.Add(Opcode::kBitcastConvert, "bits", Shape::Array(type, value->shape.dims), {value});
  }

  hlo::Computation& NewComputation(const std::string& name) {
    module_->computations.push_back(std::make_unique<hlo::Computation>());
    module_->computations.back()->name = name;
    module_->computations.back()->module = module_.get();
    return *module_->computations.back();
  }
  hlo::Computation& OrOf(PrimitiveType type) {
    hlo::Computation& made = NewComputation("or");
    HloBuilder b(made);
    Instruction* x = b.Parameter("a", Shape::Array(type, {}));
    Instruction* y = b.Parameter("b", Shape::Array(type, {}));
    made.root = b.Op(Opcode::kOr, {x, y});
    return made;
  }

  const FlatGraph& graph_;
  std::vector<FlatNode> nodes_;
  std::vector<int64_t> new_;                   // by old node
  llvm::DenseMap<int64_t, int64_t> first_of_;  // by buffer: the first node that reads it
  // By node and leaf of the old graph, for the gather at hand.
  llvm::DenseMap<std::pair<int64_t, int64_t>, ValueRef> chosen_now_;
  std::shared_ptr<hlo::Module> module_;
};

}  // namespace

std::optional<FlatGraph> WithChosenElements(const FlatGraph& graph) { return Chooser(graph).Run(); }

}  // namespace affirm::emit
