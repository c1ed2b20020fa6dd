#include "verify/prover/loop_bodies.h"

#include <map>
#include <set>
#include <utility>

#include "core/hlo/leaves.h"

namespace affirm::prover {
namespace {

using hlo::Opcode;
constexpr int64_t kNothing = -1, kOther = -2;

const hlo::Computation* BodyOf(const hlo::Instruction& loop) {
  for (size_t k = 0; k < loop.called.size(); ++k) {
    if (loop.called_as[k] == "body") return loop.called[k];
  }
  return nullptr;
}

// The arrays of the parameter that an array of the body is made of: none, the one with this number
// at the same index, or others.
class Reach {
 public:
  int64_t Of(const hlo::Instruction& node, int64_t leaf) {
    auto [it, is_new] = known_.try_emplace({&node, leaf}, kOther);
    if (!is_new) return it->second;
    const int64_t reach = Find(node, leaf);
    return known_[{&node, leaf}] = reach;
  }
  // The instructions that were followed.
  const std::set<const hlo::Instruction*>& followed() const { return followed_; }

 private:
  int64_t Find(const hlo::Instruction& node, int64_t leaf) {
    if (node.opcode == Opcode::kConstant || node.opcode == Opcode::kIota) return kNothing;
    if (node.opcode == Opcode::kParameter) {
      followed_.insert(&node);
      return leaf;
    }
    if (node.opcode == Opcode::kGetTupleElement) {
      followed_.insert(&node);
      const hlo::Instruction& tuple = *node.operands[0];
      return Of(tuple, hlo::FirstLeafOfElement(tuple.shape, node.attributes.tuple_index) + leaf);
    }
    if (node.opcode == Opcode::kTuple) {
      followed_.insert(&node);
      for (const hlo::Instruction* operand : node.operands) {
        const int64_t leaves = hlo::NumLeaves(operand->shape);
        if (leaf < leaves) return Of(*operand, leaf);
        leaf -= leaves;
      }
      return kOther;
    }
    if (!hlo::IsElementwise(node.opcode)) return kOther;
    int64_t reach = kNothing;
    for (const hlo::Instruction* operand : node.operands) {
      const int64_t one = Of(*operand, 0);
      if (one == kNothing) continue;
      if (one == kOther || operand->shape.dims != node.shape.dims ||
          (reach != kNothing && reach != one))
        return kOther;
      reach = one;
    }
    followed_.insert(&node);
    return reach;
  }

  std::map<std::pair<const hlo::Instruction*, int64_t>, int64_t> known_;
  std::set<const hlo::Instruction*> followed_;
};

}  // namespace

bool IsKept(const hlo::Instruction& loop, int64_t leaf) {
  const hlo::Computation* body = BodyOf(loop);
  return body != nullptr && Reach().Of(*body->root, leaf) == leaf;
}

std::string BodyText(const hlo::Instruction& loop,
                     llvm::function_ref<std::string(const hlo::Instruction&)> line_of) {
  const hlo::Computation& body = *BodyOf(loop);
  Reach reach;
  for (int64_t leaf = 0; leaf < hlo::NumLeaves(loop.shape); ++leaf) reach.Of(*body.root, leaf);
  std::set<const hlo::Instruction*> shown = {body.root, body.parameters[0]};
  for (const hlo::Instruction* node : reach.followed())
    shown.insert(node->operands.begin(), node->operands.end());
  std::string text = "body " + body.name + "\n";
  for (const auto& line : body.instructions) {
    const bool is_followed =
        reach.followed().contains(line.get()) || line->opcode == Opcode::kParameter;
    if (is_followed || shown.contains(line.get()))
      text += (is_followed ? "op " : "array ") + line_of(*line) + "\n";
  }
  return text + "end body\n";
}

}  // namespace affirm::prover
