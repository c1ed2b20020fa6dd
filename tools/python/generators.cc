// Random maps and modules from bytes, for strategies of Hypothesis: fewer bytes, and smaller ones,
// make smaller inputs.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <vector>

#include "core/hlo/text.h"
#include "fuzz/generators/hlo_generator.h"
#include "fuzz/generators/map_generator.h"
#include "llvm/ADT/STLExtras.h"
#include "tools/python/binding.h"
#include "tools/python/module.h"

namespace affirm::python {
namespace {

fuzz::Choices ChoicesOf(const nb::bytes& bytes) {
  return fuzz::Choices({reinterpret_cast<const uint8_t*>(bytes.c_str()), bytes.size()});
}

void RequireWithin(const char* what, int64_t value, int64_t low, int64_t high) {
  if (value >= low && value <= high) return;
  Throw(llvm::Twine(what) + " is " + llvm::Twine(value) + ", expected " + llvm::Twine(low) +
        " to " + llvm::Twine(high));
}

Map GenerateMap(const nb::bytes& bytes, int64_t max_dims, int64_t max_symbols, int64_t max_runtime,
                int64_t max_constraints, int64_t max_results, int64_t max_depth, int64_t max_points,
                bool extreme) {
  RequireWithin("max_dims", max_dims, 0, 16);
  RequireWithin("max_symbols", max_symbols, 0, 16);
  RequireWithin("max_runtime", max_runtime, 0, 16);
  RequireWithin("max_constraints", max_constraints, 0, 64);
  RequireWithin("max_results", max_results, 1, 16);
  RequireWithin("max_depth", max_depth, 0, 12);
  RequireWithin("max_points", max_points, 1, 1 << 24);
  const ContextPtr context = NewContext();
  fuzz::Choices choices = ChoicesOf(bytes);
  const fuzz::MapLimits limits{max_dims,        max_symbols, max_runtime,
                               max_constraints, max_results, static_cast<int>(max_depth),
                               max_points,      extreme};
  return {context, fuzz::GenerateMap(choices, context->context, limits)};
}

Map GenerateFollower(const nb::bytes& bytes, const Map& first) {
  if (first.map.IsUndefined() || first.map.IsKnownEmpty())
    Throw("a follower: the map is undefined, or known to be empty");
  const Turn turn(first.context);
  fuzz::Choices choices = ChoicesOf(bytes);
  return {first.context, fuzz::GenerateFollower(choices, first.map)};
}

ModulePtr GenerateModule(const nb::bytes& bytes, const std::vector<std::string>& ops,
                         const std::vector<std::string>& types, int64_t max_ops,
                         int64_t max_fusions, int64_t max_rank, int64_t max_size,
                         int64_t max_elements) {
  fuzz::HloLimits limits;
  const std::vector<hlo::Opcode> generated = fuzz::GeneratedOps();
  for (const std::string& name : ops) {
    const hlo::Opcode opcode = hlo::OpcodeFromName(name);
    if (opcode == hlo::Opcode::kUnknown) Throw("'" + name + "' is no opcode of HLO");
    if (!llvm::is_contained(generated, opcode)) Throw("'" + name + "' is no op that is generated");
    limits.ops.push_back(opcode);
  }
  for (const std::string& name : types) {
    const hlo::PrimitiveType type = hlo::PrimitiveTypeFromName(name);
    if (!hlo::IsArray(type)) Throw("'" + name + "' is no element type of HLO");
    limits.types.push_back(type);
  }
  RequireWithin("max_ops", max_ops, 1, 64);
  RequireWithin("max_fusions", max_fusions, 0, 16);
  RequireWithin("max_rank", max_rank, 0, 8);
  RequireWithin("max_size", max_size, 1, 1 << 16);
  RequireWithin("max_elements", max_elements, 1, 1 << 20);
  limits.max_ops = max_ops;
  limits.max_fusions = max_fusions;
  limits.max_rank = max_rank;
  limits.max_size = max_size;
  limits.max_elements = max_elements;
  fuzz::Choices choices = ChoicesOf(bytes);
  auto holder = std::make_shared<ModuleHolder>();
  holder->name = "<generated>";
  // From its text, so that places in it are those of what is printed.
  const std::string text = hlo::ToString(*fuzz::GenerateModule(choices, limits));
  holder->module = Unwrap(hlo::ParseModule(text, holder->name));
  return holder;
}

}  // namespace

void AddGenerators(nb::module_& module) {
  module.def("generate_map", GenerateMap, "data"_a, nb::kw_only(), "max_dims"_a, "max_symbols"_a,
             "max_runtime"_a, "max_constraints"_a, "max_results"_a, "max_depth"_a, "max_points"_a,
             "extreme"_a, "The legal map that the bytes choose.");
  module.def("generate_follower", GenerateFollower, "data"_a, "first"_a,
             "A map whose dims are the results of `first`.");
  module.def("generate_module", GenerateModule, "data"_a, nb::kw_only(), "ops"_a, "types"_a,
             "max_ops"_a, "max_fusions"_a, "max_rank"_a, "max_size"_a, "max_elements"_a,
             "The well-typed module that the bytes choose.");
  module.def(
      "generated_ops",
      [] {
        std::vector<std::string> names;
        for (hlo::Opcode opcode : fuzz::AffirmedOps()) names.push_back(hlo::Name(opcode).str());
        return names;
      },
      "The ops of generated modules where none are named.");
}

}  // namespace affirm::python
