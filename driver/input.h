// Reads what the user names: files, standard input, HLO modules, maps. Every error says where it is
// and what was expected: "name:1:1: error: is empty, expected an HLO module".
#ifndef AFFIRM_DRIVER_INPUT_H_
#define AFFIRM_DRIVER_INPUT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "core/indexing/indexing_map.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "verify/calls/expand.h"

namespace affirm::driver {

// A text and the name that errors give it.
struct Input {
  std::string name;
  std::string text;
};
// The content of a file, or of standard input for "-". Directories, unreadable and empty files, and
// those of more than kMaxInputBytes are errors of the form "name:1:1: error: ...".
llvm::Expected<Input> ReadInput(llvm::StringRef path, llvm::StringRef expected);
inline constexpr int64_t kMaxInputBytes = int64_t{512} << 20;

// The modules of a file. An opcode that is not known is an error, and so are arguments of a callee
// that are not of its parameters' shapes, unless the caller can live with it.
enum class UnknownOpcodes : uint8_t { kRefuse, kAllow };
llvm::Expected<std::vector<std::unique_ptr<hlo::Module>>> ReadModules(
    llvm::StringRef path, UnknownOpcodes unknown = UnknownOpcodes::kRefuse);
// The same of what ReadInput has read.
llvm::Expected<std::vector<std::unique_ptr<hlo::Module>>> ModulesOf(
    const Input& input, UnknownOpcodes unknown = UnknownOpcodes::kRefuse);

// The module of a file that has one. An error of the form "name:1:1: error: ..." for a file that
// has another number.
llvm::Expected<std::unique_ptr<hlo::Module>> ReadOneModule(
    llvm::StringRef path, UnknownOpcodes unknown = UnknownOpcodes::kRefuse);
llvm::Expected<std::unique_ptr<hlo::Module>> OneModuleOf(
    const Input& input, UnknownOpcodes unknown = UnknownOpcodes::kRefuse);

// The modules with the meanings of library calls in their place: those of the table, and first
// those that the user gives (verify/calls/expand.h).
llvm::Expected<std::vector<std::unique_ptr<hlo::Module>>> ReadExpandedModules(
    llvm::StringRef path, const calls::GivenMeanings& given,
    UnknownOpcodes unknown = UnknownOpcodes::kRefuse);
llvm::Expected<std::unique_ptr<hlo::Module>> ReadOneExpandedModule(
    llvm::StringRef path, const calls::GivenMeanings& given,
    UnknownOpcodes unknown = UnknownOpcodes::kRefuse);
// The meanings that the user gives: "target=FILE.hlo" for each. Files may hold several modules, for
// calls with operands of several shapes.
llvm::Expected<calls::GivenMeanings> ReadMeanings(llvm::ArrayRef<std::string> options);

// A text in which blank lines stand between maps, cut into the texts of the maps. Lines of comment
// (`//`) alone are none.
struct MapTextPart {
  llvm::StringRef text;
  int64_t line = 1;  // where it starts
};
std::vector<MapTextPart> SplitMaps(llvm::StringRef text);
// The maps of such a text.
llvm::Expected<std::vector<IndexingMap>> ParseMaps(const Input& input, Context& context);
// One map: `argument` is a map text, or names a file that holds one.
llvm::Expected<IndexingMap> ReadMap(llvm::StringRef argument, Context& context);
// Whether an argument is the text of a map, well formed or not: it has "->", or is KNOWN EMPTY or
// undefined, or an attribute of one of them (#xla.indexing_map<"KNOWN EMPTY">).
bool IsMapText(llvm::StringRef argument);
llvm::Expected<IndexingMap> ReadMapText(llvm::StringRef text, Context& context);

// A file of rewrite rules; an error where it holds none.
llvm::Expected<Input> ReadRuleFile(llvm::StringRef path);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_INPUT_H_
