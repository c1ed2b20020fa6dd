#include "verify/equivalence/same_structure.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/hlo/attribute_roles.h"
#include "core/hlo/tiles.h"
#include "core/hlo/trip_claim.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"

namespace affirm::equivalence {

using hlo::Instruction;
using hlo::Opcode;

namespace {

bool DependsOnLayout(const Instruction& op) {
  switch (op.opcode) {
    case Opcode::kBitcast:
    case Opcode::kBitcastConvert:
    case Opcode::kCustomCall:
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kUnknown:
      return true;
    case Opcode::kRecv:
    case Opcode::kRecvDone:
    case Opcode::kSend: {
      // A host hands on bytes, in the layout that it was told.
      const std::string* of_host = op.attributes.FindExtra("is_host_transfer");
      return of_host != nullptr && *of_host == "true";
    }
    default:
      return false;
  }
}

bool SameShape(const hlo::Shape& a, const hlo::Shape& b, bool with_layout) {
  if (!with_layout) return a.ToString(false) == b.ToString(false);
  if (a.tuple.size() != b.tuple.size()) return false;
  for (size_t i = 0; i < a.tuple.size(); ++i) {
    if (!SameShape(a.tuple[i], b.tuple[i], true)) return false;
  }
  return a.ToString(false) == b.ToString(false) && (!a.IsArray() || hlo::LieAlike(a, b));
}

using Extra = std::map<std::string, std::string>;

// The textual attributes that affect semantics.
Extra ExtraWithMeaning(const Instruction& op) {
  Extra extra;
  for (const auto& [key, text] : op.attributes.extra) {
    if (hlo::RoleOf(op, key) != hlo::AttributeRole::kNote) extra.emplace(key, text);
  }
  if (op.opcode == Opcode::kWhile) extra.emplace("backend_config", hlo::TripClaim(op));
  return extra;
}

// SPMDFullToShardShape gives each device the shard of its operand, by the operand's sharding.
bool ShardsOperand(const Instruction& op) {
  return op.opcode == Opcode::kCustomCall &&
         op.attributes.custom_call_target == "SPMDFullToShardShape";
}

std::string ShardingOf(const Instruction& op) {
  const std::string* text = op.attributes.FindExtra("sharding");
  return text == nullptr ? "" : *text;
}

// Pairs the instructions of two graphs, from the results to the parameters.
class Pairing {
 public:
  bool Same(const hlo::Computation& a, const hlo::Computation& b) {
    auto [known, added] = computations_.try_emplace(&a, &b);
    if (!added) return known->second == &b;
    return a.parameters.size() == b.parameters.size() && SameGraph(*a.root, *b.root);
  }

 private:
  bool SameOperation(const Instruction& a, const Instruction& b) {
    if (!SameAttributes(a, b)) return false;
    for (size_t k = 0; k < a.called.size(); ++k) {
      if (!Same(*a.called[k], *b.called[k])) return false;
    }
    return true;
  }

  // Uses an explicit stack: a graph may be a single chain.
  bool SameGraph(const Instruction& a, const Instruction& b) {
    std::vector<std::pair<const Instruction*, const Instruction*>> open = {{&a, &b}};
    while (!open.empty()) {
      auto [x, y] = open.back();
      open.pop_back();
      auto [of_x, new_x] = forth_.try_emplace(x, y);
      auto [of_y, new_y] = back_.try_emplace(y, x);
      if (of_x->second != y || of_y->second != x) return false;
      if (!new_x) continue;
      if (!SameOperation(*x, *y)) return false;
      for (size_t k = 0; k < x->operands.size(); ++k)
        open.emplace_back(x->operands[k], y->operands[k]);
    }
    return true;
  }

  llvm::DenseMap<const Instruction*, const Instruction*> forth_, back_;
  llvm::DenseMap<const hlo::Computation*, const hlo::Computation*> computations_;
};

}  // namespace

bool SameStructure(const hlo::Computation& a, const hlo::Computation& b) {
  return Pairing().Same(a, b);
}

bool SameInOrder(const hlo::Computation& a, const hlo::Computation& b) {
  if (&a == &b) return true;
  if (a.instructions.size() != b.instructions.size()) return false;
  llvm::DenseMap<const Instruction*, const Instruction*> of_b;
  for (const auto& [x, y] : llvm::zip_equal(a.instructions, b.instructions)) {
    if (!SameAttributes(*x, *y) || !SameShape(x->shape, y->shape, true)) return false;
    for (const auto& [to_x, to_y] : llvm::zip_equal(x->operands, y->operands)) {
      if (of_b.lookup(to_x) != to_y) return false;
    }
    for (const auto& [of_x, of_y] : llvm::zip_equal(x->called, y->called)) {
      if (!SameInOrder(*of_x, *of_y)) return false;
    }
    of_b[x.get()] = y.get();
  }
  return of_b.lookup(a.root) == b.root;
}

// Hashes the attributes that distinguish most instructions with equal operands.
uint64_t HashOfAttributes(const Instruction& op) {
  const hlo::Attributes& of = op.attributes;
  llvm::hash_code hash =
      llvm::hash_combine(op.opcode, op.shape.type, op.parameter_number, of.tuple_index);
  for (const hlo::SliceDimension& of_dim : of.slice)
    hash = llvm::hash_combine(hash, of_dim.start, of_dim.limit);
  if (op.opcode == Opcode::kConstant && op.literal)
    hash = llvm::hash_combine(hash, llvm::xxh3_64bits(op.literal->bytes()));
  return static_cast<size_t>(hash);
}

bool SameAttributes(const Instruction& a, const Instruction& b) {
  const bool with_layout = DependsOnLayout(a);
  if (a.opcode != b.opcode || a.operands.size() != b.operands.size() ||
      a.called.size() != b.called.size() || a.parameter_number != b.parameter_number ||
      a.called_as != b.called_as || !SameShape(a.shape, b.shape, with_layout)) {
    return false;
  }
  if (a.opcode == Opcode::kUnknown && a.opcode_text != b.opcode_text) return false;
  hlo::Attributes of_a = a.attributes, of_b = b.attributes;
  if (ExtraWithMeaning(a) != ExtraWithMeaning(b)) return false;
  of_a.extra.clear();
  of_b.extra.clear();
  of_a.fusion_kind = of_b.fusion_kind = "";
  if (!(of_a == of_b)) return false;
  if (a.opcode == Opcode::kConstant && (!a.literal || !b.literal || !(*a.literal == *b.literal)))
    return false;
  // A call with layout constraints gets these layouts, for any layouts of its operands.
  const bool constrained = a.opcode == Opcode::kCustomCall &&
                           a.attributes.FindExtra("operand_layout_constraints") != nullptr;
  for (size_t k = 0; ShardsOperand(a) && k < a.operands.size(); ++k) {
    if (ShardingOf(*a.operands[k]) != ShardingOf(*b.operands[k])) return false;
  }
  for (size_t k = 0; with_layout && !constrained && k < a.operands.size(); ++k) {
    if (!SameShape(a.operands[k]->shape, b.operands[k]->shape, true)) return false;
  }
  return true;
}

bool SameBesideShapes(const Instruction& a, const Instruction& b) {
  const auto of_a = hlo::CopyOf(a), of_b = hlo::CopyOf(b);
  of_b->shape = of_a->shape;
  return a.operands.size() == b.operands.size() && SameAttributes(*of_a, *of_b);
}

}  // namespace affirm::equivalence
