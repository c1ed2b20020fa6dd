// Prints the maps of one instruction or of all, as text, JSON or counts.
#include "driver/reports/indexing.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/analysis/between.h"
#include "core/analysis/layout.h"
#include "core/analysis/loops/carried_maps.h"
#include "core/hlo/leaves.h"
#include "core/hlo/text.h"
#include "core/hlo/verifier.h"
#include "driver/certificates.h"
#include "driver/errors.h"
#include "driver/exit_status.h"
#include "driver/input.h"
#include "driver/json_text.h"
#include "driver/parallel.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::driver {
namespace {

// How many ids the maps of an instruction can start from.
int64_t NumIds(const hlo::Instruction& instruction, Direction direction) {
  if (direction == Direction::kOutputToInput) {
    return NumLeaves(instruction.shape);
  }
  // An instruction without operands answers for the whole output.
  return std::max<int64_t>(1, static_cast<int64_t>(instruction.operands.size()));
}

InstructionIndexing Analyze(const hlo::Instruction& instruction, int64_t id, Context& context,
                            IndexingMemo& memo, const IndexingQuery& options) {
  IndexingOptions how{.exact = options.exact};
  Direction direction = options.Way();
  InstructionIndexing indexing = direction == Direction::kOutputToInput
                                     ? OutputToInput(instruction, id, memo, how)
                                     : InputToOutput(instruction, id, memo, how);
  if (options.physical) indexing = ToPhysical(instruction, indexing, direction, id, context);
  return indexing;
}

std::string TextOf(const IndexingMap& map, bool multi_line = false) {
  return map.IsUndefined() ? "undefined" : map.ToString(multi_line);
}

std::string SourceText(const RuntimeSource& source) {
  return source.map ? TextOf(*source.map) : "() -> ()";
}

// `arrays`: say to which array of the operand a map leads.
void PrintText(llvm::ArrayRef<LabeledMap> maps, bool multi_line, llvm::raw_ostream& os,
               bool arrays = false) {
  for (const LabeledMap& labeled : maps) {
    os << "  " << TextOf(labeled.map, multi_line) << "\n";
    if (arrays) os << "  array: " << labeled.leaf << "\n";
    if (labeled.replica_id) os << "  replica id: " << TextOf(*labeled.replica_id) << "\n";
    const auto& runtime = labeled.map.runtime();
    if (!runtime.empty()) os << "  runtime variables:\n";
    for (size_t i = 0; i < runtime.size(); ++i) {
      os << "    " << labeled.map.VariableName(VarKind::kRuntime, i) << ": ";
      if (runtime[i].source) {
        const RuntimeSource& source = *runtime[i].source;
        os << source.producer_name << " clamped to [" << source.clamp.lower << ", "
           << source.clamp.upper << "]; " << SourceText(source);
      }
      os << "\n";
    }
    if (labeled.exactness != Exactness::kExact) {
      os << "  exactness: " << Name(labeled.exactness) << "\n";
    }
  }
}

// A loop carries one value, often of many arrays.
bool CarriesArrays(const hlo::Instruction& instruction) {
  return instruction.opcode == hlo::Opcode::kWhile && instruction.shape.IsTuple();
}

// "trips: 7, by the condition", and what the module claims if that is something else.
void PrintTrips(const hlo::Instruction& loop, llvm::raw_ostream& os) {
  Context context;
  const TripCount trips = TripCountOf(loop, context);
  os << "trips: ";
  if (trips.by_condition) {
    os << *trips.by_condition << ", by the condition";
    if (trips.claimed && trips.claimed != trips.by_condition) {
      os << "; known_trip_count claims " << *trips.claimed;
    }
  } else if (trips.claimed) {
    os << *trips.claimed << ", assumed by known_trip_count; the maps are those of any number";
  } else {
    os << "not known; the maps are those of any number";
  }
  os << "\n";
}

void PrintText(const hlo::Instruction& instruction, const InstructionIndexing& indexing,
               bool multi_line, llvm::raw_ostream& os) {
  if (instruction.opcode == hlo::Opcode::kWhile) PrintTrips(instruction, os);
  for (size_t k = 0; k < indexing.maps.size(); ++k) {
    os << "operand id = " << k << "\n";
    PrintText(indexing.maps[k], multi_line, os, CarriesArrays(instruction));
  }
}

void WriteMap(const LabeledMap& labeled, llvm::json::OStream& json, bool arrays = false) {
  json.object([&] {
    if (arrays) json.attribute("array", labeled.leaf);
    json.attribute("map", JsonText(TextOf(labeled.map)));
    json.attribute("exactness", Name(labeled.exactness));
    if (labeled.replica_id) {
      json.attribute("replica_id_map", JsonText(TextOf(*labeled.replica_id)));
    }
    json.attributeArray("runtime_variables", [&] {
      const auto& runtime = labeled.map.runtime();
      for (size_t i = 0; i < runtime.size(); ++i) {
        json.object([&] {
          json.attribute("name", JsonText(labeled.map.VariableName(VarKind::kRuntime, i)));
          if (!runtime[i].source) return;
          json.attribute("producer", JsonText(runtime[i].source->producer_name));
          json.attribute("map", JsonText(SourceText(*runtime[i].source)));
          json.attributeArray("clamp", [&] {
            json.value(runtime[i].source->clamp.lower);
            json.value(runtime[i].source->clamp.upper);
          });
        });
      }
    });
  });
}

// "trips": {"by_condition"?: 7, "claimed"?: 7}
void WriteTrips(const hlo::Instruction& loop, llvm::json::OStream& json) {
  Context context;
  const TripCount trips = TripCountOf(loop, context);
  json.attributeObject("trips", [&] {
    if (trips.by_condition) json.attribute("by_condition", *trips.by_condition);
    if (trips.claimed) json.attribute("claimed", *trips.claimed);
  });
}

void PrintJson(const hlo::Instruction& instruction, int64_t id, const InstructionIndexing& indexing,
               const IndexingQuery& options, llvm::raw_ostream& os) {
  llvm::json::OStream json(os);
  json.object([&] {
    json.attribute("instruction", JsonText(instruction.name));
    json.attribute("direction", options.direction);
    json.attribute("id", id);
    if (!options.to.empty()) json.attribute("to", JsonText(options.to));
    if (instruction.opcode == hlo::Opcode::kWhile) WriteTrips(instruction, json);
    json.attributeArray("operands", [&] {
      for (size_t k = 0; k < indexing.maps.size(); ++k) {
        json.object([&] {
          json.attribute("id", static_cast<int64_t>(k));
          json.attributeArray("maps", [&] {
            for (const LabeledMap& labeled : indexing.maps[k]) {
              WriteMap(labeled, json, CarriesArrays(instruction));
            }
          });
        });
      }
    });
  });
  os << "\n";
}

void Print(const hlo::Instruction& instruction, int64_t id, const InstructionIndexing& indexing,
           const IndexingQuery& options, llvm::raw_ostream& os) {
  if (options.json) {
    PrintJson(instruction, id, indexing, options, os);
    return;
  }
  if (options.all) {
    os << "// " << hlo::ToString(instruction) << "\n// " << options.direction << ", id = " << id
       << "\n";
  }
  PrintText(instruction, indexing, options.multi_line, os);
  // An op without operands, such as iota, has a map from its domain to no results.
  bool is_source = instruction.operands.empty() && instruction.shape.IsArray();
  if (is_source && options.Way() == Direction::kOutputToInput) {
    Context context;
    os << "no operands\n  "
       << IndexingMap::FromShapes(context, {}, instruction.shape.dims, {}).ToString() << "\n";
  }
}

// The counts of --summary.
struct Summary {
  int64_t instructions = 0, maps = 0, exact = 0, over_approximate = 0;
  std::map<std::string, int64_t> unknown;  // by opcode

  void Add(const hlo::Instruction& instruction, const InstructionIndexing& indexing) {
    for (const auto& list : indexing.maps) {
      for (const LabeledMap& labeled : list) {
        ++maps;
        exact += labeled.exactness == Exactness::kExact;
        over_approximate += labeled.exactness == Exactness::kOverApproximate;
        if (labeled.exactness == Exactness::kUnknown) ++unknown[JsonText(instruction.opcode_text)];
      }
    }
  }

  void Add(const Summary& other) {
    instructions += other.instructions;
    maps += other.maps;
    exact += other.exact;
    over_approximate += other.over_approximate;
    for (const auto& [opcode, count] : other.unknown) unknown[opcode] += count;
  }

  void Print(bool as_json) const {
    if (!as_json) {
      llvm::outs() << instructions << " instructions, " << maps << " maps: " << exact << " exact, "
                   << over_approximate << " over-approximate\n";
      for (const auto& [opcode, count] : unknown) {
        llvm::outs() << "  unknown: " << opcode << " " << count << "\n";
      }
      return;
    }
    PrintJsonObject([&](llvm::json::OStream& json) {
      json.attribute("instructions", instructions);
      json.attribute("maps", maps);
      json.attribute("exact", exact);
      json.attribute("over_approximate", over_approximate);
      json.attributeObject("unknown", [&] {
        for (const auto& [opcode, count] : unknown) json.attribute(opcode, count);
      });
    });
  }
};

// The maps of one instruction from each of its ids, as text, and their counts.
struct Analyzed {
  std::string text;
  Summary summary;
  std::optional<std::string> error;
};

// Expressions, and the memo of called computations.
struct Workspace {
  Context context;
  IndexingMemo memo{context};
};

// Workspaces that outlive an instruction; each thread takes one at a time.
class Workspaces {
 public:
  std::unique_ptr<Workspace> Take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::make_unique<Workspace>();
    std::unique_ptr<Workspace> taken = std::move(idle_.back());
    idle_.pop_back();
    return taken;
  }
  void Return(std::unique_ptr<Workspace> workspace) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(workspace));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> idle_;
};

llvm::Error Certify(const hlo::Instruction& instruction, const HloLines& lines, int64_t id,
                    const InstructionIndexing& indexing, const IndexingQuery& options) {
  if (options.certificates.empty()) return llvm::Error::success();
  return WriteReadsCertificates(options.certificates, lines, instruction, id, indexing);
}

Analyzed AnalyzeInstruction(const hlo::Instruction& instruction, const HloLines& lines,
                            const IndexingQuery& options, Workspaces& workspaces) {
  Analyzed result;
  llvm::raw_string_ostream os(result.text);
  ++result.summary.instructions;
  int64_t ids = NumIds(instruction, options.Way());
  // An instruction's expressions are freed after it, except for calls, whose callees may be needed
  // again.
  const bool is_call = !instruction.called.empty();
  std::unique_ptr<Workspace> kept = is_call ? workspaces.Take() : nullptr;
  for (int64_t id = 0; id < ids; ++id) {
    Workspace own;
    auto& [context, memo] = is_call ? *kept : own;
    InstructionIndexing indexing = Analyze(instruction, id, context, memo, options);
    result.summary.Add(instruction, indexing);
    if (!options.summary) Print(instruction, id, indexing, options, os);
    if (auto error = Certify(instruction, lines, id, indexing, options))
      result.error = MessageOf(std::move(error));
  }
  if (is_call) workspaces.Return(std::move(kept));
  return result;
}

// The instructions of these computations.
llvm::Error AnalyzeAll(llvm::ArrayRef<const hlo::Computation*> computations, const HloLines& lines,
                       const IndexingQuery& options, Summary& summary) {
  std::vector<const hlo::Instruction*> all;
  for (const hlo::Computation* computation : computations) {
    for (const auto& instruction : computation->instructions) all.push_back(instruction.get());
  }
  Workspaces workspaces;
  std::optional<std::string> error;
  OrderedParallelFor<Analyzed>(
      options.jobs, static_cast<int64_t>(all.size()),
      [&](int64_t i) { return AnalyzeInstruction(*all[i], lines, options, workspaces); },
      [&](Analyzed& one) {
        llvm::outs() << one.text;
        summary.Add(one.summary);
        if (one.error && !error) error = one.error;
      });
  return error ? MakeError(*error) : llvm::Error::success();
}

// The composed maps between two instructions, by array of the second.
llvm::Error AnalyzeBetween(const hlo::Instruction& from, const hlo::Instruction& to,
                           const IndexingQuery& options) {
  Context context;
  auto maps = MapsBetween(from, options.id, to, options.Way(), context, {.exact = options.exact});
  if (!maps) return ErrorAt(options.file, from.location, MessageOf(maps.takeError()));
  InstructionIndexing by_leaf;
  by_leaf.maps.resize(NumLeaves(to.shape));
  for (LabeledMap& m : *maps) {
    const int64_t leaf = m.leaf;
    by_leaf.maps[leaf].push_back(std::move(m));
  }
  if (options.json) {
    PrintJson(from, options.id, by_leaf, options, llvm::outs());
    return llvm::Error::success();
  }
  for (size_t leaf = 0; leaf < by_leaf.maps.size(); ++leaf) {
    llvm::outs() << from.name << " -> " << to.name;
    if (to.shape.IsTuple()) llvm::outs() << ", element " << leaf;
    llvm::outs() << (by_leaf.maps[leaf].empty() ? ": nothing\n" : "\n");
    PrintText(by_leaf.maps[leaf], options.multi_line, llvm::outs());
  }
  return llvm::Error::success();
}

llvm::Expected<const hlo::Instruction*> FindInstruction(const hlo::Module& module,
                                                        const std::string& name,
                                                        const IndexingQuery& options) {
  if (const hlo::Instruction* found = module.FindInstruction(name)) return found;
  return ErrorAt(options.file, {},
                 "module '" + module.name + "' has no instruction named '" + name + "'");
}

llvm::Error AnalyzeOne(const hlo::Module& module, const HloLines& lines,
                       const IndexingQuery& options) {
  const hlo::Instruction* instruction = module.entry->root;
  if (!options.instruction.empty()) {
    auto named = FindInstruction(module, options.instruction, options);
    if (!named) return named.takeError();
    instruction = *named;
  }
  if (!options.to.empty()) {
    // If several instructions have the name, takes the one in the same computation.
    const hlo::Instruction* near = instruction->parent->Find(options.to);
    if (near) return AnalyzeBetween(*instruction, *near, options);
    auto to = FindInstruction(module, options.to, options);
    return to ? AnalyzeBetween(*instruction, **to, options) : to.takeError();
  }
  int64_t ids = NumIds(*instruction, options.Way());
  if (options.id < 0 || options.id >= ids) {
    return ErrorAt(options.file, instruction->location,
                   "'" + instruction->name + "' has no id " + llvm::Twine(options.id) +
                       ", expected one in [0, " + llvm::Twine(ids - 1) + "]");
  }
  AnalysisReportOptions analysis{options.file, options.id, options.Way(), options.exact,
                                 options.json};
  if (options.tile)
    return PrintTiles(*instruction, {*options.tile, options.tile_contracted, options.most_tilings},
                      analysis);
  if (options.utilization) return PrintUtilization(*instruction, analysis);
  if (options.coalescing) return PrintCoalescing(*instruction, options.threads, analysis);
  Workspace own;
  const InstructionIndexing indexing =
      Analyze(*instruction, options.id, own.context, own.memo, options);
  Print(*instruction, options.id, indexing, options, llvm::outs());
  return Certify(*instruction, lines, options.id, indexing, options);
}

}  // namespace

int ReportIndexing(const IndexingQuery& options) {
  auto input = ReadInput(options.file, "an HLO module");
  if (!input) return Report(input.takeError());
  auto modules = ModulesOf(*input, options.all ? UnknownOpcodes::kAllow : UnknownOpcodes::kRefuse);
  if (!modules) return Report(modules.takeError());
  const HloLines lines(options.certificates.empty() ? "" : input->text);
  Summary summary;
  for (const auto& module : *modules) {
    if (auto error = hlo::VerifyArguments(*module, input->name))
      return Report(WithSourceLine(std::move(error), input->text));
    // Library calls are expanded for the analysis; their expansions are not printed.
    std::vector<const hlo::Computation*> computations;
    for (const auto& computation : module->computations) computations.push_back(computation.get());
    if (auto error = calls::ExpandCustomCalls(*module, options.file, options.meanings))
      return Report(std::move(error));
    if (options.all) {
      if (auto error = AnalyzeAll(computations, lines, options, summary))
        return Report(std::move(error));
    } else if (auto error = AnalyzeOne(*module, lines, options)) {
      return Report(std::move(error));
    }
  }
  if (options.summary) summary.Print(options.json);
  return kSuccess;
}

}  // namespace affirm::driver
