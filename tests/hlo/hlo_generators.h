// RapidCheck generators of shapes, literals and modules.
#ifndef AFFIRM_TESTS_HLO_HLO_GENERATORS_H_
#define AFFIRM_TESTS_HLO_HLO_GENERATORS_H_

#include <rapidcheck.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/hlo/literal.h"
#include "core/hlo/module.h"
#include "core/hlo/shape.h"

namespace affirm::hlo::testing {

inline std::vector<PrimitiveType> ArrayTypes() {
  std::vector<PrimitiveType> types;
  for (int i = 0; i <= static_cast<int>(PrimitiveType::kTuple); ++i) {
    if (IsArray(static_cast<PrimitiveType>(i))) types.push_back(static_cast<PrimitiveType>(i));
  }
  return types;
}

// Sizes of 0 included, at most a few hundred elements.
inline std::vector<int64_t> AnySizes() {
  const auto rank = *rc::gen::inRange<size_t>(0, 4);
  return *rc::gen::container<std::vector<int64_t>>(rank, rc::gen::inRange<int64_t>(0, 6));
}

inline std::vector<int64_t> AnyPermutation(int64_t rank) {
  std::vector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  for (int64_t i = rank - 1; i > 0; --i) {
    std::swap(order[i], order[*rc::gen::inRange<int64_t>(0, i + 1)]);
  }
  return order;
}

inline Shape AnyArray() {
  Shape shape = Shape::Array(*rc::gen::elementOf(ArrayTypes()), AnySizes());
  if (*rc::gen::arbitrary<bool>()) {
    shape.layout = Layout{AnyPermutation(shape.rank()),
                          *rc::gen::element<std::string>("", "", "T(8,128)S(5)", "E(4)")};
  }
  return shape;
}

// Tuples, tokens, buffers, dynamic and unbounded sizes, too.
inline Shape AnyShape(int depth = 0) {
  const int kind = *rc::gen::inRange(0, depth < 3 ? 8 : 5);
  if (kind >= 6) {
    std::vector<Shape> elements;
    const int count = *rc::gen::inRange(0, 4);
    for (int i = 0; i < count; ++i) elements.push_back(AnyShape(depth + 1));
    return Shape::Tuple(std::move(elements));
  }
  Shape shape;
  if (kind == 5) {
    shape.type = PrimitiveType::kOpaque;
    shape.tuple.push_back(AnyArray());
    return shape;
  }
  if (kind == 4) {
    shape.type = *rc::gen::element(PrimitiveType::kToken, PrimitiveType::kOpaque);
    return shape;
  }
  shape = AnyArray();
  if (kind == 3 && shape.rank() > 0) {
    shape.dynamic.assign(shape.rank(), false);
    const auto dim = *rc::gen::inRange<int64_t>(0, shape.rank());
    shape.dynamic[dim] = true;
    if (*rc::gen::arbitrary<bool>()) shape.dims[dim] = kUnboundedSize;
  }
  return shape;
}

// Any bits: NaNs with payloads, infinities, subnormals. Types whose text cannot tell two patterns
// apart (several NaNs print alike) do not exist among ours.
inline Literal AnyLiteral(const Shape& shape) {
  if (shape.IsTuple()) {
    std::vector<Literal> elements;
    for (const Shape& element : shape.tuple) elements.push_back(AnyLiteral(element));
    return Literal::MakeTuple(std::move(elements));
  }
  Literal literal(shape);
  const int64_t bytes = static_cast<int64_t>(literal.bytes().size());
  const bool integral = IsInt(shape.type) || shape.type == PrimitiveType::kPred;
  const int mask = BitWidth(shape.type) < 8 ? (1 << BitWidth(shape.type)) - 1 : 0xFF;
  for (int64_t i = 0; i < bytes; ++i) {
    literal.data()[i] = static_cast<uint8_t>(*rc::gen::arbitrary<uint8_t>() & mask);
    // Integers narrower than a byte are stored extended.
    if (integral && BitWidth(shape.type) < 8) literal.SetInt(i, literal.GetInt(i));
  }
  return literal;
}

inline Instruction* AddInstruction(Computation& computation, Opcode opcode, Shape shape,
                                   std::vector<Instruction*> operands) {
  auto instruction = std::make_unique<Instruction>();
  instruction->opcode = opcode;
  instruction->opcode_text = Name(opcode).str();
  instruction->shape = std::move(shape);
  instruction->operands = std::move(operands);
  const std::string stem = *rc::gen::element<std::string>("x", "add", "a.b", "f-1", "_", "p_0");
  instruction->name = stem + "." + std::to_string(computation.instructions.size());
  return computation.Add(std::move(instruction));
}

inline Computation* AddComputation(Module& module, const std::string& name) {
  module.computations.push_back(std::make_unique<Computation>());
  Computation* computation = module.computations.back().get();
  computation->name = name;
  computation->module = &module;
  return computation;
}

inline Instruction* AddParameter(Computation& computation, Shape shape) {
  auto parameter = std::make_unique<Instruction>();
  parameter->opcode = Opcode::kParameter;
  parameter->opcode_text = "parameter";
  parameter->parameter_number = static_cast<int64_t>(computation.parameters.size());
  parameter->name = "p" + std::to_string(parameter->parameter_number);
  parameter->shape = std::move(shape);
  return computation.Add(std::move(parameter));
}

// One more operation on an f32 array that is there already.
inline Instruction* AddAnyOperation(Computation& computation, Computation* sum) {
  std::vector<Instruction*> arrays;
  for (const auto& i : computation.instructions) {
    if (i->shape.type == PrimitiveType::kF32) arrays.push_back(i.get());
  }
  Instruction* x = *rc::gen::elementOf(arrays);
  const std::vector<int64_t> sizes = x->shape.dims;
  const int64_t rank = x->shape.rank();
  auto make = [&](Opcode opcode, std::vector<int64_t> dims, std::vector<Instruction*> operands) {
    return AddInstruction(computation, opcode, Shape::Array(PrimitiveType::kF32, std::move(dims)),
                          std::move(operands));
  };
  switch (*rc::gen::inRange(0, 8)) {
    case 0:
      return make(Opcode::kNegate, sizes, {x});
    case 1:
      return make(Opcode::kAdd, sizes, {x, x});
    case 2: {
      const std::vector<int64_t> order = AnyPermutation(rank);
      std::vector<int64_t> permuted;
      for (int64_t d : order) permuted.push_back(sizes[d]);
      Instruction* transpose = make(Opcode::kTranspose, permuted, {x});
      transpose->attributes.dimensions = order;
      return transpose;
    }
    case 3: {
      std::vector<int64_t> dims;
      std::vector<int64_t> left;
      for (int64_t d = 0; d < rank; ++d) {
        if (*rc::gen::arbitrary<bool>()) {
          dims.push_back(d);
        } else {
          left.push_back(sizes[d]);
        }
      }
      Instruction* reduce = make(Opcode::kReduce, left, {x, computation.parameters[0]});
      reduce->attributes.dimensions = dims;
      reduce->called = {sum};
      reduce->called_as = {"to_apply"};
      return reduce;
    }
    case 4: {
      std::vector<SliceDimension> slice;
      std::vector<int64_t> cut;
      for (int64_t size : sizes) {
        const auto start = *rc::gen::inRange<int64_t>(0, size + 1);
        const auto limit = *rc::gen::inRange<int64_t>(start, size + 1);
        const auto stride = *rc::gen::inRange<int64_t>(1, 4);
        slice.push_back({start, limit, stride});
        cut.push_back((limit - start + stride - 1) / stride);
      }
      Instruction* result = make(Opcode::kSlice, cut, {x});
      result->attributes.slice = slice;
      return result;
    }
    case 5: {
      std::vector<PaddingDimension> padding;
      std::vector<int64_t> padded;
      for (int64_t size : sizes) {
        const PaddingDimension dim{*rc::gen::inRange<int64_t>(0, 3),
                                   *rc::gen::inRange<int64_t>(0, 3),
                                   *rc::gen::inRange<int64_t>(0, 3)};
        padding.push_back(dim);
        padded.push_back(size + dim.low + dim.high + std::max<int64_t>(size - 1, 0) * dim.interior);
      }
      Instruction* result = make(Opcode::kPad, padded, {x, computation.parameters[0]});
      result->attributes.padding = padding;
      return result;
    }
    case 6: {
      Instruction* result = make(Opcode::kReverse, sizes, {x});
      for (int64_t d = 0; d < rank; ++d) {
        if (*rc::gen::arbitrary<bool>()) result->attributes.dimensions.push_back(d);
      }
      return result;
    }
    default: {
      if (rank == 0) return make(Opcode::kCosine, sizes, {x});
      const auto dim = *rc::gen::inRange<int64_t>(0, rank);
      std::vector<int64_t> joined = sizes;
      joined[dim] *= 2;
      Instruction* result = make(Opcode::kConcatenate, joined, {x, x});
      result->attributes.dimensions = {dim};
      return result;
    }
  }
}

// A scalar sum, and an entry of a few operations on f32 arrays behind a scalar parameter. Every
// operation has a shape that its operands determine.
inline std::unique_ptr<Module> AnyModule() {
  auto module = std::make_unique<Module>();
  module->name = "m";
  const Shape scalar = Shape::Array(PrimitiveType::kF32, {});
  Computation* sum = AddComputation(*module, "sum");
  Instruction* a = AddParameter(*sum, scalar);
  Instruction* b = AddParameter(*sum, scalar);
  sum->root = AddInstruction(*sum, Opcode::kAdd, scalar, {a, b});
  Computation* entry = AddComputation(*module, "main.1");
  AddParameter(*entry, scalar);
  AddParameter(*entry, Shape::Array(PrimitiveType::kF32, AnySizes()));
  const int count = *rc::gen::inRange(1, 8);
  for (int i = 0; i < count; ++i) entry->root = AddAnyOperation(*entry, sum);
  entry->is_entry = true;
  module->entry = entry;
  return module;
}

}  // namespace affirm::hlo::testing

#endif  // AFFIRM_TESTS_HLO_HLO_GENERATORS_H_
