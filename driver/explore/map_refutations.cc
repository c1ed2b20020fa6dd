#include "driver/explore/map_refutations.h"

#include <map>
#include <utility>

#include "core/hlo/leaves.h"
#include "driver/json_text.h"

namespace affirm::driver {

using llvm::json::Array;
using llvm::json::Object;

namespace {

// An array of an instruction.
struct NamedArray {
  const hlo::Instruction* op;
  const hlo::Shape* shape;  // null: none that can be drawn
};

NamedArray ArrayOf(const hlo::Instruction& op, int64_t leaf) {
  const hlo::Shape* shape = hlo::LeafShape(op.shape, leaf);
  const bool drawn = shape != nullptr && shape->IsArray() && !shape->HasUnboundedSize();
  return {&op, drawn ? shape : nullptr};
}

bool IsInside(llvm::ArrayRef<int64_t> index, llvm::ArrayRef<int64_t> dims) {
  if (index.size() != dims.size()) return false;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (index[d] < 0 || index[d] >= dims[d]) return false;
  }
  return true;
}

Array IndicesJson(const Proof::Difference::Indices& indices) {
  Array json;
  for (const std::vector<int64_t>& index : indices) json.push_back(Array(index));
  return json;
}

class Refutations {
 public:
  Refutations(const hlo::Module& module, Array& json) : json_(json) {
    for (const auto& computation : module.computations) {
      for (const auto& op : computation->instructions) {
        ops_[{computation->name, op->name}] = op.get();
        auto [known, is_new] = fusions_.try_emplace(op->name, op.get());
        if (!is_new) known->second = nullptr;  // not the name of one alone
      }
    }
  }

  void Add(const MapCheck& check) {
    const auto found = ops_.find({check.computation, check.instruction});
    if (found == ops_.end()) return;
    Add("map", *found->second, check.output, check.operand, check.maps, check.proof, false);
  }

  void Add(const ComposedCheck& check) {
    const auto found = fusions_.find(check.fusion);
    if (found == fusions_.end() || found->second == nullptr) return;
    const hlo::Instruction& op = *found->second;
    Add("access-relation", op, check.output, check.operand, check.maps, check.semantics, false);
    Add("access-relation", op, check.output, check.operand, check.input_to_output.maps,
        check.input_to_output.semantics, true);
  }

 private:
  // `forward`: maps from the operand to the result.
  void Add(llvm::StringRef claim, const hlo::Instruction& op, int64_t output, int64_t operand,
           const std::vector<std::string>& maps, const Proof& proof, bool forward) {
    if (proof.verdict != Verdict::kRefuted) return;
    if (operand < 0 || operand >= std::ssize(op.operands)) return;
    const hlo::Instruction& read = *op.operands[operand];
    Array texts;
    for (const std::string& map : maps) texts.push_back(JsonText(map));
    Object json{{"claim", claim},
                {"reason", JsonText(forward ? "'" + read.name + "' goes into '" + op.name + "'"
                                            : "'" + op.name + "' reads '" + read.name + "'")},
                {"instruction", op.id},
                {"maps", std::move(texts)},
                {"detail", JsonText(proof.detail)}};
    NamedArray from = ArrayOf(op, output), to = ArrayOf(read, 0);
    if (forward) std::swap(from, to);
    if (proof.difference && hlo::NumLeaves(read.shape) == 1)
      Draw(*proof.difference, from, to, json);
    json_.push_back(std::move(json));
  }

  static void Draw(const Proof::Difference& difference, const NamedArray& from,
                   const NamedArray& to, Object& json) {
    if (from.shape == nullptr || to.shape == nullptr) return;
    if (!IsInside(difference.at, from.shape->dims)) return;
    int64_t element = 0;
    for (size_t d = 0; d < difference.at.size(); ++d)
      element = element * from.shape->dims[d] + difference.at[d];
    auto array = [](const NamedArray& of) {
      return Object{{"array", JsonText(of.op->name)},
                    {"shape", JsonText(of.shape->ToString())},
                    {"dims", Array(of.shape->dims)}};
    };
    Object at = array(from);
    at["element"] = element;
    json["from"] = std::move(at);
    json["to"] = array(to);
    json["wanted"] = IndicesJson(difference.wanted);
    json["given"] = IndicesJson(difference.given);
    json["all_wanted"] = difference.all_wanted;
    json["all_given"] = difference.all_given;
  }

  Array& json_;
  std::map<std::pair<std::string, std::string>, const hlo::Instruction*> ops_;
  std::map<std::string, const hlo::Instruction*> fusions_;  // by name
};

}  // namespace

void AddMapRefutations(const hlo::Module& module, const ModuleReport& report, Array& refutations) {
  Refutations all(module, refutations);
  for (const MapCheck& check : report.maps) all.Add(check);
  for (const ComposedCheck& check : report.composed) all.Add(check);
}

}  // namespace affirm::driver
