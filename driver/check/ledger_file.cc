#include "driver/check/ledger_file.h"

#include <tuple>

#include "core/symbolic/bounded_json.h"
#include "core/symbolic/error.h"
#include "core/symbolic/image_path.h"
#include "driver/json_text.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

namespace affirm::driver {
namespace {

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

std::string Digest(llvm::StringRef text) { return llvm::utohexstr(llvm::xxh3_64bits(text), true); }

std::string TextOf(const Object& object) {
  std::string text;
  llvm::raw_string_ostream(text) << Value(Object(object));
  return text;
}

// Identifies the build: the records of one build are not those of another.
llvm::Expected<std::string> BuildOfAffirm() {
  const std::string file = ImagePath();
  auto code = llvm::MemoryBuffer::getFile(file, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!code) return llvm::createStringError(code.getError(), file);
  return Digest((*code)->getBuffer());
}

Object OptionsOf(const CheckOptions& options) {
  const DecideOptions& decide = options.decide;
  return Object{{"seed", std::to_string(options.seed)},
                {"target", options.target == ExecutionTarget::kCuda ? "cuda" : "emulator"},
                {"time_limit", options.time_limit},
                {"cross_check", decide.cross_check},
                {"engine", decide.only ? Name(*decide.only) : "all"},
                {"enumeration_points", decide.budget.enumeration_points},
                {"z3_rlimit", static_cast<int64_t>(decide.budget.z3_rlimit)},
                {"isl_operations", static_cast<int64_t>(decide.budget.isl_operations)},
                {"isl_seconds", static_cast<int64_t>(decide.budget.isl_seconds)},
                {"wall_ms", static_cast<int64_t>(decide.budget.wall_ms)}};
}

llvm::Expected<Object> HeaderOf(llvm::ArrayRef<std::string> files, const CheckOptions& options) {
  auto build = BuildOfAffirm();
  if (!build) return build.takeError();
  Array names;
  for (const std::string& file : files) names.push_back(JsonText(file));
  return Object{{"affirm", *build}, {"files", std::move(names)}, {"options", OptionsOf(options)}};
}

}  // namespace

class ModuleLedger : public UnitLedger {
 public:
  ModuleLedger(LedgerFile& file, std::string name, int64_t number, std::string digest)
      : file_(file), name_(std::move(name)), number_(number), digest_(std::move(digest)) {}

  const Object* Find(size_t unit, llvm::StringRef name) const override {
    const auto module = file_.modules_.find({name_, number_});
    if (module == file_.modules_.end()) return nullptr;
    const auto record = module->second.records.find({static_cast<int64_t>(unit), JsonText(name)});
    return record == module->second.records.end() ? nullptr : &record->second;
  }

  llvm::Error Append(size_t unit, llvm::StringRef name, Object record) override {
    return file_.Append(Object{{"file", JsonText(name_)},
                               {"module", number_},
                               {"digest", digest_},
                               {"unit", static_cast<int64_t>(unit)},
                               {"name", JsonText(name)},
                               {"of_record", Digest(TextOf(record))},
                               {"record", std::move(record)}});
  }

 private:
  LedgerFile& file_;
  std::string name_;
  int64_t number_;
  std::string digest_;
};

llvm::Error LedgerFile::ErrorAtLine(int64_t line, const llvm::Twine& what) const {
  return MakeError(path_ + ":" + llvm::Twine(line) + ":1: error: " + what);
}

llvm::Error LedgerFile::Read(llvm::StringRef text, const Object& header) {
  const auto [first, rest] = text.split('\n');
  auto json = ParseJson(first);
  if (!json) llvm::consumeError(json.takeError());
  const Object* known = json ? json->getAsObject() : nullptr;
  if (known == nullptr || known->get("affirm") == nullptr) {
    return ErrorAtLine(1, "this is no ledger of a check");
  }
  constexpr const char* kAnother = "; expected one of this check: remove it, or name another";
  for (const auto& [key, what] : {std::pair("affirm", "was written by another build of affirm"),
                                  std::pair("files", "is one of other files"),
                                  std::pair("options", "is one of a check with other options")}) {
    const Value* of_ledger = known->get(key);
    if (of_ledger == nullptr || *of_ledger != *header.get(key)) {
      return ErrorAtLine(1, llvm::Twine("the ledger ") + what + kAnother);
    }
  }
  llvm::StringRef left = rest;
  for (int64_t line = 2; !left.empty(); ++line) {
    llvm::StringRef here;
    std::tie(here, left) = left.split('\n');
    if (llvm::Error error = ReadLine(here, line)) return error;
  }
  return llvm::Error::success();
}

llvm::Error LedgerFile::ReadLine(llvm::StringRef line, int64_t number) {
  auto json = ParseJson(line);
  if (!json) return ErrorAtLine(number, llvm::toString(json.takeError()));
  Object* object = json->getAsObject();
  const auto file = object ? object->getString("file") : std::nullopt;
  const auto name = object ? object->getString("name") : std::nullopt;
  const auto digest = object ? object->getString("digest") : std::nullopt;
  const auto of_record = object ? object->getString("of_record") : std::nullopt;
  const auto module = object ? object->getInteger("module") : std::nullopt;
  const auto unit = object ? object->getInteger("unit") : std::nullopt;
  Object* record = object ? object->getObject("record") : nullptr;
  if (!file || !name || !digest || !module || !unit || !record ||
      of_record != llvm::StringRef(Digest(TextOf(*record)))) {
    return ErrorAtLine(number, "expected the record of a unit, as it was written");
  }
  KnownModule& known = modules_[{file->str(), *module}];
  if (known.digest.empty()) {
    known.digest = digest->str();
    known.line = number;
  }
  if (known.digest != *digest) return ErrorAtLine(number, "two texts of one module");
  known.records[{*unit, name->str()}] = std::move(*record);
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<LedgerFile>> LedgerFile::Open(const std::string& path,
                                                             llvm::ArrayRef<std::string> files,
                                                             const CheckOptions& options) {
  std::unique_ptr<LedgerFile> ledger(new LedgerFile(path));
  auto header = HeaderOf(files, options);
  if (!header) return header.takeError();
  uint64_t size = 0;
  if (llvm::sys::fs::exists(path)) {
    auto text = llvm::MemoryBuffer::getFile(path);
    if (!text) {
      return ledger->ErrorAtLine(1, "cannot be read (" + text.getError().message() + ")");
    }
    const llvm::StringRef whole = (*text)->getBuffer();
    const llvm::StringRef lines = whole.substr(0, whole.rfind('\n') + 1);
    size = lines.size();
    if (size > 0) {
      if (llvm::Error error = ledger->Read(lines, *header)) return error;
    }
    if (size < whole.size()) {
      // A line without an end is of a ledger only if the header is there.
      if (size == 0 && !whole.starts_with("{\"affirm\":")) {
        return ledger->ErrorAtLine(1, "this is no ledger of a check");
      }
      int descriptor = 0;
      std::error_code error = llvm::sys::fs::openFileForWrite(
          path, descriptor, llvm::sys::fs::CD_OpenExisting, llvm::sys::fs::OF_None);
      if (!error) {
        error = llvm::sys::fs::resize_file(descriptor, size);
        const std::error_code closed = llvm::sys::Process::SafelyCloseFileDescriptor(descriptor);
        if (!error) error = closed;
      }
      if (error) return ledger->ErrorAtLine(1, "cannot be written (" + error.message() + ")");
    }
  }
  if (size == 0) {
    if (llvm::Error error = ledger->Append(*header)) return error;
  }
  return ledger;
}

llvm::Expected<std::unique_ptr<UnitLedger>> LedgerFile::Of(const std::string& file, int64_t number,
                                                           llvm::StringRef text) {
  std::string digest = Digest(text);
  const auto known = modules_.find({JsonText(file), number});
  if (known != modules_.end() && known->second.digest != digest) {
    return ErrorAtLine(known->second.line,
                       "the ledger is one of another text of " + file +
                           "; expected one of this check: remove it, or name another");
  }
  return std::make_unique<ModuleLedger>(*this, JsonText(file), number, std::move(digest));
}

// One write, at the end of the file even if other processes write there, of a whole line.
llvm::Error LedgerFile::Append(const Object& line) {
  const std::lock_guard lock(appending_);
  std::error_code error;
  llvm::raw_fd_ostream file(path_, error, llvm::sys::fs::OF_Append);
  if (!error) {
    const std::string text = TextOf(line) + "\n";
    file.SetUnbuffered();
    file << text;
    file.close();
    error = file.error();
    file.clear_error();
  }
  if (!error) return llvm::Error::success();
  return MakeError(path_ + ":1:1: error: cannot be written (" + error.message() + ")");
}

}  // namespace affirm::driver
