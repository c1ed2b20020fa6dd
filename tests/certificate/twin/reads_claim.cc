#include "tests/certificate/twin/reads_claim.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/certificate/twin/access.h"
#include "tests/certificate/twin/claims.h"
#include "tests/certificate/twin/program.h"
#include "tests/certificate/twin/rejection.h"

namespace twin {
namespace {

constexpr size_t kMostPaths = 200;

Program ReadBody(Lines& lines, const Program::Bodies& before) {
  Program body;
  while (true) {
    if (lines.NextBegins("array ")) {
      body.AddArray(lines.Next().substr(6));
    } else if (lines.NextBegins("op ")) {
      body.AddInstruction(lines.Next().substr(3), before, true);
    } else {
      lines.ExpectLine("end body");
      return body;
    }
  }
}

Program ReadProgram(Lines& lines) {
  Program program;
  Program::Bodies bodies;
  while (true) {
    if (lines.NextBegins("body ")) {
      const std::string name(lines.Next().substr(5));
      Expect(!bodies.contains(name), "a computation is given twice");
      Program body = ReadBody(lines, bodies);
      bodies.emplace(name, std::move(body));
    } else if (lines.NextBegins("array ")) {
      program.AddArray(lines.Next().substr(6));
    } else if (lines.NextBegins("op ")) {
      program.AddInstruction(lines.Next().substr(3), bodies, false);
    } else {
      return program;
    }
  }
}

// `NAME (d0, 1) in [0, 5]`: what a runtime variable is.
Producer ReadProducer(std::string_view text, const Program& program, const Names& names) {
  const size_t space = text.find(' '), close = text.rfind(')');
  Expect(space != text.npos && close != text.npos && close > space, "expected an index");
  Producer producer;
  producer.from = program.Find(WithoutPercent(text.substr(0, space)));
  const std::string_view index = text.substr(space + 1, close - space);
  Expect(index.size() >= 2 && index.front() == '(', "expected an index in parentheses");
  producer.at = ReadTerms(index.substr(1, index.size() - 2), names);
  const Words range = WordsOf(text.substr(close + 1));
  Expect(range.size() == 3 && range[0] == "in" && range[1] == "[0," && range[2].ends_with(']'),
         "expected a range as in [0, 5]");
  producer.limit = ReadInteger(range[2].substr(0, range[2].size() - 1));
  return producer;
}

std::vector<Producer> ReadProducers(Lines& lines, const Program& program, size_t dims) {
  Words texts;
  while (lines.NextBegins("runtime ")) texts.push_back(lines.Next().substr(8));
  const Names names = DefaultNames(texts.size(), dims, 0);
  std::vector<Producer> producers;
  for (std::string_view text : texts) producers.push_back(ReadProducer(text, program, names));
  return producers;
}

// The accesses of nodes to one of them, on all ways. Nothing where a way has no meaning.
class Ways {
 public:
  Ways(const std::vector<Node>& nodes, size_t source) : nodes_(nodes), source_(source) {}

  std::vector<Access> Of(size_t node);

 private:
  std::vector<Access> Through(const Node& node) const;
  std::vector<Access> At(const Node& node, size_t operand, const std::vector<Sizes>& sizes) const;

  const std::vector<Node>& nodes_;
  size_t source_;
  std::vector<std::optional<std::vector<Access>>> known_;  // of the nodes before
};

Access Identity(const Sizes& sizes) {
  Access access;
  access.map.dims = sizes.size();
  access.map.domain = Indices(0, sizes);
  for (size_t d = 0; d < sizes.size(); ++d) access.map.results.push_back(Variable(d));
  return access;
}

// The ways through an operand.
std::vector<Access> Ways::At(const Node& node, size_t k, const std::vector<Sizes>& sizes) const {
  const std::vector<Access>& behind = *known_[node.operands[k]];
  const size_t rank = sizes[k].size();
  std::vector<Access> ways;
  if (behind.empty()) return ways;
  for (const Access& way : behind)
    Expect(way.producers.size() == way.map.runtime && way.map.dims == rank, "a way does not fit");
  for (const Access& read : ReadOf(node.op, sizes, node.sizes, node.operands, k)) {
    Expect(IsPlain(read) && read.map.dims == node.sizes.size() && read.map.results.size() == rank,
           "an op is not read at an index of its operand");
    Expect(ways.size() + behind.size() <= kMostPaths, "there are too many ways");
    for (const Access& way : behind) ways.push_back(Compose(read, way));
  }
  return ways;
}

std::vector<Access> Ways::Through(const Node& node) const {
  std::vector<Sizes> sizes;
  sizes.reserve(node.operands.size());
  for (size_t operand : node.operands) sizes.push_back(nodes_[operand].sizes);
  std::vector<Access> all;
  for (size_t k = 0; k < sizes.size(); ++k) {
    const std::vector<Access> ways = At(node, k, sizes);
    all.insert(all.end(), ways.begin(), ways.end());
  }
  Expect(all.size() <= kMostPaths, "there are too many ways");
  return all;
}

std::vector<Access> Ways::Of(size_t node) {
  // Nodes on which this one depends; operands stand before.
  std::vector<bool> is_needed(nodes_.size());
  is_needed[node] = true;
  for (size_t k = node + 1; k-- > 0;)
    if (is_needed[k] && k != source_)
      for (size_t operand : nodes_[k].operands) is_needed[operand] = true;
  known_.assign(nodes_.size(), std::nullopt);
  for (size_t k = 0; k <= node; ++k) {
    if (!is_needed[k]) continue;
    if (k == source_) {
      known_[k] = {Identity(nodes_[k].sizes)};
    } else {
      known_[k] = nodes_[k].is_given ? std::vector<Access>() : Through(nodes_[k]);
    }
  }
  return *known_[node];
}

// Whether the index of each runtime variable is that of the result, and its limit no less than 0.
void ExpectKnown(const std::vector<Producer>& producers, size_t dims) {
  const size_t runtime = producers.size();
  for (const Producer& p : producers) {
    Expect(p.limit && *p.limit >= 0, "a limit is negative");
    Expect(IsOfDims(p.at, runtime, dims) &&
               std::all_of(p.at.begin(), p.at.end(),
                           [&](const Term& term) { return IsPlain(term, runtime + dims); }),
           "a runtime variable is no element at an index of the result");
  }
}

}  // namespace

void CheckReadsClaim(Lines& lines, const Words& claim) {
  Expect(claim.size() == 6 && claim[0] == "claim" && claim[1] == "reads" && claim[4] == "by" &&
             (claim[2] == "exact" || claim[2] == "at-most"),
         "expected 'claim reads exact SOURCE by READER'");
  const bool is_exact = claim[2] == "exact";
  const Program program = ReadProgram(lines);
  const size_t reader = program.Find(WithoutPercent(claim[5]));
  const size_t source = program.Find(WithoutPercent(claim[3]));
  const size_t dims = program.nodes()[reader].sizes.size();
  const std::vector<Producer> producers = ReadProducers(lines, program, dims);
  const std::vector<Map> said = ReadMaps(lines);
  std::vector<Map> read;
  const bool forgets = producers.empty() && !is_exact;
  if (!forgets) ExpectKnown(producers, dims);
  for (const Access& way : Ways(program.nodes(), source).Of(reader)) {
    Expect(way.map.dims == dims, "a way has other dims");
    read.push_back(forgets ? Forget(way) : Aligned(way, producers, dims));
  }
  ExpectAlike(said, producers.size(), dims);
  ExpectAlike(read, producers.size(), dims);
  if (is_exact) CheckWithin(lines, said, read, producers.size() + dims);
  CheckWithin(lines, read, said, producers.size() + dims);
}

}  // namespace twin
