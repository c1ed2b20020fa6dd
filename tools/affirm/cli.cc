#include "tools/affirm/cli.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/hlo/text.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Process.h"

namespace affirm::cli {

int Worse(int a, int b) {
  // By rank: all well, unknown, different, bad input.
  constexpr int kRank[] = {0, 2, 1, 3};
  return kRank[a] >= kRank[b] ? a : b;
}

int StatusOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kProved:
      return kAllWell;
    case Verdict::kRefuted:
      return kDifferent;
    case Verdict::kUnknown:
      return kUnknown;
  }
  return kUnknown;
}

namespace {

llvm::Error CannotRead(llvm::StringRef name, const llvm::Twine& why, llvm::StringRef expected) {
  return MakeError(name + ":1:1: error: " + why + ", expected " + expected);
}

// True of "where:line:column: error: ...".
bool SaysWhere(llvm::StringRef message) {
  auto [where, rest] = message.split(": error: ");
  if (where.size() == message.size()) return false;
  auto is_number = [](llvm::StringRef text) {
    return !text.empty() && llvm::all_of(text, llvm::isDigit);
  };
  auto [file_and_line, column] = where.rsplit(':');
  return is_number(column) && is_number(file_and_line.rsplit(':').second);
}

}  // namespace

llvm::Expected<Input> ReadInput(llvm::StringRef path, llvm::StringRef expected) {
  Input input{path == "-" ? "<stdin>" : path.str(), ""};
  if (path != "-" && llvm::sys::fs::is_directory(path)) {
    return CannotRead(input.name, "is a directory", expected);
  }
  std::FILE* file = path == "-" ? stdin : std::fopen(input.name.c_str(), "rb");
  if (!file) {
    return CannotRead(input.name, llvm::Twine("cannot be read (") + std::strerror(errno) + ")",
                      expected);
  }
  std::vector<char> chunk(1 << 20);
  bool too_large = false;
  while (size_t n = std::fread(chunk.data(), 1, chunk.size(), file)) {
    input.text.append(chunk.data(), n);
    too_large = static_cast<int64_t>(input.text.size()) > kMaxInputBytes;
    if (too_large) break;
  }
  bool failed = std::ferror(file);
  if (file != stdin) std::fclose(file);
  if (too_large) {
    return CannotRead(input.name, "is larger than " + llvm::Twine(kMaxInputBytes >> 20) + " MiB",
                      expected);
  }
  if (failed) return CannotRead(input.name, "cannot be read to its end", expected);
  if (llvm::StringRef(input.text).trim().empty()) {
    return CannotRead(input.name, "is empty", expected);
  }
  return input;
}

llvm::Expected<std::vector<std::unique_ptr<hlo::Module>>> ReadModules(llvm::StringRef path,
                                                                      UnknownOpcodes unknown) {
  auto input = ReadInput(path, "an HLO module");
  if (!input) return input.takeError();
  auto modules = hlo::ParseModules(input->text, input->name);
  if (!modules || unknown == UnknownOpcodes::kAllow) return modules;
  for (const auto& module : *modules) {
    for (const auto& computation : module->computations) {
      for (const auto& instruction : computation->instructions) {
        if (instruction->opcode != hlo::Opcode::kUnknown) continue;
        return ErrorAt(input->name, instruction->location,
                       "unknown opcode '" + instruction->opcode_text + "', expected one of HLO's");
      }
    }
  }
  return modules;
}

llvm::Expected<std::vector<IndexingMap>> ParseMaps(const Input& input, Context& context) {
  std::vector<IndexingMap> maps;
  llvm::StringRef rest = input.text;
  int64_t line = 1;
  while (!rest.empty()) {
    // One chunk: the lines up to the next blank one.
    size_t size = 0;
    int64_t lines = 0;
    bool holds_text = false;
    while (size < rest.size()) {
      llvm::StringRef here = rest.drop_front(size).take_until([](char c) { return c == '\n'; });
      llvm::StringRef content = here.trim();
      if (content.empty() && lines > 0) break;
      size = std::min(rest.size(), size + here.size() + 1);
      ++lines;
      if (content.empty()) break;
      holds_text |= !content.starts_with("//");
    }
    if (holds_text) {
      auto map = ParseIndexingMap(rest.take_front(size), context, input.name, line);
      if (!map) return map.takeError();
      maps.push_back(std::move(*map));
    }
    rest = rest.drop_front(size);
    line += lines;
  }
  if (maps.empty()) return MakeError(input.name + ":1:1: error: holds no map, expected a map");
  return maps;
}

llvm::Expected<IndexingMap> ReadMap(llvm::StringRef argument, Context& context) {
  if (argument.contains("->")) return ParseIndexingMap(argument, context);
  auto input = ReadInput(argument, "a map");
  if (!input) return input.takeError();
  auto maps = ParseMaps(*input, context);
  if (!maps) return maps.takeError();
  if (maps->size() != 1) {
    return MakeError(input->name + ":1:1: error: holds " + llvm::Twine(maps->size()) +
                     " maps, expected one");
  }
  return std::move(maps->front());
}

std::string MessageOf(llvm::Error error) {
  constexpr size_t kMaxMessage = 2000;
  std::string message = llvm::toString(std::move(error));
  if (message.size() > kMaxMessage) message = message.substr(0, kMaxMessage) + " ...";
  return message;
}

int Report(llvm::Error error) {
  std::string message = MessageOf(std::move(error));
  if (!SaysWhere(message)) message = "affirm: error: " + message;
  llvm::outs().flush();
  llvm::errs() << message << "\n";
  return kBadInput;
}

int Report(llvm::Error error, llvm::StringRef file, hlo::SourceLocation where) {
  std::string message = MessageOf(std::move(error));
  if (SaysWhere(message)) return Report(MakeError(message));
  // "line:column: error: ..." lacks only the file.
  if (SaysWhere("file:" + message)) return Report(MakeError(file + ":" + message));
  return Report(ErrorAt(file, where, message));
}

llvm::Error ErrorAt(llvm::StringRef file, hlo::SourceLocation where, const llvm::Twine& message) {
  return MakeError(file + ":" + llvm::Twine(std::max<int64_t>(where.line, 1)) + ":" +
                   llvm::Twine(std::max<int64_t>(where.column, 1)) + ": error: " + message);
}

std::string Fixed(double value, int digits) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.*f", digits, value);
  return text;
}

std::string JsonText(llvm::StringRef text) {
  return llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text);
}

namespace {

void WriteNumbers(llvm::json::OStream& json, llvm::ArrayRef<int64_t> values) {
  json.array([&] {
    for (int64_t v : values) json.value(v);
  });
}

void WriteTuples(llvm::json::OStream& json, const std::vector<std::vector<BigInt>>& tuples) {
  auto write = [&](const BigInt& v) { json.rawValue([&](llvm::raw_ostream& os) { os << v; }); };
  json.array([&] {
    for (const auto& tuple : tuples) {
      json.array([&] { llvm::for_each(tuple, write); });
    }
  });
}

}  // namespace

void WriteCounterexample(llvm::json::OStream& json, const MapCounterexample& counterexample) {
  json.object([&] {
    json.attributeBegin("dims");
    WriteNumbers(json, counterexample.dims);
    json.attributeEnd();
    json.attributeBegin("runtime");
    WriteNumbers(json, counterexample.runtime);
    json.attributeEnd();
    json.attributeBegin("lhs");
    WriteTuples(json, counterexample.lhs);
    json.attributeEnd();
    json.attributeBegin("rhs");
    WriteTuples(json, counterexample.rhs);
    json.attributeEnd();
  });
}

Progress::Progress() : enabled_(llvm::sys::Process::StandardErrIsDisplayed()) {}

void Progress::Show(const llvm::Twine& text) {
  if (!enabled_) return;
  llvm::errs() << "\r\x1b[K" << text.str().substr(0, 100);
  shown_ = true;
}

void Progress::Clear() {
  if (shown_) llvm::errs() << "\r\x1b[K";
  shown_ = false;
}

}  // namespace affirm::cli
