#include "verify/equivalence/product_precision.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "verify/equivalence/flatten.h"
#include "verify/equivalence/same_parts.h"
#include "verify/equivalence/same_structure.h"

namespace affirm::equivalence {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::PrimitiveType;

// How exact an operand of a product must be.
enum class Precision : uint8_t { kDefault, kHigh, kHighest };

// Of the two matrices of a product, one for each.
using Precisions = std::array<Precision, 2>;

// Whether it multiplies f32 matrices, or complex ones of f32.
bool IsProduct(const Instruction& op) {
  const bool multiplies = op.opcode == Opcode::kDot || op.opcode == Opcode::kConvolution ||
                          op.opcode == Opcode::kRaggedDot;
  if (!multiplies || op.operands.size() < 2) return false;
  return llvm::any_of(llvm::ArrayRef(op.operands).take_front(2), [](const Instruction* operand) {
    return operand->shape.type == PrimitiveType::kF32 || operand->shape.type == PrimitiveType::kC64;
  });
}

// nullopt for other instructions, and for products that round neither operand.
std::optional<Precisions> PrecisionsOf(const Instruction& op) {
  if (!IsProduct(op)) return std::nullopt;
  Precisions precisions = {Precision::kDefault, Precision::kDefault};
  llvm::SmallVector<llvm::StringRef> texts;
  if (const std::string* text = op.attributes.FindExtra("operand_precision"))
    llvm::StringRef(*text).trim(" {}").split(texts, ',');
  for (size_t k = 0; k < precisions.size(); ++k) {
    const llvm::StringRef text = k < texts.size() ? texts[k].trim() : "";
    if (text == "high") precisions[k] = Precision::kHigh;
    const PrimitiveType type = op.operands[k]->shape.type;
    const bool rounds = type == PrimitiveType::kF32 || type == PrimitiveType::kC64;
    if (text == "highest" || !rounds) precisions[k] = Precision::kHighest;
  }
  const bool exact = llvm::all_of(precisions, [](Precision p) { return p == Precision::kHighest; });
  return exact ? std::nullopt : std::optional(precisions);
}

// The products of the computation and of what it calls.
std::vector<const Instruction*> Products(const hlo::Computation& computation) {
  llvm::SetVector<const hlo::Computation*> reached;
  reached.insert(&computation);
  std::vector<const Instruction*> products;
  for (size_t i = 0; i < reached.size(); ++i) {
    for (const auto& op : reached[i]->instructions) {
      if (IsProduct(*op)) products.push_back(op.get());
      reached.insert(op->called.begin(), op->called.end());
    }
  }
  return products;
}

// The precisions in which a product is executed; nullopt: as exactly as can be.
using Choice = llvm::function_ref<std::optional<Precisions>(const Instruction&)>;

// Adds instructions to a computation in front of one that stays.
class Rounder {
 public:
  explicit Rounder(hlo::Computation& into) : into_(into) {}

  // An f32 or c64 with as many bits as the precision leaves it. `high` keeps more than `default`,
  // and fewer than f32 has.
  Instruction* Round(Instruction* operand, Precision precision) {
    hlo::Attributes bits;
    bits.exponent_bits = 8;
    bits.mantissa_bits = precision == Precision::kDefault ? 10 : 16;
    const hlo::Shape& shape = operand->shape;
    if (shape.type == PrimitiveType::kF32)
      return Op(Opcode::kReducePrecision, shape, {operand}, bits);
    hlo::Shape part = shape;
    part.type = PrimitiveType::kF32;
    std::vector<Instruction*> parts;
    for (Opcode of : {Opcode::kReal, Opcode::kImag})
      parts.push_back(Op(Opcode::kReducePrecision, part, {Op(of, part, {operand})}, bits));
    return Op(Opcode::kComplex, shape, parts);
  }

 private:
  Instruction* Op(Opcode opcode, const hlo::Shape& shape, std::vector<Instruction*> operands,
                  const hlo::Attributes& attributes = {}) {
    auto op = std::make_unique<Instruction>();
    op->name = "rounded." + std::to_string(into_.instructions.size());
    op->opcode = opcode;
    op->opcode_text = hlo::Name(opcode).str();
    op->shape = shape;
    op->attributes = attributes;
    op->operands = std::move(operands);
    return into_.Add(std::move(op));
  }

  hlo::Computation& into_;
};

// Rounds operands of the products of one computation.
void RoundProducts(hlo::Computation& computation, Choice choice) {
  std::vector<std::unique_ptr<Instruction>> given = std::move(computation.instructions);
  computation.instructions.clear();
  Rounder rounder(computation);
  for (std::unique_ptr<Instruction>& op : given) {
    const auto precisions = choice(*op);
    for (size_t k = 0; precisions && k < precisions->size(); ++k) {
      if ((*precisions)[k] == Precision::kHighest) continue;
      Instruction* operand = op->operands[k];
      op->operands[k] = rounder.Round(operand, (*precisions)[k]);
      if (!llvm::is_contained(op->operands, operand)) llvm::erase(operand->users, op.get());
      op->operands[k]->users.push_back(op.get());
    }
    computation.instructions.push_back(std::move(op));
  }
}

// The computation with its products executed so, and those of what it calls in their own
// precisions.
std::unique_ptr<hlo::Module> WithRoundings(const hlo::Computation& computation, Choice of_entry) {
  std::unique_ptr<hlo::Module> module = hlo::ModuleOf(computation);
  for (const auto& copy : module->computations) {
    const bool is_entry = copy.get() == module->entry;
    RoundProducts(*copy, is_entry ? of_entry : Choice(PrecisionsOf));
  }
  return module;
}

// Whether x of A and y of B have the same values for all arguments.
bool AreSame(const hlo::Computation& a, const Instruction& x, const hlo::Computation& b,
             const Instruction& y, const ProveOptions& options) {
  if (!x.shape.SameIgnoringLayout(y.shape)) return false;
  const auto of_a = UpTo(a, x), of_b = UpTo(b, y);
  return ProveEquivalent(*of_a, *of_b, options).proved();
}

// What the products of A (flattened) round as where each does what a product of B does that has the
// same operands, which is not less exact than it has to be; the others are exact.
std::vector<std::optional<Precisions>> LikeThoseOf(const hlo::Computation& b,
                                                   const hlo::Computation& a,
                                                   const ProveOptions& options) {
  const auto numbers = NumberSameParts(a, b);
  std::vector<std::optional<Precisions>> choices;
  for (const auto& op : a.instructions) {
    choices.emplace_back();
    const auto own = PrecisionsOf(*op);
    for (const auto& other : b.instructions) {
      const auto precisions = PrecisionsOf(*other);
      if (!own || !precisions || other->opcode != op->opcode || choices.back()) continue;
      const bool allowed = llvm::all_of(llvm::zip_equal(*own, *precisions), [](const auto& pair) {
        return std::get<0>(pair) <= std::get<1>(pair);
      });
      if (!allowed || op->operands.size() != other->operands.size()) continue;
      auto same = [&](const auto& pair) {
        const auto& [x, y] = pair;
        return numbers.lookup(x) == numbers.lookup(y) || AreSame(a, *x, b, *y, options);
      };
      if (llvm::all_of(llvm::zip_equal(op->operands, other->operands), same))
        choices.back() = precisions;
    }
  }
  return choices;
}

// Whether some product of B may round more than each of A.
bool RoundsMoreThanAll(const hlo::Computation& a, const hlo::Computation& b) {
  Precision most = Precision::kDefault;
  bool any = false;
  auto least = [](const Instruction& op) {
    const auto of = PrecisionsOf(op);
    return of ? std::min((*of)[0], (*of)[1]) : Precision::kHighest;
  };
  for (const Instruction* op : Products(a)) {
    most = std::max(most, least(*op));
    any = true;
  }
  if (!any) most = Precision::kHighest;
  return llvm::any_of(Products(b), [&](const Instruction* op) { return least(*op) < most; });
}

// Whether results that are proved of the products as exact as can be are so with roundings, too.
bool RoundsNoMore(const hlo::Computation& a, const hlo::Computation& b,
                  const ProveOptions& options) {
  const auto of_b = WithRoundings(b, PrecisionsOf);
  auto prove = [&](const std::unique_ptr<hlo::Module>& of_a) {
    return ProveEquivalent(*of_a->entry, *of_b->entry, options);
  };
  const EquivalenceProof all = prove(WithRoundings(a, PrecisionsOf));
  if (all.proved()) return true;
  const EquivalenceProof exact = ProveEquivalent(a, b, options);
  // A result that is not proved is executed, with products that do not round.
  if (!exact.proved() && RoundsMoreThanAll(a, b)) return false;
  auto covers = [&](const EquivalenceProof& proof) {
    return llvm::all_of(llvm::zip_equal(exact.results, proof.results), [](const auto& pair) {
      return !std::get<0>(pair).proved || std::get<1>(pair).proved;
    });
  };
  if (covers(all)) return true;
  const std::unique_ptr<hlo::Computation> flat_a = Flattened(a), flat_b = Flattened(b);
  const auto choices = LikeThoseOf(*flat_b, *flat_a, options);
  // Copies have their instructions in the same order.
  size_t next = 0;
  return covers(prove(WithRoundings(*flat_a, [&](const Instruction&) { return choices[next++]; })));
}

}  // namespace

bool MayRoundOperands(const Instruction& op) { return PrecisionsOf(op).has_value(); }

std::string LessPrecise(const hlo::Computation& a, const hlo::Computation& b,
                        const ProveOptions& options) {
  for (const Instruction* op : Products(b)) {
    if (!PrecisionsOf(*op)) continue;
    if (SameStructure(a, b) || RoundsNoMore(a, b, options)) return "";
    return op->opcode_text + " " + op->name + " of B, that it may round more";
  }
  return "";
}

}  // namespace affirm::equivalence
