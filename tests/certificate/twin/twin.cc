// A second checker of certificates, for tests alone: written from docs/certificates.md and the
// statements in verify/coq/certificate, it shares no code with affirm-check and is held against it
// (forger.py).
//
// twin FILE... prints a line for each file: `accepted`, or `rejected LINE: why`. Status 0: all were
// read.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/certificate/twin/certificate_text.h"
#include "tests/certificate/twin/claims.h"
#include "tests/certificate/twin/reads_claim.h"
#include "tests/certificate/twin/rejection.h"

namespace {

constexpr size_t kMostBytes = size_t{1} << 26;

// All certificates of a file.
void Check(twin::Lines& lines) {
  do {
    lines.ExpectLine("affirm certificate 2");
    const twin::Words claim = twin::WordsOf(lines.Next());
    if (claim.size() > 1 && claim[0] == "claim" && claim[1] == "reads") {
      twin::CheckReadsClaim(lines, claim);
    } else {
      twin::CheckMapClaim(lines, claim);
    }
    lines.ExpectLine("end");
  } while (!lines.AtEnd());
}

}  // namespace

int main(int argc, char** argv) {
  for (int k = 1; k < argc; ++k) {
    std::ifstream file(argv[k], std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file || text.size() > kMostBytes) {
      std::fprintf(stderr, "error: %s: cannot read the file\n", argv[k]);
      return 3;
    }
    twin::Lines lines(text);
    try {
      Check(lines);
      std::puts("accepted");
    } catch (const twin::Rejection& why) {
      std::printf("rejected %zu: %s\n", lines.number(), why.what());
    }
  }
}
