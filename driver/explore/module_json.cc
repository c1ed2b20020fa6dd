#include "driver/explore/module_json.h"

#include <map>

#include "core/analysis/indexing.h"
#include "core/hlo/leaves.h"
#include "core/hlo/text.h"
#include "driver/explore/compositions_json.h"
#include "driver/explore/graph_layout.h"
#include "driver/explore/map_json.h"
#include "driver/json_text.h"

namespace affirm::driver {

using llvm::json::Array;
using llvm::json::Object;

namespace {

constexpr size_t kMostText = 800;           // of an instruction
constexpr size_t kMostOpName = 400;         // bytes
constexpr int64_t kMostArrays = 64;         // of a tuple, of which maps are listed
constexpr int64_t kMostInstructions = 400;  // of a computation whose compositions are shown

std::string Shortened(std::string text) {
  if (text.size() > kMostText) text = text.substr(0, kMostText) + " ...";
  return JsonText(text);
}

// The op_name of the instruction's metadata, `metadata={op_type="dot" op_name="jit(f)/layer/dot"}`;
// empty if it has none or a longer one than kMostOpName.
std::string OpName(const hlo::Instruction& op) {
  const std::string* metadata = op.attributes.FindExtra("metadata");
  if (metadata == nullptr) return "";
  std::string key, value;
  for (size_t k = 0; k < metadata->size(); ++k) {
    const char c = (*metadata)[k];
    if (c != '"') {
      key += c;
      continue;
    }
    value.clear();
    for (++k; k < metadata->size() && (*metadata)[k] != '"'; ++k) {
      if ((*metadata)[k] == '\\' && k + 1 < metadata->size()) ++k;
      value += (*metadata)[k];
    }
    const llvm::StringRef name = llvm::StringRef(key).rtrim();
    if (name.ends_with("op_name=")) return value.size() <= kMostOpName ? value : "";
    key.clear();
  }
  return "";
}

Object ProofJson(const Proof& proof) {
  Object json{{"verdict", affirm::Name(proof.verdict)}};
  if (!proof.engine.empty()) json["engine"] = proof.engine;
  if (!proof.detail.empty()) json["detail"] = JsonText(proof.detail);
  return json;
}

// The verdicts of the report on the instructions, by their names.
class Verdicts {
 public:
  explicit Verdicts(const ModuleReport* report) {
    if (!report) return;
    for (const MapCheck& check : report->maps) {
      Object json = ProofJson(check.proof);
      json["output"] = check.output;
      json["operand"] = check.operand;
      maps_[{check.computation, check.instruction}].push_back(std::move(json));
    }
    for (const ComposedCheck& check : report->composed) composed_[check.fusion].push_back(&check);
    for (const LedgerRow& row : report->ledger) {
      if (row.kind == LedgerRow::Kind::kInstruction) ledger_[{row.computation, row.name}] = &row;
    }
  }

  // Compositions are named by their fusion alone, and fusions that the check makes by their
  // computation: where a name is not of one fusion alone, nothing is said to be proved.
  void Count(const hlo::Module& module) {
    for (const auto& computation : module.computations) {
      ++named_[computation->name];
      for (const auto& op : computation->instructions) ++named_[op->name];
    }
  }

  Array ProofsOf(const hlo::Instruction& op) {
    Array proofs;
    if (auto found = maps_.find({op.parent->name, op.name}); found != maps_.end())
      proofs = std::move(found->second);
    if (op.opcode != hlo::Opcode::kFusion || named_[op.name] != 1) return proofs;
    for (const ComposedCheck* check : composed_[op.name]) {
      Object json = ProofJson(check->semantics);
      json["output"] = check->output;
      json["operand"] = check->operand;
      json["composition"] = ProofJson(check->composition);
      if (check->input_to_output.exactness != Exactness::kUnknown)
        json["input_to_output"] = ProofJson(check->input_to_output.semantics);
      proofs.push_back(std::move(json));
    }
    return proofs;
  }

  const LedgerRow* RowOf(const hlo::Instruction& op) const {
    auto found = ledger_.find({op.parent->name, op.name});
    return found == ledger_.end() ? nullptr : found->second;
  }

 private:
  using Key = std::pair<std::string, std::string>;  // computation, instruction
  std::map<Key, Array> maps_;
  std::map<std::string, std::vector<const ComposedCheck*>> composed_;
  std::map<Key, const LedgerRow*> ledger_;
  std::map<std::string, int64_t> named_;  // how many instructions have a name
};

class ModuleWriter {
 public:
  ModuleWriter(const hlo::Module& module, const ModuleReport* report)
      : module_(module), verdicts_(report) {
    verdicts_.Count(module);
    for (const auto& computation : module.computations)
      numbers_.try_emplace(computation.get(), static_cast<int64_t>(numbers_.size()));
  }

  llvm::Expected<Object> Write(llvm::function_ref<void(const std::string&)> progress) {
    Array computations;
    for (const auto& computation : module_.computations) {
      progress("maps of " + computation->name);
      auto json = ComputationJson(*computation);
      if (!json) return json.takeError();
      computations.push_back(std::move(*json));
    }
    return Object{{"name", JsonText(module_.name)},
                  {"computations", std::move(computations)},
                  {"maps", maps_.Take()}};
  }

 private:
  llvm::Expected<Object> ComputationJson(const hlo::Computation& computation) {
    auto graph = LayOut(computation);
    if (!graph) return graph.takeError();
    Array instructions;
    for (const auto& op : computation.instructions) instructions.push_back(InstructionJson(*op));
    Object json{{"name", JsonText(computation.name)},
                {"entry", computation.is_entry},
                {"root", computation.root->id},
                {"graph", std::move(*graph)},
                {"instructions", std::move(instructions)}};
    // Larger computations show no compositions, which would take long.
    if (std::ssize(computation.instructions) <= kMostInstructions) {
      Array outputs;
      const int64_t leaves = std::min(NumLeaves(computation.root->shape), kMostArrays);
      for (int64_t leaf = 0; leaf < leaves; ++leaf) {
        Context context;
        outputs.push_back(CompositionsJson(computation, leaf, context, maps_, compositions_));
      }
      json["compositions"] = std::move(outputs);
    }
    return json;
  }

  Object InstructionJson(const hlo::Instruction& op) {
    Array operands, arrays, called;
    for (const hlo::Instruction* operand : op.operands) operands.push_back(operand->id);
    for (const hlo::LeafRef& leaf : Leaves(op.shape)) {
      if (std::ssize(arrays) == kMostArrays) break;
      Object array{{"shape", JsonText(leaf.shape->ToString())}};
      if (leaf.shape->IsArray() && !leaf.shape->HasUnboundedSize())
        array["dims"] = Array(leaf.shape->dims);
      arrays.push_back(std::move(array));
    }
    for (const hlo::Computation* computation : op.called)
      called.push_back(numbers_.lookup(computation));
    Object json{{"id", op.id},
                {"name", JsonText(op.name)},
                {"opcode", JsonText(op.opcode_text)},
                {"text", Shortened(hlo::ToString(op))},
                {"line", op.location.line},
                {"operands", std::move(operands)},
                {"arrays", std::move(arrays)}};
    if (!called.empty()) json["called"] = std::move(called);
    if (std::string name = OpName(op); !name.empty()) json["op_name"] = JsonText(name);
    Array proofs = verdicts_.ProofsOf(op);
    if (!proofs.empty()) json["proofs"] = std::move(proofs);
    if (const LedgerRow* row = verdicts_.RowOf(op)) {
      Object ledger{{"value", driver::Name(row->value)}, {"covered", row->IsCovered()}};
      if (row->map) ledger["map"] = affirm::Name(*row->map);
      if (!row->by.empty()) ledger["by"] = JsonText(row->by);
      if (!row->why.empty()) ledger["why"] = JsonText(row->why);
      json["ledger"] = std::move(ledger);
    }
    if (op.opcode != hlo::Opcode::kParameter && op.opcode != hlo::Opcode::kConstant)
      AddMaps(op, json);
    return json;
  }

  void AddMaps(const hlo::Instruction& op, Object& json) {
    Array output_to_input, input_to_output;
    for (int64_t leaf = 0; leaf < std::min(NumLeaves(op.shape), kMostArrays); ++leaf) {
      Context context;
      output_to_input.push_back(MapsJson(OutputToInput(op, leaf, context)));
    }
    for (size_t k = 0; k < op.operands.size() && std::ssize(input_to_output) < kMostArrays; ++k) {
      Context context;
      input_to_output.push_back(MapsJson(InputToOutput(op, static_cast<int64_t>(k), context)));
    }
    json["output_to_input"] = std::move(output_to_input);
    json["input_to_output"] = std::move(input_to_output);
  }

  Array MapsJson(const InstructionIndexing& indexing) {
    Array lists;
    for (const std::vector<LabeledMap>& list : indexing.maps) {
      Array maps;
      for (const LabeledMap& labeled : list) {
        Object one{{"map", maps_.Add(labeled.map)}, {"exactness", affirm::Name(labeled.exactness)}};
        if (labeled.leaf != 0) one["leaf"] = labeled.leaf;
        if (labeled.replica_id) one["replica"] = JsonText(labeled.replica_id->ToString());
        maps.push_back(std::move(one));
      }
      lists.push_back(std::move(maps));
    }
    return lists;
  }

  const hlo::Module& module_;
  Verdicts verdicts_;
  MapPool maps_;
  CompositionBudget compositions_;
  llvm::DenseMap<const hlo::Computation*, int64_t> numbers_;
};

}  // namespace

llvm::Expected<Object> ModuleJson(const hlo::Module& module, const ModuleReport* report,
                                  llvm::function_ref<void(const std::string&)> progress) {
  return ModuleWriter(module, report).Write(progress);
}

}  // namespace affirm::driver
