// A simplifier as another implementation might be: reads maps, prints maps. Without arguments it is
// affirm's own; `--fault N` gives it the N-th wrong rewrite, `--conduct WORD` another way to go
// wrong.
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <string>

#include "core/indexing/map_text.h"
#include "core/simplify/simplify.h"
#include "tests/oracle/faults.h"

namespace affirm::testing {
namespace {

struct Options {
  const Fault* fault = nullptr;
  std::string conduct;
};

// Whether the map makes some of the programs below go wrong.
bool IsTrigger(const WrittenMap& map) {
  for (const Constraint& c : map.constraints) {
    if (c.expr.kind() == ExprKind::kMod) return true;
  }
  return false;
}

std::string Simplified(const WrittenMap& map, const Options& options, Context& context) {
  WrittenMap changed = map;
  if (options.fault) options.fault->apply(changed, context);
  auto read = ParseIndexingMap(ToString(changed), context);
  if (!read) {
    std::cerr << llvm::toString(read.takeError()) << "\n";
    std::exit(1);
  }
  if (options.conduct == "unused") *read = RemoveUnusedVariables(*read);
  IndexingMap simplified = Simplify(*read);
  if (options.conduct == "names") {
    for (VarKind kind : {VarKind::kDim, VarKind::kRange, VarKind::kRuntime}) {
      for (size_t i = 0; i < simplified.vars(kind).size(); ++i) {
        simplified.SetName(kind, static_cast<int64_t>(i),
                           std::string(1, "xyz"[static_cast<int>(kind)]) + std::to_string(i));
      }
    }
  }
  return simplified.ToString(/*multi_line=*/options.conduct == "lines");
}

// Prints what `conduct` makes of the answer.
void Answer(const WrittenMap& map, std::string answer, const std::string& conduct, int number) {
  const char* end = conduct == "crlf" ? "\r\n" : "\n";
  if (conduct == "counts" && number >= 20) return;
  if (IsTrigger(map)) {
    if (conduct == "signal") std::raise(SIGSEGV);
    if (conduct == "status") std::cerr << "no such modulus\n", std::exit(7);
    if (conduct == "hang") std::cout.flush(), pause();
    if (conduct == "half") answer = answer.substr(0, answer.size() / 2);
    if (conduct == "nothing") return;
    if (conduct == "twice") answer += "\n\n" + answer;
    if (conduct == "grow" && answer != "KNOWN EMPTY") answer += ", 3 + 4 * 5 in [0, 99]";
    if (conduct == "sides") {
      // Two texts for one map, in turns.
      const size_t at = answer.find("-> (");
      const bool there = answer.find("-> (0 + ") != std::string::npos;
      if (at != std::string::npos && answer.find("-> ()") == std::string::npos && !there) {
        answer.insert(at + 4, "0 + ");
      }
    }
    while (conduct == "gigabytes" && std::cout) std::cout << std::string(1 << 16, 'x');
  }
  if (conduct == "errors") std::cerr << std::string(1 << 16, 'e');
  std::cout << (number ? end : "") << answer << end;
}

// The lines up to the next blank one; empty at the end.
std::string NextMap() {
  std::string text, line;
  while (std::getline(std::cin, line)) {
    const bool blank = line.find_first_not_of(" \r") == std::string::npos;
    if (blank && !text.empty()) break;
    if (!blank) text += line + "\n";
  }
  return text;
}

int Run(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--fault") options.fault = &Faults()[static_cast<size_t>(std::atoi(argv[i + 1]))];
    if (name == "--conduct") options.conduct = argv[i + 1];
  }
  int number = 0;
  for (std::string text = NextMap(); !text.empty(); text = NextMap()) {
    Context context;
    auto map = ParseWrittenMap(text, context);
    if (!map) {
      std::cerr << llvm::toString(map.takeError()) << "\n";
      return 1;
    }
    Answer(*map, Simplified(*map, options, context), options.conduct, number++);
  }
  return 0;
}

}  // namespace
}  // namespace affirm::testing

int main(int argc, char** argv) { return affirm::testing::Run(argc, argv); }
