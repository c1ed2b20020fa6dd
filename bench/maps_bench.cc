// Parse, print, compose and simplify over a file of maps, and how simplification scales.
//
//   bench_maps --maps FILE     maps separated by blank lines, as `affirm simplify` reads them; of a
//                              FILE.jsonl the string `before` of each line
//
// Each figure is the time per pass over the file; the counter `ns_per_map` divides by the number of
// maps. `cold` starts each pass with a context that has seen no expression but the parsed maps;
// `warm` runs in one context.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "core/simplify/simplify.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm {
namespace {

// The string `before` of a line of JSON.
std::string Before(llvm::StringRef line, const std::string& path) {
  auto value = llvm::json::parse(line);
  if (!value) {
    llvm::errs() << path << ": error: " << llvm::toString(value.takeError()) << "\n";
    exit(3);
  }
  const llvm::json::Object* object = value->getAsObject();
  auto before = object ? object->getString("before") : std::nullopt;
  if (!before) {
    llvm::errs() << path << ": error: a line without a string \"before\"\n";
    exit(3);
  }
  return before->str();
}

std::vector<std::string> ReadTexts(const std::string& path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    llvm::errs() << path << ": error: " << buffer.getError().message() << "\n";
    exit(3);
  }
  std::vector<std::string> out;
  llvm::StringRef rest = (*buffer)->getBuffer();
  bool json = llvm::StringRef(path).ends_with(".jsonl");
  while (!rest.empty()) {
    auto [head, tail] = rest.split(json ? "\n" : "\n\n");
    rest = tail;
    if (head.trim().empty()) continue;
    out.push_back(json ? Before(head, path) : head.str());
  }
  return out;
}

std::vector<IndexingMap> ParseAll(const std::vector<std::string>& texts, Context& context) {
  std::vector<IndexingMap> maps;
  for (const std::string& text : texts) {
    auto map = ParseIndexingMap(text, context);
    if (!map) {
      llvm::errs() << llvm::toString(map.takeError()) << "\n";
      exit(3);
    }
    maps.push_back(*map);
  }
  return maps;
}

void PerMap(benchmark::State& state, size_t maps) {
  state.counters["per_map"] =
      benchmark::Counter(static_cast<double>(maps) * state.iterations(),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void RegisterFile(const std::vector<std::string>& texts) {
  benchmark::RegisterBenchmark("parse", [texts](benchmark::State& state) {
    Context context;
    for (auto _ : state) benchmark::DoNotOptimize(ParseAll(texts, context));
    PerMap(state, texts.size());
  });
  benchmark::RegisterBenchmark("print", [texts](benchmark::State& state) {
    Context context;
    auto maps = ParseAll(texts, context);
    for (auto _ : state) {
      for (const IndexingMap& m : maps) benchmark::DoNotOptimize(m.ToString());
    }
    PerMap(state, texts.size());
  });
  benchmark::RegisterBenchmark("compose_with_identity", [texts](benchmark::State& state) {
    Context context;
    auto maps = ParseAll(texts, context);
    std::vector<IndexingMap> identities;
    for (const IndexingMap& m : maps) {
      identities.push_back(m);
      std::vector<SymbolicExpr> dims;
      for (size_t i = 0; i < m.dims().size(); ++i) dims.push_back(context.Dim(i));
      identities.back() =
          IndexingMap(context, SymbolicMap(dims.size(), 0, 0, dims), m.dims(), {}, {});
    }
    for (auto _ : state) {
      for (size_t i = 0; i < maps.size(); ++i) {
        benchmark::DoNotOptimize(Compose(identities[i], maps[i]));
      }
    }
    PerMap(state, texts.size());
  });
  benchmark::RegisterBenchmark("simplify/warm", [texts](benchmark::State& state) {
    Context context;
    auto maps = ParseAll(texts, context);
    for (auto _ : state) {
      for (const IndexingMap& m : maps) benchmark::DoNotOptimize(Simplify(m));
    }
    PerMap(state, texts.size());
  });
  benchmark::RegisterBenchmark("simplify/cold", [texts](benchmark::State& state) {
    for (auto _ : state) {
      state.PauseTiming();
      auto context = std::make_unique<Context>();
      auto maps = ParseAll(texts, *context);
      state.ResumeTiming();
      for (const IndexingMap& m : maps) benchmark::DoNotOptimize(Simplify(m));
      state.PauseTiming();
      maps.clear();
      context.reset();
      state.ResumeTiming();
    }
    PerMap(state, texts.size());
  });
}

// Each scaling series simplifies one map of the given size in a fresh context.
void Scaling(const char* name, IndexingMap (*make)(Context&, int64_t), std::vector<int64_t> sizes) {
  auto* b = benchmark::RegisterBenchmark(name, [make](benchmark::State& state) {
    for (auto _ : state) {
      state.PauseTiming();
      auto context = std::make_unique<Context>();
      IndexingMap map = make(*context, state.range(0));
      state.ResumeTiming();
      benchmark::DoNotOptimize(Simplify(map));
      state.PauseTiming();
      map = IndexingMap();
      context.reset();
      state.ResumeTiming();
    }
    state.SetComplexityN(state.range(0));
  });
  for (int64_t n : sizes) b->Arg(n);
  b->Unit(benchmark::kMicrosecond)->Complexity();
}

// A sum of n quotients and residues over 64 variables.
IndexingMap Terms(Context& context, int64_t n) {
  std::vector<int64_t> sizes(64, 100);
  std::vector<SymbolicExpr> terms;
  for (int64_t i = 0; i < n; ++i) {
    SymbolicExpr v = context.Dim(i % 64) + i / 64;
    terms.push_back(i % 2 ? v.Mod(7 + i % 13) * (i % 5 + 1) : v.FloorDiv(3 + i % 11));
  }
  return IndexingMap::FromShapes(context, {context.Add(terms)}, sizes, {});
}

// Quotients and residues nested n deep.
IndexingMap Depth(Context& context, int64_t n) {
  SymbolicExpr e = context.Dim(0);
  for (int64_t i = 0; i < n; ++i) {
    e = i % 2 ? (e + context.Dim(1) + i).FloorDiv(2 + i % 3)
              : (e * 3 + context.Dim(1)).Mod(1000 + i);
  }
  return IndexingMap::FromShapes(context, {e}, {1000, 50}, {});
}

// A reshape of a tensor of n dimensions of size 6 to n of size 6 by way of 4s and 9s.
IndexingMap Rank(Context& context, int64_t n) {
  std::vector<int64_t> sizes(n, 6);
  SymbolicExpr linear = context.Constant(0);
  for (int64_t i = 0; i < n; ++i) linear = linear * 6 + context.Dim(i);
  std::vector<SymbolicExpr> digits;
  int64_t stride = 1;
  for (int64_t i = 0; i < n; ++i) {
    int64_t base = i % 2 ? 9 : 4;
    digits.push_back(linear.FloorDiv(stride).Mod(base));
    stride *= base;
  }
  return IndexingMap::FromShapes(context, digits, sizes, {});
}

}  // namespace
}  // namespace affirm

int main(int argc, char** argv) {
  std::string path;
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::string(argv[i]) != "--maps") continue;
    path = argv[i + 1];
    for (int k = i; k + 2 < argc; ++k) argv[k] = argv[k + 2];
    argc -= 2;
    break;
  }
  if (!path.empty()) affirm::RegisterFile(affirm::ReadTexts(path));
  affirm::Scaling("scale/terms", affirm::Terms, {64, 256, 1024, 4096});
  affirm::Scaling("scale/depth", affirm::Depth, {10, 50, 100, 200});
  affirm::Scaling("scale/rank", affirm::Rank, {2, 4, 8, 12});
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
