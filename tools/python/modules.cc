// HLO modules: execution, and what the tool's verbs say of them.
// affirm.Module of python/affirm gives this its face: arrays of NumPy, functions of JAX, reports.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <map>
#include <tuple>
#include <vector>

#include "core/hlo/dynamic_sizes.h"
#include "core/hlo/leaves.h"
#include "core/hlo/text.h"
#include "core/hlo_proto/text.h"
#include "core/symbolic/error.h"
#include "driver/build_facts.h"
#include "driver/check/check.h"
#include "driver/check/program.h"
#include "driver/equivalence/equivalence.h"
#include "driver/input.h"
#include "driver/validate/buffers.h"
#include "driver/validate/validate.h"
#include "tools/python/binding.h"
#include "tools/python/instructions.h"
#include "tools/python/module.h"
#include "verify/enclosure/compare.h"
#include "verify/kernel/emulator/emulator.h"
#include "verify/reference/devices.h"
#include "verify/reference/interpreter.h"

namespace affirm::python {
namespace {

// A report as JSON, as a summary, and as all of it; and the exit status of its verb.
using Report = std::tuple<std::string, std::string, std::string, int>;

std::unique_ptr<hlo::Module> OneModule(const std::string& text, const std::string& name) {
  auto modules = Unwrap(driver::ModulesOf({name, text}));
  if (modules.size() != 1) {
    Throw(name + ":1:1: error: holds " + llvm::Twine(modules.size()) + " modules, expected one");
  }
  return std::move(modules.front());
}

ModulePtr ReadModule(const std::string& text, const std::string& name,
                     const std::map<std::string, std::string>& meanings, bool expand_calls) {
  return WithoutPython([&] {
    auto holder = std::make_shared<ModuleHolder>();
    holder->name = name;
    holder->module = OneModule(text, name);
    if (!expand_calls) return holder;
    calls::GivenMeanings given;
    for (const auto& [target, meaning] : meanings) {
      const std::string where = "<meaning of " + target + ">";
      given.Add(target, where, Unwrap(driver::ModulesOf({where, meaning})));
    }
    llvm::Error error = calls::ExpandCustomCalls(*holder->module, name, given);
    if (error) ThrowIf(driver::WithSourceLine(std::move(error), text));
    return holder;
  });
}

ModulePtr ReadBytes(const nb::bytes& bytes, const std::string& name,
                    const std::map<std::string, std::string>& meanings, bool expand_calls) {
  return ReadModule({bytes.c_str(), bytes.size()}, name, meanings, expand_calls);
}

// Values: for each parameter, and for the result, the bytes of each array leaf as a Literal has
// them.
using Leaves = std::vector<nb::bytes>;

hlo::Literal LiteralOf(const hlo::Shape& shape, const Leaves& leaves, size_t& next) {
  if (shape.IsTuple()) {
    std::vector<hlo::Literal> elements;
    elements.reserve(shape.tuple.size());
    for (const hlo::Shape& element : shape.tuple)
      elements.push_back(LiteralOf(element, leaves, next));
    return hlo::Literal::MakeTuple(std::move(elements));
  }
  if (!shape.IsArray() || hlo::HasDynamicSize(shape))
    Throw("no array is of type " + shape.ToString());
  if (next >= leaves.size()) Throw("an array of type " + shape.ToString() + " is missing");
  const nb::bytes& bytes = leaves[next++];
  hlo::Literal literal(shape);
  if (bytes.size() != literal.bytes().size()) {
    Throw(llvm::Twine(bytes.size()) + " bytes for " + shape.ToString() + ", expected " +
          llvm::Twine(literal.bytes().size()));
  }
  if (bytes.size() > 0) std::memcpy(literal.data(), bytes.c_str(), bytes.size());
  return literal;
}

hlo::Literal LiteralOf(const hlo::Shape& shape, const Leaves& leaves) {
  size_t next = 0;
  hlo::Literal literal = LiteralOf(shape, leaves, next);
  if (next != leaves.size()) Throw(llvm::Twine(leaves.size()) + " arrays for " + shape.ToString());
  return literal;
}

std::vector<hlo::Literal> ArgumentsOf(const hlo::Module& module,
                                      const std::vector<Leaves>& arguments) {
  const auto& parameters = module.entry->parameters;
  if (arguments.size() != parameters.size()) {
    Throw("the module has " + llvm::Twine(parameters.size()) + " parameters, not " +
          llvm::Twine(arguments.size()));
  }
  std::vector<hlo::Literal> literals;
  literals.reserve(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i)
    literals.push_back(LiteralOf(parameters[i]->shape, arguments[i]));
  return literals;
}

Leaves LeavesOf(const hlo::Literal& literal) {
  Leaves leaves;
  for (const hlo::Literal* leaf : driver::LeavesOf(literal)) {
    leaves.emplace_back(leaf->bytes().data(), leaf->bytes().size());
  }
  return leaves;
}

void RequireOneDevice(const hlo::Module& module) {
  const int64_t count = hlo::DevicesOf(module).count();
  if (count == 1) return;
  Throw("the module runs on " + llvm::Twine(count) +
        " devices; run_on_devices takes the arguments of each");
}

// The error, which names a place of the module's text, if only its line and column, or none.
llvm::Error InModule(const ModuleHolder& holder, llvm::Error error) {
  if (!error) return error;
  const std::string message = driver::MessageOf(std::move(error));
  const llvm::StringRef where = llvm::StringRef(message).split(": error: ").first;
  if (where.size() == message.size()) {
    return driver::ErrorAt(holder.name, holder.module->entry->root->location, message);
  }
  return MakeError(where.count(':') == 1 ? holder.name + ":" + message : message);
}

template <typename T>
T UnwrapOf(const ModuleHolder& holder, llvm::Expected<T> value) {
  if (!value) ThrowIf(InModule(holder, value.takeError()));
  return std::move(*value);
}

Leaves RunModule(const ModulePtr& self, const std::vector<Leaves>& arguments,
                 const std::string& target, uint64_t seed) {
  const hlo::Module& module = *self->module;
  RequireOneDevice(module);
  const std::vector<hlo::Literal> literals = ArgumentsOf(module, arguments);
  if (target != "reference" && target != "emulator")
    Throw("no target '" + target + "': there are reference, emulator");
  return LeavesOf(WithoutPython([&] {
    if (target == "reference") return UnwrapOf(*self, hlo::Interpret(*module.entry, literals));
    return UnwrapOf(
        *self,
        driver::RunWithKernels(
            module, literals, [&](const emit::Kernel& kernel, llvm::ArrayRef<hlo::Literal> values) {
              return emit::RunOnEmulator(kernel, values, seed);
            }));
  }));
}

std::vector<Leaves> RunOnDevices(const ModulePtr& self,
                                 const std::vector<std::vector<Leaves>>& arguments) {
  const hlo::Module& module = *self->module;
  const hlo::Devices devices = hlo::DevicesOf(module);
  ThrowIf(hlo::CheckDevices(devices));
  if (static_cast<int64_t>(arguments.size()) != devices.count()) {
    Throw("the module runs on " + llvm::Twine(devices.count()) + " devices, not " +
          llvm::Twine(arguments.size()));
  }
  std::vector<std::vector<hlo::Literal>> literals;
  literals.reserve(arguments.size());
  for (const auto& of_device : arguments) literals.push_back(ArgumentsOf(module, of_device));
  const auto results = WithoutPython(
      [&] { return UnwrapOf(*self, hlo::InterpretOnDevices(*module.entry, literals, devices)); });
  std::vector<Leaves> leaves;
  leaves.reserve(results.size());
  for (const hlo::Literal& result : results) leaves.push_back(LeavesOf(result));
  return leaves;
}

std::vector<Leaves> GeneratedArguments(const ModulePtr& self, uint64_t seed) {
  std::vector<Leaves> arguments;
  for (const hlo::Literal& literal : hlo::MakeArguments(*self->module->entry, seed))
    arguments.push_back(LeavesOf(literal));
  return arguments;
}

// The first element that no rounding explains: (leaf, element, its place in ULP, expected, actual,
// what it should be).
using Difference = std::tuple<int64_t, int64_t, int64_t, std::string, std::string, std::string>;
// (difference, elements, those that HLO leaves open, the widest enclosure of one that differs, why
// some element was not tested)
using Comparison = std::tuple<std::optional<Difference>, int64_t, int64_t, double, std::string>;

Comparison CompareResult(const ModulePtr& self, const std::vector<Leaves>& arguments,
                         const Leaves& results) {
  const hlo::Module& module = *self->module;
  RequireOneDevice(module);
  const std::vector<hlo::Literal> literals = ArgumentsOf(module, arguments);
  const hlo::Literal actual = LiteralOf(module.entry->root->shape, results);
  return WithoutPython([&]() -> Comparison {
    const hlo::Literal expected = UnwrapOf(*self, hlo::Interpret(*module.entry, literals));
    enclosure::ResultComparison comparison(*module.entry, {.rounds_products = true});
    const hlo::LiteralComparison found = comparison.Compare(literals, expected, actual);
    std::optional<Difference> difference;
    if (const auto& first = found.first) {
      difference = {first->leaf,     first->element, first->ulp,
                    first->expected, first->actual,  first->why};
    }
    return {difference, found.elements, found.left_open, found.within, comparison.WhyNotTested()};
  });
}

// Verbs.

Report Check(const ModulePtr& self, uint64_t seed, double time_limit, bool cross_check) {
  return WithoutPython([&] {
    driver::CheckOptions options;
    options.seed = seed;
    options.time_limit = time_limit;
    options.decide.cross_check = cross_check;
    driver::Checker checker(options);
    const driver::ModuleReport report =
        checker.Check(*self->module, self->name, [](llvm::StringRef) {});
    return Report(Json([&](llvm::json::OStream& json) { driver::WriteReport(report, json); }),
                  Printed([&](llvm::raw_ostream& os) {
                    driver::PrintSummary(driver::ToRunReport(report), os);
                  }),
                  Printed([&](llvm::raw_ostream& os) {
                    driver::PrintReport(report, os, /*everything=*/true);
                  }),
                  report.status());
  });
}

Report Validate(const ModulePtr& self, const std::string& kernel, const std::string& launch,
                const std::string& fusion, uint64_t seed) {
  return WithoutPython([&] {
    const hlo::Computation* computation =
        UnwrapOf(*self, driver::FindComputation(*self->module, fusion));
    auto how = launch.empty() ? kernel::DefaultLaunch(*computation)
                              : kernel::ParseLaunch(launch, "<launch>");
    driver::KernelSubject subject{computation, nullptr, Unwrap(std::move(how))};
    const kernel::KernelIr ir =
        Unwrap(kernel::ReadKernelIr(kernel, "<kernel>", subject.launch.kernel));
    subject.ir = &ir;
    if (subject.launch.threads[0] == 0) {
      if (auto threads = kernel::RequiredThreads(ir)) subject.launch.threads = *threads;
    }
    ThrowIf(InModule(*self, driver::CheckSubject(subject)));
    ThrowIf(kernel::CheckFits(ir, subject.launch));
    driver::ValidateOptions options;
    options.seed = seed;
    options.may_omit_contents = true;
    const driver::Validation validation = driver::Validate(subject, options);
    const std::string text =
        Printed([&](llvm::raw_ostream& os) { driver::PrintReport(os, validation); });
    return Report(Json([&](llvm::json::OStream& json) { driver::WriteJson(json, validation); }),
                  text, text, affirm::StatusOf(validation.verdict));
  });
}

Report Compare(const ModulePtr& self, const ModulePtr& other, bool rounding, uint64_t seed) {
  return WithoutPython([&] {
    driver::EquivalenceOptions options;
    options.seed = seed;
    options.rounding = rounding;
    const driver::ModuleEquivalence found =
        Unwrap(driver::CompareModules(*self->module, *other->module, options));
    const std::string text =
        Printed([&](llvm::raw_ostream& os) { driver::PrintReport(os, found, ""); });
    return Report(Json([&](llvm::json::OStream& json) { driver::WriteJson(json, found, ""); }),
                  text, text, affirm::StatusOf(found.verdict));
  });
}

}  // namespace

void AddModules(nb::module_& module) {
  auto type = nb::class_<ModuleHolder>(module, "HloModule",
                                       "A module as C++ has it; affirm.Module is its face.");
  type.def_static("from_text", ReadModule, "text"_a, "name"_a, "meanings"_a, "expand_calls"_a);
  type.def_static("from_bytes", ReadBytes, "proto"_a, "name"_a, "meanings"_a, "expand_calls"_a);
  module.def(
      "is_hlo_proto",
      [](const nb::bytes& bytes) { return hlo_proto::IsHloProto({bytes.c_str(), bytes.size()}); },
      "bytes"_a, "Whether bytes are an HloProto, HloModuleProto or HloSnapshot and no text.");
  type.def_prop_ro("name", [](const ModuleHolder& self) { return self.module->name; });
  type.def_prop_ro("source", [](const ModuleHolder& self) { return self.name; });
  type.def_prop_ro("text", [](const ModuleHolder& self) { return hlo::ToString(*self.module); });
  type.def_prop_ro("devices",
                   [](const ModuleHolder& self) { return hlo::DevicesOf(*self.module).count(); });
  type.def_prop_ro("instructions", [](const ModulePtr& self) {
    std::vector<Instruction> found;
    for (const auto& computation : self->module->computations) {
      for (const auto& op : computation->instructions) found.push_back({self, op.get()});
    }
    return found;
  });
  type.def_prop_ro("entry", [](const ModulePtr& self) {
    std::vector<Instruction> found;
    for (const auto& op : self->module->entry->instructions) found.push_back({self, op.get()});
    return found;
  });
  type.def_prop_ro(
      "root", [](const ModulePtr& self) { return Instruction{self, self->module->entry->root}; });
  type.def_prop_ro("parameters", [](const ModulePtr& self) {
    return AllOf(self, self->module->entry->parameters);
  });
  type.def(
      "find",
      [](const ModulePtr& self, const std::string& name) -> std::optional<Instruction> {
        const hlo::Instruction* op = self->module->FindInstruction(name);
        if (op == nullptr) return std::nullopt;
        return Instruction{self, op};
      },
      "name"_a);
  type.def(
      "same_module",
      [](const ModuleHolder& self, const ModuleHolder& other) {
        return hlo::SameModule(*self.module, *other.module);
      },
      "other"_a);
  type.def("run", RunModule, "arguments"_a, "target"_a, "seed"_a);
  type.def("run_on_devices", RunOnDevices, "arguments"_a);
  type.def("make_arguments", GeneratedArguments, "seed"_a);
  type.def("compare_result", CompareResult, "arguments"_a, "results"_a);
  type.def("check", Check, "seed"_a, "time_limit"_a, "cross_check"_a);
  type.def("validate", Validate, "kernel"_a, "launch"_a, "fusion"_a, "seed"_a);
  type.def("compare", Compare, "other"_a, "rounding"_a, "seed"_a);
  module.def("build_facts", driver::BuildFacts,
             "The version of affirm, of the libraries that decide, and of the compiler.");
}

}  // namespace affirm::python
