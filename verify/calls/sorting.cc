// Sorts and the largest elements.
#include "core/hlo/text.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "verify/calls/backend_config.h"
#include "verify/calls/families.h"
#include "verify/calls/meaning_text.h"

namespace affirm::calls {

namespace {

using hlo::Computation;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

constexpr llvm::StringLiteral kSortKeys[] = {"descending"};

// The computation and what it calls, callees first.
void CollectCalled(const Computation& computation, llvm::SetVector<const Computation*>& all) {
  if (all.contains(&computation)) return;
  for (const auto& op : computation.instructions) {
    for (const Computation* called : op->called) CollectCalled(*called, all);
  }
  all.insert(&computation);
}

// How a comparison takes zeros of both signs.
enum class Zeros : uint8_t { kAreTwo, kAreOne };

// A comparison of two values of the type, and of as many more that it does not look at; of floats
// in total order, but for zeros that are one.
void AddComparator(MeaningText& text, llvm::ArrayRef<PrimitiveType> types, bool descending,
                   Zeros zeros) {
  std::string body = "before {\n";
  int64_t number = 0;
  for (PrimitiveType type : types) {
    for (const char* side : {"a", "b"}) {
      const std::string count = std::to_string(number);
      body += "  " + (side + std::to_string(number / 2)) + " = " + hlo::Name(type).str() +
              "[] parameter(" + count + ")\n";
      ++number;
    }
  }
  const bool is_float = hlo::IsFloat(types.front());
  std::string a = "a0", b = "b0";
  if (is_float && zeros == Zeros::kAreOne) {
    const std::string type = hlo::Name(types.front()).str() + "[]";
    body += "  zero = " + type + " constant(0)\n";
    for (std::string* key : {&a, &b}) {
      const std::string is_zero = *key + ".is_zero", one = *key + ".one_zero";
      body += "  " + is_zero + " = pred[] compare(" + *key + ", zero), direction=EQ\n  " + one +
              " = " + type + " select(" + is_zero + ", zero, " + *key + ")\n";
      *key = one;
    }
  }
  body +=
      "  ROOT r = pred[] compare(" + a + ", " + b + "), direction=" + (descending ? "GT" : "LT");
  body += is_float ? ", type=TOTALORDER\n}" : "\n}";
  text.AddComputation(body);
}

// Sorts the arrays by the first along their last dimension; elements of the result.
std::vector<Value> Sort(MeaningText& text, const std::vector<Value>& arrays,
                        llvm::StringRef comparator) {
  std::vector<Shape> shapes;
  shapes.reserve(arrays.size());
  for (const Value& array : arrays) shapes.push_back(array.shape);
  const std::string attributes = "dimensions={" + std::to_string(shapes.front().rank() - 1) +
                                 "}, is_stable=true, to_apply=" + comparator.str();
  if (arrays.size() == 1) return {text.Op(shapes.front(), Opcode::kSort, arrays, attributes)};
  const Value sorted = text.Op(Shape::Tuple(shapes), Opcode::kSort, arrays, attributes);
  std::vector<Value> elements;
  for (auto [k, shape] : llvm::enumerate(shapes))
    elements.push_back(
        text.Op(shape, Opcode::kGetTupleElement, {sorted}, "index=" + llvm::Twine(k)));
  return elements;
}

}  // namespace

// The first k of a stable sort of the last dimension by the comparison that the call carries, and
// where they were. Without one: from the largest down, in total order.
Meaning TopK(const hlo::Instruction& call) {
  if (llvm::Error error = CheckNoConfig(call)) return error;
  const bool fits = call.operands.size() == 1 && call.operands[0]->shape.IsArray() &&
                    call.operands[0]->shape.rank() > 0 && call.shape.IsTuple() &&
                    call.shape.tuple.size() == 2 && call.shape.tuple[0].IsArray() &&
                    call.shape.tuple[1].IsArray() && call.called.size() <= 1;
  if (!fits) return MakeError("expected an array, and values with their positions");
  MeaningText text(call);
  const Value values = text.Parameter(0);
  const PrimitiveType index_type = call.shape.tuple[1].type;
  std::string comparator = "before";
  if (call.called.empty()) {
    AddComparator(text, {values.shape.type, index_type}, true, Zeros::kAreTwo);
  } else {
    llvm::SetVector<const Computation*> called;
    CollectCalled(*call.called[0], called);
    for (const Computation* computation : called) text.AddComputation(hlo::ToString(*computation));
    comparator = call.called[0]->name;
  }
  const Value positions = text.Op(Shape::Array(index_type, values.shape.dims), Opcode::kIota, {},
                                  "iota_dimension=" + std::to_string(values.shape.rank() - 1));
  std::vector<std::optional<Value>> results;
  for (auto [k, sorted] : llvm::enumerate(Sort(text, {values, positions}, comparator))) {
    const Shape& shape = call.shape.tuple[k];
    std::string slice;
    for (int64_t size : shape.dims)
      slice += (slice.empty() ? "" : ", ") + ("[0:" + std::to_string(size) + "]");
    results.push_back(text.Op(shape, Opcode::kSlice, {sorted}, "slice={" + slice + "}"));
  }
  return text.Module(results);
}

// Keys, and values that go with them; stable, along the last dimension. Keys of floats are compared
// by their bits, but for zeros, which are one (CUB, "cub::DeviceRadixSort": "positive and negative
// zeros are considered equivalent").
Meaning RadixSort(const hlo::Instruction& call) {
  auto config = BackendConfig::Of(call, "");
  if (!config) return config.takeError();
  if (llvm::Error error = config->Allow(kSortKeys)) return error;
  auto descending = config->Flag("descending");
  if (!descending) return descending.takeError();
  const size_t arrays = call.operands.size();
  const bool fits = (arrays == 1 || arrays == 2) && call.shape.IsTuple() &&
                    call.shape.tuple.size() == arrays + 1 && call.operands[0]->shape.IsArray() &&
                    call.operands[0]->shape.rank() > 0;
  if (!fits) return MakeError("expected keys, values if any, and scratch memory");
  MeaningText text(call);
  std::vector<Value> operands;
  std::vector<PrimitiveType> types;
  for (size_t k = 0; k < arrays; ++k) {
    operands.push_back(text.Parameter(static_cast<int64_t>(k)));
    types.push_back(operands.back().shape.type);
  }
  AddComparator(text, types, *descending, Zeros::kAreOne);
  std::vector<std::optional<Value>> results;
  for (Value& sorted : Sort(text, operands, "before")) results.push_back(std::move(sorted));
  results.push_back(std::nullopt);
  return text.Module(results);
}

}  // namespace affirm::calls
