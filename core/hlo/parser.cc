// Reads modules: headers, tables and computations, and calls of computations defined further down.
#include "core/hlo/parser.h"

#include <algorithm>

#include "core/hlo/attribute_rules.h"
#include "core/hlo/diagnostic.h"
#include "core/hlo/shape_text.h"
#include "core/hlo/text.h"
#include "core/hlo/verifier.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

namespace affirm::hlo {

llvm::Expected<Computation*> ComputationTable::Define(llvm::StringRef name, size_t pos) {
  auto [entry, is_new] = by_name_.try_emplace(name, nullptr);
  if (!is_new) {
    return scanner_.Fail(
        pos, "expected a new name, found '" + name + "', which is the name of a computation above");
  }
  auto computation = std::make_unique<Computation>();
  computation->name = name.str();
  computation->module = &module_;
  computation->location = scanner_.LocationOf(pos);
  entry->second = computation.get();
  module_.computations.push_back(std::move(computation));
  return entry->second;
}

Computation* ComputationTable::DefineUnique(llvm::StringRef name, size_t pos) {
  std::string candidate = name.str();
  int64_t& suffix = next_suffix_[name];
  while (by_name_.contains(candidate)) candidate = (name + "." + llvm::Twine(++suffix)).str();
  return llvm::cantFail(Define(candidate, pos));
}

void ComputationTable::Call(Instruction& caller, llvm::StringRef key, llvm::StringRef callee,
                            size_t pos) {
  Computation* known = by_name_.lookup(callee);
  if (known == nullptr || known->root == nullptr) {
    known = nullptr;
    pending_.push_back({&caller, caller.called.size(), callee, pos});
  }
  caller.called.push_back(known);
  caller.called_as.push_back(key.str());
}

llvm::Error ComputationTable::Finish() {
  for (const PendingCall& call : pending_) {
    Computation* callee = by_name_.lookup(call.callee);
    if (callee == nullptr) callee = ShortCombiner(*call.caller, call.callee, call.pos);
    if (callee == nullptr) {
      return scanner_.Fail(call.pos, "expected the name of a computation of this module, found '" +
                                         call.callee + "'");
    }
    call.caller->called[call.slot] = callee;
  }
  return SortCalleesFirst();
}

llvm::Error ComputationTable::SortCalleesFirst() {
  // Depth first without recursion, since calls may nest as deep as the text is long.
  struct Visit {
    Computation* computation;
    size_t instruction = 0;
    size_t callee = 0;
  };
  llvm::DenseMap<const Computation*, bool> finished;  // false: still open
  std::vector<const Computation*> order;
  for (const auto& start : module_.computations) {
    if (finished.contains(start.get())) continue;
    std::vector<Visit> open = {{start.get()}};
    finished[start.get()] = false;
    while (!open.empty()) {
      Visit& visit = open.back();
      if (visit.instruction == visit.computation->instructions.size()) {
        finished[visit.computation] = true;
        order.push_back(visit.computation);
        open.pop_back();
        continue;
      }
      const Instruction& caller = *visit.computation->instructions[visit.instruction];
      if (visit.callee == caller.called.size()) {
        ++visit.instruction;
        visit.callee = 0;
        continue;
      }
      Computation* callee = caller.called[visit.callee++];
      auto [state, is_new] = finished.try_emplace(callee, false);
      if (is_new) {
        open.push_back({callee});
      } else if (!state->second) {
        const SourceLocation& at = caller.location;
        return scanner_.FailAt(at, "expected calls that end, but " + caller.name +
                                       " leads back to computation " + callee->name);
      }
    }
  }
  llvm::DenseMap<const Computation*, size_t> place;
  for (size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::sort(module_.computations.begin(), module_.computations.end(),
            [&](const auto& a, const auto& b) { return place[a.get()] < place[b.get()]; });
  return llvm::Error::success();
}

namespace {

// In the order in which they stand.
constexpr llvm::StringLiteral kHeaderTables[] = {"FileNames", "FunctionNames", "FileLocations",
                                                 "StackFrames"};

class ModuleParser {
 public:
  explicit ModuleParser(Scanner& scanner)
      : scanner_(scanner), module_(std::make_unique<Module>()), table_(scanner, *module_) {}

  // One module: up to the header of the next, or the end of the text.
  llvm::Expected<std::unique_ptr<Module>> Parse();

 private:
  llvm::Error ParseHeader();
  // ", key=value" as often as it stands here.
  using TextAttributes = std::vector<std::pair<std::string, std::string>>;
  llvm::Error ParseTextAttributes(llvm::StringRef owner, bool (*has)(llvm::StringRef),
                                  TextAttributes& attributes);
  llvm::Error ParseHeaderTables();
  llvm::Error ParseComputation();
  bool LooksAtInstruction();
  llvm::Error ParseSnippet();
  llvm::Expected<std::optional<Shape>> ParseSignature();

  Scanner& scanner_;
  std::unique_ptr<Module> module_;
  ComputationTable table_;
  Computation* last_ = nullptr;  // the last computation that stands by itself
};

llvm::Expected<std::unique_ptr<Module>> ModuleParser::Parse() {
  if (scanner_.ConsumeWord("HloModule")) {
    if (llvm::Error error = ParseHeader()) return error;
  }
  if (llvm::Error error = ParseHeaderTables()) return error;
  if (LooksAtInstruction()) {
    if (llvm::Error error = ParseSnippet()) return error;
  }
  while (!scanner_.AtEnd()) {
    // A second header starts the next module, with or without a separator in between.
    const size_t here = scanner_.pos();
    const bool next_module = scanner_.ConsumeWord("HloModule");
    scanner_.set_pos(here);
    if (next_module && last_ != nullptr) break;
    if (llvm::Error error = ParseComputation()) return error;
  }
  if (last_ == nullptr) {
    return scanner_.FailHere("expected a computation like 'ENTRY main { ... }', found " +
                             scanner_.Found());
  }
  if (module_->entry == nullptr) {
    module_->entry = last_;
    module_->entry_is_last = last_->is_entry = true;
  }
  if (module_->name.empty()) module_->name = module_->entry->name;
  if (llvm::Error error = table_.Finish()) return error;
  return std::move(module_);
}

llvm::Error ModuleParser::ParseHeader() {
  const llvm::StringRef name = scanner_.Name();
  if (name.empty()) {
    return scanner_.FailHere("expected the name of the module, found " + scanner_.Found());
  }
  module_->name = name.str();
  // Some printers of reproducers end the name like a label.
  scanner_.Consume(':');
  return ParseTextAttributes("the module", ModuleHasAttribute, module_->extra_attributes);
}

llvm::Error ModuleParser::ParseTextAttributes(llvm::StringRef owner, bool (*has)(llvm::StringRef),
                                              TextAttributes& attributes) {
  while (scanner_.Consume(',')) {
    scanner_.SkipSpace();
    const size_t begin = scanner_.pos();
    const std::string found = scanner_.Found();
    const llvm::StringRef key = scanner_.Identifier();
    if (key.empty() || !has(key)) {
      return scanner_.Fail(
          begin, "expected an attribute that " + owner + " is known to have, found " + found);
    }
    if (llvm::any_of(attributes, [&](const auto& earlier) { return earlier.first == key; })) {
      return scanner_.Fail(begin, "expected each attribute once, found " + key + " again");
    }
    if (llvm::Error error = scanner_.Expect('=', "behind the attribute " + key)) return error;
    scanner_.SkipSpace();
    const size_t value_begin = scanner_.pos();
    llvm::Expected<llvm::StringRef> value = scanner_.RawValue();
    if (!value) return value.takeError();
    const llvm::StringRef expected = ExpectedText(key, *value);
    if (!expected.empty()) {
      return scanner_.Fail(
          value_begin, "expected " + expected + " as the value of " + key + ", found " + *value);
    }
    attributes.emplace_back(key.str(), value->str());
  }
  return llvm::Error::success();
}

// FileNames
// 1 "a.py"
llvm::Error ModuleParser::ParseHeaderTables() {
  for (const llvm::StringRef table : kHeaderTables) {
    if (!scanner_.ConsumeWord(table)) continue;
    scanner_.SkipSpace();
    const size_t begin = scanner_.pos();
    size_t end = begin;
    while (llvm::isDigit(scanner_.Peek())) {
      llvm::Expected<int64_t> number = scanner_.Integer("the number of a row");
      if (!number) return number.takeError();
      const size_t behind = scanner_.pos();
      llvm::Expected<llvm::StringRef> row = scanner_.RawValue();
      if (!row) return row.takeError();
      if (scanner_.Since(behind).drop_back(row->size()).contains('\n')) {
        return scanner_.Fail(
            behind, "expected row " + llvm::Twine(*number) + " of " + table + " behind its number");
      }
      end = scanner_.pos();
    }
    const size_t after = scanner_.pos();
    scanner_.set_pos(end);
    module_->tables.emplace_back(table.str(), scanner_.Since(begin).str());
    scanner_.set_pos(after);
  }
  return llvm::Error::success();
}

// (a: f32[], b: s32[2]) -> f32[2]. XLA does not hold the parameters against the body; neither do
// we.
llvm::Expected<std::optional<Shape>> ModuleParser::ParseSignature() {
  if (!scanner_.Consume('(')) return std::nullopt;
  while (!scanner_.Consume(')')) {
    if (scanner_.Name().empty()) {
      return scanner_.FailHere("expected the name of a parameter or ')', found " +
                               scanner_.Found());
    }
    if (llvm::Error error = scanner_.Expect(':', "behind the name of a parameter")) return error;
    llvm::Expected<Shape> parameter = ParseShape(scanner_);
    if (!parameter) return parameter.takeError();
    if (scanner_.Peek() != ')') {
      if (llvm::Error error = scanner_.Expect(',', "or ')' behind a parameter")) return error;
    }
  }
  if (!scanner_.ConsumeText("->")) {
    return scanner_.FailHere("expected '->' and the shape of the result, found " +
                             scanner_.Found());
  }
  llvm::Expected<Shape> result = ParseShape(scanner_);
  if (!result) return result.takeError();
  return std::move(*result);
}

bool ModuleParser::LooksAtInstruction() {
  const size_t begin = scanner_.pos();
  scanner_.ConsumeWord("ROOT");
  const bool instruction = !scanner_.Name().empty() && scanner_.Peek() == '=';
  scanner_.set_pos(begin);
  return instruction;
}

llvm::Error ModuleParser::ParseSnippet() {
  last_ = table_.DefineUnique("snippet", scanner_.pos());
  return InstructionListParser(scanner_, table_, *last_, /*depth=*/0).ParseSnippet();
}

llvm::Error ModuleParser::ParseComputation() {
  const bool is_entry = scanner_.ConsumeWord("ENTRY");
  scanner_.SkipSpace();
  const size_t begin = scanner_.pos();
  const std::string found = scanner_.Found();
  const llvm::StringRef name = scanner_.Name();
  if (name.empty()) {
    const llvm::StringRef what = last_ == nullptr && module_->name.empty()
                                     ? "an HLO module or a computation"
                                     : "the name of a computation";
    return scanner_.Fail(begin, "expected " + what + ", found " + found);
  }
  if (is_entry && module_->entry != nullptr) {
    return scanner_.Fail(begin, "expected one ENTRY computation, found a second");
  }
  llvm::Expected<std::optional<Shape>> result = ParseSignature();
  if (!result) return result.takeError();
  if (llvm::Error error = scanner_.Expect('{', "before the body of computation " + name)) {
    return error;
  }
  llvm::Expected<Computation*> defined = table_.Define(name, begin);
  if (!defined) return defined.takeError();
  Computation& computation = **defined;
  InstructionListParser body(scanner_, table_, computation, /*depth=*/0);
  if (llvm::Error error = body.Parse()) return error;
  if (*result && !(*result)->SameIgnoringLayout(computation.root->shape)) {
    return scanner_.Fail(begin, "expected a computation whose root has the shape " +
                                    (*result)->ToString(false) + " of its signature, found " +
                                    computation.root->shape.ToString(false));
  }
  if (llvm::Error error = ParseTextAttributes("the computation", ComputationHasAttribute,
                                              computation.extra_attributes)) {
    return error;
  }
  if (is_entry) {
    module_->entry = &computation;
    computation.is_entry = true;
  }
  last_ = &computation;
  return llvm::Error::success();
}

// Whether only blanks stand from `at` to the end of its line, going forward or backward.
bool BlankToLineEnd(llvm::StringRef text, size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r')) ++at;
  return at >= text.size() || text[at] == '\n';
}

bool BlankFromLineStart(llvm::StringRef text, size_t at) {
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t')) --at;
  return at == 0 || text[at - 1] == '\n';
}

// Where the next line stands that is nothing but "// -----", from `begin` on; the end of the text
// if there is none.
size_t FindSeparator(llvm::StringRef text, size_t begin) {
  constexpr llvm::StringLiteral kSeparator = "// -----";
  for (size_t at = text.find(kSeparator, begin); at != llvm::StringRef::npos;
       at = text.find(kSeparator, at + 1)) {
    if (BlankFromLineStart(text, at) && BlankToLineEnd(text, at + kSeparator.size())) return at;
  }
  return text.size();
}

}  // namespace

llvm::Expected<std::vector<std::unique_ptr<Module>>> ParseModules(llvm::StringRef text,
                                                                  llvm::StringRef where) {
  std::vector<std::unique_ptr<Module>> modules;
  size_t end = 0;
  for (size_t begin = 0; begin < text.size(); begin = end) {
    // A section starts with its separator, which reads as a comment.
    end = FindSeparator(text, begin + 1);
    Scanner scanner(text, where, begin, end);
    while (!scanner.AtEnd()) {
      llvm::Expected<std::unique_ptr<Module>> module = ModuleParser(scanner).Parse();
      if (!module) return module.takeError();
      if (llvm::Error error = Verify(**module, where)) return error;
      modules.push_back(std::move(*module));
    }
  }
  if (modules.empty()) {
    Scanner scanner(text, where, 0, text.size());
    return scanner.FailHere("expected an HLO module, found " + scanner.Found());
  }
  return modules;
}

llvm::Expected<std::unique_ptr<Module>> ParseModule(llvm::StringRef text, llvm::StringRef where) {
  llvm::Expected<std::vector<std::unique_ptr<Module>>> modules = ParseModules(text, where);
  if (!modules) return modules.takeError();
  if (modules->size() != 1) {
    return MakeErrorAt(where, (*modules)[1]->computations.front()->location,
                       "expected one module, found " + llvm::Twine(modules->size()));
  }
  return std::move(modules->front());
}

}  // namespace affirm::hlo
