// The ledger of a check on disk: one line of JSON for each finished unit, appended at once, so that
// an interrupted check can resume.
//
//   {"affirm":"..","files":["m.hlo"],"options":{..}}
//   {"digest":"..","file":"m.hlo","module":0,"name":"maps of main","record":{..},"unit":0}
//
// An incomplete last line, from an interrupted write, is dropped.
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
  // Reads or creates the file. Errors, "PATH:LINE:1: error: ...", if it was written by another
  // build of affirm, with other options or for other files, or a line is damaged.
  static llvm::Expected<std::unique_ptr<LedgerFile>> Open(const std::string& path,
                                                          llvm::ArrayRef<std::string> files,
                                                          const CheckOptions& options);
  // The ledger of module `number` of a file with this text. An error if the recorded text differs.
  llvm::Expected<std::unique_ptr<UnitLedger>> Of(const std::string& file, int64_t number,
                                                 llvm::StringRef text);

 private:
  friend class ModuleLedger;
  struct KnownModule {
    std::string digest;
    int64_t line = 0;                                                       // its first line
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
