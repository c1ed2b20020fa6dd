#include "fuzz/op_builder.h"

#include <algorithm>
#include <numeric>

#include "core/hlo/verifier.h"
#include "llvm/Support/Error.h"

namespace affirm::fuzz {

using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

namespace {

// The first type of a list is the one that shrinking leads to.
constexpr PrimitiveType kReals[] = {PrimitiveType::kF32,        PrimitiveType::kF16,
                                    PrimitiveType::kBF16,       PrimitiveType::kF64,
                                    PrimitiveType::kF8E5M2,     PrimitiveType::kF8E4M3,
                                    PrimitiveType::kF8E4M3FN,   PrimitiveType::kF8E5M2FNUZ,
                                    PrimitiveType::kF8E4M3FNUZ, PrimitiveType::kF8E4M3B11FNUZ};
constexpr PrimitiveType kIntegers[] = {
    PrimitiveType::kS32, PrimitiveType::kS64, PrimitiveType::kU32, PrimitiveType::kU64,
    PrimitiveType::kS8,  PrimitiveType::kU8,  PrimitiveType::kS16, PrimitiveType::kU16,
    PrimitiveType::kS4,  PrimitiveType::kU4};
constexpr PrimitiveType kComplexes[] = {PrimitiveType::kC64, PrimitiveType::kC128};

PrimitiveType OneOf(Choices& choices, llvm::ArrayRef<PrimitiveType> types, bool all) {
  return types[all ? choices.Below(types.size()) : 0];
}

Opcode CombiningOpcode(Choices& choices, PrimitiveType type) {
  if (type == PrimitiveType::kPred) return choices.Pick({Opcode::kOr, Opcode::kAnd});
  if (hlo::IsComplex(type)) return choices.Pick({Opcode::kAdd, Opcode::kMultiply});
  return choices.Pick({Opcode::kAdd, Opcode::kMaximum, Opcode::kMinimum, Opcode::kMultiply});
}

}  // namespace

hlo::Instruction* OpBuilder::Operand(const Shape& shape) {
  auto parameter = std::make_unique<hlo::Instruction>();
  parameter->opcode = Opcode::kParameter;
  parameter->opcode_text = "parameter";
  parameter->parameter_number = static_cast<int64_t>(computation_.parameters.size());
  parameter->name = "p" + std::to_string(parameter->parameter_number);
  parameter->shape = shape;
  return computation_.Add(std::move(parameter));
}

hlo::Instruction* OpBuilder::MainOperand(int64_t min_rank, int64_t max_rank, TypeClass types) {
  PrimitiveType type = AnyType(types);
  return Operand(Array(type, AnySizes(min_rank, max_rank)));
}

hlo::Instruction* OpBuilder::Position(int64_t size, PrimitiveType type) {
  if (!choices_.OneIn(3)) return Operand(Shape::Array(type, {}));
  hlo::Literal value(Shape::Array(type, {}));
  value.SetInt(0, Small(hlo::IsSignedInt(type) ? -2 : 0, std::min<int64_t>(size + 2, 7)));
  return AddConstant(std::move(value));
}

int64_t OpBuilder::Size(int64_t low, int64_t budget) {
  const int64_t high = std::min(limits_.max_size, budget);
  if (high <= low) return low;
  if (high < 64 || !choices_.OneIn(2)) return Small(low, high);
  int64_t power = 1;
  for (int64_t doublings = Small(0, 62); doublings > 0 && power <= high / 2; --doublings)
    power *= 2;
  return std::max(low, power);
}

Sizes OpBuilder::AnySizes(int64_t min_rank, int64_t max_rank) {
  Sizes sizes;
  int64_t budget = limits_.max_elements;
  for (int64_t rank = Small(min_rank, std::max(min_rank, std::min(max_rank, limits_.max_rank)));
       rank > 0; --rank) {
    sizes.push_back(Size(1, budget));
    budget /= sizes.back();
  }
  if (limits_.zero_sizes && !sizes.empty() && choices_.OneIn(16)) {
    sizes[choices_.Below(sizes.size())] = 0;
  }
  return sizes;
}

Sizes OpBuilder::Permutation(int64_t n) {
  Sizes order(n);
  std::iota(order.begin(), order.end(), 0);
  // The first choice everywhere leaves the order as it is.
  for (int64_t i = 0; i + 1 < n; ++i) std::swap(order[i], order[i + choices_.Below(n - i)]);
  return order;
}

Sizes OpBuilder::Subset(int64_t n) {
  Sizes chosen;
  for (int64_t i = 0; i < n; ++i) {
    if (Flip()) chosen.push_back(i);
  }
  return chosen;
}

PrimitiveType OpBuilder::AnyType(TypeClass types) {
  const bool all = limits_.all_types;
  auto real = [&] { return OneOf(choices_, kReals, all); };
  auto integer = [&] { return OneOf(choices_, kIntegers, all); };
  auto complex = [&] { return OneOf(choices_, kComplexes, all); };
  switch (types) {
    case TypeClass::kReal:
      return real();
    case TypeClass::kInteger:
      return integer();
    case TypeClass::kFloating:
      return choices_.OneIn(4) ? complex() : real();
    case TypeClass::kBits:
      return choices_.OneIn(3) ? PrimitiveType::kPred : integer();
    case TypeClass::kNumber:
    case TypeClass::kSortable:
    case TypeClass::kAny:
      break;
  }
  switch (choices_.Below(types == TypeClass::kSortable ? 2 : types == TypeClass::kNumber ? 3 : 4)) {
    case 0:
      return real();
    case 1:
      return integer();
    case 2:
      return complex();
    default:
      return PrimitiveType::kPred;
  }
}

Shape OpBuilder::Array(PrimitiveType type, Sizes sizes) {
  Shape shape = Shape::Array(type, std::move(sizes));
  if (limits_.layouts && shape.rank() > 1 && choices_.OneIn(3)) {
    shape.layout = hlo::Layout{Permutation(shape.rank()), ""};
  }
  return shape;
}

hlo::WindowDimension OpBuilder::AnyWindow(int64_t size) {
  const int64_t most = limits_.max_window;
  hlo::WindowDimension window;
  window.size = Small(1, most);
  window.stride = choices_.OneIn(2) ? Small(1, most) : 1;
  window.base_dilation = choices_.OneIn(3) ? Small(1, most) : 1;
  window.window_dilation = choices_.OneIn(3) ? Small(1, most) : 1;
  window.padding_low = choices_.OneIn(2) ? Small(-1, most) : 0;
  window.padding_high = choices_.OneIn(2) ? Small(-1, most) : 0;
  // The padded size may be small, but not negative.
  const int64_t dilated = size == 0 ? 0 : (size - 1) * window.base_dilation + 1;
  const int64_t missing = -(dilated + window.padding_low + window.padding_high);
  if (missing > 0) window.padding_high += missing;
  return window;
}

hlo::Instruction* OpBuilder::Add(Opcode opcode, std::vector<hlo::Instruction*> operands,
                                 hlo::Attributes attributes, Shape written,
                                 std::vector<std::pair<std::string, hlo::Computation*>> called) {
  auto instruction = std::make_unique<hlo::Instruction>();
  instruction->opcode = opcode;
  instruction->opcode_text = hlo::Name(opcode).str();
  instruction->name =
      instruction->opcode_text + "." + std::to_string(computation_.instructions.size());
  instruction->operands = std::move(operands);
  instruction->attributes = std::move(attributes);
  instruction->shape = std::move(written);
  for (auto& [key, callee] : called) {
    instruction->called_as.push_back(std::move(key));
    instruction->called.push_back(callee);
  }
  // What is refused stays as written, for the verifier to name.
  llvm::Expected<Shape> inferred = hlo::InferShape(*instruction);
  if (inferred) {
    std::optional<hlo::Layout> layout = instruction->shape.layout;
    instruction->shape = std::move(*inferred);
    if (instruction->shape.IsArray()) {
      instruction->shape.layout = layout;
      if (!layout) instruction->shape = Array(instruction->shape.type, instruction->shape.dims);
    }
  } else {
    llvm::consumeError(inferred.takeError());
  }
  return computation_.Add(std::move(instruction));
}

hlo::Instruction* OpBuilder::AddConstant(hlo::Literal value) {
  hlo::Instruction* constant = Add(Opcode::kConstant, {}, {}, value.shape());
  constant->literal = std::move(value);
  return constant;
}

void OpBuilder::SetDevices(int64_t replicas, int64_t partitions) {
  computation_.module->other = {{"replica_count", std::to_string(replicas)},
                                {"num_partitions", std::to_string(partitions)}};
}

hlo::Computation* OpBuilder::AddComputation(
    llvm::function_ref<hlo::Instruction*(OpBuilder&)> body) {
  hlo::Module& module = *computation_.module;
  auto computation = std::make_unique<hlo::Computation>();
  computation->module = &module;
  OpBuilder builder(choices_, limits_, *computation);
  computation->root = body(builder);
  computation->name = "c" + std::to_string(module.next_id++);
  hlo::Computation* added = computation.get();
  // Before the one under construction; when that is not in its place yet, its own callees stand
  // before the entry already.
  auto place_of = [&](const hlo::Computation* wanted) {
    return llvm::find_if(module.computations,
                         [&](const auto& other) { return other.get() == wanted; });
  };
  auto place = place_of(&computation_);
  if (place == module.computations.end()) place = place_of(module.entry);
  module.computations.insert(place, std::move(computation));
  return added;
}

hlo::Computation* OpBuilder::Combiner(llvm::ArrayRef<PrimitiveType> types) {
  return AddComputation([&](OpBuilder& body) {
    std::vector<hlo::Instruction*> parameters, results;
    for (size_t side = 0; side < 2; ++side) {
      for (PrimitiveType type : types) {
        parameters.push_back(body.Operand(Shape::Array(type, {})));
      }
    }
    for (size_t i = 0; i < types.size(); ++i) {
      results.push_back(body.Add(CombiningOpcode(choices_, types[i]),
                                 {parameters[i], parameters[types.size() + i]}));
    }
    return results.size() == 1 ? results[0] : body.Add(Opcode::kTuple, results);
  });
}

}  // namespace affirm::fuzz
