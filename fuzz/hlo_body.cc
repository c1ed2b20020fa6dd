#include "fuzz/hlo_body.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/hlo/verifier.h"
#include "core/symbolic/checked.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::fuzz {

using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

unsigned SetOf(PrimitiveType type) {
  if (type == PrimitiveType::kPred) return kPred;
  if (hlo::IsSignedInt(type)) return kSigned;
  if (hlo::IsUnsignedInt(type)) return kUnsigned;
  return hlo::IsFloat(type) ? kFloat : kComplex;
}

bool HasDefinedBits(const hlo::Instruction& instruction) {
  return (SetOf(instruction.shape.type) & (kFloat | kComplex)) == 0 ||
         instruction.opcode == Opcode::kParameter || instruction.opcode == Opcode::kConstant;
}

HloBody::HloBody(Choices& choices, const HloLimits& limits, hlo::Module& module,
                 hlo::Computation& computation, std::vector<Shape> offered)
    : choices_(choices),
      limits_(limits),
      module_(module),
      computation_(computation),
      offered_(std::move(offered)) {}

namespace {

// How many elements of its operands one element of the result reads, in a loop.
int64_t TripCount(const hlo::Instruction& instruction) {
  int64_t trips = 1;
  auto times = [&](int64_t n) {
    trips = CheckedMul(trips, std::max<int64_t>(n, 1)).value_or(INT64_MAX);
  };
  if (instruction.operands.empty()) return 1;
  const Shape& first = instruction.operands[0]->shape;
  switch (instruction.opcode) {
    case Opcode::kReduce:
      for (int64_t d : instruction.attributes.dimensions) times(first.dims[d]);
      break;
    case Opcode::kReduceWindow:
      for (const hlo::WindowDimension& window : instruction.attributes.window) times(window.size);
      break;
    case Opcode::kDot:
      for (int64_t d : instruction.attributes.lhs_contracting) times(first.dims[d]);
      break;
    case Opcode::kConvolution:
      for (int64_t size : instruction.operands[1]->shape.dims) times(size);
      break;
    case Opcode::kSort:
    case Opcode::kScatter:
      times(first.NumElements());
      break;
    default:
      break;
  }
  return trips;
}

}  // namespace

int64_t HloBody::WorkOf(const hlo::Instruction& instruction) const {
  int64_t operands = 1;
  for (const hlo::Instruction* operand : instruction.operands) {
    auto place = llvm::find_if(computation_.instructions,
                               [&](const auto& other) { return other.get() == operand; });
    operands += work_[place - computation_.instructions.begin()];
  }
  // A fusion's result is an array in memory.
  if (instruction.opcode == Opcode::kFusion) return 1;
  return CheckedMul(TripCount(instruction), operands).value_or(INT64_MAX);
}

bool HloBody::TooLarge(const Shape& shape, int64_t work) const {
  if (shape.IsTuple()) {
    return llvm::any_of(shape.tuple, [&](const Shape& leaf) { return TooLarge(leaf, 1); });
  }
  if (!hlo::CheckedByteSize(shape) || shape.NumElements() > limits_.max_elements) return true;
  auto total = CheckedMul(work, std::max<int64_t>(shape.NumElements(), 1));
  return !total || *total > limits_.max_work;
}

hlo::Instruction* HloBody::Add(Opcode opcode, std::vector<hlo::Instruction*> operands,
                               hlo::Attributes attributes, Shape written,
                               std::vector<hlo::Computation*> called,
                               std::vector<std::string> called_as) {
  if (llvm::is_contained(operands, nullptr)) return nullptr;
  auto instruction = std::make_unique<hlo::Instruction>();
  instruction->opcode = opcode;
  instruction->opcode_text = hlo::Name(opcode).str();
  instruction->name =
      instruction->opcode_text + "." + std::to_string(computation_.instructions.size());
  instruction->operands = std::move(operands);
  instruction->attributes = std::move(attributes);
  instruction->shape = std::move(written);
  if (!called.empty()) instruction->called_as = std::move(called_as);
  instruction->called = std::move(called);
  auto shape = hlo::InferShape(*instruction);
  if (!shape) {
    llvm::consumeError(shape.takeError());
    return nullptr;
  }
  auto layout = std::move(instruction->shape.layout);
  instruction->shape = std::move(*shape);
  if (instruction->shape.IsArray()) instruction->shape.layout = std::move(layout);
  if (TooLarge(instruction->shape, WorkOf(*instruction))) return nullptr;
  computation_.Add(std::move(instruction));
  return Adopt();
}

hlo::Instruction* HloBody::Adopt() {
  hlo::Instruction* added = computation_.instructions.back().get();
  work_.push_back(WorkOf(*added));
  if (added->shape.IsArray()) arrays_.push_back(added);
  return added;
}

hlo::Instruction* HloBody::Parameter(Shape shape) {
  auto parameter = std::make_unique<hlo::Instruction>();
  parameter->opcode = Opcode::kParameter;
  parameter->opcode_text = "parameter";
  parameter->parameter_number = static_cast<int64_t>(computation_.parameters.size());
  parameter->name = "p" + std::to_string(parameter->parameter_number);
  parameter->shape = std::move(shape);
  computation_.Add(std::move(parameter));
  return Adopt();
}

hlo::Instruction* HloBody::Constant(hlo::Literal literal) {
  auto constant = std::make_unique<hlo::Instruction>();
  constant->opcode = Opcode::kConstant;
  constant->opcode_text = "constant";
  constant->name = "c." + std::to_string(computation_.instructions.size());
  constant->shape = literal.shape();
  constant->literal = std::move(literal);
  computation_.Add(std::move(constant));
  return Adopt();
}

hlo::Literal HloBody::AnyLiteral(const Shape& shape) {
  hlo::Literal literal(shape);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (int64_t i = 0; i < shape.NumElements(); ++i) {
    if (hlo::IsFloat(shape.type)) {
      literal.SetFloat(i,
                       choices_.Pick({1.0, 0.0, -1.0, 0.5, 2.0, -0.0, 3.25, kInfinity, -1024.0}));
    } else if (hlo::IsComplex(shape.type)) {
      double re = choices_.Pick({1.0, 0.0, -0.5}), im = choices_.Pick({0.0, 1.0, 2.0});
      literal.SetComplex(i, {re, im});
    } else {
      literal.SetInt(i, choices_.Pick<int64_t>({1, 0, -1, 2, 3, 7, 127, INT64_MAX, INT64_MIN}));
    }
  }
  return literal;
}

hlo::Instruction* HloBody::ArrayWhere(llvm::function_ref<bool(const Shape&)> fits,
                                      llvm::function_ref<Shape()> otherwise) {
  std::vector<hlo::Instruction*> candidates;
  for (hlo::Instruction* array : arrays_) {
    if (fits(array->shape)) candidates.push_back(array);
  }
  // The newest first: graphs grow deep rather than wide.
  std::reverse(candidates.begin(), candidates.end());
  if (!candidates.empty() && !choices_.OneIn(5)) {
    return candidates[std::min(choices_.Below(candidates.size()),
                               choices_.Below(candidates.size()))];
  }
  std::vector<Shape> offers;
  for (const Shape& shape : offered_) {
    if (fits(shape)) offers.push_back(shape);
  }
  if (!offers.empty() && !choices_.OneIn(4))
    return Parameter(offers[choices_.Below(offers.size())]);
  Shape shape = otherwise();
  if (!shape.IsArray() || TooLarge(shape, 1)) return nullptr;
  if (shape.NumElements() <= 4 && choices_.OneIn(5)) return Constant(AnyLiteral(shape));
  return Parameter(AnyLayout(std::move(shape)));
}

hlo::Instruction* HloBody::Array(unsigned classes) {
  return ArrayWhere([&](const Shape& shape) { return (SetOf(shape.type) & classes) != 0; },
                    [&] {
                      PrimitiveType type = Type(classes);
                      return Shape::Array(type, AnySizes());
                    });
}

hlo::Instruction* HloBody::ArrayOf(PrimitiveType type, const Sizes& sizes) {
  Shape wanted = Shape::Array(type, sizes);
  return ArrayWhere([&](const Shape& shape) { return shape.SameIgnoringLayout(wanted); },
                    [&] { return wanted; });
}

PrimitiveType HloBody::Type(unsigned classes) {
  std::vector<PrimitiveType> types;
  for (PrimitiveType type : limits_.types) {
    if (SetOf(type) & classes) types.push_back(type);
  }
  return types.empty() ? PrimitiveType::kInvalid : types[choices_.Below(types.size())];
}

int64_t HloBody::Size(int64_t limit) {
  int64_t size =
      choices_.Pick<int64_t>({2,  3,  1,  4,  5, 7,  8,  6,  9,  13,  16,  15,  17,  11,  10,
                              31, 32, 33, 64, 0, 63, 65, 97, 12, 127, 128, 129, 251, 256, 257});
  return size <= limit ? size : std::max<int64_t>(limit, 0) > 0 ? 1 + size % limit : 0;
}

Sizes HloBody::SizesOf(int64_t rank, int64_t budget) {
  Sizes sizes;
  for (int64_t d = 0; d < rank; ++d) {
    sizes.push_back(Size(std::max<int64_t>(budget, 1)));
    budget /= std::max<int64_t>(sizes.back(), 1);
  }
  if (rank > 1 && choices_.OneIn(2)) std::reverse(sizes.begin(), sizes.end());
  return sizes;
}

Sizes HloBody::AnySizes() {
  int64_t rank = choices_.Pick<int64_t>({1, 2, 2, 3, 0, 1, 2, 3, 4, 4});
  return SizesOf(std::min(rank, limits_.max_rank), limits_.max_elements);
}

Sizes HloBody::Permutation(int64_t n) {
  Sizes order(n);
  std::iota(order.begin(), order.end(), 0);
  for (int64_t i = n - 1; i > 0; --i) std::swap(order[i], order[i - choices_.Below(i + 1)]);
  return order;
}

Sizes HloBody::Subset(int64_t n) {
  Sizes chosen;
  for (int64_t i = 0; i < n; ++i) {
    if (choices_.OneIn(2)) chosen.push_back(i);
  }
  return chosen;
}

Shape HloBody::AnyLayout(Shape shape) {
  if (limits_.layouts && shape.rank() > 1 && choices_.OneIn(6)) {
    shape.layout = hlo::Layout{Permutation(shape.rank()), ""};
  }
  return shape;
}

int64_t HloBody::UpTo(int64_t limit) {
  if (limit <= 0) return 0;
  switch (choices_.Below(6)) {
    case 5:
      return limit;
    case 4:
      return limit - std::min<int64_t>(limit, choices_.Between(0, 3));
    default:
      return std::min<int64_t>(limit, choices_.Between(0, 4));
  }
}

hlo::Computation* HloBody::NewComputation(const std::string& stem) {
  std::string name = stem;
  for (int64_t n = 2; module_.FindComputation(name); ++n) name = stem + "." + std::to_string(n);
  // Callees stand before callers.
  auto place = llvm::find_if(module_.computations,
                             [&](const auto& other) { return other.get() == &computation_; });
  auto added = module_.computations.insert(place, std::make_unique<hlo::Computation>());
  (*added)->name = name;
  (*added)->module = &module_;
  return added->get();
}

hlo::Computation* HloBody::Combiner(Opcode opcode, PrimitiveType type) {
  std::string name = hlo::Name(opcode).str() + "_" + hlo::Name(type).str();
  std::replace(name.begin(), name.end(), '-', '_');
  if (hlo::Computation* known = module_.FindComputation(name)) return known;
  hlo::Computation* combiner = NewComputation(name);
  HloBody body(choices_, limits_, module_, *combiner);
  hlo::Instruction* a = body.Parameter(Shape::Array(type, {}));
  hlo::Instruction* b = body.Parameter(Shape::Array(type, {}));
  combiner->root = body.Add(opcode, {a, b});
  return combiner;
}

void HloBody::Finish() {
  std::vector<hlo::Instruction*> unused;
  for (hlo::Instruction* array : arrays_) {
    if (array->users.empty() && array->opcode != Opcode::kParameter) unused.push_back(array);
  }
  if (unused.empty()) unused.push_back(arrays_.empty() ? Array(kAnyType) : arrays_.back());
  // A result that others use as well, and one that is an operand.
  if (limits_.tuples && choices_.OneIn(8)) {
    unused.push_back(arrays_[choices_.Below(arrays_.size())]);
  }
  if (!limits_.tuples) unused = {unused.back()};
  computation_.root = unused.front();
  if (unused.size() > 1) computation_.root = Add(Opcode::kTuple, unused);
}

}  // namespace affirm::fuzz
