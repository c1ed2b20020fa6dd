#include "verify/prover/certify_reads.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/prover/called_nodes.h"
#include "verify/prover/hlo_accesses.h"
#include "verify/prover/inclusion.h"
#include "verify/prover/loop_bodies.h"

namespace affirm {
namespace {

using prover::Access;
using prover::CalledNodes;
using prover::Node;
using prover::NodeOperand;
using prover::Producer;
using prover::View;

constexpr size_t kMostPaths = 200;  // most_paths of the checker

llvm::Error None(const llvm::Twine& why) { return MakeError("no certificate: " + why); }

// The nodes on the ways from `reader` to `source`, operands first.
class Program {
 public:
  explicit Program(const ReadsClaim& claim)
      : reader_{nullptr, claim.reader, claim.reader_leaf},
        source_{nullptr, claim.source, claim.source_leaf},
        directly_(claim.directly) {
    Visit(reader_);
    if (!needs_.contains(source_)) Visit(source_);
    // Lines have all operands, and all leaves of their result.
    std::set<const hlo::Instruction*> shown = {claim.reader, claim.source};
    for (const Node& node : nodes_) {
      if (!Reads(node)) continue;
      computed_.insert(node.instruction);
      if (node.call != nullptr) continue;
      shown.insert(node.instruction);
      shown.insert(node.instruction->operands.begin(), node.instruction->operands.end());
    }
    AddLines(claim, shown);
  }

  const Node& reader() const { return reader_; }
  const Node& source() const { return source_; }
  llvm::ArrayRef<Node> nodes() const { return nodes_; }
  // The instructions of the certificate, in the order of their computation.
  llvm::ArrayRef<const hlo::Instruction*> lines() const { return lines_; }
  bool IsComputed(const hlo::Instruction* line) const { return computed_.contains(line); }
  // Does the node read the source, through its operands?
  bool Reads(const Node& node) const { return !(node == source_) && needs_.at(node); }
  const std::vector<NodeOperand>& OperandsOf(const Node& node) const { return operands_.at(node); }

 private:
  bool Visit(const Node& node) {
    if (auto known = needs_.find(node); known != needs_.end()) return known->second;
    bool needs = node == source_;
    if (!needs && (!directly_ || node == reader_ || node.call != nullptr)) {
      operands_[node] = called_.OperandsOf(node);
      for (const NodeOperand& operand : OperandsOf(node)) needs |= Visit(operand.node);
    }
    nodes_.push_back(node);
    return needs_[node] = needs;
  }
  void AddLines(const ReadsClaim& claim, const std::set<const hlo::Instruction*>& shown) {
    std::set<const hlo::Instruction*> added;
    // Operands stand before their users.
    std::function<void(const hlo::Instruction*)> add = [&](const hlo::Instruction* line) {
      if (!shown.contains(line) || !added.insert(line).second) return;
      if (IsComputed(line)) {
        for (const hlo::Instruction* operand : line->operands) add(operand);
      }
      lines_.push_back(line);
    };
    add(claim.reader);
    add(claim.source);
  }

  const Node reader_, source_;
  const bool directly_;
  CalledNodes called_;
  std::vector<Node> nodes_;
  std::map<Node, bool> needs_;
  std::map<Node, std::vector<NodeOperand>> operands_;
  std::set<const hlo::Instruction*> computed_;
  std::vector<const hlo::Instruction*> lines_;
};

// The elements that an op of a call takes are of the arrays that the call has.
void NameProducers(const Node& op, std::optional<std::vector<Access>>& steps) {
  if (!steps) return;
  for (Access& step : *steps) {
    for (Producer& p : step.producers) {
      const Node from = CalledNodes::Resolve({op.call, p.from, 0});
      p.name = (from.call != nullptr ? from.call->prefix : "") + from.name();
    }
  }
}

// The maps from `reader` to `source`, as the checker composes them.
llvm::Expected<std::vector<Access>> MapsOf(const Program& program, Context& context) {
  std::map<Node, std::vector<Access>> maps;
  for (const Node& node : program.nodes()) {
    std::vector<Access>& own = maps[node];
    if (node == program.source()) own.push_back(prover::IdentityOf(node.shape(), context));
    if (!program.Reads(node)) continue;
    const hlo::Instruction& op = *node.instruction;
    for (const auto& [operand, number] : program.OperandsOf(node)) {
      const std::vector<Access>& rest = maps[operand];
      if (rest.empty()) continue;
      std::optional<std::vector<Access>> steps;
      if (!number) {
        steps = {prover::IdentityOf(node.shape(), context)};
      } else if (op.opcode == hlo::Opcode::kConditional || !op.operands[*number]->shape.IsTuple()) {
        steps = prover::AccessesOfOperand(op, node.shape(), *number, context);
        NameProducers(node, steps);
      }
      if (!steps)
        return None("affirm-check has no meaning of " + op.opcode_text + ", in '" + op.name + "'");
      for (const Access& step : *steps) {
        for (const Access& then : rest) own.push_back(prover::Compose(step, then, context));
      }
    }
    if (own.size() > kMostPaths)
      return None("too many ways lead to '" + program.source().name() + "'");
  }
  return std::move(maps[program.reader()]);
}

bool IsOfDims(const Producer& p) {
  return llvm::all_of(p.index, [](SymbolicExpr e) {
    bool uses_dims_alone = true;
    e.Walk([&](SymbolicExpr part) {
      uses_dims_alone &= !part.IsVariable() || part.var_kind() == VarKind::kDim;
    });
    return uses_dims_alone;
  });
}

// The runtime variables of all maps, each once; nullopt where one is no clamped element at an index
// by the dims alone.
std::optional<std::vector<Producer>> KnownOf(llvm::ArrayRef<Access> maps) {
  std::vector<Producer> known;
  for (const Access& m : maps) {
    for (const Producer& p : m.producers) {
      if (!p.limit || !IsOfDims(p)) return std::nullopt;
      if (!llvm::is_contained(known, p)) known.push_back(p);
    }
  }
  return known;
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
  std::string text = "runtime " + p.name + " (";
  for (size_t i = 0; i < p.index.size(); ++i) text += (i ? ", " : "") + p.index[i].ToString();
  return text + ") in [0, " + std::to_string(*p.limit) + "]\n";
}

// The computations that are called on the way, each before those that call it.
class Sections {
 public:
  Sections(const Program& program, llvm::function_ref<std::string(const hlo::Instruction&)> line_of)
      : program_(program), line_of_(line_of) {}

  const std::string& text() const { return text_; }
  // Whether a computation has two texts.
  bool differ() const { return differ_; }
  void AddCalledBy(const hlo::Instruction& line) {
    using hlo::Opcode;
    if (!program_.IsComputed(&line)) return;
    if (line.opcode == Opcode::kWhile) {
      const std::string body = prover::BodyText(line, line_of_);
      Add(body.substr(0, body.find('\n')), body);
    } else if (line.opcode == Opcode::kCall || line.opcode == Opcode::kFusion ||
               line.opcode == Opcode::kConditional) {
      for (const hlo::Computation* called : line.called) AddCalled(*called);
    }
  }

 private:
  void AddCalled(const hlo::Computation& called) {
    std::set<const hlo::Instruction*> shown = {called.root};
    for (const auto& line : called.instructions) {
      if (!program_.IsComputed(line.get())) continue;
      AddCalledBy(*line);
      shown.insert(line.get());
      shown.insert(line->operands.begin(), line->operands.end());
    }
    const std::string first = "body " + called.name;
    std::string body = first + "\n";
    for (const auto& line : called.instructions) {
      if (!shown.contains(line.get())) continue;
      const bool is_op = program_.IsComputed(line.get()) || line->opcode == hlo::Opcode::kParameter;
      body += (is_op ? "op " : "array ") + line_of_(*line) + "\n";
    }
    Add(first, body + "end body\n");
  }
  void Add(const std::string& first, const std::string& body) {
    const auto [known, is_new] = known_.try_emplace(first, body);
    if (is_new) text_ += body;
    differ_ |= known->second != body;
  }

  const Program& program_;
  llvm::function_ref<std::string(const hlo::Instruction&)> line_of_;
  std::map<std::string, std::string> known_;
  std::string text_;
  bool differ_ = false;
};

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
  for (const Node& end : {Node{nullptr, claim.reader, claim.reader_leaf},
                          Node{nullptr, claim.source, claim.source_leaf}}) {
    if (!end.shape().IsArray()) return None("only arrays are read");
  }
  Context* context = nullptr;
  for (const IndexingMap& map : claim.maps) {
    if (map.IsUndefined()) return None("an undefined map has none");
    context = map.context();
  }
  Context own;
  if (!context) context = &own;
  const Program program(claim);
  auto read = MapsOf(program, *context);
  if (!read) return read.takeError();

  std::string text = std::string("affirm certificate 2\nclaim reads ") +
                     (claim.exact ? "exact " : "at-most ") + program.source().name() + " by " +
                     program.reader().name() + "\n";
  Sections sections(program, line_of);
  for (const hlo::Instruction* line : program.lines()) sections.AddCalledBy(*line);
  if (sections.differ()) return None("a computation is called, and the body of a loop");
  text += sections.text();
  for (const hlo::Instruction* line : program.lines())
    text += (program.IsComputed(line) ? "op " : "array ") + line_of(*line) + "\n";
  std::vector<View> said, reads;
  std::vector<Producer> known;
  const bool has_runtime =
      llvm::any_of(claim.maps, [](const IndexingMap& m) { return !m.runtime().empty(); });
  if (claim.exact || has_runtime) {
    auto all = KnownOf(*read);
    if (!all) return None("a runtime variable depends on more than the index of the result");
    known = std::move(*all);
    for (const Access& access : *read) reads.push_back(prover::Align(access, known, *context));
  } else {
    for (const Access& access : *read) reads.push_back(prover::Forget(access, *context));
  }
  for (const Producer& p : known) text += RuntimeLine(p);
  for (const IndexingMap& map : claim.maps) {
    if (map.IsKnownEmpty()) continue;
    auto padded = WithKnown(map, known);
    if (!padded) return None("a runtime variable is not what the instructions read");
    said.push_back(prover::ViewOf(*padded));
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
