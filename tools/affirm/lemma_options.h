// The option of every verb that proves values.
#ifndef AFFIRM_TOOLS_AFFIRM_LEMMA_OPTIONS_H_
#define AFFIRM_TOOLS_AFFIRM_LEMMA_OPTIONS_H_

#include <optional>
#include <string>

#include "tools/affirm/command_line.h"

namespace affirm::cli {

class LemmaFlags {
 public:
  // Adds --lemmas, which may need another option.
  void AddTo(Verb& verb, std::optional<OptionHandle> needs = std::nullopt);
  // Lemmas are read and written there from now on.
  void Begin() const;

 private:
  std::string folder_;
};

}  // namespace affirm::cli

#endif  // AFFIRM_TOOLS_AFFIRM_LEMMA_OPTIONS_H_
