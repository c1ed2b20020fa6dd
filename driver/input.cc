// Reads files and standard input, and maps between blank lines.
#include "driver/input.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/hlo/text.h"
#include "core/hlo/verifier.h"
#include "core/hlo_proto/text.h"
#include "core/indexing/map_text.h"
#include "core/stablehlo/text.h"
#include "core/symbolic/error.h"
#include "core/symbolic/text_cursor.h"
#include "driver/errors.h"
#include "llvm/Support/FileSystem.h"

namespace affirm::driver {

namespace {

llvm::Error CannotRead(llvm::StringRef name, const llvm::Twine& why, llvm::StringRef expected) {
  return MakeError(name + ":1:1: error: " + why + ", expected " + expected);
}

using Modules = std::vector<std::unique_ptr<hlo::Module>>;

llvm::Expected<std::unique_ptr<hlo::Module>> OnlyOne(llvm::Expected<Modules> modules,
                                                     llvm::StringRef name) {
  if (!modules) return modules.takeError();
  if (modules->size() != 1)
    return CannotRead(name, "holds " + llvm::Twine(modules->size()) + " modules", "one");
  return std::move(modules->front());
}

// The format: HLO text, one of XLA's protos, or StableHLO.
llvm::Expected<Modules> Parse(const Input& input) {
  const bool is_proto = hlo_proto::IsHloProto(input.text);
  if (!is_proto && hlo_proto::IsTextFormat(input.text))
    return CannotRead(input.name, "is a proto in text format",
                      "the binary proto, or HLO text, as XLA writes them with "
                      "--xla_dump_hlo_as_proto and --xla_dump_hlo_as_text");
  if (!is_proto && !hlo::stablehlo::IsStableHlo(input.text))
    return hlo::ParseModules(input.text, input.name);
  auto module = is_proto ? hlo_proto::ReadModule(input.text, input.name)
                         : hlo::stablehlo::ReadModule(input.text, input.name);
  if (!module) return module.takeError();
  Modules modules;
  modules.push_back(std::move(*module));
  return modules;
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
  return ModulesOf(*input, unknown);
}

llvm::Expected<std::vector<std::unique_ptr<hlo::Module>>> ModulesOf(const Input& input,
                                                                    UnknownOpcodes unknown) {
  auto modules = Parse(input);
  if (!modules) return WithSourceLine(modules.takeError(), input.text);
  for (const auto& module : *modules) {
    for (const std::string& note : module->notes) llvm::errs() << input.name << ":" << note << "\n";
  }
  if (unknown == UnknownOpcodes::kAllow) return modules;
  for (const auto& module : *modules) {
    if (llvm::Error error = hlo::VerifyArguments(*module, input.name))
      return WithSourceLine(std::move(error), input.text);
    for (const auto& computation : module->computations) {
      for (const auto& instruction : computation->instructions) {
        if (instruction->opcode != hlo::Opcode::kUnknown) continue;
        return WithSourceLine(
            ErrorAt(input.name, instruction->location,
                    "unknown opcode '" + instruction->opcode_text + "', expected one of HLO's"),
            input.text);
      }
    }
  }
  return modules;
}

llvm::Expected<std::vector<std::unique_ptr<hlo::Module>>> ReadExpandedModules(
    llvm::StringRef path, const calls::GivenMeanings& given, UnknownOpcodes unknown) {
  auto modules = ReadModules(path, unknown);
  if (!modules) return modules;
  for (const auto& module : *modules) {
    const llvm::StringRef name = path == "-" ? "<stdin>" : path;
    if (llvm::Error error = calls::ExpandCustomCalls(*module, name, given)) return error;
  }
  return modules;
}

llvm::Expected<std::unique_ptr<hlo::Module>> ReadOneModule(llvm::StringRef path,
                                                           UnknownOpcodes unknown) {
  return OnlyOne(ReadModules(path, unknown), path);
}

llvm::Expected<std::unique_ptr<hlo::Module>> OneModuleOf(const Input& input,
                                                         UnknownOpcodes unknown) {
  return OnlyOne(ModulesOf(input, unknown), input.name);
}

llvm::Expected<std::unique_ptr<hlo::Module>> ReadOneExpandedModule(
    llvm::StringRef path, const calls::GivenMeanings& given, UnknownOpcodes unknown) {
  return OnlyOne(ReadExpandedModules(path, given, unknown), path);
}

llvm::Expected<calls::GivenMeanings> ReadMeanings(llvm::ArrayRef<std::string> options) {
  calls::GivenMeanings given;
  for (llvm::StringRef option : options) {
    auto [target, file] = option.split('=');
    if (target.empty() || file.empty())
      return MakeError("--meaning: expected TARGET=FILE.hlo, found '" + option + "'");
    auto modules = ReadModules(file);
    if (!modules) return modules.takeError();
    given.Add(target, file, *modules);
  }
  return given;
}

std::vector<MapTextPart> SplitMaps(llvm::StringRef rest) {
  std::vector<MapTextPart> parts;
  int64_t line = 1;
  while (!rest.empty()) {
    // One part: the lines up to the next blank one.
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
    if (holds_text) parts.push_back({rest.take_front(size), line});
    rest = rest.drop_front(size);
    line += lines;
  }
  return parts;
}

llvm::Expected<std::vector<IndexingMap>> ParseMaps(const Input& input, Context& context) {
  std::vector<IndexingMap> maps;
  for (const MapTextPart& part : SplitMaps(input.text)) {
    auto map = ParseIndexingMap(part.text, context, input.name, part.line);
    if (!map) return WithSourceLine(map.takeError(), input.text);
    maps.push_back(std::move(*map));
  }
  if (maps.empty()) return MakeError(input.name + ":1:1: error: holds no map, expected a map");
  return maps;
}

bool IsMapText(llvm::StringRef argument) {
  if (argument.contains("->") || argument.ltrim().starts_with("#xla.indexing_map<")) return true;
  Context context;
  auto map = ParseWrittenMap(argument, context);
  if (!map) llvm::consumeError(map.takeError());
  return static_cast<bool>(map);
}

llvm::Expected<IndexingMap> ReadMapText(llvm::StringRef text, Context& context) {
  auto map = ParseIndexingMap(text, context);
  if (!map) return WithSourceLine(map.takeError(), text);
  return map;
}

llvm::Expected<Input> ReadRuleFile(llvm::StringRef path) {
  auto input = ReadInput(path, "rules");
  if (!input) return input.takeError();
  if (TextCursor(input->text, input->name).AtEnd())
    return CannotRead(input->name, "holds no rule", "a rule");
  return input;
}

llvm::Expected<IndexingMap> ReadMap(llvm::StringRef argument, Context& context) {
  if (IsMapText(argument)) return ReadMapText(argument, context);
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

}  // namespace affirm::driver
