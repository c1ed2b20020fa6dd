// affirm-check-certificate: is a certificate of a simplification right?
#include <fstream>
#include <iostream>
#include <string>

#include "verify/certificate/check.h"

int main(int argc, char** argv) {
  if (argc != 2 || std::string(argv[1]) == "--help") {
    std::cout << "Checks a certificate that `affirm simplify --certificate FILE` wrote.\n\n"
                 "Usage: affirm-check-certificate FILE|-\n\n"
                 "Exit status: 0 accepted, 1 rejected, 3 bad usage.\n";
    return argc == 2 ? 0 : 3;
  }
  std::ifstream file;
  bool standard = std::string(argv[1]) == "-";
  if (!standard) file.open(argv[1]);
  std::istream& in = standard ? std::cin : file;
  std::string text;
  for (char byte = 0; in.get(byte);) text.push_back(byte);
  if ((!standard && !file.is_open()) || in.bad()) {
    std::cerr << argv[1] << ":1:1: error: cannot read the file, expected a certificate\n";
    return 3;
  }
  size_t from = 0, accepted = 0;
  const std::string header = "affirm certificate";
  // A file may hold several, one behind the other.
  do {
    size_t next = text.find("\n" + header, from);
    std::string one = text.substr(from, next == std::string::npos ? next : next + 1 - from);
    affirm::certificate::CheckResult verdict = affirm::certificate::Check(one);
    if (!verdict.accepted) {
      std::cout << "rejected: certificate " << accepted + 1 << ", " << verdict.problem << "\n";
      return 1;
    }
    ++accepted;
    std::cout << "accepted in " << verdict.steps << " steps:\n  " << verdict.first << "\n  "
              << verdict.last << "\n";
    from = next == std::string::npos ? next : next + 1;
  } while (from != std::string::npos);
  return 0;
}
