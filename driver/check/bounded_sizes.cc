#include "driver/check/bounded_sizes.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/hlo/dynamic_sizes.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::driver {

using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

namespace {

using Dimensions = std::vector<std::pair<int64_t, bool>>;

// Sizes, and which are dynamic.
Dimensions DimensionsOf(const Shape& shape) {
  Dimensions dimensions;
  for (int64_t d = 0; d < shape.rank(); ++d)
    dimensions.emplace_back(shape.dims[d], shape.IsDynamic(d));
  return dimensions;
}

bool IsBounded(const Shape& shape) {
  return llvm::none_of(shape.dims, [](int64_t size) { return size == hlo::kUnboundedSize; }) &&
         llvm::all_of(shape.tuple, IsBounded);
}

// Whether the dimensions are the same in the same order, except for static dimensions of size 1.
bool KeepsDimensions(const Shape& from, const Shape& to) {
  auto longer = [](const Shape& shape) {
    Dimensions dimensions = DimensionsOf(shape);
    llvm::erase_if(dimensions, [](const auto& d) { return d.first == 1 && !d.second; });
    return dimensions;
  };
  return longer(from) == longer(to);
}

// A dimension is dynamic where the one that it comes from is.
bool MovesDimensions(const Shape& from, const Shape& to, llvm::ArrayRef<int64_t> of_to) {
  if (std::ssize(of_to) != from.rank()) return false;
  std::vector<bool> dynamic(to.rank());
  for (auto [k, d] : llvm::enumerate(of_to)) {
    if (d < 0 || d >= to.rank()) return false;
    dynamic[d] = from.IsDynamic(static_cast<int64_t>(k));
  }
  for (int64_t d = 0; d < to.rank(); ++d) {
    if (to.IsDynamic(d) != dynamic[d]) return false;
  }
  return true;
}

// Whether the op takes all elements of a static array, so that its dynamic sizes equal their
// bounds.
bool TakesWholeArray(const Instruction& op) {
  if (op.operands.empty() || !op.shape.IsArray()) return false;
  const Shape& from = op.operands[0]->shape;
  return from.IsArray() && !hlo::HasDynamicSize(from) &&
         from.NumElements() == op.shape.NumElements() && op.shape.NumElements() > 0;
}

bool CutsArray(const Instruction& op) {
  return op.opcode == Opcode::kCustomCall && op.attributes.custom_call_target == "SliceToDynamic" &&
         !op.operands.empty() && op.operands[0]->shape.IsArray() && op.shape.IsArray() &&
         !hlo::HasDynamicSize(op.operands[0]->shape) &&
         op.operands[0]->shape.type == op.shape.type &&
         op.operands[0]->shape.dims == op.shape.dims &&
         std::ssize(op.operands) == 1 + op.shape.rank();
}

// Whether the op is a PadToStatic call, which gives a parameter's array and its sizes as numbers.
bool PadsParameter(const Instruction& op) {
  if (op.opcode != Opcode::kCustomCall || op.attributes.custom_call_target != "PadToStatic" ||
      op.attributes.FindExtra("custom_call_has_side_effect") != nullptr ||
      op.operands.size() != 1 || op.operands[0]->opcode != Opcode::kParameter ||
      !op.shape.IsTuple()) {
    return false;
  }
  const Shape& from = op.operands[0]->shape;
  const auto& results = op.shape.tuple;
  return from.IsArray() && std::ssize(results) == 1 + from.rank() && results[0].IsArray() &&
         !hlo::HasDynamicSize(results[0]) && results[0].type == from.type &&
         results[0].dims == from.dims &&
         llvm::all_of(llvm::drop_begin(results), [](const Shape& size) {
           return size.IsScalar() && size.type == hlo::PrimitiveType::kS32;
         });
}

// Whether each element depends only on the operand elements at its position, for all sizes.
bool IsPositionwise(const Instruction& op) {
  if (!IsBounded(op.shape) || hlo::MayHideDynamicSizes(op)) return false;
  switch (op.opcode) {
    case Opcode::kParameter:
    case Opcode::kTuple:
    case Opcode::kGetTupleElement:
      return true;
    case Opcode::kBroadcast:
      return MovesDimensions(op.operands[0]->shape, op.shape, op.attributes.dimensions);
    case Opcode::kTranspose: {
      std::vector<int64_t> places(op.attributes.dimensions.size());
      for (auto [k, d] : llvm::enumerate(op.attributes.dimensions)) {
        if (d < 0 || d >= std::ssize(places)) return false;
        places[d] = static_cast<int64_t>(k);
      }
      return MovesDimensions(op.operands[0]->shape, op.shape, places);
    }
    case Opcode::kReshape:
      return KeepsDimensions(op.operands[0]->shape, op.shape);
    case Opcode::kDynamicReshape:
      return TakesWholeArray(op);
    case Opcode::kCustomCall:
      return CutsArray(op) || PadsParameter(op);
    default:
      // A scalar operand applies to all elements, as in a clamp.
      return hlo::IsElementwise(op.opcode) && op.called.empty() &&
             llvm::all_of(op.operands, [&](const Instruction* operand) {
               return operand->shape.IsScalar() ||
                      DimensionsOf(operand->shape) == DimensionsOf(op.shape);
             });
  }
}

void DropOperands(Instruction& op) {
  for (Instruction* operand : op.operands) llvm::erase(operand->users, &op);
  op.operands.resize(1);
  op.operands[0]->users.push_back(&op);
}

void MakeStatic(Shape& shape) {
  shape.dynamic.clear();
  for (Shape& element : shape.tuple) MakeStatic(element);
}

std::vector<Instruction*> PaddedParameters(const hlo::Computation& computation) {
  std::vector<Instruction*> calls;
  for (const auto& op : computation.instructions) {
    if (PadsParameter(*op)) calls.push_back(op.get());
  }
  return calls;
}

// The sizes of padded parameters, as instructions in front of all others.
class Sizes {
 public:
  explicit Sizes(hlo::Computation& entry) : entry_(entry) {}

  // Replaces the call by a tuple of a copy of its operand, in the layout of the call's result, and
  // the operand's sizes.
  void Replace(Instruction& call) {
    Instruction& parameter = *call.operands[0];
    Instruction* copy = CopyFor(call, parameter);
    call.opcode = Opcode::kTuple;
    call.opcode_text = hlo::Name(call.opcode).str();
    call.attributes = {};
    call.operands = {copy};
    for (int64_t d = 0; d < parameter.shape.rank(); ++d) {
      Instruction* size = SizeOf(parameter, d);
      if (!llvm::is_contained(size->users, &call)) size->users.push_back(&call);
      call.operands.push_back(size);
    }
  }
  int64_t arguments() const { return arguments_; }

 private:
  std::unique_ptr<Instruction> Make(std::string name, Opcode opcode, Shape shape,
                                    const Instruction& location) {
    auto made = std::make_unique<Instruction>();
    while (entry_.Find(name) != nullptr) name += ".";
    made->name = std::move(name);
    made->opcode = opcode;
    made->opcode_text = hlo::Name(opcode).str();
    made->shape = std::move(shape);
    made->id = entry_.module->next_id++;
    made->parent = &entry_;
    made->location = location.location;
    return made;
  }

  // Inserts a copy before the call, which takes the call's place among the parameter's users.
  Instruction* CopyFor(Instruction& call, Instruction& parameter) {
    auto made = Make(call.name + ".array", Opcode::kCopy, call.shape.tuple[0], call);
    Instruction* copy = made.get();
    copy->operands = {&parameter};
    llvm::replace(parameter.users, &call, copy);
    copy->users = {&call};
    auto at = llvm::find_if(entry_.instructions, [&](const auto& op) { return op.get() == &call; });
    entry_.instructions.insert(at, std::move(made));
    return copy;
  }

  Instruction* SizeOf(const Instruction& parameter, int64_t dimension) {
    Instruction*& size = sizes_[{parameter.id, dimension}];
    if (size != nullptr) return size;
    auto made = Make(parameter.name + ".size." + std::to_string(dimension),
                     parameter.shape.IsDynamic(dimension) ? Opcode::kParameter : Opcode::kConstant,
                     Shape::Array(hlo::PrimitiveType::kS32, {}), parameter);
    size = made.get();
    if (made->opcode == Opcode::kParameter) {
      made->parameter_number = std::ssize(entry_.parameters);
      entry_.parameters.push_back(size);
      ++arguments_;
    } else {
      made->literal = hlo::Literal(made->shape);
      made->literal->SetInt(0, parameter.shape.dims[dimension]);
    }
    entry_.instructions.insert(entry_.instructions.begin(), std::move(made));
    return size;
  }

  hlo::Computation& entry_;
  std::map<std::pair<int64_t, int64_t>, Instruction*> sizes_;  // by parameter and dimension
  int64_t arguments_ = 0;
};

}  // namespace

std::optional<int64_t> TakeSizesAtTheirBounds(hlo::Module& module) {
  bool any = false;
  for (const auto& computation : module.computations) {
    for (const auto& op : computation->instructions) {
      if (!hlo::UsesDynamicSizes(*op)) continue;
      any = true;
      // The caller determines the sizes in a called computation.
      if (computation.get() != module.entry || !IsPositionwise(*op)) return std::nullopt;
    }
  }
  if (!any) return std::nullopt;
  Sizes sizes(*module.entry);
  for (Instruction* call : PaddedParameters(*module.entry)) sizes.Replace(*call);
  for (const auto& op : module.entry->instructions) {
    const bool was_cut = CutsArray(*op), was_reshaped = op->opcode == Opcode::kDynamicReshape;
    MakeStatic(op->shape);
    if (!was_cut && !was_reshaped) continue;
    DropOperands(*op);
    op->opcode = was_cut ? Opcode::kCopy : Opcode::kReshape;
    op->opcode_text = hlo::Name(op->opcode).str();
    op->attributes.custom_call_target.clear();
  }
  // entry_computation_layout names the sizes that were dynamic.
  llvm::erase_if(module.extra_attributes,
                 [](const auto& entry) { return entry.first == "entry_computation_layout"; });
  return sizes.arguments();
}

}  // namespace affirm::driver
