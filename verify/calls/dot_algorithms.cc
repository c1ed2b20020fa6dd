// Names of algorithms are taken apart, and dots put together from roundings and plain dots.
#include "verify/calls/dot_algorithms.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/hlo/attribute_rules.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "verify/calls/expand.h"

namespace affirm::calls {

namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

struct Algorithm {
  PrimitiveType operands = PrimitiveType::kInvalid;
  bool is_tf32 = false;  // of f32 with ten bits of the mantissa
  PrimitiveType sums = PrimitiveType::kInvalid;
  int parts = 1;     // of each operand
  int products = 1;  // of parts
};

std::optional<Algorithm> AlgorithmOf(llvm::StringRef name) {
  struct Known {
    llvm::StringLiteral name;
    Algorithm algorithm;
  };
  using P = PrimitiveType;
  static constexpr Known kKnown[] = {
      {"dot_f16_f16_f32", {P::kF16, false, P::kF32}},
      {"dot_bf16_bf16_f32", {P::kBF16, false, P::kF32}},
      {"dot_bf16_bf16_f32_x3", {P::kBF16, false, P::kF32, 2, 3}},
      {"dot_bf16_bf16_f32_x6", {P::kBF16, false, P::kF32, 3, 6}},
      {"dot_bf16_bf16_f32_x9", {P::kBF16, false, P::kF32, 3, 9}},
      {"dot_tf32_tf32_f32", {P::kF32, true, P::kF32}},
      {"dot_tf32_tf32_f32_x3", {P::kF32, true, P::kF32, 2, 3}},
      {"dot_f32_f32_f32", {P::kF32, false, P::kF32}},
      {"dot_f64_f64_f64", {P::kF64, false, P::kF64}},
  };
  const auto* known = llvm::find_if(kKnown, [&](const Known& k) { return k.name == name; });
  if (known == std::end(kKnown)) return std::nullopt;
  return known->algorithm;
}

Shape InType(const Shape& shape, PrimitiveType type) {
  Shape other = shape;
  other.type = type;
  return other;
}

// Writes instructions in front of a dot.
class Writer {
 public:
  Writer(Computation& computation, size_t position, const Instruction& dot)
      : computation_(computation), position_(position), dot_(dot) {}

  Instruction* Op(Opcode opcode, Shape shape, std::vector<Instruction*> operands,
                  hlo::Attributes attributes = {}) {
    auto op = std::make_unique<Instruction>();
    op->name = NewName();
    op->opcode = opcode;
    op->opcode_text = hlo::Name(opcode).str();
    op->shape = std::move(shape);
    op->attributes = std::move(attributes);
    op->operands = std::move(operands);
    op->id = computation_.module->next_id++;
    op->parent = &computation_;
    op->location = dot_.location;
    for (Instruction* operand : op->operands) {
      if (!llvm::is_contained(operand->users, op.get())) operand->users.push_back(op.get());
    }
    Instruction* added = op.get();
    computation_.instructions.insert(
        computation_.instructions.begin() + static_cast<int64_t>(position_++), std::move(op));
    return added;
  }

  Instruction* Convert(Instruction* x, PrimitiveType type) {
    if (x->shape.type == type) return x;
    return Op(Opcode::kConvert, InType(x->shape, type), {x});
  }

  // x in the type, or in that with as many bits as TF32 has.
  Instruction* Round(Instruction* x, const Algorithm& algorithm) {
    Instruction* converted = Convert(x, algorithm.operands);
    if (!algorithm.is_tf32) return converted;
    hlo::Attributes bits;
    bits.exponent_bits = 8;
    bits.mantissa_bits = 10;
    return Op(Opcode::kReducePrecision, converted->shape, {converted}, std::move(bits));
  }

  std::vector<Instruction*> Parts(Instruction* x, const Algorithm& algorithm) {
    std::vector<Instruction*> parts = {Round(x, algorithm)};
    for (Instruction* rest = x; std::ssize(parts) < algorithm.parts;) {
      Instruction* taken = Convert(parts.back(), rest->shape.type);
      rest = Op(Opcode::kSubtract, rest->shape, {rest, taken});
      parts.push_back(Round(rest, algorithm));
    }
    return parts;
  }

  size_t position() const { return position_; }

 private:
  std::string NewName() {
    std::string name;
    do {
      name = dot_.name + "." + std::to_string(number_++);
    } while (computation_.Find(name) != nullptr);
    return name;
  }

  Computation& computation_;
  size_t position_;  // of the next instruction
  const Instruction& dot_;
  int64_t number_ = 0;
};

// An f32, whose parts are exact differences, or one part of any float.
bool HasParts(const Instruction& operand, const Algorithm& algorithm) {
  return operand.shape.IsArray() && hlo::IsFloat(operand.shape.type) &&
         (algorithm.parts == 1 || operand.shape.type == PrimitiveType::kF32);
}

// Gives the dot's place behind what is put in front of it.
size_t Expand(Computation& computation, size_t position, const Algorithm& algorithm) {
  Instruction& dot = *computation.instructions[position];
  Writer writer(computation, position, dot);
  hlo::Attributes plain = dot.attributes;
  NoteOrigin(plain, *plain.FindExtra("algorithm"));
  llvm::erase_if(plain.extra, [](const auto& entry) { return entry.first == "algorithm"; });
  // It says itself how operands are rounded: those of f32 are not. Of TF32 they are, once and
  // again.
  if (algorithm.operands == PrimitiveType::kF32 && !algorithm.is_tf32) {
    llvm::erase_if(plain.extra,
                   [](const auto& entry) { return entry.first == "operand_precision"; });
    plain.extra.emplace_back("operand_precision", "{highest,highest}");
  }
  Instruction *left = dot.operands[0], *right = dot.operands[1];
  const std::vector<Instruction*> of_left = writer.Parts(left, algorithm),
                                  of_right = writer.Parts(right, algorithm);
  // Parts i and j have a product of the order i + j.
  std::vector<std::pair<Instruction*, Instruction*>> products;
  for (int order = 2 * (algorithm.parts - 1); order >= 0; --order) {
    for (int i = algorithm.parts - 1; i >= 0; --i) {
      const int j = order - i;
      if (j >= 0 && j < algorithm.parts) products.emplace_back(of_left[i], of_right[j]);
    }
  }
  products.erase(products.begin(), products.end() - algorithm.products);
  const Shape sums = InType(dot.shape, algorithm.sums);
  std::vector<Instruction*> terms;
  for (const auto& [a, b] : products) {
    const bool is_all = products.size() == 1 && sums.type == dot.shape.type;
    if (!is_all) terms.push_back(writer.Op(Opcode::kDot, sums, {a, b}, plain));
  }
  for (Instruction* operand : dot.operands) llvm::erase(operand->users, &dot);
  if (terms.empty()) {
    dot.attributes = std::move(plain);
    dot.operands = {products[0].first, products[0].second};
  } else {
    Instruction* sum = terms[0];
    const bool ends_with_sum = terms.size() > 1 && sums.type == dot.shape.type;
    for (size_t k = 1; k + (ends_with_sum ? 1 : 0) < terms.size(); ++k) {
      sum = writer.Op(Opcode::kAdd, sums, {sum, terms[k]});
    }
    dot.opcode = ends_with_sum ? Opcode::kAdd : Opcode::kConvert;
    dot.opcode_text = hlo::Name(dot.opcode).str();
    dot.attributes = {};
    for (const auto& entry : plain.extra) {
      if (entry.first == "metadata" || entry.first == "sharding") {
        dot.attributes.extra.push_back(entry);
      }
    }
    dot.operands = {sum};
    if (ends_with_sum) dot.operands.push_back(terms.back());
  }
  for (Instruction* operand : dot.operands) {
    if (!llvm::is_contained(operand->users, &dot)) operand->users.push_back(&dot);
  }
  return writer.position();
}

}  // namespace

void UseTf32(hlo::Module& module) {
  for (const auto& computation : module.computations) {
    for (const auto& dot : computation->instructions) {
      const bool of_f32 =
          dot->opcode == Opcode::kDot && dot->operands.size() == 2 &&
          llvm::all_of(dot->operands, [](const Instruction* operand) {
            return operand->shape.IsArray() && operand->shape.type == PrimitiveType::kF32;
          });
      if (!of_f32 || dot->attributes.FindExtra("algorithm") != nullptr) continue;
      const std::string* precision = dot->attributes.FindExtra("operand_precision");
      if (precision != nullptr && llvm::StringRef(*precision).contains("high")) continue;
      dot->attributes.extra.emplace_back("algorithm", "dot_tf32_tf32_f32");
    }
  }
}

void ExpandDotAlgorithms(hlo::Module& module) {
  for (const auto& computation : module.computations) {
    for (size_t k = 0; k < computation->instructions.size(); ++k) {
      const Instruction& dot = *computation->instructions[k];
      const std::string* name = dot.attributes.FindExtra("algorithm");
      if (dot.opcode != Opcode::kDot || name == nullptr || dot.operands.size() != 2) continue;
      const std::optional<Algorithm> algorithm = AlgorithmOf(llvm::StringRef(*name).trim());
      if (!algorithm || !dot.shape.IsArray() || !hlo::IsFloat(dot.shape.type)) continue;
      if (!HasParts(*dot.operands[0], *algorithm) || !HasParts(*dot.operands[1], *algorithm)) {
        continue;
      }
      // A dot that stays unmodeled must not become a plain dot.
      Instruction plain = dot;
      llvm::erase_if(plain.attributes.extra, [](const auto& e) { return e.first == "algorithm"; });
      if (!hlo::UnmodeledAttribute(plain).empty()) continue;
      k = Expand(*computation, k, *algorithm);
    }
  }
}

}  // namespace affirm::calls
