// Elementwise ops on spans against the same ops on single elements, bit for bit.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <random>

#include "core/hlo/leaves.h"
#include "tests/scalar/arrays.h"
#include "verify/scalar/elementwise.h"
#include "verify/scalar/scalar_program.h"

namespace affirm::hlo {
namespace {

std::vector<PrimitiveType> AllTypes() {
  std::vector<PrimitiveType> types;
  for (auto t = static_cast<int>(PrimitiveType::kPred); t <= static_cast<int>(PrimitiveType::kC128);
       ++t)
    types.push_back(static_cast<PrimitiveType>(t));
  return types;
}

// Bits of the parts of a type at which ops change what they do: zeros of both signs, denormals,
// infinities, quiet and signalling NaNs with payloads, limits of integers and what lies about them.
std::vector<uint64_t> SpecialBits(int width) {
  const uint64_t ones = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  const uint64_t sign = uint64_t{1} << (width - 1);
  std::vector<uint64_t> bits = {0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 63, 64, ones, ones - 1};
  for (uint64_t x : {sign, sign - 1, sign - 2, sign + 1, sign / 2, sign / 2 - 1}) bits.push_back(x);
  const std::vector<uint64_t> wide =
      width == 64
          ? std::vector<uint64_t>{0x7FF0000000000000, 0x7FF8000000000001, 0x7FF0000000000123,
                                  0x3FF0000000000000, 0x3FF8000000000000, 0x43E0000000000000,
                                  0x41DFFFFFFFC00000, 0x47EFFFFFF0000000, 0x0010000000000000,
                                  0x3690000000000000}
      : width == 32
          ? std::vector<uint64_t>{0x7F800000, 0x7FC00001, 0x7F800123, 0x3F800000, 0x3FC00000,
                                  0x5F000000, 0x4EFFFFFF, 0x00800000, 0x477FE000, 0x33800000}
      : width == 16 ? std::vector<uint64_t>{0x7C00, 0x7E01, 0x7D01, 0x3C00, 0x3E00, 0x7BFF, 0x0400,
                                            0x7F80, 0x7FC1, 0x7F81, 0x3F80, 0x3FC0, 0x4F00}
                    : std::vector<uint64_t>{0x78, 0x7C, 0x7D, 0x7E, 0x7F, 0x38, 0x3C};
  for (uint64_t x : wide) {
    bits.push_back(x & ones);
    bits.push_back((x ^ sign) & ones);
  }
  return bits;
}

// An array of the type whose parts have the bits. Integers narrower than a byte are extended.
Literal FromBits(PrimitiveType type, const std::vector<uint64_t>& bits) {
  const int parts = IsComplex(type) ? 2 : 1;
  Literal literal(Shape::Array(type, {std::ssize(bits) / parts}));
  const int width = ByteWidth(type) / parts;
  const bool is_narrow_int = !IsFloat(type) && !IsComplex(type) && BitWidth(type) < 8;
  for (int64_t i = 0; i < literal.NumElements() * parts; ++i) {
    if (is_narrow_int) {
      literal.SetInt(i, static_cast<int64_t>(bits[i] & 0xF) & ((1 << BitWidth(type)) - 1));
    } else {
      std::memcpy(literal.data() + i * width, &bits[i], width);
    }
  }
  return literal;
}

struct Operation {
  Instruction instruction;
  std::vector<std::unique_ptr<Instruction>> operands;
};

std::unique_ptr<Operation> MakeOperation(Opcode opcode, const std::vector<PrimitiveType>& from,
                                         PrimitiveType to) {
  auto made = std::make_unique<Operation>();
  made->instruction.opcode = opcode;
  made->instruction.shape = Shape::Array(to, {});
  for (PrimitiveType type : from) {
    made->operands.push_back(std::make_unique<Instruction>());
    made->operands.back()->shape = Shape::Array(type, {});
    made->instruction.operands.push_back(made->operands.back().get());
  }
  return made;
}

// The operand types with which an op gives `to`, if it does from `type`; empty where it does not.
std::vector<PrimitiveType> OperandTypes(Opcode opcode, PrimitiveType type, PrimitiveType to) {
  switch (opcode) {
    case Opcode::kConvert:
      return {type};
    case Opcode::kCompare:
      if (to == PrimitiveType::kPred) return {type, type};
      return {};
    case Opcode::kIsFinite:
      if (to == PrimitiveType::kPred) return {type};
      return {};
    case Opcode::kSelect:
      if (to == type) return {PrimitiveType::kPred, type, type};
      return {};
    case Opcode::kComplex:
      if (IsComplex(to) && PartType(to) == type) return {type, type};
      return {};
    case Opcode::kReal:
    case Opcode::kImag:
      if (PartType(type) == to) return {type};
      return {};
    case Opcode::kAbs:
      if (PartType(type) == to) return {type};
      return {};
    case Opcode::kStochasticConvert:
      if (IsFloat(type) && IsInt(to)) return {type, PrimitiveType::kU16};
      return {};
    default:
      if (to == type) return std::vector<PrimitiveType>(Arity(opcode), type);
      return {};
  }
}

// Compares both forms of the op on operands of one size.
void CheckSpan(const Instruction& instruction, const std::vector<Literal>& operands) {
  auto scalar = ResolveElementwise(instruction);
  auto span = ResolveSpan(instruction);
  ASSERT_EQ(static_cast<bool>(scalar), static_cast<bool>(span));
  if (!scalar) {
    llvm::consumeError(scalar.takeError());
    llvm::consumeError(span.takeError());
    return;
  }
  const int64_t count = operands[0].NumElements();
  Literal expected(Shape::Array(instruction.shape.type, {count})), actual = expected;
  std::vector<const uint8_t*> elements;
  elements.reserve(operands.size());
  for (const Literal& operand : operands) elements.push_back(operand.data());
  (*span)(elements.data(), actual.data(), count);
  std::vector<Scalar> boxed(operands.size());
  for (int64_t i = 0; i < count; ++i) {
    for (size_t k = 0; k < operands.size(); ++k) boxed[k] = Load(operands[k], i);
    Store(expected, i, (*scalar)(boxed.data()));
  }
  if (expected == actual) return;
  for (int64_t i = 0; i < count; ++i) {
    if (expected.ElementToString(i) == actual.ElementToString(i)) continue;
    std::string text = Name(instruction.opcode).str();
    for (const Literal& operand : operands)
      text += " " + Name(operand.shape().type).str() + " " + operand.ElementToString(i);
    FAIL() << text << ": " << expected.ElementToString(i) << ", in a span "
           << actual.ElementToString(i);
  }
}

// All ops from `type` to `to`, with each of their attributes that count.
template <typename Check>
void ForEachOperation(PrimitiveType type, PrimitiveType to, Check check) {
  for (int o = 0; o <= static_cast<int>(Opcode::kSelect); ++o) {
    const auto opcode = static_cast<Opcode>(o);
    const std::vector<PrimitiveType> from = OperandTypes(opcode, type, to);
    if (from.empty()) continue;
    const std::unique_ptr<Operation> made = MakeOperation(opcode, from, to);
    made->instruction.attributes.exponent_bits = 5;
    made->instruction.attributes.mantissa_bits = 2;
    if (opcode != Opcode::kCompare) {
      check(made->instruction, from);
      continue;
    }
    for (const char* direction : {"EQ", "NE", "LT", "LE", "GT", "GE"}) {
      for (const char* comparison : {"", "TOTALORDER"}) {
        made->instruction.attributes.comparison_direction = direction;
        made->instruction.attributes.comparison_type = comparison;
        check(made->instruction, from);
      }
    }
  }
}

// Every pair of special values, and every third value beside each pair.
TEST(Spans, GiveTheBitsOfScalars) {
  int64_t operations = 0;
  for (PrimitiveType type : AllTypes()) {
    for (PrimitiveType to : AllTypes()) {
      ForEachOperation(
          type, to, [&](const Instruction& instruction, const std::vector<PrimitiveType>& from) {
            std::mt19937_64 random(++operations);
            const size_t values = SpecialBits(BitWidth(PartType(type))).size();
            const size_t count = from.size() == 1 ? values : values * values;
            std::vector<Literal> operands;
            for (size_t k = 0; k < from.size(); ++k) {
              const std::vector<uint64_t> special = SpecialBits(BitWidth(PartType(from[k])));
              const size_t parts = IsComplex(from[k]) ? 2 : 1;
              std::vector<uint64_t> bits;
              for (size_t i = 0; i < count; ++i) {
                const size_t at = k == 0 ? i : k == 1 ? i / values : random();
                for (size_t part = 0; part < parts; ++part)
                  bits.push_back(special[(part == 0 ? at : random()) % special.size()]);
              }
              operands.push_back(FromBits(from[k], bits));
            }
            CheckSpan(instruction, operands);
          });
    }
  }
  EXPECT_GT(operations, 1500);
}

RC_GTEST_PROP(Spans, GiveTheBitsOfScalarsOnAnyBits, ()) {
  const std::vector<PrimitiveType> types = AllTypes();
  const PrimitiveType type = *rc::gen::elementOf(types);
  const PrimitiveType to = *rc::gen::element(type, PrimitiveType::kPred, PartType(type));
  const uint64_t seed = *rc::gen::arbitrary<uint64_t>();
  ForEachOperation(type, to,
                   [&](const Instruction& instruction, const std::vector<PrimitiveType>& from) {
                     std::mt19937_64 random(seed);
                     std::vector<Literal> operands;
                     for (PrimitiveType operand : from) {
                       std::vector<uint64_t> bits(IsComplex(operand) ? 600 : 300);
                       for (uint64_t& b : bits) b = random();
                       operands.push_back(FromBits(operand, bits));
                     }
                     CheckSpan(instruction, operands);
                   });
}

// Moves, constants, several results, and a parameter that is a result.
TEST(Spans, OfProgramsGiveTheBitsOfScalars) {
  for (const char* text :
       {"ENTRY e { a = f32[] parameter(0) b = f32[] parameter(1) p = pred[] compare(a, b), "
        "direction=GE s = f32[] select(p, a, b) ROOT r = (f32[], f32[], pred[]) tuple(s, b, p) }",
        "ENTRY e { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] copy(b) }",
        "ENTRY e { a = f32[] parameter(0) b = f32[] parameter(1) c = u32[] bitcast-convert(a) "
        "d = u32[] bitcast-convert(b) k = u32[] constant(7) x = u32[] xor(c, d) "
        "ROOT r = u32[] and(x, k) }",
        "ENTRY e { a = bf16[] parameter(0) b = bf16[] parameter(1) s = bf16[] add(a, b) "
        "ROOT r = bf16[] multiply(s, s) }"}) {
    const std::unique_ptr<Module> module = Parse(text);
    std::optional<ScalarProgram> program = ScalarProgram::Compile(*module->entry);
    ASSERT_TRUE(program) << text;
    const PrimitiveType type = module->entry->parameters[0]->shape.type;
    const std::vector<uint64_t> special = SpecialBits(BitWidth(type));
    std::vector<uint64_t> lhs, rhs;
    for (int64_t i = 0; i < ScalarProgram::kSpan; ++i) {
      lhs.push_back(special[i % special.size()]);
      rhs.push_back(special[(i / 3 + 5) % special.size()]);
    }
    const Literal a = FromBits(type, lhs), b = FromBits(type, rhs);
    std::vector<Literal> expected, actual;
    for (const Shape* leaf : LeafShapes(module->entry->root->shape))
      expected.emplace_back(Shape::Array(leaf->type, {ScalarProgram::kSpan}));
    actual = expected;
    std::vector<Scalar> values(expected.size());
    std::vector<uint8_t*> results;
    results.reserve(actual.size());
    for (Literal& result : actual) results.push_back(result.data());
    for (int64_t i = 0; i < ScalarProgram::kSpan; ++i) {
      program->Apply({Load(a, i), Load(b, i)}, values);
      for (size_t k = 0; k < values.size(); ++k) Store(expected[k], i, values[k]);
    }
    program->ApplyToSpans({a.data(), b.data()}, results, ScalarProgram::kSpan);
    EXPECT_EQ(expected, actual) << text;
  }
}

// The results lie where the arguments do, as those of a fold's combiner.
TEST(Spans, OfProgramsMayBeTheirArguments) {
  const std::unique_ptr<Module> module = Parse(
      "ENTRY e { a = s32[] parameter(0) b = s32[] parameter(1) "
      "ROOT r = (s32[], s32[]) tuple(b, a) }");
  std::optional<ScalarProgram> program = ScalarProgram::Compile(*module->entry);
  ASSERT_TRUE(program);
  Literal a = S32({3}, {1, 2, 3}), b = S32({3}, {4, 5, 6});
  program->ApplyToSpans({a.data(), b.data()}, {a.data(), b.data()}, 3);
  EXPECT_EQ(IntValues(a), (std::vector<int64_t>{4, 5, 6}));
  EXPECT_EQ(IntValues(b), (std::vector<int64_t>{1, 2, 3}));
}

// Values of the fold and elements on either side, as operands come in either order.
TEST(Spans, FoldAsScalarsDo) {
  int folds = 0;
  for (PrimitiveType type : AllTypes()) {
    const std::vector<uint64_t> special = SpecialBits(BitWidth(PartType(type)));
    std::vector<uint64_t> bits(4 * ScalarProgram::kSpan);
    for (size_t i = 0; i < bits.size(); ++i) bits[i] = special[(i * i + i / 7) % special.size()];
    const Literal elements = FromBits(type, bits);
    for (const char* op : {"add", "subtract", "multiply", "maximum", "minimum", "and", "divide"}) {
      for (const char* operands : {"(a, b)", "(b, a)"}) {
        const std::string shape = Text(type, {});
        auto module =
            ParseModule("HloModule m ENTRY e { a = " + shape + " parameter(0) b = " + shape +
                            " parameter(1) ROOT r = " + shape + " " + op + operands + " }",
                        "test");
        if (!module) {  // the op does not exist on the type
          llvm::consumeError(module.takeError());
          continue;
        }
        std::optional<ScalarProgram> program = ScalarProgram::Compile(*(*module)->entry);
        if (!program || !program->IsFold()) continue;
        ++folds;
        for (int64_t start = 0; start < 8; ++start) {
          Literal value(Shape::Array(type, {})), expected = value;
          Scalar running = Load(elements, start);
          Store(value, 0, running);
          for (int64_t i = 1; i < ScalarProgram::kSpan; ++i)
            program->Apply({running, Load(elements, start + i)}, running);
          Store(expected, 0, running);
          const int64_t width = ByteWidth(type);
          program->Fold(value.data(), elements.data() + (start + 1) * width,
                        ScalarProgram::kSpan - 1);
          EXPECT_EQ(expected.ElementToString(0), value.ElementToString(0))
              << op << operands << " " << shape << " from " << start;
        }
      }
    }
  }
  EXPECT_GT(folds, 150);
}

}  // namespace
}  // namespace affirm::hlo
