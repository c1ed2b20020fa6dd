#include "tests/certificate/twin/program.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "tests/certificate/twin/rejection.h"

namespace twin {
namespace {

constexpr size_t kMostNodes = 5000;

}  // namespace

// An instruction other than a parameter, before its nodes are made.
struct Program::Call {
  const Instruction& line;
  std::string_view op;
  std::vector<const Instruction*> operands;
  Attributes attributes;
  const Bodies& bodies;

  const Type& type() const { return line.type; }
  // The one word of an attribute.
  std::string_view Word(std::string_view key) const {
    const auto at = attributes.find(key);
    Expect(at != attributes.end() && at->second.size() == 1, "expected an attribute of one word");
    return at->second[0];
  }
  const Program& Computation(std::string_view name) const {
    const auto at = bodies.find(WithoutPercent(name));
    Expect(at != bodies.end(), "there is no such computation before");
    return at->second;
  }
};

Instruction Program::Start(HloWords& words, std::string_view line) {
  words.Takes("ROOT");
  Instruction instruction;
  instruction.name = words.ReadName();
  words.ExpectWord("=");
  instruction.type = words.ReadType();
  if (line.starts_with("ROOT ")) roots_.push_back(instruction.name);
  return instruction;
}

const Instruction& Program::At(std::string_view name) const {
  const auto at = lines_.find(name);
  Expect(at != lines_.end(), "there is no such instruction before");
  return at->second;
}

bool Program::IsOpen(const Instruction& line) const {
  const auto begin = nodes_.begin() + static_cast<std::ptrdiff_t>(line.first);
  return std::any_of(begin, begin + static_cast<std::ptrdiff_t>(line.type.Arrays().size()),
                     [](const Node& node) { return node.is_open; });
}

void Program::AddNode(Node node, std::string name) {
  Expect(nodes_.size() < kMostNodes, "there are too many instructions");
  for (size_t operand : node.operands) node.is_open = node.is_open || nodes_[operand].is_open;
  nodes_.push_back(std::move(node));
  names_.push_back(std::move(name));
}

void Program::Add(Instruction line, std::vector<Node> nodes) {
  line.first = nodes_.size();
  for (size_t k = 0; k < nodes.size(); ++k)
    AddNode(std::move(nodes[k]),
            line.type.is_tuple ? line.name + "{" + std::to_string(k) + "}" : line.name);
  const std::string name = line.name;
  Expect(lines_.try_emplace(name, std::move(line)).second, "an instruction is defined twice");
}

void Program::AddArray(std::string_view text) {
  HloWords words(text);
  Instruction line = Start(words, text);
  std::vector<Node> nodes;
  for (const ArrayType& array : line.type.Arrays()) nodes.push_back({.sizes = array.sizes});
  if (!nodes.empty()) nodes[0].is_constant = words.Peek() == "constant" || words.Peek() == "iota";
  Add(std::move(line), std::move(nodes));
}

void Program::AddParameter(Instruction line, HloWords& words) {
  words.ExpectWord("(");
  const Integer number = ReadSmallInteger(words.Next());
  Expect(number >= 0 && number <= 1000, "expected the number of a parameter");
  words.ExpectWord(")");
  for (const auto& parameter : parameters_)
    Expect(parameter.first != number, "a parameter is given twice");
  parameters_.emplace_back(number, line.name);
  std::vector<Node> nodes;
  for (const ArrayType& array : line.type.Arrays()) nodes.push_back({.sizes = array.sizes});
  Add(std::move(line), std::move(nodes));
}

void Program::AddInstruction(std::string_view text, const Bodies& bodies, bool in_body) {
  HloWords words(text);
  Instruction line = Start(words, text);
  const std::string_view op = words.Next();
  if (in_body && op == "parameter") return AddParameter(std::move(line), words);
  words.ExpectWord("(");
  std::vector<const Instruction*> operands;
  if (!words.Takes(")")) {
    do {
      std::optional<Type> stated;
      if (words.Peek() == "(" || words.Peek(1) == "[") stated = words.ReadType();
      operands.push_back(&At(words.ReadName()));
      Expect(!stated || stated->HasSizesOf(operands.back()->type), "an operand has another type");
    } while (words.Takes(","));
    words.ExpectWord(")");
  }
  Attributes attributes = ReadAttributes(words, op == "call" ? "to_apply" : "");
  std::vector<Node> nodes = Meaning({line, op, operands, std::move(attributes), bodies});
  Add(std::move(line), std::move(nodes));
}

size_t Program::Find(std::string_view name) const {
  size_t node = nodes_.size();
  const size_t brace = name.find('{');
  if (name.find('/') != name.npos) {
    for (size_t k = 0; k < names_.size(); ++k)
      if (names_[k] == name) node = k;
  } else if (brace == name.npos) {
    const Instruction& line = At(name);
    Expect(!line.type.is_tuple, "expected an array");
    node = line.first;
  } else {
    Expect(name.ends_with('}'), "expected an array as 't{1}'");
    const Integer part = ReadPlainInteger(name.substr(brace + 1, name.size() - brace - 2));
    const Instruction& line = At(name.substr(0, brace));
    Expect(line.type.is_tuple && 0 <= part && part < line.type.Arrays().size(),
           "expected an array as 't{1}'");
    node = line.first + part.get_ui();
  }
  Expect(node < nodes_.size(), "there is no such array");
  Expect(!nodes_[node].is_open, "what an array reads is not stated");
  return node;
}

// ---- Meanings ----

// Nodes that forward the arrays of the nodes from `first` on.
std::vector<Node> Program::SameAs(size_t first, const Type& type) {
  std::vector<Node> nodes;
  for (const ArrayType& array : type.Arrays())
    nodes.push_back({.is_given = false, .operands = {first + nodes.size()}, .sizes = array.sizes});
  return nodes;
}

std::vector<Node> Program::Meaning(const Call& call) {
  if (call.op == "while") return Loop(call);
  if (call.op == "call" || call.op == "fusion") return CalledOnce(call);
  if (call.op == "conditional") return Conditional(call);
  if (call.op == "tuple") return TupleOf(call);
  if (call.op == "get-tuple-element") return PartOf(call);
  return Computed(call);
}

std::vector<Node> Program::TupleOf(const Call& call) const {
  const std::vector<Type>& parts = call.type().parts;
  Expect(call.type().is_tuple && parts.size() == call.operands.size() && call.attributes.empty(),
         "a tuple has the types of its operands and no attributes");
  std::vector<Node> nodes;
  for (size_t k = 0; k < parts.size(); ++k) {
    const Instruction& operand = *call.operands[k];
    Expect(parts[k].HasSizesOf(operand.type), "an element of a tuple has another type");
    for (Node& node : SameAs(operand.first, operand.type)) nodes.push_back(std::move(node));
  }
  return nodes;
}

std::vector<Node> Program::PartOf(const Call& call) const {
  Expect(call.operands.size() == 1 && call.attributes.size() == 1, "expected a tuple and an index");
  const Instruction& tuple = *call.operands[0];
  const Integer index = ReadSmallInteger(call.Word("index"));
  Expect(index >= 0 && index < tuple.type.parts.size(), "a tuple has no such element");
  size_t first = tuple.first;
  for (size_t k = 0; k < index.get_ui(); ++k) first += tuple.type.parts[k].Arrays().size();
  Expect(tuple.type.parts[index.get_ui()].HasSizesOf(call.type()), "an element has another type");
  return SameAs(first, call.type());
}

// The number of results of an op that has a tuple as its result.
size_t ResultsOf(std::string_view op, size_t operands) {
  if (op == "reduce" || op == "reduce-window") return operands / 2;
  if (op == "sort") return operands;
  if (op == "topk" || op == "rng-bit-generator") return 2;
  if (op == "scatter" && operands > 0) return (operands - 1) / 2;
  Refuse("an op with a tuple as its result has no meaning");
}

std::vector<Node> Program::Computed(const Call& call) const {
  std::vector<ArrayType> types;
  std::vector<size_t> operands;
  for (const Instruction* operand : call.operands) {
    Expect(!operand->type.is_tuple, "an operand is a tuple");
    Expect(!IsOpen(*operand), "what an operand reads is not stated");
    types.push_back(operand->type.array);
    operands.push_back(operand->first);
  }
  const std::vector<ArrayType> results = call.type().Arrays();
  Expect(!results.empty(), "an instruction has no result");
  if (call.type().is_tuple)
    Expect(results.size() == ResultsOf(call.op, operands.size()), "expected other results");
  std::vector<Node> nodes;
  nodes.reserve(results.size());
  for (const ArrayType& out : results)
    nodes.push_back({.is_given = false,
                     .op = ReadOp(call.op, call.attributes, types, out),
                     .operands = operands,
                     .sizes = out.sizes});
  return nodes;
}

// ---- Computations that are called ----

const Instruction& Program::Root() const {
  Expect(roots_.size() == 1, "expected one ROOT in a computation");
  return At(roots_[0]);
}

size_t Program::Inline(const std::string& prefix, const Program& body,
                       const std::vector<const Instruction*>& operands, const Type& type) {
  const Instruction& root = body.Root();
  Expect(root.type.Is(type), "the result of a computation has another type than its call");
  std::vector<std::optional<size_t>> places(body.nodes_.size());
  for (const auto& [number, name] : body.parameters_) {
    const Instruction& parameter = body.At(name);
    Expect(number < operands.size(), "a parameter has no operand");
    const Instruction& operand = *operands[number.get_ui()];
    Expect(operand.type.Is(parameter.type), "a parameter has another type than its operand");
    for (size_t k = 0; k < parameter.type.Arrays().size(); ++k)
      places[parameter.first + k] = operand.first + k;
  }
  for (size_t k = 0; k < places.size(); ++k) {
    if (places[k]) continue;
    places[k] = nodes_.size();
    Node node = body.nodes_[k];
    for (size_t& operand : node.operands) operand = *places[operand];
    AddNode(std::move(node), prefix + body.names_[k]);
  }
  return root.type.Arrays().empty() ? 0 : *places[root.first];
}

std::vector<Node> Program::CalledOnce(const Call& call) {
  const std::string_view key = call.op == "call" ? "to_apply" : "calls";
  const bool has_kind = call.op == "fusion" && call.attributes.contains("kind");
  Expect(call.attributes.size() == (has_kind ? 2 : 1), "expected the computation that is called");
  const Program& body = call.Computation(call.Word(key));
  return SameAs(Inline(call.line.name + "/", body, call.operands, call.type()), call.type());
}

std::vector<Node> Program::Conditional(const Call& call) {
  Words branches;
  const bool of_predicate = !call.attributes.contains("branch_computations");
  if (of_predicate) {
    branches = {call.Word("true_computation"), call.Word("false_computation")};
  } else {
    branches = ItemsOf(call.attributes.at("branch_computations"));
  }
  Expect(call.attributes.size() == (of_predicate ? 2 : 1) &&
             call.operands.size() == branches.size() + 1,
         "expected branches and an operand for each");
  const Instruction& selector = *call.operands[0];
  Expect(!selector.type.is_tuple && selector.type.array.sizes.empty() &&
             selector.type.array.element == (of_predicate ? "pred" : "s32"),
         "a selector does not fit its branches");
  std::vector<size_t> roots;
  roots.reserve(branches.size());
  for (size_t k = 0; k < branches.size(); ++k)
    roots.push_back(Inline(call.line.name + "/" + std::to_string(k) + "/",
                           call.Computation(branches[k]), {call.operands[k + 1]}, call.type()));
  std::vector<Node> nodes;
  for (const ArrayType& out : call.type().Arrays()) {
    Node node = {.is_given = false, .operands = {selector.first}, .sizes = out.sizes};
    node.op.kind = Kind::kConditional;
    node.op.of_predicate = of_predicate;
    for (size_t root : roots) node.operands.push_back(root + nodes.size());
    nodes.push_back(std::move(node));
  }
  return nodes;
}

// ---- Loops ----

std::vector<Program::Reach> Program::Reaches() const {
  const Instruction& parameter = At(parameters_[0].second);
  const size_t count = parameter.type.Arrays().size();
  std::vector<Reach> reaches;
  for (size_t k = 0; k < nodes_.size(); ++k) {
    const Node& node = nodes_[k];
    Reach reach;
    if (node.is_open || (!node.is_given && node.op.kind != Kind::kElementwise)) {
      reach.kind = Reach::kOther;
    } else if (node.is_given && parameter.first <= k && k < parameter.first + count) {
      reach = {Reach::kOwn, k - parameter.first};
    } else if (node.is_given) {
      reach.kind = node.is_constant ? Reach::kNothing : Reach::kOther;
    }
    for (size_t operand : node.operands) {
      Reach other = reaches[operand];
      if (other.kind == Reach::kOwn && nodes_[operand].sizes != node.sizes)
        other.kind = Reach::kOther;
      const bool are_one =
          reach.kind == Reach::kOwn && other.kind == Reach::kOwn && reach.own == other.own;
      if (reach.kind == Reach::kNothing) {
        reach = other;
      } else if (other.kind != Reach::kNothing && !are_one) {
        reach.kind = Reach::kOther;
      }
    }
    reaches.push_back(reach);
  }
  return reaches;
}

// If the body computes an array from the same array alone, at the same index, the array after any
// number of trips depends on its initial value at that index. Nothing is stated of other arrays.
std::vector<Node> Program::Loop(const Call& call) {
  Expect(call.operands.size() == 1 && call.operands[0]->type.HasSizesOf(call.type()),
         "a loop has one operand, of its type");
  Expect(call.attributes.size() == 2, "a loop has a condition and a body");
  call.Word("condition");
  const Program& body = call.Computation(call.Word("body"));
  const Instruction& root = body.Root();
  Expect(body.parameters_.size() == 1 && body.parameters_[0].first == 0 &&
             body.At(body.parameters_[0].second).type.HasSizesOf(call.type()) &&
             root.type.HasSizesOf(call.type()),
         "a body has a parameter and a result of the type of its loop");
  const std::vector<Reach> reaches = body.Reaches();
  std::vector<Node> nodes = SameAs(call.operands[0]->first, call.type());
  for (size_t k = 0; k < nodes.size(); ++k) {
    const Reach& reach = reaches[root.first + k];
    nodes[k].is_open = reach.kind != Reach::kOwn || reach.own != k;
  }
  return nodes;
}

}  // namespace twin
