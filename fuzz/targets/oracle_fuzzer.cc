// libFuzzer: the bytes choose two maps; no engine contradicts enumeration.
#include "fuzz/properties/oracle.h"
#include "fuzz/targets/abort_if_wrong.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  affirm::Context context;
  const auto [a, b] = affirm::fuzz::GeneratePair({data, size}, context);
  const affirm::fuzz::OracleCheck check = affirm::fuzz::CheckOracle(a, b);
  if (check.kind == affirm::fuzz::OracleCheck::Kind::kWrong) {
    affirm::fuzz::AbortIfWrong(a.ToString() + "\n" + b.ToString(), check.what + check.detail);
  }
  return 0;
}
