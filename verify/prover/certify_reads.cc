#include "verify/prover/certify_reads.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "verify/prover/hlo_accesses.h"
#include "verify/prover/inclusion.h"

namespace affirm {
namespace {

using prover::Access;
using prover::Producer;
using prover::View;

constexpr size_t kMostPaths = 200;  // most_paths of the checker

llvm::Error None(const llvm::Twine& why) { return MakeError("no certificate: " + why); }

// The instructions on the ways from `reader` to `source`, with their operands, operands first.
class Program {
 public:
  explicit Program(const ReadsClaim& claim) : claim_(claim) {
    Visit(*claim.reader);
    if (!needs_.contains(claim.source)) Visit(*claim.source);
    llvm::SmallPtrSet<const hlo::Instruction*, 8> shown = {claim.reader, claim.source};
    for (const hlo::Instruction* node : nodes_) {
      if (Reads(node)) shown.insert(node->operands.begin(), node->operands.end());
    }
    llvm::erase_if(nodes_, [&](const hlo::Instruction* node) {
      return !Reads(node) && !shown.contains(node);
    });
  }

  llvm::ArrayRef<const hlo::Instruction*> nodes() const { return nodes_; }
  // Does the node read the source, through its operands?
  bool Reads(const hlo::Instruction* node) const {
    return node != claim_.source && needs_.at(node);
  }

 private:
  bool Visit(const hlo::Instruction& node) {
    if (auto known = needs_.find(&node); known != needs_.end()) return known->second;
    bool needs = &node == claim_.source;
    if (claim_.directly && &node != claim_.reader) {
      nodes_.push_back(&node);
      return needs_[&node] = needs;
    }
    if (!needs) {
      for (const hlo::Instruction* operand : node.operands) needs |= Visit(*operand);
    }
    nodes_.push_back(&node);
    return needs_[&node] = needs;
  }

  const ReadsClaim& claim_;
  std::vector<const hlo::Instruction*> nodes_;
  std::map<const hlo::Instruction*, bool> needs_;
};

// The maps from `reader` to `source`, as the checker composes them.
llvm::Expected<std::vector<Access>> MapsOf(const Program& program, const ReadsClaim& claim,
                                           Context& context) {
  std::map<const hlo::Instruction*, std::vector<Access>> maps;
  for (const hlo::Instruction* node : program.nodes()) {
    std::vector<Access>& own = maps[node];
    if (node == claim.source) own.push_back(prover::IdentityOf(node->shape, context));
    if (!program.Reads(node)) continue;
    if (!node->shape.IsArray()) return None("'" + node->name + "' is no array");
    for (size_t k = 0; k < node->operands.size(); ++k) {
      const std::vector<Access>& rest = maps[node->operands[k]];
      if (rest.empty()) continue;
      auto steps = prover::AccessesOfOperand(*node, k, context);
      if (!steps)
        return None("affirm-check has no meaning of " + node->opcode_text + ", in '" + node->name +
                    "'");
      for (const Access& step : *steps) {
        for (const Access& then : rest) own.push_back(prover::Compose(step, then, context));
      }
    }
    if (own.size() > kMostPaths) return None("too many ways lead to '" + claim.source->name + "'");
  }
  return std::move(maps[claim.reader]);
}

// Are the runtime variables of all maps the same elements, by the dims alone?
bool AreKnown(llvm::ArrayRef<Access> maps) {
  for (const Access& m : maps) {
    if (m.producers != maps.front().producers) return false;
    for (const Producer& p : m.producers) {
      if (!p.limit) return false;
      for (SymbolicExpr e : p.index) {
        bool uses_dims_alone = true;
        e.Walk([&](SymbolicExpr part) {
          uses_dims_alone &= !part.IsVariable() || part.var_kind() == VarKind::kDim;
        });
        if (!uses_dims_alone) return false;
      }
    }
  }
  return true;
}

// Which of `known` is this runtime variable?
std::optional<int64_t> FindProducer(const Variable& v, llvm::ArrayRef<Producer> known) {
  if (!v.source) return std::nullopt;
  for (size_t i = 0; i < known.size(); ++i) {
    const bool same_index = v.source->map
                                ? v.source->map->results() == llvm::ArrayRef(known[i].index)
                                : known[i].index.empty();
    if (v.source->producer == known[i].from->id && same_index &&
        v.source->clamp == Interval{0, *known[i].limit})
      return static_cast<int64_t>(i);
  }
  return std::nullopt;
}

// The map with all of `known` as its runtime variables.
std::optional<IndexingMap> WithKnown(const IndexingMap& map, llvm::ArrayRef<Producer> known) {
  Context& context = *map.context();
  std::vector<Variable> runtime;
  for (const Producer& p : known)
    runtime.push_back({.bounds = {0, *p.limit}, .name = {}, .source = {}});
  std::vector<SymbolicExpr> places;
  for (const Variable& v : map.runtime()) {
    auto place = FindProducer(v, known);
    if (!place) return std::nullopt;
    places.push_back(context.Variable(VarKind::kRuntime, *place));
    runtime[*place].bounds = v.bounds;
  }
  const auto moved = [&](VarKind kind, int64_t i) {
    return kind == VarKind::kRuntime ? places[i] : SymbolicExpr();
  };
  std::vector<SymbolicExpr> results;
  for (SymbolicExpr e : map.results()) results.push_back(e.Substitute(moved));
  std::vector<Constraint> constraints;
  for (const Constraint& c : map.constraints())
    constraints.push_back({c.expr.Substitute(moved), c.bounds});
  return IndexingMap(context, results, map.dims(), map.ranges(), std::move(runtime), constraints);
}

std::string RuntimeLine(const Producer& p) {
  std::string text = "runtime " + p.from->name + " (";
  for (size_t i = 0; i < p.index.size(); ++i) text += (i ? ", " : "") + p.index[i].ToString();
  return text + ") in [0, " + std::to_string(*p.limit) + "]\n";
}

// Evidence that each of `from` lies inside one of `to`; empty where one was not shown.
std::optional<std::string> ProveAll(llvm::ArrayRef<View> from, llvm::ArrayRef<View> to,
                                    Context& context) {
  std::string text;
  for (const View& one : from) {
    std::string evidence = prover::ProveInclusion(one, to, context);
    if (evidence.empty()) return std::nullopt;
    text += evidence;
  }
  return text;
}

}  // namespace

llvm::Expected<std::string> CertifyReads(
    const ReadsClaim& claim, llvm::function_ref<std::string(const hlo::Instruction&)> line_of) {
  if (!claim.reader->shape.IsArray() || !claim.source->shape.IsArray())
    return None("only arrays are read");
  Context* context = nullptr;
  for (const IndexingMap& map : claim.maps) {
    if (map.IsUndefined()) return None("an undefined map has none");
    context = map.context();
  }
  Context own;
  if (!context) context = &own;
  const Program program(claim);
  auto read = MapsOf(program, claim, *context);
  if (!read) return read.takeError();

  std::string text = std::string("affirm certificate 2\nclaim reads ") +
                     (claim.exact ? "exact " : "at-most ") + claim.source->name + " by " +
                     claim.reader->name + "\n";
  for (const hlo::Instruction* node : program.nodes()) {
    text += (program.Reads(node) ? "op " : "array ") + line_of(*node) + "\n";
  }
  std::vector<View> said, reads;
  std::vector<Producer> known;
  const bool has_runtime =
      llvm::any_of(claim.maps, [](const IndexingMap& m) { return !m.runtime().empty(); });
  if (claim.exact || has_runtime) {
    if (!AreKnown(*read)) return None("runtime variables differ between the ways");
    if (!read->empty()) known = read->front().producers;
    for (const Access& access : *read) reads.push_back(access.map);
  } else {
    for (const Access& access : *read) reads.push_back(prover::Forget(access, *context));
  }
  for (const Producer& p : known) text += RuntimeLine(p);
  for (const IndexingMap& map : claim.maps) {
    if (map.IsKnownEmpty()) continue;
    auto padded = WithKnown(map, known);
    if (!padded) return None("a runtime variable is not what the instructions read");
    said.push_back(ViewOf(*padded));
    text += "map " + prover::PlainText(*padded) + "\n";
  }
  if (claim.exact) {
    auto evidence = ProveAll(said, reads, *context);
    if (!evidence) return None("found no proof that all of the maps is read");
    text += *evidence;
  }
  auto evidence = ProveAll(reads, said, *context);
  if (!evidence) return None("found no proof that the maps have all that is read");
  return text + *evidence + "end\n";
}

}  // namespace affirm
