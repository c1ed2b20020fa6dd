// Instructions of a module, their shapes and their maps.
#include "tools/python/instructions.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>

#include "core/analysis/between.h"
#include "core/analysis/indexing.h"
#include "core/hlo/dynamic_sizes.h"
#include "core/hlo/leaves.h"
#include "core/hlo/text.h"
#include "tools/python/binding.h"

namespace affirm::python {
namespace {

struct MapOfInstruction {
  Map map;
  Exactness exactness;
  int64_t leaf;
  std::optional<Map> replica;
};

constexpr const char* kDirections = "'output-to-input' or 'input-to-output'";

Direction DirectionOf(const std::string& name) {
  if (name == "output-to-input") return Direction::kOutputToInput;
  if (name == "input-to-output") return Direction::kInputToOutput;
  Throw("no direction '" + name + "', expected " + kDirections);
}

MapOfInstruction Taken(const ContextPtr& context, const LabeledMap& map) {
  MapOfInstruction taken{{context, map.map}, map.exactness, map.leaf, std::nullopt};
  if (map.replica_id) taken.replica = Map{context, *map.replica_id};
  return taken;
}

std::vector<MapOfInstruction> Taken(const ContextPtr& context, llvm::ArrayRef<LabeledMap> maps) {
  std::vector<MapOfInstruction> taken;
  for (const LabeledMap& map : maps) taken.push_back(Taken(context, map));
  return taken;
}

std::vector<std::vector<MapOfInstruction>> MapsOf(const Instruction& self, int64_t id,
                                                  Direction direction, bool exact) {
  const bool outputs = direction == Direction::kOutputToInput;
  const int64_t count =
      outputs ? hlo::NumLeaves(self.op->shape) : static_cast<int64_t>(self.op->operands.size());
  if (id < 0 || id >= count) {
    Throw(self.op->name + " has " + llvm::Twine(count) + (outputs ? " outputs" : " operands") +
          ", none is number " + llvm::Twine(id));
  }
  const ContextPtr context = NewContext();
  const InstructionIndexing indexing = WithoutPython([&] {
    const IndexingOptions options{.exact = exact};
    return outputs ? OutputToInput(*self.op, id, context->context, options)
                   : InputToOutput(*self.op, id, context->context, options);
  });
  std::vector<std::vector<MapOfInstruction>> maps;
  maps.reserve(indexing.maps.size());
  for (const auto& of_one : indexing.maps) maps.push_back(Taken(context, of_one));
  return maps;
}

// From an element of the instruction's output to each instruction on the way to the parameters.
std::vector<std::pair<Instruction, std::vector<MapOfInstruction>>> Composed(const Instruction& self,
                                                                            int64_t output,
                                                                            bool exact) {
  const int64_t count = hlo::NumLeaves(self.op->shape);
  if (output < 0 || output >= count) {
    Throw(self.op->name + " has " + llvm::Twine(count) + " outputs, none is number " +
          llvm::Twine(output));
  }
  const ContextPtr context = NewContext();
  const GroupedIndexing grouped = WithoutPython(
      [&] { return ComputationIndexing(*self.op, output, context->context, {.exact = exact}); });
  std::vector<std::pair<Instruction, std::vector<MapOfInstruction>>> rows;
  for (const auto& [op, maps] : grouped)
    rows.emplace_back(Instruction{self.module, op}, Taken(context, maps));
  return rows;
}

std::vector<MapOfInstruction> Between(const Instruction& from, const Instruction& to,
                                      const std::string& direction, int64_t leaf, bool exact) {
  if (from.module != to.module) Throw("the instructions are of two modules");
  const Direction way = DirectionOf(direction);
  const int64_t count = hlo::NumLeaves(from.op->shape);
  if (leaf < 0 || leaf >= count)
    Throw(from.op->name + " has " + llvm::Twine(count) + " arrays, none is number " +
          llvm::Twine(leaf));
  const ContextPtr context = NewContext();
  const auto maps = WithoutPython([&] {
    return Unwrap(MapsBetween(*from.op, leaf, *to.op, way, context->context, {.exact = exact}));
  });
  return Taken(context, maps);
}

void AddShapes(nb::module_& module) {
  auto shape = nb::class_<hlo::Shape>(
      module, "Shape",
      "The type of an instruction's value: an array of HLO, or a tuple of shapes.");
  shape.def_prop_ro(
      "type", [](const hlo::Shape& self) { return hlo::Name(self.type).str(); },
      "The element type as HLO spells it, or 'tuple', 'token', 'opaque'.");
  shape.def_prop_ro(
      "dims", [](const hlo::Shape& self) { return nb::tuple(nb::cast(self.dims)); },
      nb::sig("def dims(self) -> tuple[int, ...]"), "Sizes; -1 where there is no bound.");
  shape.def_prop_ro("is_array", [](const hlo::Shape& self) { return self.IsArray(); });
  shape.def_prop_ro("is_tuple", [](const hlo::Shape& self) { return self.IsTuple(); });
  shape.def_prop_ro(
      "is_dynamic", [](const hlo::Shape& self) { return hlo::HasDynamicSize(self); },
      "Whether a size is known at run time only.");
  shape.def_prop_ro(
      "elements", [](const hlo::Shape& self) { return self.tuple; }, "Those of a tuple.");
  shape.def("__str__", [](const hlo::Shape& self) { return self.ToString(); });
  shape.def("__repr__", [](const hlo::Shape& self) { return "<Shape " + self.ToString() + ">"; });
  shape.def(
      "__eq__", [](const hlo::Shape& self, const hlo::Shape& other) { return self == other; },
      "other"_a, nb::is_operator(), EqualSignature());
  shape.def("__hash__",
            [](const hlo::Shape& self) { return std::hash<std::string>()(self.ToString()); });
}

void AddLabeledMaps(nb::module_& module) {
  auto map = nb::class_<MapOfInstruction>(module, "LabeledMap",
                                          "A map of an instruction, and what is claimed of it.");
  map.def_prop_ro("map", [](const MapOfInstruction& self) { return self.map; });
  map.def_prop_ro(
      "exactness", [](const MapOfInstruction& self) { return Name(self.exactness); },
      "'exact': what is read; 'over-approximate': it contains what is read; 'unknown': no claim.");
  map.def_prop_ro(
      "leaf", [](const MapOfInstruction& self) { return self.leaf; },
      "The array of the other side that it leads to; 0 unless that is a tuple.");
  map.def_prop_ro(
      "replica", [](const MapOfInstruction& self) { return self.replica; },
      "Of a collective: the map to the position of the replica whose operand is read.");
  map.def("__repr__", [](const MapOfInstruction& self) {
    const Turn turn(self.map.context);
    return "<LabeledMap " + std::string(Name(self.exactness)) + ": " + self.map.map.ToString() +
           ">";
  });
  map.def("_repr_html_", [](nb::handle_t<MapOfInstruction> self) {
    return nb::cast<std::string>(nb::module_::import_("affirm.html").attr("labeled_map")(self));
  });
}

void AddMapsOf(nb::class_<Instruction>& type) {
  type.def(
      "output_to_input",
      [](const Instruction& self, int64_t output, bool exact) {
        return MapsOf(self, output, Direction::kOutputToInput, exact);
      },
      "output"_a = 0, nb::kw_only(), "exact"_a = false,
      "For each operand the maps from an element of the output to the elements that it reads. "
      "`exact` where XLA prints a wider map.");
  type.def(
      "input_to_output",
      [](const Instruction& self, int64_t operand, bool exact) {
        return MapsOf(self, operand, Direction::kInputToOutput, exact);
      },
      "operand"_a = 0, nb::kw_only(), "exact"_a = false,
      "For each output the maps from an element of the operand to the elements that it goes into.");
  type.def("composed_maps", Composed, "output"_a = 0, nb::kw_only(), "exact"_a = false,
           "The composed and simplified maps from an element of the output to each instruction on "
           "the way to the parameters.");
  type.def("maps_to", Between, "to"_a, "direction"_a = "output-to-input", "leaf"_a = 0,
           nb::kw_only(), "exact"_a = false,
           "The maps to another instruction, whatever stands on the way: 'output-to-input' or "
           "'input-to-output'.");
}

}  // namespace

std::vector<Instruction> AllOf(const ModulePtr& module, llvm::ArrayRef<hlo::Instruction*> ops) {
  std::vector<Instruction> found;
  for (const hlo::Instruction* op : ops) found.push_back({module, op});
  return found;
}

void AddInstructions(nb::module_& module) {
  AddShapes(module);
  AddLabeledMaps(module);
  auto type = nb::class_<Instruction>(module, "Instruction", "An instruction of a module.");
  type.def_prop_ro("name", [](const Instruction& self) { return self.op->name; });
  type.def_prop_ro("opcode", [](const Instruction& self) { return self.op->opcode_text; });
  type.def_prop_ro("shape", [](const Instruction& self) { return self.op->shape; });
  type.def_prop_ro("operands",
                   [](const Instruction& self) { return AllOf(self.module, self.op->operands); });
  type.def_prop_ro("users",
                   [](const Instruction& self) { return AllOf(self.module, self.op->users); });
  type.def_prop_ro(
      "computation", [](const Instruction& self) { return self.op->parent->name; },
      "The name of the computation that it stands in.");
  type.def_prop_ro(
      "called",
      [](const Instruction& self) {
        std::vector<std::string> names;
        names.reserve(self.op->called.size());
        for (const hlo::Computation* called : self.op->called) names.push_back(called->name);
        return names;
      },
      "The names of the computations that it calls.");
  type.def_prop_ro("is_root", [](const Instruction& self) { return self.op->IsRoot(); });
  type.def_prop_ro("parameter_number", [](const Instruction& self) -> std::optional<int64_t> {
    if (self.op->parameter_number < 0) return std::nullopt;
    return self.op->parameter_number;
  });
  type.def_prop_ro(
      "line", [](const Instruction& self) { return self.op->location.line; },
      "Of the text that was read, from 1.");
  AddMapsOf(type);
  type.def("__str__", [](const Instruction& self) { return hlo::ToString(*self.op); });
  type.def("__repr__", [](const Instruction& self) {
    return "<Instruction " + self.op->name + ": " + self.op->opcode_text + ">";
  });
  type.def(
      "__eq__",
      [](const Instruction& self, const Instruction& other) { return self.op == other.op; },
      "other"_a, nb::is_operator(), EqualSignature());
  type.def("__hash__", [](const Instruction& self) { return std::hash<const void*>()(self.op); });
}

}  // namespace affirm::python
