#include "verify/lemma/store.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::lemma {

namespace {

// All that a file holds.
std::string FileText(const std::string& text, const Lemma& lemma) {
  return std::string("affirm lemma\ncompiler ") + AFFIRM_LEMMA_COMPILER + " LLVM " +
         LLVM_VERSION_STRING + "\n" + lemma.Name() + "\n" + text;
}

std::string PathOf(const std::string& folder, const std::string& file_text) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path,
                          llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(file_text)),
                                      /*LowerCase=*/true));
  return path.str().str();
}

// Whole files alone are seen under the name.
void WriteFile(const std::string& path, const std::string& text) {
  auto written = llvm::writeToOutput(path, [&](llvm::raw_ostream& os) {
    os << text;
    return llvm::Error::success();
  });
  llvm::consumeError(std::move(written));
}

}  // namespace

Store& Store::OfProcess() {
  static Store store;
  return store;
}

void Store::SetFolder(std::string folder) {
  const std::lock_guard lock(mutex_);
  folder_ = std::move(folder);
}

std::optional<Lemma> Store::Find(const std::string& text, int bits) {
  const std::lock_guard lock(mutex_);
  if (const auto found = lemmas_.find(text); found != lemmas_.end()) return found->second;
  if (folder_.empty()) return std::nullopt;
  Lemma proved{.verdict = Verdict::kProved, .bits = bits, .reason = ""};
  const std::string expected = FileText(text, proved);
  auto file = llvm::MemoryBuffer::getFile(PathOf(folder_, expected));
  if (!file || (*file)->getBuffer() != expected) return std::nullopt;
  lemmas_[text] = proved;
  return proved;
}

void Store::Keep(const std::string& text, const Lemma& lemma) {
  const std::lock_guard lock(mutex_);
  lemmas_[text] = lemma;
  if (folder_.empty() || !lemma.proved()) return;
  if (llvm::sys::fs::create_directories(folder_)) return;
  const std::string file_text = FileText(text, lemma);
  WriteFile(PathOf(folder_, file_text), file_text);
}

}  // namespace affirm::lemma
