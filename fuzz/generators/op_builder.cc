// Operands, sizes, windows and called computations of random instructions.
#include "fuzz/generators/op_builder.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "core/hlo/verifier.h"
#include "llvm/ADT/STLExtras.h"
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

constexpr PrimitiveType kPreds[] = {PrimitiveType::kPred};

TypeClass ClassOf(PrimitiveType type) {
  if (type == PrimitiveType::kPred) return TypeClass::kPred;
  if (hlo::IsSignedInt(type)) return TypeClass::kSigned;
  if (hlo::IsUnsignedInt(type)) return TypeClass::kUnsigned;
  return hlo::IsFloat(type) ? TypeClass::kReal : TypeClass::kComplex;
}

}  // namespace

bool IsOf(PrimitiveType type, TypeClass types) {
  return (static_cast<unsigned>(ClassOf(type)) & static_cast<unsigned>(types)) != 0;
}

bool HasDefinedBits(const hlo::Instruction& instruction) {
  return !IsOf(instruction.shape.type, TypeClass::kFloating) ||
         instruction.opcode == Opcode::kParameter || instruction.opcode == Opcode::kConstant;
}

hlo::Instruction* OpBuilder::Parameter(const Shape& shape) {
  auto parameter = std::make_unique<hlo::Instruction>();
  parameter->opcode = Opcode::kParameter;
  parameter->opcode_text = "parameter";
  parameter->parameter_number = static_cast<int64_t>(computation_.parameters.size());
  parameter->name = "p" + std::to_string(parameter->parameter_number);
  parameter->shape = shape;
  hlo::Instruction* added = computation_.Add(std::move(parameter));
  Added(*added, true);
  return added;
}

hlo::Instruction* OpBuilder::MainOperand(int64_t min_rank, int64_t max_rank, TypeClass types) {
  PrimitiveType type = AnyType(types);
  return Operand(Array(type, AnySizes(min_rank, max_rank)));
}

hlo::Instruction* OpBuilder::WithDefinedBits(hlo::Instruction* array) {
  return HasDefinedBits(*array) ? array : Parameter(array->shape);
}

hlo::Instruction* OpBuilder::Position(int64_t size, PrimitiveType type) {
  if (!choices_.OneIn(3)) return Operand(Shape::Array(type, {}));
  hlo::Literal value(Shape::Array(type, {}));
  value.SetInt(0, Small(hlo::IsSignedInt(type) ? -2 : 0, std::min<int64_t>(size + 2, 7)));
  return AddConstant(std::move(value));
}

int64_t OpBuilder::UpTo(int64_t limit) {
  if (limit <= 0) return 0;
  switch (choices_.Below(6)) {
    case 5:
      return limit;
    case 4:
      return limit - std::min<int64_t>(limit, Small(0, 3));
    default:
      return std::min<int64_t>(limit, Small(0, 4));
  }
}

int64_t OpBuilder::Size(int64_t low, int64_t budget) {
  const int64_t high = std::min(limits_.max_size, budget);
  if (high <= low) return low;
  if (high > 512 && choices_.OneIn(3)) return Small(low, high);
  if (high > 512 && choices_.OneIn(2)) {
    int64_t power = 1;
    for (int64_t doublings = Small(0, 62); doublings > 0 && power <= high / 2; --doublings)
      power *= 2;
    return std::max(low, power);
  }
  const auto size =
      choices_.Pick<int64_t>({2,  3,  1,  4,  5, 7,  8,  6,  9,  13,  16,  15,  17,  11,  10,
                              31, 32, 33, 64, 0, 63, 65, 97, 12, 127, 128, 129, 251, 256, 257});
  return std::max(low, size <= high ? size : 1 + size % high);
}

Sizes OpBuilder::AnySizes(int64_t min_rank, int64_t max_rank) {
  const int64_t most = std::max(min_rank, std::min(max_rank, limits_.max_rank));
  int64_t rank = Small(min_rank, most);
  if (rank == 0 && Flip()) rank = Small(min_rank, most);
  Sizes sizes;
  for (int64_t budget = limits_.max_elements; rank > 0; --rank) {
    sizes.push_back(Size(1, budget));
    budget /= sizes.back();
  }
  // The budget leaves less to the later ones.
  if (sizes.size() > 1 && Flip()) std::reverse(sizes.begin(), sizes.end());
  if (limits_.zero_sizes && !sizes.empty() && choices_.OneIn(limits_.one_in_empty)) {
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

Sizes OpBuilder::SizesOfProduct(int64_t product) {
  if (product == 0) {
    Sizes sizes = AnySizes(1, limits_.max_rank);
    sizes[choices_.Below(sizes.size())] = 0;
    return sizes;
  }
  Sizes factors;
  for (int64_t f = 2; f <= product / f && f < 4096;) {
    if (product % f == 0) {
      factors.push_back(f);
      product /= f;
    } else {
      ++f;
    }
  }
  if (product > 1) factors.push_back(product);
  const Sizes order = Permutation(static_cast<int64_t>(factors.size()));
  const size_t most = limits_.max_rank;
  Sizes sizes;
  for (int64_t i : order) {
    // The last dim takes in what is left.
    if (!sizes.empty() && (sizes.size() >= most || Flip())) {
      sizes.back() *= factors[i];
    } else {
      if (sizes.size() + 1 < most && choices_.OneIn(5)) sizes.push_back(1);
      sizes.push_back(factors[i]);
    }
  }
  if (sizes.size() < most && choices_.OneIn(5)) sizes.push_back(1);
  return sizes;
}

PrimitiveType OpBuilder::AnyType(TypeClass types) {
  std::vector<std::vector<PrimitiveType>> kinds;
  for (llvm::ArrayRef<PrimitiveType> kind : {llvm::ArrayRef(kReals), llvm::ArrayRef(kIntegers),
                                             llvm::ArrayRef(kComplexes), llvm::ArrayRef(kPreds)}) {
    std::vector<PrimitiveType> some;
    llvm::copy_if(kind, std::back_inserter(some), [&](auto type) { return IsOf(type, types); });
    if (!some.empty()) kinds.push_back(std::move(some));
  }
  const std::vector<PrimitiveType>& kind = kinds[choices_.Below(kinds.size())];
  return kind[limits_.all_types ? choices_.Below(kind.size()) : 0];
}

Opcode OpBuilder::AnyOpcode(llvm::ArrayRef<Opcode> opcodes) {
  return opcodes[choices_.Below(opcodes.size())];
}

Shape OpBuilder::Array(PrimitiveType type, Sizes sizes) {
  Shape shape = Shape::Array(type, std::move(sizes));
  if (limits_.layouts && shape.rank() > 1 && choices_.OneIn(3)) {
    shape.layout = hlo::Layout{Permutation(shape.rank()), ""};
  }
  return shape;
}

int64_t OpBuilder::Stride(int64_t size) {
  const int64_t most = limits_.max_stride;
  if (choices_.OneIn(12)) return most - UpTo(std::min<int64_t>(most - 1, 2));
  return 1 + UpTo(std::min(choices_.OneIn(3) ? size : limits_.max_window - 1, most - 1));
}

hlo::WindowDimension OpBuilder::AnyWindow(int64_t size) {
  const int64_t most = limits_.max_window;
  hlo::WindowDimension window;
  window.size = Small(1, most);
  window.stride = choices_.OneIn(4) ? 1 : Stride(size);
  // A dilation of one element changes nothing, however large it is.
  auto dilation = [&](int64_t count) {
    if (Flip()) return int64_t{1};
    const int64_t high = std::min(most, limits_.max_stride);
    return count == 1 ? Stride(size) : Small(std::min<int64_t>(2, high), high);
  };
  window.base_dilation = dilation(size);
  window.window_dilation = dilation(window.size);
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
  // A refused instruction stays as written, for the verifier to name.
  llvm::Expected<Shape> inferred = hlo::InferShape(*instruction);
  const bool is_valid = bool(inferred);
  if (is_valid) {
    std::optional<hlo::Layout> layout = instruction->shape.layout;
    instruction->shape = std::move(*inferred);
    if (instruction->shape.IsArray()) {
      if (!layout) layout = Array(instruction->shape.type, instruction->shape.dims).layout;
      instruction->shape.layout = std::move(layout);
    }
  } else {
    llvm::consumeError(inferred.takeError());
  }
  hlo::Instruction* added = computation_.Add(std::move(instruction));
  Added(*added, is_valid);
  return added;
}

hlo::Instruction* OpBuilder::AddConstant(hlo::Literal value) {
  hlo::Instruction* constant = Add(Opcode::kConstant, {}, {}, value.shape());
  constant->literal = std::move(value);
  return constant;
}

void OpBuilder::SetDevices(int64_t replicas, int64_t partitions) {
  computation_.module->extra_attributes = {{"replica_count", std::to_string(replicas)},
                                           {"num_partitions", std::to_string(partitions)}};
}

hlo::Computation* OpBuilder::NewComputation(const std::string& name) {
  hlo::Module& module = *computation_.module;
  auto computation = std::make_unique<hlo::Computation>();
  computation->name = name;
  for (int64_t n = 2; module.FindComputation(computation->name); ++n) {
    computation->name = name + "." + std::to_string(n);
  }
  computation->module = &module;
  auto place = llvm::find_if(module.computations,
                             [&](const auto& other) { return other.get() == &computation_; });
  return module.computations.insert(place, std::move(computation))->get();
}

hlo::Computation* OpBuilder::AddComputation(
    const std::string& name, llvm::function_ref<hlo::Instruction*(OpBuilder&)> body) {
  hlo::Computation* computation = NewComputation(name);
  computation->root = body(*Inside(*computation));
  return computation;
}

Opcode OpBuilder::CombiningOpcode(PrimitiveType type) {
  if (type == PrimitiveType::kPred) return choices_.Pick({Opcode::kOr, Opcode::kAnd});
  if (hlo::IsComplex(type)) return Opcode::kAdd;
  // The order of a product of floats decides whether it overflows.
  if (hlo::IsFloat(type)) {
    return choices_.Pick({Opcode::kAdd, Opcode::kMaximum, Opcode::kMinimum});
  }
  return choices_.Pick({Opcode::kAdd, Opcode::kMaximum, Opcode::kMinimum, Opcode::kMultiply,
                        Opcode::kXor, Opcode::kAnd});
}

hlo::Computation* OpBuilder::Combiner(llvm::ArrayRef<PrimitiveType> types,
                                      llvm::ArrayRef<Opcode> opcodes) {
  std::string name;
  for (size_t i = 0; i < types.size(); ++i) {
    name += (i > 0 ? "_" : "") + hlo::Name(opcodes[i]).str() + "_" + hlo::Name(types[i]).str();
  }
  if (hlo::Computation* known = computation_.module->FindComputation(name)) return known;
  return AddComputation(name, [&](OpBuilder& body) {
    std::vector<hlo::Instruction*> parameters, results;
    for (size_t side = 0; side < 2; ++side) {
      for (PrimitiveType type : types) {
        parameters.push_back(body.Parameter(Shape::Array(type, {})));
      }
    }
    for (size_t i = 0; i < types.size(); ++i) {
      results.push_back(body.Add(opcodes[i], {parameters[i], parameters[types.size() + i]}));
    }
    return results.size() == 1 ? results[0] : body.Add(Opcode::kTuple, results);
  });
}

}  // namespace affirm::fuzz
