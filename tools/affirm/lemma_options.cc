#include "tools/affirm/lemma_options.h"

#include "verify/lemma/store.h"

namespace affirm::cli {

void LemmaFlags::AddTo(Verb& verb, std::optional<OptionHandle> needs) {
  OptionHandle option = verb.Option("--lemmas", folder_,
                                    "Folder where equalities of values that were proved by trying "
                                    "all of them are kept, and found "
                                    "the next time; what is in it is believed");
  if (needs) option.Needs(*needs);
}

void LemmaFlags::Begin() const { lemma::Store::OfProcess().SetFolder(folder_); }

}  // namespace affirm::cli
