// The backend_config of a custom call: JSON, as XLA's passes leave it for the library.
//
//   custom-call(a, b), custom_call_target="__cublas$gemm",
//     backend_config={"operation_queue_id":"0","gemm_backend_config":{"alpha_real":2,"beta":0}}
//
// BackendConfig::Of(call, "gemm_backend_config") is the inner object. Older text has that object by
// itself, or as a quoted string. Integers may be quoted, as protocol buffers write them: "1".
#ifndef AFFIRM_VERIFY_CALLS_BACKEND_CONFIG_H_
#define AFFIRM_VERIFY_CALLS_BACKEND_CONFIG_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace affirm::calls {

class BackendConfig {
 public:
  // An error where the text is no JSON object. A call without a configuration has an empty one.
  static llvm::Expected<BackendConfig> Of(const hlo::Instruction& call, llvm::StringRef key);
  static llvm::Expected<BackendConfig> Of(llvm::json::Object object);

  // Success when every key is among these: the meaning of an unknown field is unknown.
  llvm::Error Allow(llvm::ArrayRef<llvm::StringLiteral> keys) const;

  // Values by key; the default where there is none, an error where it has another type. Fields are
  // those of protocol buffers: one that is not written is 0, or the first value of its type.
  llvm::Expected<double> Number(llvm::StringRef key, double otherwise) const;
  llvm::Expected<bool> Flag(llvm::StringRef key) const;  // false where absent
  llvm::Expected<std::string> Text(llvm::StringRef key, llvm::StringRef otherwise) const;
  llvm::Expected<std::vector<int64_t>> Integers(llvm::StringRef key) const;
  llvm::Expected<std::vector<std::string>> Texts(llvm::StringRef key) const;
  // Empty where absent.
  llvm::Expected<BackendConfig> Inner(llvm::StringRef key) const;

 private:
  llvm::json::Object object_;
};

// The text of a backend_config that is one quoted string, decoded; the text itself otherwise.
llvm::Expected<std::string> BackendConfigText(const hlo::Instruction& call);

// The dictionary of MLIR that a call of the typed interface has: {lower = true, uplo = 76 : ui8}.
class TypedConfig {
 public:
  // An error where the text is no dictionary or has a key that is not among these. A call
  // without a configuration has an empty one.
  static llvm::Expected<TypedConfig> Of(const hlo::Instruction& call,
                                        llvm::ArrayRef<llvm::StringLiteral> keys);

  // Values by key; nothing where there is none, or one of another type.
  char Letter(llvm::StringRef key) const;  // LAPACK's, by number: 76 is 'L'. 0 for nothing
  std::optional<bool> Flag(llvm::StringRef key) const;
  std::optional<double> Number(llvm::StringRef key) const;  // of f64

 private:
  struct Value {
    std::string text, type;  // as written
  };
  std::optional<llvm::StringRef> Find(llvm::StringRef key,
                                      llvm::ArrayRef<llvm::StringLiteral> types) const;

  llvm::StringMap<Value> values_;
};

// An error where a call of which no configuration is known has one.
llvm::Error CheckNoConfig(const hlo::Instruction& call);

}  // namespace affirm::calls

#endif  // AFFIRM_VERIFY_CALLS_BACKEND_CONFIG_H_
