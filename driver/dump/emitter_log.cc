// Reads MLIR text line by line, with a stack of open regions.
#include "driver/dump/emitter_log.h"

#include <optional>
#include <utility>

#include "core/symbolic/error.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm::driver {

namespace {

bool IsNameCharacter(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$' || c == '-' || c == '#';
}

char PartnerOf(char open) {
  switch (open) {
    case '(':
      return ')';
    case '[':
      return ']';
    case '{':
      return '}';
    default:
      return '>';
  }
}

// Where the group that starts at text[0] ends, strings passed over; npos: it does not.
size_t EndOfGroup(llvm::StringRef text, char open) {
  const char close = PartnerOf(open);
  int64_t depth = 0;
  bool quoted = false;
  for (size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '"' && (k == 0 || text[k - 1] != '\\')) quoted = !quoted;
    if (quoted) continue;
    if (text[k] == open) ++depth;
    if (text[k] == close && (close != '>' || k == 0 || text[k - 1] != '-') && --depth == 0)
      return k;
  }
  return llvm::StringRef::npos;
}

// "%a, %b:2 = " in front of an operation.
std::vector<std::string> TakeResults(llvm::StringRef& line) {
  std::vector<std::string> results;
  if (!line.starts_with("%")) return results;
  auto [left, right] = line.split(" = ");
  for (llvm::StringRef part : llvm::split(left, ", ")) {
    auto [name, count] = part.trim().split(':');
    int64_t many = 0;
    if (count.empty() || count.getAsInteger(10, many) || many < 0 || many > 4096) {
      results.push_back(name.str());
      continue;
    }
    for (int64_t k = 0; k < many; ++k) results.push_back((name + "#" + llvm::Twine(k)).str());
  }
  line = right;
  return results;
}

EmitterOp ReadOp(llvm::StringRef line, int64_t number, bool& opens) {
  EmitterOp op{.results = TakeResults(line), .name = "", .text = "", .line = number};
  opens = line.consume_back("{");
  line = line.trim();
  if (line.consume_front("\"")) {
    op.name = line.split('"').first.str();
    line = line.split('"').second;
  } else {
    llvm::StringRef name = line.take_while(IsNameCharacter);
    op.name = name.str();
    line = line.drop_front(name.size());
  }
  op.text = line.trim().str();
  return op;
}

// "func.func private @f(...) -> ... attributes {...}" without the operation's name.
EmitterFunction FunctionOf(EmitterOp op) {
  EmitterFunction function;
  llvm::StringRef text = op.text;
  text = text.split('@').second;
  function.name = text.take_while(IsNameCharacter).str();
  text = text.drop_front(function.name.size());
  for (llvm::StringRef argument : SplitList(TakeGroup(text, '(')))
    function.arguments.push_back(argument.trim().str());
  function.entry = text.contains("xla.entry");
  function.has_blocks = op.has_blocks;
  if (!op.regions.empty()) function.body = std::move(op.regions.front());
  return function;
}

// Builds one snapshot, line by line.
class SnapshotReader {
 public:
  SnapshotReader(EmitterSnapshot snapshot, llvm::StringRef file)
      : snapshot_(std::move(snapshot)), file_(file) {}

  llvm::Error Add(llvm::StringRef line, int64_t number) {
    line = line.trim();
    if (line.empty() || line.starts_with("//")) return llvm::Error::success();
    if (line.starts_with("#")) return AddAlias(line), llvm::Error::success();
    if (line.starts_with("^")) {
      if (!open_.empty()) open_.back().has_blocks = true;
      return llvm::Error::success();
    }
    if (line.starts_with("}")) return Close(line, number);
    bool opens = false;
    EmitterOp op = ReadOp(line, number, opens);
    if (op.name == "module") {
      ReadModuleAttributes(op.text);
      // The module is no operation of a function: its lines are those of functions.
      module_open_ = opens;
      has_module_ = true;
      return llvm::Error::success();
    }
    if (opens) {
      if (open_.size() >= kDeepest) return At(number, "regions nest deeper than expected");
      op.regions.emplace_back();
      open_.push_back(std::move(op));
    } else {
      Append(std::move(op));
    }
    return llvm::Error::success();
  }

  llvm::Expected<EmitterSnapshot> Finish() {
    if (!open_.empty())
      return At(open_.back().line, "the region of " + open_.back().name + " is not closed");
    if (module_open_) return At(snapshot_.line, "the module is not closed");
    if (!has_module_)
      return At(snapshot_.line,
                "the dump before " + snapshot_.pass + " holds no module, expected MLIR");
    return std::move(snapshot_);
  }

 private:
  static constexpr size_t kDeepest = 200;

  llvm::Error At(int64_t line, const llvm::Twine& what) const {
    return MakeError(file_ + ":" + llvm::Twine(line) + ":1: error: " + what);
  }

  void AddAlias(llvm::StringRef line) {
    auto [name, value] = line.split(" = ");
    const size_t map = value.find("indexing_map<\"");
    if (map == llvm::StringRef::npos) return;
    value = value.drop_front(value.find('"') + 1);
    snapshot_.maps[name.trim().str()] = value.split('"').first.str();
  }

  void ReadModuleAttributes(llvm::StringRef text) {
    const size_t bits = text.find("index = ");
    if (bits == llvm::StringRef::npos) return;
    text = text.drop_front(bits + 8);
    int64_t value = 0;
    if (!text.consumeInteger(10, value) && (value == 32 || value == 64))
      snapshot_.index_bits = value;
  }

  void Append(EmitterOp op) {
    if (!open_.empty()) {
      open_.back().regions.back().push_back(std::move(op));
    } else if (op.name == "func.func") {
      snapshot_.functions.push_back(FunctionOf(std::move(op)));
    }
  }

  llvm::Error Close(llvm::StringRef line, int64_t number) {
    if (open_.empty()) {
      if (!std::exchange(module_open_, false))
        return At(number, "a region is closed that was not opened");
      return llvm::Error::success();
    }
    if (line.ends_with("{")) {  // "} else {"
      open_.back().regions.emplace_back();
      return llvm::Error::success();
    }
    EmitterOp op = std::move(open_.back());
    open_.pop_back();
    Append(std::move(op));
    return llvm::Error::success();
  }

  EmitterSnapshot snapshot_;
  llvm::StringRef file_;
  bool module_open_ = false, has_module_ = false;
  std::vector<EmitterOp> open_;
};

// "// -----// IR Dump Before CSEPass: cse ('func.func' operation: @f) //----- //"
bool IsHead(llvm::StringRef line, EmitterSnapshot& snapshot) {
  line = line.trim();
  if (!line.consume_front("// -----// IR Dump Before ") || !line.consume_back("//----- //"))
    return false;
  snapshot.pass = line.take_while([](char c) { return c != ':' && !llvm::isSpace(c); }).str();
  const size_t at = line.rfind("operation: @");
  if (at != llvm::StringRef::npos && line.contains("'func.func'"))
    snapshot.operation = line.drop_front(at + 11).take_until([](char c) { return c == ')'; }).str();
  return true;
}

}  // namespace

const EmitterFunction* EmitterSnapshot::entry() const {
  for (const EmitterFunction& function : functions) {
    if (function.entry) return &function;
  }
  return nullptr;
}

const EmitterFunction* EmitterSnapshot::Find(llvm::StringRef name) const {
  for (const EmitterFunction& function : functions) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

llvm::Expected<std::vector<EmitterSnapshot>> ReadEmitterLog(llvm::StringRef text,
                                                            llvm::StringRef file) {
  std::vector<EmitterSnapshot> snapshots;
  std::optional<SnapshotReader> reader;
  auto finish = [&]() -> llvm::Error {
    if (!reader) return llvm::Error::success();
    auto snapshot = reader->Finish();
    reader.reset();
    if (!snapshot) return snapshot.takeError();
    snapshots.push_back(std::move(*snapshot));
    return llvm::Error::success();
  };
  for (int64_t number = 1; !text.empty(); ++number) {
    auto [line, rest] = text.split('\n');
    text = rest;
    EmitterSnapshot head{.line = number};
    if (IsHead(line, head)) {
      if (llvm::Error error = finish()) return error;
      reader.emplace(std::move(head), file);
    } else if (reader) {
      if (llvm::Error error = reader->Add(line, number)) return error;
    }
  }
  if (llvm::Error error = finish()) return error;
  if (snapshots.empty())
    return MakeError(file +
                     ":1:1: error: holds no dump before a pass, expected lines \"// -----// "
                     "IR Dump Before PASS\"");
  return snapshots;
}

std::vector<std::string> ValueNames(llvm::StringRef text) {
  std::vector<std::string> names;
  for (size_t at = text.find('%'); at != llvm::StringRef::npos; at = text.find('%')) {
    text = text.drop_front(at);
    const size_t size = text.drop_front(1).take_while(IsNameCharacter).size() + 1;
    names.push_back(text.take_front(size).str());
    text = text.drop_front(size);
  }
  return names;
}

llvm::StringRef TakeGroup(llvm::StringRef& text, char open) {
  if (!text.starts_with(llvm::StringRef(&open, 1))) return "";
  const size_t end = EndOfGroup(text, open);
  if (end == llvm::StringRef::npos) return "";
  llvm::StringRef group = text.slice(1, end);
  text = text.drop_front(end + 1);
  return group;
}

std::vector<llvm::StringRef> SplitList(llvm::StringRef text) {
  std::vector<llvm::StringRef> parts;
  size_t from = 0;
  for (size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (c == '(' || c == '[' || c == '{' || c == '<') {
      const size_t end = EndOfGroup(text.drop_front(k), c);
      if (end != llvm::StringRef::npos) k += end;
    } else if (c == ',') {
      parts.push_back(text.slice(from, k));
      from = k + 1;
    }
  }
  if (!text.drop_front(from).trim().empty()) parts.push_back(text.drop_front(from));
  return parts;
}

}  // namespace affirm::driver
