// Writes the header and the computations of a module, in the order in which they run.
#include <set>

#include "core/hlo/attribute_text.h"
#include "core/hlo_proto/values.h"
#include "core/hlo_proto/writer.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

namespace affirm::hlo_proto {
namespace {

class ModuleWriter {
 public:
  explicit ModuleWriter(const HloModuleProto& module) : module_(module), os_(result_.text) {}

  llvm::Expected<ModuleText> Write();

 private:
  llvm::Error FindComputations();
  llvm::Error WriteHeader();
  llvm::Error WriteAliases();
  llvm::Error WriteEntryLayout();
  llvm::Error CheckEntryShape(const ProgramShape& shape) const;
  llvm::Error WriteComputation(const Computation& computation);
  // The instructions in the order of the schedule, where there is one.
  llvm::Expected<std::vector<const Instruction*>> InOrder(const Computation& computation) const;
  void StartLine(const Computation& computation, const Instruction* instruction);

  const HloModuleProto& module_;
  ModuleText result_;
  llvm::raw_string_ostream os_;
  int64_t line_ = 1;
  size_t counted_ = 0;  // bytes of the text whose lines line_ counts
  ById<Computation> computations_;
  const Computation* entry_ = nullptr;
  std::map<int64_t, const Schedule::InstructionSequence*> schedule_;
};

llvm::Error CheckIds(const Computation& computation) {
  std::set<int64_t> ids;
  for (const Instruction& op : computation.instructions()) {
    if (!ids.insert(op.id()).second)
      return MakeError(PlaceOf({&computation, &op}) + "expected a new id, found " +
                       llvm::Twine(op.id()) + ", which is that of an instruction before it");
  }
  if (ids.contains(computation.root_id())) return llvm::Error::success();
  return MakeError(PlaceOf({&computation, nullptr}) +
                   "expected root_id to be the id of an instruction, found " +
                   llvm::Twine(computation.root_id()));
}

llvm::Error ModuleWriter::FindComputations() {
  for (const Computation& computation : module_.computations()) {
    const std::string place = PlaceOf({&computation, nullptr});
    if (!computations_.try_emplace(computation.id(), &computation).second)
      return MakeError(place + "expected a new id, found " + llvm::Twine(computation.id()) +
                       ", which is that of a computation before it");
    if (llvm::Error error = CheckIds(computation)) return error;
  }
  const int64_t entry = module_.entry_computation_id();
  auto found = computations_.find(entry);
  if (found == computations_.end())
    return MakeError("expected entry_computation_id to be the id of a computation, found " +
                     llvm::Twine(entry));
  entry_ = found->second;
  const std::string& name = module_.entry_computation_name();
  if (!name.empty() && name != entry_->name())
    return MakeError("expected the entry computation to be one, found the name '" + name +
                     "' and the id of '" + entry_->name() + "'");
  // A later entry of a map replaces an earlier one.
  for (const Schedule::Entry& sequence : module_.schedule().sequences()) {
    if (!computations_.contains(sequence.key()))
      return MakeError("expected a schedule of computations of the module, found one of id " +
                       llvm::Twine(sequence.key()));
    schedule_[sequence.key()] = &sequence.value();
  }
  return llvm::Error::success();
}

// ", input_output_alias={ {0}: (1, {}, may-alias) }, buffer_donor={ (1, {}) }"
llvm::Error ModuleWriter::WriteAliases() {
  if (module_.input_output_alias().entries_size() > 0) {
    os_ << ", input_output_alias={ ";
    llvm::ListSeparator separator;
    for (const InputOutputAlias::Entry& entry : module_.input_output_alias().entries()) {
      if (entry.kind() != 1 && entry.kind() != 2)
        return MakeError("expected input_output_alias to be may-alias or must-alias, found kind " +
                         llvm::Twine(entry.kind()));
      os_ << separator << ListText(entry.output_shape_index()) << ": (" << entry.parameter_number()
          << ", " << ListText(entry.parameter_shape_index())
          << (entry.kind() == 1 ? ", may-alias)" : ", must-alias)");
    }
    os_ << " }";
  }
  if (module_.buffer_donor().entries_size() > 0) {
    os_ << ", buffer_donor={ ";
    llvm::ListSeparator separator;
    for (const BufferDonor::Entry& entry : module_.buffer_donor().entries())
      os_ << separator << "(" << entry.parameter_number() << ", "
          << ListText(entry.parameter_shape_index()) << ")";
    os_ << " }";
  }
  return llvm::Error::success();
}

// XLA refuses a module whose program shape is not that of its entry.
llvm::Error ModuleWriter::CheckEntryShape(const ProgramShape& shape) const {
  int64_t parameters = 0;
  for (const Instruction& op : entry_->instructions()) {
    if (op.id() == entry_->root_id() && !SameSizes(op.shape(), shape.result()))
      return MakeError("expected host_program_shape to have the shape of the entry's result");
    if (op.opcode() != "parameter") continue;
    ++parameters;
    const int64_t number = op.parameter_number();
    if (number < 0 || number >= shape.parameters_size() ||
        !SameSizes(op.shape(), shape.parameters(static_cast<int>(number))))
      return MakeError("expected host_program_shape to have the shape of parameter " +
                       llvm::Twine(number) + ", '" + op.name() + "'");
  }
  if (parameters == shape.parameters_size()) return llvm::Error::success();
  return MakeError("expected host_program_shape to have " + llvm::Twine(parameters) +
                   " parameters, found " + llvm::Twine(shape.parameters_size()));
}

llvm::Error ModuleWriter::WriteEntryLayout() {
  // XLA wants it, and without the end of a file it would be missing.
  if (!module_.has_host_program_shape()) return MakeError("expected a host_program_shape");
  const ProgramShape& shape = module_.host_program_shape();
  if (llvm::Error error = CheckEntryShape(shape)) return error;
  os_ << ", entry_computation_layout={(";
  llvm::ListSeparator separator;
  for (const Shape& parameter : shape.parameters()) {
    auto text = ShapeText(parameter);
    if (!text) return text.takeError();
    os_ << separator << *text;
  }
  auto result = ShapeText(shape.result());
  if (!result) return result.takeError();
  os_ << ")->" << *result << "}";
  return llvm::Error::success();
}

llvm::Error ModuleWriter::WriteHeader() {
  std::string name = module_.name().empty() ? "module" : module_.name();
  for (char& c : name) {
    if (!llvm::isAlnum(c) && !llvm::StringRef("_.-").contains(c)) c = '_';
  }
  os_ << "HloModule %" << name;
  if (module_.has_schedule()) os_ << ", is_scheduled=true";
  if (llvm::Error error = WriteAliases()) return error;
  if (llvm::Error error = WriteEntryLayout()) return error;
  if (module_.has_device_assignment()) {
    const DeviceAssignment& devices = module_.device_assignment();
    if (devices.replica_count() != 1) os_ << ", replica_count=" << devices.replica_count();
    if (devices.computation_count() != 1) os_ << ", num_partitions=" << devices.computation_count();
  }
  if (module_.frontend_attributes().map_size() > 0) {
    auto attributes = FrontendAttributesText(module_.frontend_attributes());
    if (!attributes) return attributes.takeError();
    os_ << ", frontend_attributes=" << *attributes;
  }
  os_ << "\n";
  return llvm::Error::success();
}

llvm::Expected<std::vector<const Instruction*>> ModuleWriter::InOrder(
    const Computation& computation) const {
  std::vector<const Instruction*> order;
  auto sequence = schedule_.find(computation.id());
  if (sequence == schedule_.end()) {
    for (const Instruction& op : computation.instructions()) order.push_back(&op);
    return order;
  }
  ById<Instruction> left;
  for (const Instruction& op : computation.instructions()) left[op.id()] = &op;
  for (const int64_t id : sequence->second->instruction_ids()) {
    auto op = left.find(id);
    if (op == left.end())
      return MakeError("expected a schedule that names each instruction once, found id " +
                       llvm::Twine(id));
    order.push_back(op->second);
    left.erase(op);
  }
  if (left.empty()) return order;
  return MakeError("expected a schedule of all " + llvm::Twine(computation.instructions_size()) +
                   " instructions, found one of " + llvm::Twine(order.size()));
}

void ModuleWriter::StartLine(const Computation& computation, const Instruction* instruction) {
  const llvm::StringRef added = llvm::StringRef(result_.text).drop_front(counted_);
  line_ += static_cast<int64_t>(added.count('\n'));
  counted_ = result_.text.size();
  result_.lines[line_] = {&computation, instruction};
}

llvm::Error ModuleWriter::WriteComputation(const Computation& computation) {
  auto fail = [&](const Instruction* op, llvm::Error error) {
    return MakeError(PlaceOf({&computation, op}) + llvm::toString(std::move(error)));
  };
  os_ << "\n";
  StartLine(computation, nullptr);
  auto name = Word(computation.name(), "the name of a computation");
  if (!name) return fail(nullptr, name.takeError());
  os_ << (&computation == entry_ ? "ENTRY %" : "%") << *name << " {\n";
  auto order = InOrder(computation);
  if (!order) return fail(nullptr, order.takeError());
  Scope scope;
  scope.computations = &computations_;
  for (const Instruction* op : *order) {
    StartLine(computation, op);
    auto word = Word(op->name(), "the name of an instruction");
    if (!word) return fail(op, word.takeError());
    os_ << (op->id() == computation.root_id() ? "  ROOT %" : "  %") << *word << " = ";
    if (llvm::Error error = WriteInstruction(*op, scope, os_)) return fail(op, std::move(error));
    os_ << "\n";
    scope.instructions[op->id()] = op;
  }
  StartLine(computation, nullptr);
  os_ << "}";
  if (!computation.execution_thread().empty()) {
    os_ << ", execution_thread=";
    hlo::PrintString(computation.execution_thread(), os_);
  }
  os_ << "\n";
  return llvm::Error::success();
}

llvm::Expected<ModuleText> ModuleWriter::Write() {
  if (llvm::Error error = FindComputations()) return error;
  if (llvm::Error error = WriteHeader()) return error;
  for (const Computation& computation : module_.computations()) {
    if (llvm::Error error = WriteComputation(computation)) return error;
  }
  return std::move(result_);
}

}  // namespace

std::string PlaceOf(const ModuleText::Line& line) {
  std::string place;
  if (line.instruction != nullptr) place += "instruction '" + line.instruction->name() + "' of ";
  if (line.computation != nullptr) place += "computation '" + line.computation->name() + "': ";
  return place;
}

llvm::Expected<ModuleText> WriteModule(const HloModuleProto& module) {
  return ModuleWriter(module).Write();
}

llvm::Expected<llvm::StringRef> Word(const std::string& word, llvm::StringRef what) {
  const bool is_word = !word.empty() && llvm::all_of(word, [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '.' || c == '-';
  });
  if (is_word && !llvm::StringRef(word).contains("->")) return llvm::StringRef(word);
  return MakeError("expected " + what + ", of letters, digits, '_', '.' and '-', found '" + word +
                   "'");
}

}  // namespace affirm::hlo_proto
