// Random single instructions: the op of a family, with operands of its own.
#include "fuzz/generators/op_instances.h"

#include "core/hlo/dynamic_sizes.h"
#include "fuzz/generators/ops/families.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm::fuzz {
namespace {

// Gives operands a size that is known at run time only: the dimensions of one size, of whatever
// operand, all have the same, so that the op can be done at it. Any dimension of a result may then
// be smaller than it is written.
class DynamicBuilder : public OpBuilder {
 public:
  using OpBuilder::OpBuilder;
  hlo::Instruction* Operand(const hlo::Shape& shape) override {
    return Cut(OpBuilder::Operand(shape));
  }
  hlo::Instruction* MainOperand(int64_t min_rank, int64_t max_rank, TypeClass types) override {
    return Cut(OpBuilder::MainOperand(min_rank, max_rank, types));
  }

 private:
  hlo::Instruction* Cut(hlo::Instruction* array) {
    if (!array->shape.IsArray() || array->shape.IsScalar()) return array;
    if (!size_) {
      bound_ = array->shape.dims[choices().Below(array->shape.rank())];
      size_ = Add(
          hlo::Opcode::kClamp,
          {Number(0), Parameter(hlo::Shape::Array(hlo::PrimitiveType::kS32, {})), Number(bound_)});
    }
    const auto dim = llvm::find(array->shape.dims, bound_);
    if (dim == array->shape.dims.end()) return array;
    hlo::Attributes attributes;
    attributes.dimensions = {dim - array->shape.dims.begin()};
    return Add(hlo::Opcode::kSetDimensionSize, {array, size_}, attributes);
  }

  hlo::Instruction* Number(int64_t v) {
    hlo::Literal value(hlo::Shape::Array(hlo::PrimitiveType::kS32, {}));
    value.SetInt(0, v);
    return AddConstant(std::move(value));
  }

  void Added(hlo::Instruction& op, bool) override {
    const bool is_open = hlo::UsesDynamicSizes(op) && op.shape.IsArray() &&
                         op.opcode != hlo::Opcode::kSetDimensionSize;
    if (is_open) op.shape.dynamic.assign(op.shape.rank(), true);
  }

  int64_t bound_ = 0;
  hlo::Instruction* size_ = nullptr;
};

template <typename Visit>
void ForEachOp(Visit visit) {
  for (llvm::ArrayRef<OpEntry> family :
       {ElementwiseFamily(), MovementFamily(), SlicingFamily(), GatherScatterFamily(),
        ReductionFamily(), SortingFamily(), WindowFamily(), ContractionFamily(), LinalgFamily(),
        ControlFamily(), CollectiveFamily(), NormalizationFamily(), NullaryFamily(),
        RandomFamily()}) {
    for (const OpEntry& op : family) visit(op);
  }
}

}  // namespace

hlo::Shape AnyArray(OpBuilder& b, TypeClass types) {
  const hlo::PrimitiveType type = b.AnyType(types);
  return b.Array(type, b.AnySizes(0, b.limits().max_rank));
}

Attributes WithDimensions(Sizes dimensions) {
  Attributes attributes;
  attributes.dimensions = std::move(dimensions);
  return attributes;
}

std::string Braced(llvm::ArrayRef<int64_t> numbers) {
  std::string text = "{";
  for (size_t i = 0; i < numbers.size(); ++i) {
    text += (i > 0 ? "," : "") + std::to_string(numbers[i]);
  }
  return text + "}";
}

std::vector<hlo::Opcode> GeneratedOpcodes() {
  std::vector<hlo::Opcode> opcodes;
  ForEachOp([&](const OpEntry& op) { opcodes.push_back(op.opcode); });
  return opcodes;
}

hlo::Instruction* GenerateOp(OpBuilder& builder, hlo::Opcode opcode) {
  OpGenerator generate = nullptr;
  ForEachOp([&](const OpEntry& op) {
    if (op.opcode == opcode) generate = op.generate;
  });
  return generate ? generate(builder, opcode) : nullptr;
}

std::unique_ptr<hlo::Module> GenerateOpInstance(Choices& choices, hlo::Opcode opcode,
                                                const OpLimits& limits) {
  auto module = std::make_unique<hlo::Module>();
  module->name = "instance";
  module->computations.push_back(std::make_unique<hlo::Computation>());
  hlo::Computation& entry = *module->computations.back();
  entry.name = "entry";
  entry.module = module.get();
  entry.is_entry = true;
  module->entry = &entry;
  OpBuilder builder(choices, limits, entry);
  DynamicBuilder dynamic(choices, limits, entry);
  const bool is_dynamic = limits.dynamic_sizes && choices.OneIn(2);
  entry.root = GenerateOp(is_dynamic ? dynamic : builder, opcode);
  return entry.root ? std::move(module) : nullptr;
}

}  // namespace affirm::fuzz
