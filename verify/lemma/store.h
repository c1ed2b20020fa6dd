// Lemmas that were proved before: in the process, and in a folder where the user names one.
//
//   Store::OfProcess().SetFolder("lemmas");
//   // lemmas/3f0c...: "affirm lemma\ncompiler 9b1d...\nexhaustion over 2^32 values\nx0 f32\n..."
//
// A file is named by the hash of its text, and its text is the statement and the version of the
// code that proved it: the hash of that code's sources, and LLVM's version. A file with any other
// byte in it is ignored. Who can write to the folder can state a false lemma.
#ifndef AFFIRM_VERIFY_LEMMA_STORE_H_
#define AFFIRM_VERIFY_LEMMA_STORE_H_

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "verify/lemma/lemma.h"

namespace affirm::lemma {

class Store {
 public:
  static Store& OfProcess();

  // Makes the folder when the first lemma is written. Empty: none.
  void SetFolder(std::string folder);
  // The lemma of the statement with this text, from the process or the folder.
  std::optional<Lemma> Find(const std::string& text, int bits);
  // Proved lemmas go to the folder; what could not be written is not there the next time.
  void Keep(const std::string& text, const Lemma& lemma);

 private:
  std::mutex mutex_;
  std::string folder_;
  std::map<std::string, Lemma> lemmas_;
};

}  // namespace affirm::lemma

#endif  // AFFIRM_VERIFY_LEMMA_STORE_H_
