// The HLO of a module from file to file.
#include <array>
#include <fstream>
#include <map>
#include <mutex>
#include <set>

#include "core/hlo/entry_layout.h"
#include "core/symbolic/error.h"
#include "driver/dump/dump.h"
#include "driver/errors.h"
#include "driver/input.h"
#include "driver/parallel.h"
#include "driver/shell_command.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "verify/equivalence/laws.h"

namespace affirm::driver {

namespace {

// The name of what led to a file: its pass, or what the file is.
std::string PassOf(const HloFile& file) {
  if (!file.after.empty() && file.after != "pipeline-start") return file.after;
  if (!file.pipeline.empty()) return "what runs before " + file.pipeline;
  return "all passes";
}

std::string ReasonOfPass(const ModuleEquivalence& equivalence) {
  for (const ResultEquivalence& of : equivalence.results) {
    if (of.verdict == Verdict::kUnknown && !equivalence.not_executed.empty())
      return "not executed: " + equivalence.not_executed;
    if (of.verdict == Verdict::kUnknown || of.verdict == Verdict::kExecuted) return of.reason;
  }
  if (!equivalence.effect.empty()) return "not compared: what " + equivalence.effect + " does";
  if (!equivalence.promise.empty()) return "not proved: what is said of " + equivalence.promise;
  return "";
}

// A module that XLA printed, with the layout of its entry, and without the entry.
constexpr const char* kCut = "the text has no ENTRY: it was cut";
bool IsCut(const hlo::Module& module) {
  return module.entry_is_last && hlo::EntryLayoutOf(module).has_value();
}

// Most passes change nothing, so that few texts of a dump have to be read.
class SameTexts {
 public:
  // Whether both files have one text, which is that of one module. An error for a file that cannot
  // be opened, and for a text of both that is none of one module.
  llvm::Expected<bool> AreOneModule(const std::string& a, const std::string& b) {
    auto of_a = ReadInput(a, "an HLO module");
    if (!of_a) return of_a.takeError();
    auto of_b = ReadInput(b, "an HLO module");
    if (!of_b) return of_b.takeError();
    if (of_a->text != of_b->text) return false;
    const Digest digest = llvm::SHA256::hash(llvm::arrayRefFromStringRef(of_b->text));
    {
      const std::scoped_lock lock(mutex_);
      if (read_.contains(digest)) return true;
    }
    auto module = OneModuleOf(*of_b, UnknownOpcodes::kAllow);
    if (!module) return module.takeError();
    if (IsCut(**module)) return MakeError(b + ": " + kCut);
    const std::scoped_lock lock(mutex_);
    read_.insert(digest);
    return true;
  }

 private:
  using Digest = std::array<uint8_t, 32>;
  std::mutex mutex_;
  std::set<Digest> read_;  // texts of one module
};

// The step proved, by laws that change roundings where it takes these: what a simplifier is
// entitled to is no fault, whatever it does to roundings. Nothing is executed.
llvm::Expected<ModuleEquivalence> ProveStep(const hlo::Module& before, const hlo::Module& after,
                                            EquivalenceOptions equivalence,
                                            const DumpOptions& options, PassRow& row) {
  equivalence.execute = false;
  auto result = CompareModules(before, after, equivalence);
  if (!result || result->verdict == Verdict::kProved || options.strict) return result;
  for (const equivalence::Law& law : equivalence::Laws()) {
    if (!law.exact) equivalence.allowed_laws.push_back(law.name);
  }
  auto by_laws = CompareModules(before, after, equivalence);
  if (!by_laws) {
    llvm::consumeError(by_laws.takeError());
    return result;
  }
  if (by_laws->verdict != Verdict::kProved) return result;
  row.replay += " --allow " + llvm::join(by_laws->laws, ",");
  row.reason = "by " + llvm::join(by_laws->laws, ", ");
  return by_laws;
}

void CompareFiles(PassRow& row, const DumpOptions& options, SameTexts& texts) {
  EquivalenceOptions equivalence;
  equivalence.seed = options.seed;
  equivalence.rounding = true;
  equivalence.excess_precision = !options.strict;
  row.replay = "affirm equiv --hlo " + ShellQuoted(row.before) + " " + ShellQuoted(row.after) +
               " --rounding --seed " + std::to_string(options.seed);
  auto same = texts.AreOneModule(row.before, row.after);
  if (!same) {
    row.reason = MessageOf(same.takeError());
    return;
  }
  if (*same) {
    row.changed = false;
    row.verdict = Verdict::kProved;
    return;
  }
  auto before = ReadOneExpandedModule(row.before, options.meanings, UnknownOpcodes::kAllow);
  if (!before) {
    row.reason = MessageOf(before.takeError());
    return;
  }
  auto after = ReadOneExpandedModule(row.after, options.meanings, UnknownOpcodes::kAllow);
  if (!after) {
    row.reason = MessageOf(after.takeError());
    return;
  }
  for (const auto& [path, module] : {std::pair(&row.before, &*before), {&row.after, &*after}}) {
    if (!IsCut(**module)) continue;
    row.reason = *path + ": " + kCut;
    return;
  }
  row.line = (*after)->entry->root->location.line;
  auto result = ProveStep(**before, **after, equivalence, options, row);
  if (!result) {
    row.reason = "they cannot be compared: " + MessageOf(result.takeError());
    return;
  }
  ExecuteModules(**before, **after, equivalence, *result);
  row.equivalence = std::move(*result);
  row.changed = llvm::any_of(row.equivalence.results,
                             [](const ResultEquivalence& of) { return !of.same_graph; });
  row.verdict = row.equivalence.verdict;
  if (row.verdict != Verdict::kProved) {
    row.reason = ReasonOfPass(row.equivalence);
  } else if (!row.equivalence.rests_on.empty()) {
    row.reason += (row.reason.empty() ? "rests on " : "; rests on ") + row.equivalence.rests_on;
  }
}

// Whether the module has the name, whatever its number and folder.
bool HasName(const ModuleFiles& module, llvm::StringRef name) {
  const llvm::StringRef last = llvm::StringRef(module.name).rsplit('/').second;
  const llvm::StringRef whole = last.empty() ? llvm::StringRef(module.name) : last;
  return whole.split('.').second == name && !module.hlo.empty();
}

void PutFirst(const std::string& source, ModuleFiles& module) {
  module.hlo.front().pipeline.clear();
  module.hlo.front().after = kImport;
  module.hlo.insert(module.hlo.begin(), {source, "", ""});
  module.has_before = module.has_source = true;
}

// Several modules have the name of the source: those of a folder that are its import, by the best
// of their verdicts. Empty where none is known to be.
std::vector<ModuleFiles*> ImportsOf(const std::string& source,
                                    llvm::ArrayRef<ModuleFiles*> of_folder,
                                    const DumpOptions& options) {
  std::vector<ModuleFiles*> best;
  Verdict verdict = Verdict::kExecuted;
  SameTexts texts;
  for (ModuleFiles* module : of_folder) {
    PassRow row;
    row.before = source;
    row.after = module->hlo.front().path;
    CompareFiles(row, options, texts);
    if (row.verdict < verdict) continue;
    if (row.verdict > verdict) best.clear();
    verdict = row.verdict;
    best.push_back(module);
  }
  return best;
}

}  // namespace

llvm::Error AddSource(std::vector<ModuleFiles>& modules, const std::string& path,
                      const DumpOptions& options) {
  auto source = ReadOneExpandedModule(path, {}, UnknownOpcodes::kAllow);
  if (!source) return source.takeError();
  std::map<std::string, std::vector<ModuleFiles*>> folders;
  int64_t named = 0;
  for (ModuleFiles& module : modules) {
    if (!HasName(module, (*source)->name)) continue;
    folders[llvm::sys::path::parent_path(module.hlo.front().path).str()].push_back(&module);
    ++named;
  }
  if (named == 0)
    return MakeError("the dump has no module '" + (*source)->name + "', as " + path + " is");
  if (named == 1) {
    PutFirst(path, *folders.begin()->second.front());
    return llvm::Error::success();
  }
  for (const auto& [folder, of_folder] : folders) {
    const std::vector<ModuleFiles*> imports = ImportsOf(path, of_folder, options);
    for (ModuleFiles* module : imports) PutFirst(path, *module);
    if (!imports.empty()) continue;
    for (ModuleFiles* module : of_folder) {
      module->not_imported = "several modules are named '" + (*source)->name +
                             "', and none of this folder is known to be the import of " + path;
    }
  }
  return llvm::Error::success();
}

llvm::Error AddSourceText(std::vector<ModuleFiles>& modules, const std::string& folder,
                          const std::string& text, const DumpOptions& options) {
  const std::string path = folder + "/source.hlo";
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) return MakeError("cannot write '" + path + "'");
  return AddSource(modules, path, options);
}

std::vector<PassRow> CheckPasses(const ModuleFiles& module, const DumpOptions& options,
                                 llvm::function_ref<void(const std::string&)> progress) {
  std::vector<PassRow> rows;
  for (size_t k = 1; k < module.hlo.size(); ++k) {
    PassRow row{.module = module.name,
                .pipeline = module.hlo[k].pipeline,
                .pass = PassOf(module.hlo[k]),
                .before = module.hlo[k - 1].path,
                .after = module.hlo[k].path};
    if (module.has_passes && k + 1 == module.hlo.size() && module.hlo[k].pipeline.empty())
      row.pass = "what runs last";
    rows.push_back(std::move(row));
  }
  SameTexts texts;
  OrderedParallelFor<int>(
      options.jobs, static_cast<int64_t>(rows.size()),
      [&](int64_t k) {
        CompareFiles(rows[k], options, texts);
        return static_cast<int>(k);
      },
      [&](int& k) {
        progress(module.name + ": " + std::to_string(k + 1) + " of " + std::to_string(rows.size()) +
                 " steps");
      });
  return rows;
}

}  // namespace affirm::driver
