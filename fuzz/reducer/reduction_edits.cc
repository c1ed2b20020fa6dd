// The edits of the reducer, and the order of modules by complexity.
#include "fuzz/reducer/reduction_edits.h"

#include <algorithm>
#include <set>

#include "core/hlo/text.h"
#include "fuzz/reducer/hlo_edit.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::fuzz {

using hlo::Attributes;
using hlo::Computation;
using hlo::Instruction;
using hlo::Literal;
using hlo::Module;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

namespace {

Instruction& At(Module& module, size_t computation, size_t instruction) {
  return *module.computations[computation]->instructions[instruction];
}

template <typename Visit>
void ForEachInstruction(const Module& module, Visit visit) {
  for (const auto& computation : module.computations) {
    for (const auto& instruction : computation->instructions) visit(*instruction);
  }
}

template <typename Visit>
void ForEachLeaf(Shape& shape, Visit visit) {
  for (Shape& element : shape.tuple) ForEachLeaf(element, visit);
  if (shape.IsArray()) visit(shape);
}

// Changes every array shape of a module, and constants with their shapes.
template <typename Change>
void ChangeShapes(Module& module, Change change) {
  ForEachInstruction(module, [&](Instruction& instruction) {
    ForEachLeaf(instruction.shape, change);
    if (instruction.literal && instruction.shape.IsArray()) {
      instruction.literal = Resized(*instruction.literal, instruction.shape);
    }
  });
}

Edit PromoteToEntry(size_t index) {
  return [=](Module& module) {
    Computation& computation = *module.computations[index];
    module.entry->is_entry = false;
    module.entry = &computation;
    computation.is_entry = true;
    module.extra_attributes.clear();
    // Removes computations that nothing calls any more; callers among them would make a cycle.
    std::set<const Computation*> kept = {&computation};
    for (size_t i = index + 1; i-- > 0;) {
      Computation& callee = *module.computations[i];
      if (!kept.count(&callee)) continue;
      for (const auto& instruction : callee.instructions) {
        kept.insert(instruction->called.begin(), instruction->called.end());
      }
    }
    std::erase_if(module.computations, [&](const auto& c) { return !kept.count(c.get()); });
    return true;
  };
}

Edit MakeRoot(size_t computation, size_t instruction) {
  return [=](Module& module) {
    Instruction& root = At(module, computation, instruction);
    if (root.IsRoot()) return false;
    root.parent->root = &root;
    return true;
  };
}

Edit DropOperand(size_t computation, size_t instruction, size_t operand) {
  return [=](Module& module) {
    Instruction& from = At(module, computation, instruction);
    from.operands.erase(from.operands.begin() + operand);
    if (from.opcode == Opcode::kTuple) from.shape.tuple.erase(from.shape.tuple.begin() + operand);
    return true;
  };
}

Edit TakeOperand(size_t computation, size_t instruction, size_t operand) {
  return [=](Module& module) {
    Instruction& from = At(module, computation, instruction);
    ReplaceUses(from, *from.operands[operand]);
    return true;
  };
}

// Two parameters of the entry as one, or two ops of one kind.
Edit Merge(size_t computation, size_t from, size_t to) {
  return [=](Module& module) {
    ReplaceUses(At(module, computation, from), At(module, computation, to));
    return true;
  };
}

void MergeEdits(const Module& module, size_t c, std::vector<Edit>& edits) {
  const auto& instructions = module.computations[c]->instructions;
  for (size_t i = 0; i < instructions.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      bool alike = instructions[k]->opcode == instructions[i]->opcode &&
                   instructions[k]->shape.SameIgnoringLayout(instructions[i]->shape);
      if (alike) edits.push_back(Merge(c, i, k));
    }
  }
}

// The op becomes the plainest one that needs all of two arrays: their outer product, or for scalars
// the second in the place of the first.
void BecomeNeedOfBoth(Instruction& op, Instruction& first, Instruction& second) {
  const bool scalars = first.shape.rank() == 0 && second.shape.rank() == 0;
  op.opcode = scalars ? Opcode::kDynamicUpdateSlice : Opcode::kDot;
  op.opcode_text = hlo::Name(op.opcode).str();
  op.shape = Shape::Array(first.shape.type, {});
  op.operands = {&first, &second};
  op.called.clear();
  op.called_as.clear();
  op.attributes = {};
  op.literal.reset();
}

Edit NeedBoth(size_t computation, size_t instruction, size_t a, size_t b) {
  return [=](Module& module) {
    BecomeNeedOfBoth(At(module, computation, instruction), At(module, computation, a),
                     At(module, computation, b));
    return true;
  };
}

// Another root: one that needs two ops, or an op and a parameter.
void NeedBothEdits(const Module& module, size_t c, std::vector<Edit>& edits) {
  const auto& instructions = module.computations[c]->instructions;
  auto is_parameter = [&](size_t i) { return instructions[i]->opcode == Opcode::kParameter; };
  std::vector<size_t> arrays;
  size_t root = 0;
  for (; !instructions[root]->IsRoot(); ++root) {
    if (instructions[root]->shape.IsArray()) arrays.push_back(root);
  }
  for (size_t a : arrays) {
    for (size_t b : arrays) {
      if (a == b || (is_parameter(a) && is_parameter(b))) continue;
      edits.push_back(NeedBoth(c, root, a, b));
    }
  }
}

// Every array is a scalar.
bool MakeScalars(Module& module) {
  ChangeShapes(module, [](Shape& shape) { shape = Shape::Array(shape.type, {}); });
  ForEachInstruction(module, [](Instruction& instruction) {
    Attributes& a = instruction.attributes;
    a.dimensions.clear();
    a.dynamic_slice_sizes.clear();
    a.slice.clear();
    a.padding.clear();
    a.window.clear();
    // An outer product of scalars does not tell them apart.
    if (instruction.opcode == Opcode::kDot) {
      BecomeNeedOfBoth(instruction, *instruction.operands[0], *instruction.operands[1]);
    }
  });
  return true;
}

// Every size `from` becomes `to`, and what refers to it follows.
Edit ResizeAll(int64_t from, int64_t to) {
  return [=](Module& module) {
    auto resize = [&](int64_t& size) {
      if (size == from) size = to;
    };
    ChangeShapes(module, [&](Shape& shape) { llvm::for_each(shape.dims, resize); });
    ForEachInstruction(module, [&](Instruction& instruction) {
      Attributes& a = instruction.attributes;
      llvm::for_each(a.dynamic_slice_sizes, resize);
      llvm::for_each(a.slice_sizes, resize);
      for (hlo::SliceDimension& dim : a.slice) {
        if (dim.limit >= from) dim.limit -= from - to;
        dim.start = std::clamp<int64_t>(dim.start, 0, std::max<int64_t>(dim.limit, 0));
      }
      if (instruction.opcode == Opcode::kConvolution) {
        for (hlo::WindowDimension& dim : a.window) resize(dim.size);
      }
    });
    return true;
  };
}

// Attributes of one instruction, one simplification after the other; `change` is false when there
// is nothing to do.
template <typename Change>
Edit Attribute(size_t computation, size_t instruction, Change change) {
  return [=](Module& module) { return change(At(module, computation, instruction)); };
}

template <typename T>
bool Set(T& field, T value) {
  if (field == value) return false;
  field = std::move(value);
  return true;
}

// The simplifications of dimension `d` of an instruction's attributes.
void DimensionEdits(size_t c, size_t i, size_t d, const Attributes& a, std::vector<Edit>& edits) {
  auto add = [&](auto change) {
    edits.push_back(Attribute(c, i, [=](Instruction& x) { return change(x.attributes); }));
  };
  if (d < a.slice.size()) {
    add([=](Attributes& x) { return Set<int64_t>(x.slice[d].stride, 1); });
    add([=](Attributes& x) { return Set<int64_t>(x.slice[d].stride, 2); });
    add([=](Attributes& x) { return Set<int64_t>(x.slice[d].start, 0); });
    add([=](Attributes& x) { return Set(x.slice[d].limit, x.slice[d].start + 1); });
  }
  if (d < a.padding.size()) {
    add([=](Attributes& x) { return Set(x.padding[d], {}); });
    for (int64_t value : {0, 1}) {
      add([=](Attributes& x) { return Set(x.padding[d].low, value); });
      add([=](Attributes& x) { return Set(x.padding[d].high, value); });
      add([=](Attributes& x) { return Set(x.padding[d].interior, value); });
    }
  }
  if (d < a.window.size()) {
    add([=](Attributes& x) { return Set(x.window[d], hlo::WindowDimension{x.window[d].size}); });
    add([=](Attributes& x) { return Set<int64_t>(x.window[d].size, 1); });
    add([=](Attributes& x) { return Set<int64_t>(x.window[d].stride, 1); });
    add([=](Attributes& x) { return Set<int64_t>(x.window[d].padding_low, 0); });
    add([=](Attributes& x) { return Set<int64_t>(x.window[d].padding_high, 0); });
    add([=](Attributes& x) { return Set<int64_t>(x.window[d].base_dilation, 1); });
    add([=](Attributes& x) { return Set<int64_t>(x.window[d].window_dilation, 1); });
    add([=](Attributes& x) { return Set(x.window[d].reversal, false); });
  }
}

// The weight of a number away from its default.
int64_t Weight(int64_t value, int64_t standard) {
  if (value == standard) return 0;
  return value == 1 || value == 2 ? 1 : 2;
}

int64_t WeightOf(const Instruction& instruction) {
  const Attributes& a = instruction.attributes;
  int64_t weight = instruction.shape.layout.has_value();
  for (const auto& dim : a.slice) {
    weight += Weight(dim.start, 0) + Weight(dim.stride, 1) + (dim.limit - dim.start > 1);
  }
  for (const auto& dim : a.padding) {
    weight += Weight(dim.low, 0) + Weight(dim.high, 0) + Weight(dim.interior, 0);
  }
  for (const auto& dim : a.window) {
    weight += Weight(dim.size, 1) + Weight(dim.stride, 1) + Weight(dim.padding_low, 0) +
              Weight(dim.padding_high, 0) + Weight(dim.base_dilation, 1) +
              Weight(dim.window_dilation, 1) + dim.reversal;
  }
  if (instruction.opcode == Opcode::kReverse) weight += static_cast<int64_t>(a.dimensions.size());
  if (instruction.opcode == Opcode::kTranspose) weight += !llvm::is_sorted(a.dimensions);
  return weight + !a.comparison_type.empty();
}

}  // namespace

std::vector<Edit> GraphEdits(const Module& module) {
  std::vector<Edit> edits;
  for (size_t c = module.computations.size(); c-- > 0;) {
    const Computation& computation = *module.computations[c];
    if (!computation.is_entry) edits.push_back(PromoteToEntry(c));
    for (size_t i = 0; i < computation.instructions.size(); ++i) {
      const Instruction& instruction = *computation.instructions[i];
      if (&instruction != computation.root) edits.push_back(MakeRoot(c, i));
    }
    for (size_t i = computation.instructions.size(); i-- > 0;) {
      const Instruction& instruction = *computation.instructions[i];
      if (instruction.opcode == Opcode::kParameter) continue;
      edits.push_back([=](Module& copy) { return BecomeParameter(At(copy, c, i)); });
      for (size_t k = 0; k < instruction.operands.size(); ++k) {
        if (instruction.operands[k]->shape.SameIgnoringLayout(instruction.shape)) {
          edits.push_back(TakeOperand(c, i, k));
        }
        bool any_number =
            instruction.opcode == Opcode::kTuple || instruction.opcode == Opcode::kConcatenate;
        if (any_number && instruction.operands.size() > 1) edits.push_back(DropOperand(c, i, k));
      }
    }
  }
  for (size_t c = 0; c < module.computations.size(); ++c) {
    if (!module.computations[c]->is_entry) continue;
    MergeEdits(module, c, edits);
    NeedBothEdits(module, c, edits);
  }
  return edits;
}

std::vector<Edit> SizeEdits(const Module& module) {
  std::set<int64_t, std::greater<>> sizes;
  ForEachInstruction(module, [&](Instruction& instruction) {
    ForEachLeaf(instruction.shape,
                [&](Shape& shape) { sizes.insert(shape.dims.begin(), shape.dims.end()); });
  });
  std::vector<Edit> edits;
  if (!sizes.empty()) edits.push_back(MakeScalars);
  for (int64_t size : sizes) {
    for (int64_t smaller : {int64_t{1}, int64_t{2}, size / 2, size - 1}) {
      if (smaller > 0 && smaller < size) edits.push_back(ResizeAll(size, smaller));
    }
  }
  return edits;
}

std::vector<Edit> AttributeEdits(const Module& module) {
  std::vector<Edit> edits;
  for (size_t c = module.computations.size(); c-- > 0;) {
    for (size_t i = module.computations[c]->instructions.size(); i-- > 0;) {
      const Instruction& instruction = *module.computations[c]->instructions[i];
      const Attributes& a = instruction.attributes;
      size_t dims = std::max({a.slice.size(), a.padding.size(), a.window.size()});
      for (size_t d = 0; d < dims; ++d) DimensionEdits(c, i, d, a, edits);
      edits.push_back(Attribute(c, i, [](Instruction& x) {
        bool had = x.shape.layout.has_value();
        x.shape.layout.reset();
        return had;
      }));
      if (instruction.opcode == Opcode::kReverse) {
        edits.push_back(Attribute(c, i, [](Instruction& x) {
          if (!x.attributes.dimensions.empty()) x.attributes.dimensions.pop_back();
          return true;
        }));
      }
      if (instruction.opcode == Opcode::kTranspose) {
        edits.push_back(Attribute(c, i, [](Instruction& x) {
          llvm::sort(x.attributes.dimensions);
          return true;
        }));
      }
      if (instruction.literal && instruction.shape.IsArray()) {
        edits.push_back(Attribute(
            c, i, [](Instruction& x) { return Set(*x.literal, Literal(x.literal->shape())); }));
      }
    }
  }
  return edits;
}

std::vector<Edit> TypeEdits(const Module& module) {
  std::set<PrimitiveType> types;
  ForEachInstruction(module, [&](Instruction& instruction) {
    ForEachLeaf(instruction.shape, [&](Shape& shape) { types.insert(shape.type); });
  });
  std::vector<Edit> edits;
  for (PrimitiveType from : types) {
    for (PrimitiveType to : {PrimitiveType::kF32, PrimitiveType::kS32, PrimitiveType::kS8}) {
      if (from == to) continue;
      edits.push_back([=](Module& copy) {
        ChangeShapes(copy, [&](Shape& shape) {
          if (shape.type == from) shape.type = to;
        });
        return true;
      });
    }
  }
  return edits;
}

Complexity ComplexityOf(const Module& module) {
  int64_t ops = 0, elements = 0, weight = 0, bits = 0;
  std::set<PrimitiveType> types;
  ForEachInstruction(module, [&](Instruction& instruction) {
    ops += instruction.opcode != Opcode::kParameter;
    weight += WeightOf(instruction);
    ForEachLeaf(instruction.shape, [&](Shape& shape) {
      elements += shape.NumElements();
      for (int64_t size : shape.dims) elements += size;
      types.insert(shape.type);
    });
  });
  // f32 is the plainest type, then s32; each further type counts.
  for (PrimitiveType type : types) {
    bits += type == PrimitiveType::kF32   ? 1
            : type == PrimitiveType::kS32 ? 2
                                          : 100 + hlo::BitWidth(type);
  }
  return {ops,      module.NumInstructions(),
          elements, weight,
          bits,     static_cast<int64_t>(hlo::ToString(module).size())};
}

}  // namespace affirm::fuzz
