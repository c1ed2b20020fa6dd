#include "driver/explore/graph_layout.h"

#include <algorithm>
#include <cmath>

#include "core/symbolic/error.h"
#include "driver/shell_command.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::driver {
namespace {

using llvm::json::Array;
using llvm::json::Object;

constexpr double kPixelsPerInch = 72;
constexpr double kCharacter = 7.3, kPadding = 26, kNodeHeight = 44, kWidest = 320;

// The node has the name on one line, opcode and shape on the other.
double WidthOf(const hlo::Instruction& op) {
  const size_t second = op.opcode_text.size() + 1 + op.shape.ToString(false).size();
  const auto characters = static_cast<double>(std::max(op.name.size(), second));
  return std::min(kWidest, kCharacter * characters + kPadding);
}

// Whether the op is drawn beside each of its users: it has no operands and many users. Edges across
// the whole graph show nothing, and take dot minutes.
bool HasCopies(const hlo::Instruction& op) {
  return op.operands.empty() && op.users.size() > (op.opcode == hlo::Opcode::kConstant ? 1U : 4U);
}

// "n12", or of a copy beside its user "n12_34".
std::string NameOf(const hlo::Instruction& op, const hlo::Instruction* user) {
  std::string name = "n" + std::to_string(op.id);
  if (user != nullptr && HasCopies(op)) name += "_" + std::to_string(user->id);
  return name;
}

std::string DotText(const hlo::Computation& computation, bool curves) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "digraph g {\n  rankdir=TB; nodesep=0.28; ranksep=0.42; splines="
     << (curves ? "true" : "line") << ";\n";
  // The network simplex is what large graphs take their time for.
  if (computation.instructions.size() > 200) os << "  nslimit=2; nslimit1=2; mclimit=0.3;\n";
  os << "  node [shape=box, fixedsize=true]; edge [arrowhead=none];\n";
  auto node = [&](const hlo::Instruction& op, const std::string& name) {
    os << "  " << name << " [width=" << llvm::format("%.3f", WidthOf(op) / kPixelsPerInch)
       << ", height=" << llvm::format("%.3f", kNodeHeight / kPixelsPerInch) << "];\n";
  };
  for (const auto& op : computation.instructions) {
    if (!HasCopies(*op)) node(*op, NameOf(*op, nullptr));
    for (const hlo::Instruction* user : op->users) {
      if (HasCopies(*op)) node(*op, NameOf(*op, user));
      os << "  " << NameOf(*op, user) << " -> " << NameOf(*user, nullptr) << ";\n";
    }
  }
  os << "}\n";
  return text;
}

double Number(llvm::StringRef text) {
  double value = 0;
  text.getAsDouble(value);
  return value;
}

int64_t IdOf(llvm::StringRef name) {
  int64_t id = -1;
  name.consume_front("n");
  name.consumeInteger(10, id);
  return id;
}

// To a tenth of a pixel.
double Rounded(double pixels) { return std::round(pixels * 10) / 10; }

// Reads the output of -Tplain: lengths are inches, and y grows upwards.
Object ReadPlain(llvm::StringRef text) {
  double height = 0;
  auto x_of = [](llvm::StringRef inches) { return Rounded(Number(inches) * kPixelsPerInch); };
  auto y_of = [&](llvm::StringRef inches) {
    return Rounded((height - Number(inches)) * kPixelsPerInch);
  };
  Object graph;
  Array nodes, edges;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    llvm::SmallVector<llvm::StringRef> words;
    line.split(words, ' ', -1, false);
    if (words.size() >= 4 && words[0] == "graph") {
      height = Number(words[3]);
      graph["width"] = x_of(words[2]);
      graph["height"] = Rounded(height * kPixelsPerInch);
    } else if (words.size() >= 6 && words[0] == "node") {
      nodes.push_back(
          Array{IdOf(words[1]), x_of(words[2]), y_of(words[3]), x_of(words[4]), x_of(words[5])});
    } else if (words.size() >= 4 && words[0] == "edge") {
      size_t count = 0;
      words[3].getAsInteger(10, count);
      Array points;
      for (size_t k = 0; k < count && 5 + 2 * k < words.size(); ++k) {
        points.push_back(x_of(words[4 + 2 * k]));
        points.push_back(y_of(words[5 + 2 * k]));
      }
      edges.push_back(Array{IdOf(words[1]), IdOf(words[2]), std::move(points)});
    }
  }
  graph["nodes"] = std::move(nodes);
  graph["edges"] = std::move(edges);
  return graph;
}

}  // namespace

llvm::Expected<Object> LayOut(const hlo::Computation& computation) {
  for (const bool curves : {true, false}) {
    const ShellLimits limits{.seconds = curves ? 30.0 : 120.0};
    auto run = RunShell("dot -Tplain", DotText(computation, curves), limits);
    if (!run) return run.takeError();
    if (run->Succeeded()) return ReadPlain(run->output);
    if (run->status == 127)
      return MakeError(
          "explore draws graphs with Graphviz: there is no program `dot` (Debian: "
          "apt install graphviz)");
    if (!curves) {
      return MakeError("dot, which draws the graph of '" + computation.name +
                       "': " + run->HowItEnded(limits) + " " + run->errors);
    }
  }
  llvm_unreachable("each way ends");
}

}  // namespace affirm::driver
