// What the verbs of the command line share: exit statuses, input, errors, progress.
#ifndef AFFIRM_TOOLS_AFFIRM_CLI_H_
#define AFFIRM_TOOLS_AFFIRM_CLI_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "core/indexing/indexing_map.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "verify/decide/decider.h"
#include "verify/maps/maps.h"

namespace affirm::cli {

// Exit statuses, worst last (but see Worse).
inline constexpr int kAllWell = 0;
inline constexpr int kDifferent = 1;  // different, refuted or mismatched
inline constexpr int kUnknown = 2;
inline constexpr int kBadInput = 3;

// The status of a whole from those of its parts: bad input before different before unknown.
int Worse(int a, int b);
int StatusOf(Verdict verdict);

// A text and the name that errors give it.
struct Input {
  std::string name;
  std::string text;
};
// The content of a file, or of standard input for "-". Directories, unreadable and empty files, and
// those of more than kMaxInputBytes are errors of the form "name:1:1: error: ...".
llvm::Expected<Input> ReadInput(llvm::StringRef path, llvm::StringRef expected);
inline constexpr int64_t kMaxInputBytes = int64_t{512} << 20;

// The modules of a file. An opcode that is not known is an error, unless the caller can live with
// it.
enum class UnknownOpcodes : uint8_t { kRefuse, kAllow };
llvm::Expected<std::vector<std::unique_ptr<hlo::Module>>> ReadModules(
    llvm::StringRef path, UnknownOpcodes unknown = UnknownOpcodes::kRefuse);

// The maps of a text in which blank lines stand between maps.
llvm::Expected<std::vector<IndexingMap>> ParseMaps(const Input& input, Context& context);
// One map: `argument` is a map text (it has "->"), or names a file that holds one.
llvm::Expected<IndexingMap> ReadMap(llvm::StringRef argument, Context& context);

// Prints the error to stderr, as it stands when it says where, else behind "affirm: error: ";
// answers kBadInput.
int Report(llvm::Error error);
// The same; an error that does not name a file is put into this one, at `where` unless it has a
// place.
int Report(llvm::Error error, llvm::StringRef file, hlo::SourceLocation where);
// The text of an error, shortened when it quotes too much of the input.
std::string MessageOf(llvm::Error error);
// "file:line:column: error: message"
llvm::Error ErrorAt(llvm::StringRef file, hlo::SourceLocation where, const llvm::Twine& message);

// A number with at most `digits` digits behind the point, as JSON and people read it.
std::string Fixed(double value, int digits);
// Text that JSON can hold, whatever the input was.
std::string JsonText(llvm::StringRef text);
// {"dims": [..], "runtime": [..], "lhs": [[..]], "rhs": [[..]]} as the value of the attribute that
// is open.
void WriteCounterexample(llvm::json::OStream& json, const MapCounterexample& counterexample);

// A line on a terminal that is overwritten; nothing when stderr is not one.
class Progress {
 public:
  Progress();
  ~Progress() { Clear(); }
  void Show(const llvm::Twine& text);
  void Clear();

 private:
  bool enabled_;
  bool shown_ = false;
};

}  // namespace affirm::cli

#endif  // AFFIRM_TOOLS_AFFIRM_CLI_H_
