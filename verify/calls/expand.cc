// Meanings are parsed, held against the call, and moved into its module.
#include "verify/calls/expand.h"

#include <optional>

#include "core/hlo/choices.h"
#include "core/hlo/diagnostic.h"
#include "core/hlo/text.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "verify/calls/dot_algorithms.h"
#include "verify/calls/meaning_text.h"
#include "verify/calls/meanings.h"

namespace affirm::calls {

namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Module;
using hlo::Opcode;
using hlo::Shape;

// Meanings that hold calls with meanings of their own.
constexpr int kMostNested = 8;

bool IsUndefined(const Instruction& op) {
  return op.opcode == Opcode::kCustomCall && op.attributes.custom_call_target == kUndefinedTarget;
}

// "(f32[8], s32[]) -> f32[8]"
std::string Signature(llvm::ArrayRef<Instruction*> parameters, const Shape& result) {
  auto texts = llvm::map_range(
      parameters, [](const Instruction* parameter) { return parameter->shape.ToString(false); });
  return "(" + llvm::join(texts, ", ") + ") -> " + result.ToString(false);
}

// Which elements of the result of a meaning are defined; empty when all are.
std::vector<bool> DefinedElements(const Computation& meaning) {
  if (meaning.root->opcode != Opcode::kTuple) return {};
  std::vector<bool> defined;
  defined.reserve(meaning.root->operands.size());
  for (const Instruction* element : meaning.root->operands)
    defined.push_back(!IsUndefined(*element));
  if (llvm::all_of(defined, [](bool is) { return is; })) return {};
  return defined;
}

void Erase(Computation& computation, const llvm::DenseSet<const Instruction*>& gone) {
  for (const auto& op : computation.instructions)
    llvm::erase_if(op->users, [&](const Instruction* user) { return gone.contains(user); });
  llvm::erase_if(computation.instructions, [&](const auto& op) { return gone.contains(op.get()); });
}

// Where the elements of a call's result without defined contents go. Passes hand them on, through
// tuples that are taken apart again:
//   c = (f32[8], s8[64]) custom-call(p)    s = s8[64] get-tuple-element(c), index=1
//   t = (f32[8], s8[64]) tuple(n, s)       ROOT r = f32[8] get-tuple-element(t), index=0
// and out of the one fusion or call whose result they are a part of.
class UndefinedFlow {
 public:
  // Whether anything else than tuples and copies has one of the elements.
  bool IsRead(Instruction& call, const std::vector<bool>& defined) {
    for (size_t k = 0; k < defined.size() && !is_read_; ++k) {
      if (!defined[k]) LoseElement(call, k);
    }
    return is_read_;
  }

  // Takes them out of the results and tuples that have them.
  void Drop() {
    for (auto& [op, defined] : defined_) {
      std::vector<int64_t> numbers;
      std::vector<Shape> shapes;
      std::vector<Instruction*> operands;
      for (auto [k, is_defined] : llvm::enumerate(defined)) {
        numbers.push_back(std::ssize(shapes));
        if (!is_defined) continue;
        shapes.push_back(op->shape.tuple[k]);
        if (op->opcode == Opcode::kTuple) operands.push_back(op->operands[k]);
      }
      op->shape = Shape::Tuple(std::move(shapes));
      if (op->opcode == Opcode::kTuple) op->operands = std::move(operands);
      for (Instruction* user : op->users) {
        int64_t& index = user->attributes.tuple_index;
        if (!gone_.contains(user)) index = numbers[index];
      }
    }
    llvm::SmallSetVector<Computation*, 2> computations;
    for (const Instruction* op : gone_) computations.insert(op->parent);
    for (Computation* computation : computations) Erase(*computation, gone_);
  }

 private:
  // Element k of a tuple is not defined.
  void LoseElement(Instruction& op, size_t k) {
    auto [known, is_new] = defined_.try_emplace(&op);
    if (is_new) known->second.resize(op.shape.tuple.size(), true);
    known->second[k] = false;
    const bool is_taken_apart = llvm::all_of(
        op.users, [](const Instruction* user) { return user->opcode == Opcode::kGetTupleElement; });
    Instruction* caller = op.IsRoot() ? OnlyCaller(*op.parent) : nullptr;
    is_read_ |= (op.IsRoot() && caller == nullptr) || !is_taken_apart;
    if (is_read_) return;
    if (caller != nullptr) LoseElement(*caller, k);
    for (Instruction* user : op.users) {
      if (user->attributes.tuple_index == static_cast<int64_t>(k)) Lose(*user);
    }
  }

  // The fusion or call that alone has the computation's result for its own; null where there is
  // another user of it.
  static Instruction* OnlyCaller(const Computation& computation) {
    Instruction* only = nullptr;
    for (const auto& other : computation.module->computations) {
      for (const auto& op : other->instructions) {
        if (!llvm::is_contained(op->called, &computation)) continue;
        const bool hands_on = op->opcode == Opcode::kFusion || op->opcode == Opcode::kCall;
        if (only != nullptr || !hands_on) return nullptr;
        only = op.get();
      }
    }
    return only;
  }

  // The value of an instruction is not defined.
  void Lose(Instruction& op) {
    if (op.IsRoot()) is_read_ = true;
    if (is_read_ || !gone_.insert(&op).second) return;
    for (Instruction* user : op.users) {
      switch (user->opcode) {
        case Opcode::kBitcast:
        case Opcode::kCopy:
        case Opcode::kGetTupleElement:
          Lose(*user);
          break;
        case Opcode::kTuple:
          for (auto [k, element] : llvm::enumerate(user->operands)) {
            if (element == &op) LoseElement(*user, k);
          }
          break;
        default:
          is_read_ = true;
      }
    }
  }

  llvm::MapVector<Instruction*, std::vector<bool>> defined_;  // of tuples that have such elements
  llvm::DenseSet<const Instruction*> gone_;
  bool is_read_ = false;
};

// Takes the elements that are not defined out of the result of a meaning.
void DropFromResult(Computation& meaning) {
  llvm::DenseSet<const Instruction*> gone;
  Instruction& root = *meaning.root;
  for (Instruction* element : root.operands) {
    if (!IsUndefined(*element)) continue;
    llvm::erase(element->users, &root);
    if (element->users.empty()) gone.insert(element);
  }
  llvm::erase_if(root.operands, [](const Instruction* element) { return IsUndefined(*element); });
  std::vector<Shape> shapes;
  shapes.reserve(root.operands.size());
  for (const Instruction* element : root.operands) shapes.push_back(element->shape);
  root.shape = Shape::Tuple(std::move(shapes));
  Erase(meaning, gone);
}

// The module of a meaning, which fits the call.
llvm::Expected<std::unique_ptr<Module>> Parse(llvm::StringRef text, const Instruction& call) {
  auto module = hlo::ParseModule(text, "its meaning");
  if (!module) {
    return MakeError("its attributes do not fit its operands: " +
                     llvm::toString(module.takeError()));
  }
  const Computation& entry = *(*module)->entry;
  const std::string has = Signature(entry.parameters, entry.root->shape);
  const std::string expected = Signature(call.operands, call.shape);
  if (has != expected) {
    return MakeError("expected " + expected + ", which its attributes make " + has);
  }
  return module;
}

// The same of the table's meaning.
llvm::Expected<std::unique_ptr<Module>> KnownMeaning(const Instruction& call) {
  auto text = MeaningOf(call);
  return text ? Parse(*text, call) : llvm::Expected<std::unique_ptr<Module>>(text.takeError());
}

class Expander {
 public:
  Expander(Module& module, llvm::StringRef where, const GivenMeanings& given, int nested)
      : module_(module), where_(where), given_(given), nested_(nested) {}

  llvm::Error Run() {
    for (size_t k = 0; k < module_.computations.size(); ++k) {
      std::vector<Instruction*> calls;
      for (const auto& op : module_.computations[k]->instructions) {
        if (op->opcode == Opcode::kCustomCall) calls.push_back(op.get());
      }
      for (Instruction* call : calls) {
        auto meaning = Find(*call);
        if (!meaning) return meaning.takeError();
        if (*meaning == nullptr) continue;
        if (llvm::Error error = Replace(*call, **meaning, k)) return error;
      }
    }
    return llvm::Error::success();
  }

 private:
  // A meaning; it is moved into the module when the first call is replaced by it.
  struct Made {
    std::unique_ptr<Module> module;
    std::vector<bool> defined;
    Computation* entry = nullptr;
    bool given = false;
  };

  llvm::Error Fail(const Instruction& call, const llvm::Twine& what) const {
    return hlo::MakeErrorAt(where_, call.location, "custom-call '" + call.name + "': " + what);
  }

  // The meaning that the user gives the call; null where there is none of its target.
  llvm::Expected<const GivenMeanings::Given*> FindGiven(const Instruction& call) const {
    const std::string signature = Signature(call.operands, call.shape);
    std::string others;
    for (const GivenMeanings::Given& given : given_.given()) {
      if (given.target != call.attributes.custom_call_target) continue;
      if (given.signature == signature) return &given;
      others += (others.empty() ? "" : ", ") + given.signature + " of " + given.where;
    }
    if (others.empty()) return nullptr;
    return Fail(call, "expected a meaning " + signature + " of its target, found " + others);
  }

  // The meaning of the call; null where it is not known, which WhyNoMeaning explains.
  llvm::Expected<Made*> Find(const Instruction& call) {
    auto given = FindGiven(call);
    if (!given) return given.takeError();
    llvm::Expected<std::string> text = *given ? (*given)->text : MeaningOf(call);
    if (!text) {
      llvm::consumeError(text.takeError());
      return nullptr;
    }
    // Two calls that ask a library for different code may differ in what the meaning leaves open.
    const std::string* config = call.attributes.FindExtra("backend_config");
    const std::string origin = call.attributes.custom_call_target + " " +
                               call.shape.ToString(/*with_layout=*/true) + " " +
                               (config ? *config : "");
    auto [known, is_new] = made_.try_emplace(*text + origin);
    if (!is_new) return known->second ? &*known->second : nullptr;
    auto module = Parse(*text, call);
    if (!module) {
      llvm::consumeError(module.takeError());
      return nullptr;
    }
    if (nested_ >= kMostNested) return Fail(call, "its meaning calls itself");
    if (llvm::Error error = Expander(**module, where_, given_, nested_ + 1).Run()) return error;
    for (const auto& computation : (*module)->computations) {
      for (const auto& op : computation->instructions) {
        if (hlo::MayChoose(*op) && op->opcode != Opcode::kCustomCall)
          NoteOrigin(op->attributes, origin);
      }
    }
    std::vector<bool> defined = DefinedElements(*(*module)->entry);
    known->second = Made{std::move(*module), std::move(defined), nullptr, *given != nullptr};
    return &*known->second;
  }

  llvm::Error Replace(Instruction& call, Made& made, size_t& position) {
    UndefinedFlow undefined;
    if (undefined.IsRead(call, made.defined)) {
      if (!made.given) return llvm::Error::success();
      return Fail(call, "an element of its result is read that its meaning does not define");
    }
    if (made.entry == nullptr) Move(call, made, position);
    undefined.Drop();
    hlo::Attributes attributes;
    for (const auto& [key, value] : call.attributes.extra) {
      if (key == "metadata" || key == "sharding") attributes.extra.emplace_back(key, value);
    }
    attributes.extra.emplace_back(
        "frontend_attributes",
        "{custom_call_target=\"" + call.attributes.custom_call_target + "\"}");
    call.attributes = std::move(attributes);
    call.opcode = Opcode::kCall;
    call.opcode_text = hlo::Name(Opcode::kCall).str();
    call.called = {made.entry};
    call.called_as = {"to_apply"};
    return llvm::Error::success();
  }

  // Puts the computations of the meaning in front of the one that calls it.
  void Move(const Instruction& call, Made& made, size_t& position) {
    made.entry = made.module->entry;
    if (!made.defined.empty()) DropFromResult(*made.entry);
    const std::string name = NewName(call.attributes.custom_call_target);
    for (std::unique_ptr<Computation>& computation : made.module->computations) {
      computation->name = computation->is_entry ? name : name + "." + computation->name;
      computation->is_entry = false;
      computation->module = &module_;
      computation->location = call.location;
      for (const auto& op : computation->instructions) {
        op->location = call.location;
        op->id = module_.next_id++;
      }
      module_.computations.insert(module_.computations.begin() + static_cast<int64_t>(position++),
                                  std::move(computation));
    }
    made.module = nullptr;
  }

  // "__cublas$lt$matmul" gives "cublas_lt_matmul.0", for the first.
  std::string NewName(llvm::StringRef target) {
    std::string name = target.ltrim('_').str();
    for (char& c : name) {
      if (!llvm::isAlnum(c) && c != '_' && c != '.') c = '_';
    }
    if (name.empty() || llvm::isDigit(name[0])) name = "call_" + name;
    std::string unique;
    do {
      unique = name + "." + std::to_string(made_names_++);
    } while (module_.FindComputation(unique) != nullptr);
    return unique;
  }

  Module& module_;
  llvm::StringRef where_;
  const GivenMeanings& given_;
  int nested_;
  llvm::StringMap<std::optional<Made>> made_;  // by text; nothing where it does not fit
  int64_t made_names_ = 0;
};

}  // namespace

void GivenMeanings::Add(llvm::StringRef target, llvm::StringRef where,
                        llvm::ArrayRef<std::unique_ptr<Module>> modules) {
  for (const auto& module : modules) {
    given_.push_back({target.str(), where.str(), hlo::ToString(*module),
                      Signature(module->entry->parameters, module->entry->root->shape)});
  }
}

void NoteOrigin(hlo::Attributes& attributes, llvm::StringRef origin) {
  auto note = llvm::find_if(attributes.extra,
                            [](const auto& entry) { return entry.first == "backend_config"; });
  if (note == attributes.extra.end()) note = attributes.extra.insert(note, {"backend_config", ""});
  std::string text;
  for (const char c : note->second + " " + origin.str()) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  note->second = "\"" + text + "\"";
}

llvm::Error ExpandCustomCalls(Module& module, llvm::StringRef where, const GivenMeanings& given) {
  if (llvm::Error error = Expander(module, where, given, 0).Run()) return error;
  // Also expands the dots of meanings.
  ExpandDotAlgorithms(module);
  return llvm::Error::success();
}

std::vector<bool> DefinedElementsOf(const Instruction& call) {
  if (IsUndefined(call)) return std::vector<bool>(std::max<size_t>(1, call.shape.tuple.size()));
  const size_t elements = call.shape.tuple.size();
  if (elements < 2) return {};
  auto meaning = KnownMeaning(call);
  if (meaning) return DefinedElements(*(*meaning)->entry);
  llvm::consumeError(meaning.takeError());
  const Shape& last = call.shape.tuple.back();
  const bool is_bytes =
      last.type == hlo::PrimitiveType::kS8 || last.type == hlo::PrimitiveType::kU8;
  const bool is_scratch = llvm::StringRef(call.attributes.custom_call_target).starts_with("__") &&
                          last.IsArray() && last.rank() == 1 && is_bytes;
  if (!is_scratch) return {};
  std::vector<bool> defined(elements, true);
  defined.back() = false;
  return defined;
}

std::string WhyNoMeaning(const Instruction& call) {
  if (IsUndefined(call)) return "its result has no defined contents";
  const std::string& target = call.attributes.custom_call_target;
  auto meaning = KnownMeaning(call);
  if (meaning) return "an element of its result that has no defined contents is read";
  const std::string why = llvm::toString(meaning.takeError());
  const std::string here = IsKnownTarget(call) ? " here (" + why + ")" : "";
  return "nothing says what '" + target + "' computes" + here + "; --meaning '" + target +
         "=FILE.hlo' does";
}

}  // namespace affirm::calls
