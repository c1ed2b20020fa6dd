// The ledger of a check on disk: a line of JSON for each unit that is finished, appended at once,
// so that a check that was interrupted goes on where it ended.
//
//   {"affirm":"..","files":["m.hlo"],"options":{..}}
//   {"digest":"..","file":"m.hlo","module":0,"name":"maps of main","record":{..},"unit":0}
//
// A last line without an end was being written when the check was interrupted, and goes.
#ifndef AFFIRM_DRIVER_CHECK_LEDGER_FILE_H_
#define AFFIRM_DRIVER_CHECK_LEDGER_FILE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "driver/check/check.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace affirm::driver {

class LedgerFile {
 public:
  // Reads the file, or begins it. Errors, of the form "PATH:LINE:1: error: ...": it was written by
  // another build of affirm, with other options or for other files, or a line of it is damaged.
  static llvm::Expected<std::unique_ptr<LedgerFile>> Open(const std::string& path,
                                                          llvm::ArrayRef<std::string> files,
                                                          const CheckOptions& options);
  // Of module `number` of a file with this text. An error when the ledger has another text's.
  llvm::Expected<std::unique_ptr<UnitLedger>> Of(const std::string& file, int64_t number,
                                                 llvm::StringRef text);

 private:
  friend class ModuleLedger;
  struct KnownModule {
    std::string digest;
    int64_t line = 0;                                                       // of its first unit
    std::map<std::pair<int64_t, std::string>, llvm::json::Object> records;  // by unit and name
  };

  explicit LedgerFile(std::string path) : path_(std::move(path)) {}
  llvm::Error Read(llvm::StringRef text, const llvm::json::Object& header);
  llvm::Error ReadLine(llvm::StringRef line, int64_t number);
  llvm::Error Append(const llvm::json::Object& line);
  llvm::Error ErrorAtLine(int64_t line, const llvm::Twine& what) const;

  std::string path_;
  std::map<std::pair<std::string, int64_t>, KnownModule> modules_;  // by file and number
  std::mutex appending_;
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_LEDGER_FILE_H_
