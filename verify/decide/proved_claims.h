// Queries that were proved, so that one that is asked again needs no engine. A model of forty equal
// layers asks each question about their maps forty times:
//
//   DecideOptions options{.proved = std::make_shared<ProvedClaims>()};
//   Decide(query, options);  // asks the engines
//   Decide(query, options);  // the same verdict, by the same engine, without asking
#ifndef AFFIRM_VERIFY_DECIDE_PROVED_CLAIMS_H_
#define AFFIRM_VERIFY_DECIDE_PROVED_CLAIMS_H_

#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "verify/decide/decider.h"

namespace affirm {

// Writes what a claim says as a string of numbers. If lists follow their length, there is one
// string for two claims if and only if they are the same, up to the context that holds their terms.
class ClaimEncoder {
 public:
  void Put(int64_t number) { text_.append(reinterpret_cast<const char*>(&number), sizeof number); }
  void Put(const Interval& bounds) {
    Put(bounds.lower);
    Put(bounds.upper);
  }
  void PutSize(size_t size) { Put(static_cast<int64_t>(size)); }
  // Each node once for the whole string; null is a term of its own.
  void Put(SymbolicExpr e);
  void Put(const Formula& f);
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
  llvm::DenseMap<uint32_t, int64_t> numbers_;  // of nodes, by their ids
};

// Everything that the truth of a query depends on: the bounds of all its variables, by number, and
// the claim, operator by operator. The names of variables appear in texts alone.
std::string EncodingOf(const SolverQuery& query);

// May be used by any number of threads. What is kept is bounded: when it is full, nothing new is.
class ProvedClaims {
 public:
  // Which engine proved the claim of this encoding; nullopt where none is known to have.
  std::optional<Engine> Find(const std::string& encoding) const;
  void Add(const std::string& encoding, Engine engine);

 private:
  mutable std::mutex mutex_;
  llvm::StringMap<Engine> engines_;  // by encoding
  size_t bytes_ = 0;                 // of the encodings
};

}  // namespace affirm

#endif  // AFFIRM_VERIFY_DECIDE_PROVED_CLAIMS_H_
