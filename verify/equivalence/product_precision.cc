#include "verify/equivalence/product_precision.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/hlo/operand_precision.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "verify/equivalence/flatten.h"
#include "verify/equivalence/merge_layers.h"
#include "verify/equivalence/same_parts.h"
#include "verify/equivalence/same_structure.h"
#include "verify/hlo/values/rounding_choice.h"

namespace affirm::equivalence {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::PrimitiveType;
using Precision = hlo::OperandPrecision;

// One for each operand of a product.
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

// The mantissa bits that an f32 keeps in default precision: those of TF32.
constexpr int kBitsOfDefault = 10;

// Whether each element was a float of at most 16 bits, which default precision preserves.
bool HasFewBits(const Instruction& operand) {
  const Instruction* value = &operand;
  while (value->opcode == Opcode::kBitcast || value->opcode == Opcode::kBroadcast ||
         value->opcode == Opcode::kCopy || value->opcode == Opcode::kReshape ||
         value->opcode == Opcode::kSlice || value->opcode == Opcode::kTranspose) {
    if (value->operands[0]->shape.type != operand.shape.type) return false;
    value = value->operands[0];
  }
  if (value->opcode != Opcode::kConvert) return false;
  const PrimitiveType from = value->operands[0]->shape.type;
  return hlo::IsFloat(from) && hlo::BitWidth(from) <= 16;
}

// nullopt for other instructions, and for products that round neither operand.
std::optional<Precisions> PrecisionsOf(const Instruction& op) {
  if (!IsProduct(op)) return std::nullopt;
  Precisions precisions = {Precision::kDefault, Precision::kDefault};
  for (size_t k = 0; k < precisions.size(); ++k) {
    precisions[k] = hlo::PrecisionOf(op, static_cast<int64_t>(k));
    const PrimitiveType type = op.operands[k]->shape.type;
    const bool rounds = type == PrimitiveType::kF32 || type == PrimitiveType::kC64;
    if (!rounds || HasFewBits(*op.operands[k])) precisions[k] = Precision::kHighest;
  }
  const bool exact = llvm::all_of(precisions, [](Precision p) { return p == Precision::kHighest; });
  return exact ? std::nullopt : std::optional(precisions);
}

// The products in the computation and its callees.
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

// A product that may round its operands.
struct Site {
  const Instruction* product = nullptr;
  Precisions precisions = {};
};

// The sites of a module made by ModuleOf, in order.
std::vector<Site> SitesOf(const hlo::Module& module) {
  std::vector<Site> sites;
  for (const auto& computation : module.computations) {
    for (const auto& op : computation->instructions) {
      if (const auto precisions = PrecisionsOf(*op)) sites.push_back({op.get(), *precisions});
    }
  }
  return sites;
}

// How a product rounds its operands: by its precisions, or by an arbitrary function with this
// number.
struct Rounding {
  Precisions precisions = {};
  std::optional<size_t> choice = std::nullopt;
};
// By site; nullopt: no rounding.
using Roundings = std::vector<std::optional<Rounding>>;

// Inserts rounding instructions.
class Rounder {
 public:
  explicit Rounder(hlo::Computation& into) : into_(into) {}

  // Rounds an f32 or c64 to the bits of the precision; `high` has more than `default`, and fewer
  // than f32.
  Instruction* Round(Instruction* operand, Precision precision, std::optional<size_t> choice) {
    hlo::Attributes bits;
    bits.exponent_bits = 8;
    bits.mantissa_bits = precision == Precision::kDefault ? kBitsOfDefault : 16;
    if (choice) bits.extra.emplace_back(hlo_values::kRoundingChoice.str(), std::to_string(*choice));
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

// Rounds operands of the products of one computation; `next` gives the rounding of each site.
void RoundProducts(hlo::Computation& computation,
                   llvm::function_ref<std::optional<Rounding>()> next) {
  std::vector<std::unique_ptr<Instruction>> given = std::move(computation.instructions);
  computation.instructions.clear();
  Rounder rounder(computation);
  for (std::unique_ptr<Instruction>& op : given) {
    const auto rounding = PrecisionsOf(*op) ? next() : std::nullopt;
    for (size_t k = 0; rounding && k < rounding->precisions.size(); ++k) {
      if (rounding->precisions[k] == Precision::kHighest) continue;
      Instruction* operand = op->operands[k];
      op->operands[k] = rounder.Round(operand, rounding->precisions[k], rounding->choice);
      if (!llvm::is_contained(op->operands, operand)) llvm::erase(operand->users, op.get());
      op->operands[k]->users.push_back(op.get());
    }
    computation.instructions.push_back(std::move(op));
  }
}

// A copy of the computation and its callees with these roundings of their products.
std::unique_ptr<hlo::Module> WithRoundings(const hlo::Computation& computation,
                                           const Roundings& roundings) {
  std::unique_ptr<hlo::Module> module = hlo::ModuleOf(computation);
  size_t site = 0;
  for (const auto& copy : module->computations)
    RoundProducts(*copy, [&] { return roundings[site++]; });
  return module;
}

// Whether x of A and y of B are proved equal.
bool AreSame(const hlo::Computation& a, const Instruction& x, const hlo::Computation& b,
             const Instruction& y, const ProveOptions& options) {
  if (!x.shape.SameIgnoringLayout(y.shape)) return false;
  const auto of_a = UpTo(a, x), of_b = UpTo(b, y);
  return ProveEquivalent(*of_a, *of_b, options).proved();
}

// Pairs each product of A with a product of B whose rounding it may share, in modules that ModuleOf
// made of flattened computations. The pairing is a guess: the proof is sound for any pairing that
// respects the precisions of A.
class ProductPairs {
 public:
  ProductPairs(const hlo::Module& a, const hlo::Module& b, const ProveOptions& options)
      : a_(*a.entry),
        b_(*b.entry),
        options_(options),
        numbers_(NumberSameParts(a_, b_)),
        of_a_(SitesOf(a)),
        of_b_(SitesOf(b)) {}

  std::vector<std::optional<size_t>> Find() const {
    std::vector<std::optional<size_t>> found;
    std::vector<bool> is_taken(of_b_.size(), false);
    for (size_t j = 0; j < of_a_.size(); ++j) {
      found.emplace_back();
      for (auto is_one :
           {&ProductPairs::HaveOneForm, &ProductPairs::HaveOperands, &ProductPairs::HaveOneName,
            &ProductPairs::HaveOneShape, &ProductPairs::HaveOnePlace}) {
        std::optional<size_t> taken;
        for (size_t k = 0; k < of_b_.size() && !found.back(); ++k) {
          if (!IsAllowed(j, k) || !(this->*is_one)(j, k)) continue;
          (is_taken[k] ? taken : found.back()) = k;
        }
        if (!found.back()) found.back() = taken;
      }
      if (found.back()) is_taken[*found.back()] = true;
    }
    return found;
  }

 private:
  bool IsAllowed(size_t j, size_t k) const {
    const Instruction &x = *of_a_[j].product, &y = *of_b_[k].product;
    const auto pairs = llvm::zip_equal(of_a_[j].precisions, of_b_[k].precisions);
    return x.opcode == y.opcode && x.operands.size() == y.operands.size() &&
           (x.parent == &a_) == (y.parent == &b_) && llvm::all_of(pairs, [](const auto& pair) {
             return std::get<0>(pair) <= std::get<1>(pair);
           });
  }
  // Only instructions of the entries have numbers.
  bool AreSameParts(const Instruction& x, const Instruction& y) const {
    const auto of_x = numbers_.find(&x), of_y = numbers_.find(&y);
    return of_x != numbers_.end() && of_y != numbers_.end() && of_x->second == of_y->second;
  }
  bool HaveOneForm(size_t j, size_t k) const {
    return AreSameParts(*of_a_[j].product, *of_b_[k].product);
  }
  bool HaveOperands(size_t j, size_t k) const {
    const Instruction &x = *of_a_[j].product, &y = *of_b_[k].product;
    return x.parent == &a_ &&
           llvm::all_of(llvm::zip_equal(x.operands, y.operands), [&](const auto& pair) {
             const auto& [of_x, of_y] = pair;
             return AreSameParts(*of_x, *of_y) || AreSame(a_, *of_x, b_, *of_y, options_);
           });
  }
  bool HaveOneName(size_t j, size_t k) const {
    return of_a_[j].product->name == of_b_[k].product->name;
  }
  bool HaveOneShape(size_t j, size_t k) const {
    const Instruction &x = *of_a_[j].product, &y = *of_b_[k].product;
    return x.shape.SameIgnoringLayout(y.shape) &&
           llvm::all_of(llvm::zip_equal(x.operands, y.operands), [](const auto& pair) {
             return std::get<0>(pair)->shape.SameIgnoringLayout(std::get<1>(pair)->shape);
           });
  }
  bool HaveOnePlace(size_t j, size_t k) const { return of_a_.size() == of_b_.size() && j == k; }

  const hlo::Computation &a_, &b_;
  const ProveOptions& options_;
  const llvm::DenseMap<const Instruction*, int64_t> numbers_;
  const std::vector<Site> of_a_, of_b_;
};

// Whether some product of B may round more than all of A.
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

// Proves results, which are equal without roundings, equal for all roundings of B's products: for
// each of these there are allowed roundings of A.
class RoundingProof {
 public:
  // `exact` is the proof without roundings.
  RoundingProof(const hlo::Computation& a, const hlo::Computation& b, const EquivalenceProof& exact,
                const ProveOptions& options)
      : options_(options),
        flat_a_(Flattened(a)),
        flat_b_(Flattened(b)),
        of_a_(hlo::ModuleOf(*flat_a_)),
        of_b_(hlo::ModuleOf(*flat_b_)),
        exact_(exact) {}

  bool Prove() {
    constexpr size_t kMostWithAll = 3;  // most products for which all combinations are tried
    sites_ = SitesOf(*of_b_);
    pairs_ = ProductPairs(*of_a_, *of_b_, options_).Find();
    if (HoldsOpen()) return true;
    if (sites_.size() > kMostWithAll) return false;
    for (uint64_t made = 1; made < uint64_t{1} << sites_.size(); ++made) {
      if (!HoldsWith(made, /*all_of_a=*/false) && !HoldsWith(made, /*all_of_a=*/true)) return false;
    }
    return true;
  }

 private:
  // Proves with arbitrary rounding functions in B, and the same ones in paired products of A.
  bool HoldsOpen() const {
    Roundings of_a, of_b;
    for (size_t k = 0; k < sites_.size(); ++k) of_b.emplace_back(Rounding{sites_[k].precisions, k});
    for (const std::optional<size_t>& k : pairs_)
      of_a.push_back(k ? of_b[*k] : std::optional<Rounding>());
    return Holds(of_a, of_b);
  }

  // Proves with the products of B rounding whose bit is set in `made`, and with their partners in
  // A, or all of A.
  bool HoldsWith(uint64_t made, bool all_of_a) const {
    Roundings of_a, of_b;
    for (size_t k = 0; k < sites_.size(); ++k) {
      const bool rounds = (made >> k & 1) != 0;
      of_b.push_back(rounds ? std::optional(Rounding{sites_[k].precisions}) : std::nullopt);
    }
    if (all_of_a) {
      for (const Site& site : SitesOf(*of_a_)) of_a.emplace_back(Rounding{site.precisions});
    } else {
      for (const std::optional<size_t>& k : pairs_)
        of_a.push_back(k ? of_b[*k] : std::optional<Rounding>());
    }
    return Holds(of_a, of_b);
  }

  bool Holds(const Roundings& of_a, const Roundings& of_b) const {
    const auto a = WithRoundings(*flat_a_, of_a), b = WithRoundings(*flat_b_, of_b);
    const EquivalenceProof proof = ProveEquivalent(*a->entry, *b->entry, options_);
    return llvm::all_of(llvm::zip_equal(exact_.results, proof.results), [](const auto& pair) {
      return !std::get<0>(pair).proved || std::get<1>(pair).proved;
    });
  }

  const ProveOptions& options_;
  const std::unique_ptr<hlo::Computation> flat_a_, flat_b_;
  const std::unique_ptr<hlo::Module> of_a_, of_b_;
  const EquivalenceProof& exact_;
  std::vector<Site> sites_;                   // sites of B
  std::vector<std::optional<size_t>> pairs_;  // site of A -> site of B
};

// A copy with the proved elements of the result alone; null if the result is not a tuple of arrays.
std::unique_ptr<hlo::Computation> WithProvedResults(const hlo::Computation& computation,
                                                    const EquivalenceProof& proof) {
  auto flat = Flattened(computation);
  const bool of_arrays =
      flat->root->opcode == Opcode::kTuple &&
      llvm::all_of(flat->root->operands, [](const auto* op) { return op->shape.IsArray(); });
  if (!of_arrays) return nullptr;
  std::vector<Instruction*> results;
  for (const ResultProof& result : proof.results) {
    if (result.proved) results.push_back(flat->root->operands[static_cast<size_t>(result.leaf)]);
  }
  flat->root = LayerBuilder(*flat).Tuple(results);
  return Flattened(*flat);
}

// As RoundingProof for proved results. For the others, whether no product of B may round more than
// all of A.
bool RoundsNoMore(const hlo::Computation& a, const hlo::Computation& b,
                  const EquivalenceProof& exact, const ProveOptions& options) {
  if (exact.proved()) return RoundingProof(a, b, exact, options).Prove();
  // Results that are not proved are executed, and the interpreter's products do not round.
  if (RoundsMoreThanAll(a, b)) return false;
  if (!exact.any_proved()) return true;
  const auto part_of_a = WithProvedResults(a, exact), part_of_b = WithProvedResults(b, exact);
  if (!part_of_a || !part_of_b) return RoundingProof(a, b, exact, options).Prove();
  EquivalenceProof of_part;
  for (const ResultProof& result : exact.results) {
    if (result.proved)
      of_part.results.push_back({.leaf = std::ssize(of_part.results), .proved = true});
  }
  return RoundingProof(*part_of_a, *part_of_b, of_part, options).Prove();
}

}  // namespace

bool MayRoundOperands(const Instruction& op) { return PrecisionsOf(op).has_value(); }

std::string LessPrecise(const hlo::Computation& a, const hlo::Computation& b,
                        const EquivalenceProof& exact, const ProveOptions& options) {
  for (const Instruction* op : Products(b)) {
    if (!PrecisionsOf(*op)) continue;
    if (SameStructure(a, b) || RoundsNoMore(a, b, exact, options)) return "";
    return op->opcode_text + " " + op->name + " of B, that it may round more";
  }
  return "";
}

}  // namespace affirm::equivalence
