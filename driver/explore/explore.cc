#include "driver/explore/explore.h"

#include "core/hlo/leaves.h"
#include "core/symbolic/error.h"
#include "driver/check/check.h"
#include "driver/check/program.h"
#include "driver/dump/dump.h"
#include "driver/errors.h"
#include "driver/exit_status.h"
#include "driver/explore/kernel_json.h"
#include "driver/explore/map_refutations.h"
#include "driver/explore/module_json.h"
#include "driver/explore/page_html.h"
#include "driver/explore/passes_json.h"
#include "driver/explore/refutation_json.h"
#include "driver/input.h"
#include "driver/json_text.h"
#include "driver/shell_command.h"
#include "driver/validate/buffers.h"
#include "driver/validate/subject_files.h"
#include "emit/runtime/device_kernel.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::driver {

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

namespace {

using ProgressFn = llvm::function_ref<void(const std::string&)>;

Array Findings(const ModuleReport& report) {
  Array findings;
  for (const Finding& finding : report.findings) {
    findings.push_back(Object{{"kind", Name(finding.kind)},
                              {"text", JsonText(finding.text)},
                              {"replay", JsonText(finding.replay)}});
  }
  return findings;
}

// The kernels that affirm emits for a module, and what the check says of each.
class EmittedKernels {
 public:
  EmittedKernels(const hlo::Module& module, const ModuleReport* report, KernelBudget& budget)
      : program_(module), report_(report), budget_(budget) {}

  void Write(Array& kernels, Array& refutations, ProgressFn progress) {
    size_t number = 0;
    for (const FusedComputation& fused : program_.fused_computations()) {
      for (const FusedComputation& part : program_.partitions(fused).kernels) {
        progress("kernel of " + part.name);
        Object json = EmittedJson(part);
        AddInstructions(fused, part, json);
        if (report_ && number < report_->kernels.size()) {
          const KernelCheck& check = report_->kernels[number];
          AddCheck(check, json);
          if (check.comparison.first) {
            refutations.push_back(MismatchJson(check, part, std::ssize(kernels)));
          }
        }
        ++number;
        kernels.push_back(std::move(json));
      }
    }
  }

 private:
  Object EmittedJson(const FusedComputation& part) {
    Object json{{"by", "affirm"}};
    Context context;
    auto kernel = EmitKernel(part, context);
    if (!kernel) {
      json["note"] = JsonText("There is no kernel: " + MessageOf(kernel.takeError()));
    } else {
      auto device = emit::DeviceKernelOf(*kernel);
      if (!device) {
        json["note"] = JsonText("There is no LLVM IR: " + MessageOf(device.takeError()));
      } else {
        NameArrays(part, device->launch);
        json = KernelJson({device->ir, device->text}, device->launch, budget_);
        json["by"] = "affirm";
      }
      json["function"] = JsonText(kernel->name());
      json["emitter"] = kernel->emitter();
      Array maps;
      for (const emit::ThreadMap& map : kernel->thread_maps()) {
        maps.push_back(Object{{"of", map.what}, {"map", JsonText(map.map.ToString())}});
      }
      json["thread_maps"] = std::move(maps);
    }
    json["name"] = JsonText(part.name);
    return json;
  }

  // Its operands are called as those of the computation, its results as the root.
  static void NameArrays(const FusedComputation& part, kernel::Launch& launch) {
    size_t next = 0;
    auto add = [&](const hlo::Instruction& op) {
      for (const hlo::LeafRef& leaf : hlo::Leaves(op.shape)) {
        if (!leaf.shape->IsArray() || next == launch.params.size()) continue;
        const bool is_one = hlo::NumLeaves(op.shape) == 1;
        launch.params[next++].name =
            op.name + (is_one ? "" : "{" + std::to_string(leaf.index) + "}");
      }
    };
    for (const hlo::Instruction* parameter : part.computation->parameters) add(*parameter);
    add(*part.computation->root);
  }

  // The instructions of the module that it computes, and the fusion that it is of.
  void AddInstructions(const FusedComputation& fused, const FusedComputation& part, Object& json) {
    Array instructions;
    llvm::DenseSet<int64_t> seen;
    auto add = [&](const hlo::Instruction* op) {
      if (op == nullptr || op->opcode == hlo::Opcode::kParameter) return;
      const hlo::Instruction* original = program_.Original(*op);
      if (original != nullptr && seen.insert(original->id).second)
        instructions.push_back(original->id);
    };
    if (part.name == fused.name) add(fused.fusion);
    for (const auto& op : part.computation->instructions) add(op.get());
    json["instructions"] = std::move(instructions);
  }

  static void AddCheck(const KernelCheck& check, Object& json) {
    if (check.proof) json["claims"] = ClaimsJson(*check.proof);
    if (!check.why_not.empty()) json["why_not"] = JsonText(check.why_not);
    if (check.runs > 0) {
      json["runs"] = check.runs;
      json["elements"] = check.comparison.elements;
      json["mismatches"] = check.comparison.mismatches;
      json["max_ulp"] = static_cast<int64_t>(check.comparison.max_ulp);
    }
  }

  static Object MismatchJson(const KernelCheck& check, const FusedComputation& part,
                             int64_t kernel) {
    const auto& first = *check.comparison.first;
    Object json{{"kernel", kernel},
                {"claim", "values"},
                {"reason", "its run differs from the interpreter's"},
                {"block", -1},
                {"thread", -1},
                {"expected", JsonText(first.expected)},
                {"actual", JsonText(first.actual)}};
    const hlo::Shape* shape = hlo::LeafShape(part.computation->root->shape, first.leaf);
    if (shape && shape->IsArray()) {
      int64_t element = 0;
      for (size_t d = 0; d < first.index.size() && d < shape->dims.size(); ++d)
        element = element * shape->dims[d] + first.index[d];
      json["at"] = WrongElement("result " + std::to_string(first.leaf), *shape, element);
    }
    return json;
  }

  const Program program_;
  const ModuleReport* report_;
  KernelBudget& budget_;
};

// The text of a file that was read before; empty if it is gone, or was standard input.
std::string TextAgain(const std::string& path) {
  if (path == "-") return "";
  auto input = ReadInput(path, "LLVM IR");
  if (input) return std::move(input->text);
  llvm::consumeError(input.takeError());
  return "";
}

// A kernel of another compiler, from the file `path`, with its verdict.
Object ForeignKernel(llvm::StringRef name, const std::string& path, const KernelSubject& subject,
                     const Validation& validation, KernelBudget& budget) {
  Object json = KernelJson({*subject.ir, TextAgain(path)}, subject.launch, budget);
  json["name"] = JsonText(name);
  json["function"] = JsonText(subject.ir->kernel->getName());
  json["by"] = "given";
  json["verdict"] = Name(validation.verdict);
  json["claims"] = ClaimsJson(validation);
  json["runs"] = validation.executed.runs;
  json["elements"] = validation.executed.elements;
  json["max_ulp"] = validation.executed.largest_ulp;
  return json;
}

// The instructions of the computation, as those of the module whose page it is on.
Array InstructionsOf(const hlo::Computation& computation) {
  Array ids;
  for (const auto& op : computation.instructions) {
    if (op->opcode != hlo::Opcode::kParameter) ids.push_back(op->id);
  }
  return ids;
}

// The arguments of `affirm validate` for the kernel.
SubjectFiles FilesOf(const ExploreOptions& options) {
  return {options.input, options.fusion, options.kernel, options.launch};
}

struct PageData {
  Array modules;
  int status = 0;
  std::string verdict;
};

class ModulePages {
 public:
  ModulePages(const ExploreOptions& options, ProgressFn progress)
      : options_(options), progress_(progress) {}

  llvm::Expected<PageData> Write() {
    auto input = ReadInput(options_.input, "an HLO module");
    if (!input) return input.takeError();
    auto modules = ModulesOf(*input);
    if (!modules) return modules.takeError();
    CheckOptions how;
    how.seed = options_.seed;
    how.time_limit = options_.time_limit;
    how.faults = options_.faults;
    Checker checker(how);
    for (const auto& module : *modules) {
      if (llvm::Error error = calls::ExpandCustomCalls(*module, input->name, options_.meanings))
        return WithSourceLine(std::move(error), input->text);
      std::optional<ModuleReport> report;
      if (options_.check)
        report = checker.Check(*module, input->name,
                               [&](llvm::StringRef what) { progress_(what.str()); });
      if (llvm::Error error = Add(*module, report ? &*report : nullptr)) return error;
    }
    return std::move(data_);
  }

 private:
  llvm::Error Add(const hlo::Module& module, const ModuleReport* report) {
    auto json = ModuleJson(module, report, progress_);
    if (!json) return json.takeError();
    Array kernels, refutations;
    const bool has_kernel = !options_.kernel.empty();
    if (has_kernel) {
      if (llvm::Error error = AddGivenKernel(module, kernels, refutations)) return error;
    }
    if (report) AddMapRefutations(module, *report, refutations);
    EmittedKernels(module, report, budget_).Write(kernels, refutations, progress_);
    (*json)["kernels"] = std::move(kernels);
    (*json)["refutations"] = std::move(refutations);
    std::string verdict = given_verdict_;
    int status = given_status_;
    if (report) {
      (*json)["findings"] = Findings(*report);
      const std::string of_module = report->verdict();
      verdict += (verdict.empty() ? "" : "; the module with affirm's own kernels: ") + of_module;
      if (of_module == "affirmed") verdict += ": " + report->Covered();
      status = Worse(status, report->status());
    } else if (verdict.empty()) {
      verdict = "not checked";
    }
    (*json)["verdict"] = JsonText(verdict);
    (*json)["status"] = status;
    (*json)["checked"] = report != nullptr;
    (*json)["replay"] = JsonText(Replay());
    const int worst = Worse(data_.status, status);
    // The verdict of the first module with the worst status is that of the file.
    if (data_.modules.empty() || worst != data_.status) data_.verdict = verdict;
    data_.status = worst;
    data_.modules.push_back(std::move(*json));
    return llvm::Error::success();
  }

  std::string Replay() const {
    const std::string seed = " --seed " + std::to_string(options_.seed);
    if (options_.kernel.empty()) return "affirm check " + ShellQuoted(options_.input) + seed;
    return ReplayOf(FilesOf(options_), options_.seed);
  }

  llvm::Error AddGivenKernel(const hlo::Module& module, Array& kernels, Array& refutations) {
    progress_("validating " + options_.kernel);
    auto loaded = LoadSubject(FilesOf(options_));
    if (!loaded) return loaded.takeError();
    if (const kernel::ScalarParam* open = loaded->subject.launch.FindOpenScalar()) {
      return MakeError(open->where + ": error: parameter " + llvm::Twine(open->place) +
                       " has a range, expected the value that the page shows");
    }
    ValidateOptions validate;
    validate.seed = options_.seed;
    validate.may_omit_contents = true;
    const Validation validation = Validate(loaded->subject, validate);
    Object json =
        ForeignKernel(options_.kernel, options_.kernel, loaded->subject, validation, budget_);
    // The module was read twice, in the same order.
    if (const hlo::Computation* same = module.FindComputation(loaded->subject.computation->name))
      json["instructions"] = InstructionsOf(*same);
    AddRefutations(validation, loaded->subject.launch, std::ssize(kernels), refutations);
    kernels.push_back(std::move(json));
    given_verdict_ = options_.kernel + ": " + Name(validation.verdict);
    given_status_ = affirm::StatusOf(validation.verdict);
    return llvm::Error::success();
  }

  const ExploreOptions& options_;
  ProgressFn progress_;
  PageData data_;
  KernelBudget budget_;
  std::string given_verdict_;  // of the kernel that the user names
  int given_status_ = 0;
};

class DumpPages {
 public:
  DumpPages(const ExploreOptions& options, ProgressFn progress)
      : options_(options), progress_(progress) {}

  llvm::Expected<PageData> Write() {
    auto files = FindModules(options_.input);
    if (!files) return files.takeError();
    PageData data;
    Verdict worst = Verdict::kProved;
    for (const ModuleFiles& module : *files) {
      if (module.hlo.empty()) {
        worst = Meet(worst, Verdict::kUnknown);  // nothing says what it computes
        continue;
      }
      auto json = ModulePage(module, worst);
      if (!json) return json.takeError();
      data.modules.push_back(std::move(*json));
    }
    data.status = options_.check ? affirm::StatusOf(worst) : 0;
    data.verdict = options_.check ? Name(worst) : "not checked";
    return data;
  }

 private:
  llvm::Expected<Object> ModulePage(const ModuleFiles& files, Verdict& worst) {
    const std::string hlo = files.optimized.empty() ? files.hlo.back().path : files.optimized;
    auto read = ReadOneModule(hlo, UnknownOpcodes::kAllow);
    if (!read) return read.takeError();
    const hlo::Module& module = **read;
    auto json = ModuleJson(module, nullptr, progress_);
    if (!json) return json.takeError();
    Array kernels, refutations, passes;
    if (options_.check) {
      const DumpResult result = Check(files, module, kernels, refutations);
      const DumpModule& found = result.modules.front();
      passes = PassesJson(found.passes, module, diffs_, refutations);
      Array open;
      for (const KernelRow& row : found.kernels) {
        if (row.validation) continue;
        open.push_back(JsonText("kernel " + row.kernel + ": " + row.reason));
      }
      for (const std::string& fault : found.faults) open.push_back(JsonText(fault));
      for (const Uncovered& of : found.not_covered) open.push_back(JsonText(of.text));
      (*json)["not_covered"] = std::move(open);
      worst = Meet(worst, result.verdict);
      (*json)["status"] = affirm::StatusOf(result.verdict);
      (*json)["verdict"] = Name(result.verdict);
    } else {
      (*json)["status"] = 0;
      (*json)["verdict"] = "not checked";
    }
    (*json)["name"] = JsonText(files.name);
    (*json)["checked"] = options_.check;
    (*json)["replay"] =
        JsonText("affirm xla " + ShellQuoted(options_.input) + " --module " +
                 ShellQuoted(files.name) + " --seed " + std::to_string(options_.seed));
    (*json)["kernels"] = std::move(kernels);
    (*json)["passes"] = std::move(passes);
    (*json)["refutations"] = std::move(refutations);
    return std::move(*json);
  }

  DumpResult Check(const ModuleFiles& files, const hlo::Module& module, Array& kernels,
                   Array& refutations) {
    DumpOptions dump;
    dump.seed = options_.seed;
    dump.meanings = options_.meanings;
    dump.on_kernel = [&](const KernelRow& row, const KernelSubject& subject) {
      Object json = ForeignKernel(row.kernel, row.path, subject, *row.validation, budget_);
      if (const hlo::Instruction* op = module.FindInstruction(row.instruction)) {
        Array ids{op->id};
        for (const hlo::Computation* called : op->called) {
          for (Value& id : InstructionsOf(*called)) ids.push_back(std::move(id));
        }
        json["instructions"] = std::move(ids);
      }
      AddRefutations(*row.validation, subject.launch, std::ssize(kernels), refutations);
      kernels.push_back(std::move(json));
    };
    return CheckDump({files}, dump, progress_);
  }

  const ExploreOptions& options_;
  ProgressFn progress_;
  KernelBudget budget_;
  DiffBudget diffs_;
};

}  // namespace

llvm::Expected<Page> ExplorePage(const ExploreOptions& options, ProgressFn progress) {
  const bool is_dump = llvm::sys::fs::is_directory(options.input);
  auto data =
      is_dump ? DumpPages(options, progress).Write() : ModulePages(options, progress).Write();
  if (!data) return data.takeError();
  Object json{{"version", 1},           {"input", JsonText(options.input)},
              {"dump", is_dump},        {"verdict", JsonText(data->verdict)},
              {"status", data->status}, {"modules", std::move(data->modules)}};
  return Page{PageHtml(options.input, std::move(json)), data->verdict, data->status};
}

}  // namespace affirm::driver
