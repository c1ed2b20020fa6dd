// Finds dynamic sizes in shapes, set-dimension-size and the attributes of the module.
#include "core/hlo/dynamic_sizes.h"

#include "core/hlo/leaves.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::hlo {
namespace {

int64_t NumDynamicSizes(const Shape& shape) {
  int64_t count = llvm::count(shape.dynamic, true);
  for (const Shape& element : shape.tuple) count += NumDynamicSizes(element);
  return count;
}

const std::string* HeaderAttribute(const Module& module, llvm::StringRef key) {
  for (const auto& [name, value] : module.extra_attributes) {
    if (name == key) return &value;
  }
  return nullptr;
}

// Whether the header makes sizes dynamic that the shapes of the entry's parameters and result do
// not show: dynamic_parameter_binding={..} reads sizes from other parameters, and the shapes of
// entry_computation_layout may have more dynamic dimensions than those of the instructions.
bool HeaderHasDynamicSizes(const Module& module) {
  const std::string* binding = HeaderAttribute(module, "dynamic_parameter_binding");
  if (binding && llvm::StringRef(*binding).find_first_not_of("{} ") != llvm::StringRef::npos) {
    return true;
  }
  const std::string* layout = HeaderAttribute(module, "entry_computation_layout");
  if (!layout || !module.entry || !module.entry->root) return false;
  const llvm::StringRef text = *layout;
  // Asked of each instruction, and the layout of a large entry is long: the fastest search first.
  if (!text.contains('<') && !text.contains('?')) return false;
  const auto written = static_cast<int64_t>(text.count("<=") + text.count('?'));
  if (written == 0) return false;
  int64_t shown = NumDynamicSizes(module.entry->root->shape);
  for (const Instruction* parameter : module.entry->parameters) {
    if (parameter) shown += NumDynamicSizes(parameter->shape);
  }
  return written > shown;
}

bool ModuleHasDynamicSizes(const Instruction& op) {
  return op.parent && op.parent->module && HeaderHasDynamicSizes(*op.parent->module);
}

// A set-dimension-size to the whole size, as a constant says, leaves a static array; any other one
// makes the dimension dynamic, even where the result is written without.
bool SetsDynamicSize(const Instruction& op) {
  if (op.opcode != Opcode::kSetDimensionSize) return false;
  if (op.operands.size() != 2 || !op.operands[1] || op.attributes.dimensions.size() != 1) {
    return true;
  }
  const Instruction& size = *op.operands[1];
  const int64_t dim = op.attributes.dimensions[0];
  const bool known = size.opcode == Opcode::kConstant && size.literal && size.shape.IsScalar() &&
                     IsInt(size.shape.type) && dim >= 0 && dim < op.shape.rank();
  return !known || size.literal->GetInt(0) != op.shape.dims[dim];
}

// XLA's protocol buffers say of a shape which of its dimensions are dynamic; text that carries this
// along as an attribute means the same.
bool SaysDynamic(const Instruction& op) {
  const std::string* flags = op.attributes.FindExtra("is_dynamic_dimension");
  return flags && llvm::StringRef(*flags).contains("true");
}

// A leaf of a tuple or of a get-tuple-element is that of the operand.
bool MovesLeaves(Opcode opcode) {
  return opcode == Opcode::kTuple || opcode == Opcode::kGetTupleElement;
}

bool UsesDynamicSizes(const Computation& computation, llvm::DenseSet<const Computation*>& visited) {
  if (!visited.insert(&computation).second) return false;
  return llvm::any_of(computation.instructions, [&](const auto& op) {
    return UsesDynamicSizes(*op) || llvm::any_of(op->called, [&](const Computation* callee) {
             return callee && UsesDynamicSizes(*callee, visited);
           });
  });
}

}  // namespace

bool HasDynamicSize(const Shape& shape) {
  const bool here = !shape.dynamic.empty() && llvm::is_contained(shape.dynamic, true);
  return here || llvm::any_of(shape.tuple, HasDynamicSize);
}

bool UsesDynamicSizes(const Instruction& op) {
  auto is_dynamic = [](const Instruction* operand) {
    return operand && (HasDynamicSize(operand->shape) || SaysDynamic(*operand));
  };
  return HasDynamicSize(op.shape) || SaysDynamic(op) || SetsDynamicSize(op) ||
         llvm::any_of(op.operands, is_dynamic) || ModuleHasDynamicSizes(op);
}

bool UsesDynamicSizes(const Instruction& op, int64_t output_id) {
  if (!MovesLeaves(op.opcode)) return UsesDynamicSizes(op);
  const Shape* leaf = LeafShape(op.shape, output_id);
  return !leaf || HasDynamicSize(*leaf) || SaysDynamic(op) || ModuleHasDynamicSizes(op);
}

bool MayHideDynamicSizes(const Instruction& op) {
  return SaysDynamic(op) || ModuleHasDynamicSizes(op);
}

bool UsesDynamicSizes(const Computation& computation) {
  llvm::DenseSet<const Computation*> visited;
  return UsesDynamicSizes(computation, visited);
}

}  // namespace affirm::hlo
