// affirm run: the value of a module's entry, by the interpreter or by the emitted kernels.
#include "core/hlo/literal_text.h"
#include "core/symbolic/error.h"
#include "driver/check/program.h"
#include "driver/exit_status.h"
#include "driver/validate/validate.h"
#include "emit/kernel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "tools/affirm/cli.h"
#include "tools/affirm/meaning_options.h"
#include "tools/affirm/verbs.h"
#include "verify/enclosure/compare.h"
#include "verify/reference/devices.h"
#include "verify/reference/interpreter.h"

namespace affirm::cli {
namespace {

struct Options {
  std::string file;
  std::string target = "reference";
  std::vector<std::string> inputs;
  uint64_t seed = 0;
  int64_t replicas = 0, partitions = 0;  // 0: as the module says
  bool time = false;
  bool json = false, show_arguments = false;
  std::string compare, accept = "proved";
  MeaningFlags meanings;
};

// A kernel that ran, and how long it takes.
struct TimedKernel {
  std::string name;
  emit::CudaTime time;
};

llvm::Expected<hlo::Literal> ReadLiteral(const std::string& path, const hlo::Shape& shape) {
  auto input = ReadInput(path, "a literal");
  if (!input) return input.takeError();
  hlo::Scanner scanner(input->text, input->name, 0, input->text.size());
  int64_t fill_budget = shape.NumElements();
  auto literal = hlo::ParseLiteral(scanner, shape, fill_budget);
  if (!literal) return literal.takeError();
  if (!*literal) return scanner.Fail(0, "elided, expected the elements of " + shape.ToString());
  if (!scanner.AtEnd()) return scanner.FailHere("expected the end of the literal");
  return std::move(**literal);
}

// Generated arguments of a device, the first ones replaced by those that were given.
llvm::Expected<std::vector<hlo::Literal>> Arguments(const hlo::Module& module,
                                                    const Options& options, int64_t device) {
  std::vector<hlo::Literal> arguments =
      hlo::MakeArguments(*module.entry, options.seed + static_cast<uint64_t>(device));
  if (options.inputs.size() > arguments.size()) {
    return ErrorAt(options.file, module.entry->location,
                   llvm::Twine(options.inputs.size()) + " inputs, but the entry has " +
                       llvm::Twine(arguments.size()) + " parameters");
  }
  for (size_t i = 0; i < options.inputs.size(); ++i) {
    auto literal = ReadLiteral(options.inputs[i], module.entry->parameters[i]->shape);
    if (!literal) return literal.takeError();
    arguments[i] = std::move(*literal);
  }
  return arguments;
}

llvm::Expected<hlo::Literal> Execute(const hlo::Module& module,
                                     llvm::ArrayRef<hlo::Literal> arguments, const Options& options,
                                     std::vector<TimedKernel>& times) {
  if (options.target == "reference") return hlo::Interpret(*module.entry, arguments);
  return driver::RunWithKernels(
      module, arguments,
      [&](const emit::Kernel& kernel,
          llvm::ArrayRef<hlo::Literal> values) -> llvm::Expected<hlo::Literal> {
        if (options.target == "emulator") return emit::RunOnEmulator(kernel, values, options.seed);
        if (!options.time) return emit::RunOnCuda(kernel, values);
        return emit::RunOnCuda(kernel, values, &times.emplace_back(kernel.name()).time);
      });
}

hlo::Devices DevicesFor(const hlo::Module& module, const Options& options) {
  hlo::Devices devices = hlo::DevicesOf(module);
  if (options.replicas > 0) devices.replicas = options.replicas;
  if (options.partitions > 0) devices.partitions = options.partitions;
  return devices;
}

// A row for each device. Kernels run on one.
struct Execution {
  std::vector<std::vector<hlo::Literal>> arguments;
  std::vector<hlo::Literal> results;
  std::vector<TimedKernel> times;  // in the order in which they ran
};

llvm::Expected<Execution> ExecuteOnDevices(const hlo::Module& module, const Options& options) {
  const hlo::Devices devices =
      options.target == "reference" ? DevicesFor(module, options) : hlo::Devices{};
  if (auto error = hlo::CheckDevices(devices)) return error;
  Execution out;
  for (int64_t d = 0; d < devices.count(); ++d) {
    auto of_device = Arguments(module, options, d);
    if (!of_device) return of_device.takeError();
    out.arguments.push_back(std::move(*of_device));
  }
  if (devices.count() > 1) {
    auto results = hlo::InterpretOnDevices(*module.entry, out.arguments, devices);
    if (!results) return results.takeError();
    out.results = std::move(*results);
  } else {
    auto result = Execute(module, out.arguments[0], options, out.times);
    if (!result) return result.takeError();
    out.results.push_back(std::move(*result));
  }
  return out;
}

void PrintJson(const hlo::Module& module, const Options& options, const Execution& execution) {
  const std::vector<hlo::Literal>& results = execution.results;
  PrintJsonObject([&](llvm::json::OStream& json) {
    json.attribute("module", JsonText(module.name));
    json.attribute("target", options.target);
    json.attribute("seed", options.seed);
    json.attribute("shape", module.entry->root->shape.ToString());
    if (options.show_arguments) {
      json.attributeArray("arguments", [&] {
        for (const std::vector<hlo::Literal>& of_device : execution.arguments) {
          json.array([&] {
            for (const hlo::Literal& argument : of_device) json.value(argument.ToString());
          });
        }
      });
    }
    if (results.size() == 1) {
      json.attribute("result", results[0].ToString());
    } else {
      json.attributeArray("results", [&] {
        for (const hlo::Literal& result : results) json.value(result.ToString());
      });
    }
    if (!options.time) return;
    WriteRows(json, "times", execution.times, [&](const auto& row) {
      const auto& [kernel, time] = row;
      json.attribute("kernel", JsonText(kernel));
      json.attribute("launches", time.launches);
      json.attribute("fastest_ms", time.fastest);
      json.attribute("median_ms", time.median);
    });
  });
}

// A result that another program gave, against all that a compiler may make of the module.
int CompareResult(const hlo::Module& module, const Options& options, const Execution& execution) {
  if (execution.results.size() > 1)
    return Report(ErrorAt(options.file, {}, "--compare is of one device alone"));
  // The file has only the elements of an array whose size is known at run time.
  auto other = ReadLiteral(options.compare, execution.results[0].shape());
  if (!other) return Report(other.takeError());
  enclosure::ResultComparison comparison(*module.entry, {.rounds_products = true});
  const hlo::LiteralComparison found =
      comparison.Compare(execution.arguments[0], execution.results[0], *other);
  const std::string not_tested = comparison.WhyNotTested();
  const Verdict verdict = found.first                                  ? Verdict::kRefuted
                          : found.left_open > 0 || !not_tested.empty() ? Verdict::kUnknown
                                                                       : Verdict::kExecuted;
  if (options.json) {
    PrintJsonObject([&](llvm::json::OStream& json) {
      json.attribute("module", JsonText(module.name));
      json.attribute("verdict", Name(verdict));
      json.attribute("elements", found.elements);
      json.attribute("mismatches", found.mismatches);
      json.attribute("left_open", found.left_open);
      json.attribute("within", found.within);
      json.attribute("not_tested", JsonText(not_tested));
      if (!found.first) return;
      json.attributeObject("first", [&] {
        json.attribute("output", found.first->leaf);
        WriteValues(json, "index", found.first->index);
        json.attribute("expected", JsonText(found.first->expected));
        json.attribute("actual", JsonText(found.first->actual));
        json.attribute("why", JsonText(found.first->why));
      });
    });
    return StatusOf(verdict, *VerdictFromName(options.accept));
  }
  if (const auto& first = found.first) {
    llvm::outs() << "output " << first->leaf << " at [";
    llvm::interleaveComma(first->index, llvm::outs());
    llvm::outs() << "] is " << first->actual << ", the interpreter says " << first->expected
                 << (first->why.empty() ? "" : ": " + first->why) << "\n";
  }
  if (!not_tested.empty()) llvm::outs() << not_tested << "\n";
  llvm::outs() << "verdict: " << Name(verdict) << " (" << found.elements << " elements, "
               << found.mismatches << " wrong";
  if (found.left_open > 0) llvm::outs() << ", " << found.left_open << " left open by HLO";
  llvm::outs() << driver::WithinText(found.within) << ")\n";
  return StatusOf(verdict, *VerdictFromName(options.accept));
}

int Run(const Options& options) {
  if (options.time && options.target != "cuda") {
    return Report(ErrorAt(options.file, {}, "--time is of --target cuda alone"));
  }
  auto meanings = options.meanings.Get();
  if (!meanings) return Report(meanings.takeError());
  auto modules = ReadExpandedModules(options.file, *meanings);
  if (!modules) return Report(modules.takeError());
  int status = kSuccess;
  for (const auto& module : *modules) {
    auto execution = ExecuteOnDevices(*module, options);
    if (!execution) {
      return Report(execution.takeError(), options.file, module->entry->root->location);
    }
    if (!options.compare.empty()) {
      status = driver::Worse(status, CompareResult(*module, options, *execution));
      continue;
    }
    if (options.json) {
      PrintJson(*module, options, *execution);
      continue;
    }
    for (const hlo::Literal& result : execution->results) llvm::outs() << result.ToString() << "\n";
    for (const auto& [kernel, time] : execution->times) {
      llvm::outs() << kernel
                   << llvm::formatv(": median {0:f4} ms, fastest {1:f4} ms of {2} launches\n",
                                    time.median, time.fastest, time.launches);
    }
  }
  return status;
}

}  // namespace

void AddRun(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Verb verb = line.Add("run", "Execute a module and print its value");
  verb.Option("FILE", options->file, "HLO text, or - for standard input").Required();
  verb.Option("--target", options->target,
              "reference: the interpreter; emulator (or host): the emitted kernels on the SIMT "
              "emulator; cuda: on "
              "the first device")
      .OneOf({"reference", "emulator", "host", "cuda"})
      .ShowDefault();
  verb.Option("--input", options->inputs,
              "File with a literal for the next parameter; the others are generated");
  verb.Option("--seed", options->seed, "Of generated arguments and of the emulator's thread order")
      .ShowDefault();
  verb.Option("--replicas", options->replicas,
              "reference: devices that meet in collectives, a result a line, those of a replica "
              "together; default: replica_count of the module")
      .Within(1, 4096);
  verb.Option("--partitions", options->partitions,
              "reference: devices of each replica; default: num_partitions of the module")
      .Within(1, 4096);
  verb.Flag("--time", options->time,
            "cuda: how long the device took for each kernel, over launches behind the one of "
            "which the value is");
  options->meanings.AddTo(verb);
  OptionHandle compare = verb.Option(
      "--compare", options->compare,
      "File with the result that another program gave for these arguments: is each element among "
      "those that a compiler may make of the module (docs/enclosures.md)?");
  verb.Option("--accept", options->accept,
              "With --compare: the weakest verdict for exit status 0; nothing is proved by a run")
      .OneOf({"proved", "executed"})
      .Needs(compare)
      .ShowDefault();
  OptionHandle json = verb.Flag("--json", options->json, "Print JSON");
  verb.Flag("--show-arguments", options->show_arguments,
            "With --json: the arguments too, a list for each device")
      .Needs(json);
  verb.Footer(
      "Example:\n"
      "  $ echo '{1, -7, 5}' > x.txt; echo '{0, 2, -2}' > y.txt\n"
      "  $ affirm run corpus/hlo/integer_division.hlo --target emulator --input x.txt --input "
      "y.txt");
  verb.Run([options] {
    if (options->target == "host") options->target = "emulator";  // a synonym
    return Run(*options);
  });
}

}  // namespace affirm::cli
