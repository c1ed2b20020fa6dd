// Reads the log of an emitter's passes, *.mlir-passes.log of XLA's --xla_dump_emitter_re: the MLIR
// module of a kernel before each pass. XLA's dialects are not registered here, so the text is read
// by lines: each operation is one line; a region opens at a line's end, and closes on its own line.
//
//   auto log = ReadEmitterLog(text, "a.mlir-passes.log");
//   log->front().pass;                    // "SimplifyArithPass"
//   log->front().entry()->body[0].name;   // "gpu.thread_id"
#ifndef AFFIRM_DRIVER_DUMP_EMITTER_LOG_H_
#define AFFIRM_DRIVER_DUMP_EMITTER_LOG_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace affirm::driver {

struct EmitterOp {
  std::vector<std::string> results;  // "%0", "%1#1"
  std::string name;                  // "xla.apply_indexing"
  std::string text;                  // the text after the name, without the brace of a region
  int64_t line = 0;
  std::vector<std::vector<EmitterOp>> regions = {};
  bool has_blocks = false;  // whether some region has several blocks
};

// A function, with the text of its arguments: "%arg0: tensor<9xi32> {xla.slice_index = 0}".
struct EmitterFunction {
  std::string name;
  std::vector<std::string> arguments;
  bool entry = false;
  bool has_blocks = false;
  std::vector<EmitterOp> body;
};

// The module before `pass`, that is, after the previous snapshot's pass.
struct EmitterSnapshot {
  std::string pass = {};       // "CSEPass"
  std::string operation = {};  // the pass's operation: "@a_fusion"; empty: the module
  int64_t line = 0;            // line of its head
  int64_t index_bits = 64;
  std::map<std::string, std::string> maps = {};  // "#indexing_map1" -> the map's text
  std::vector<EmitterFunction> functions = {};

  const EmitterFunction* entry() const;  // null: there is none
  const EmitterFunction* Find(llvm::StringRef name) const;
};

// Errors name file and line: an unbalanced region, a dump without a module, a log without dumps. A
// module may have no functions, since those of the LLVM dialect are skipped.
llvm::Expected<std::vector<EmitterSnapshot>> ReadEmitterLog(llvm::StringRef text,
                                                            llvm::StringRef file);

// The names of SSA values in a text, in order: "%a, %b#1" for "(%a)[%b#1]".
std::vector<std::string> ValueNames(llvm::StringRef text);
// The text between the parenthesis or bracket at the start of `text` and its partner; advances
// `text` behind it. Empty, with `text` unchanged, if it starts with another character.
llvm::StringRef TakeGroup(llvm::StringRef& text, char open);
// Splits at commas that no bracket, brace, parenthesis or quote encloses.
std::vector<llvm::StringRef> SplitList(llvm::StringRef text);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_DUMP_EMITTER_LOG_H_
