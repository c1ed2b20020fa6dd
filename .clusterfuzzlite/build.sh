#!/bin/bash -eu
# Builds every fuzz target into $OUT, with its seed corpus, its dictionary and the shared libraries that it needs: the image
# in which targets run has none of them. Called with CC, CXX, CFLAGS, CXXFLAGS, LIB_FUZZING_ENGINE, SRC, OUT and WORK set.
cd "$SRC/affirm"

# LLVM's packages are built with libstdc++.
export CXXFLAGS="${CXXFLAGS//-stdlib=libc++/}"
cmake -G Ninja -S . -B "$WORK/affirm" -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" \
  -DAFFIRM_FUZZERS=ON -DAFFIRM_FUZZING_ENGINE="$LIB_FUZZING_ENGINE"
targets=()
for source in fuzz/targets/*_fuzzer.cc; do
  name=$(basename "$source" _fuzzer.cc)
  [[ -z "${AFFIRM_TARGETS:-}" || " $AFFIRM_TARGETS " == *" $name "* ]] && targets+=("$name")
done
ninja -C "$WORK/affirm" "${targets[@]/#/fuzz_}" write_op_seeds

mkdir -p "$OUT/lib"
for name in "${targets[@]}"; do
  program="$OUT/$name"
  cp "$WORK/affirm/fuzz/fuzz_$name" "$program"
  ldd "$program" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | grep -vE '/(libc|libm|ld-linux[^/]*|libpthread|libdl|librt)\.so' |
    xargs -r cp -Lut "$OUT/lib"
  patchelf --set-rpath '$ORIGIN/lib' "$program"
  if [[ -f fuzz/targets/$name.dict ]]; then cp "fuzz/targets/$name.dict" "$OUT/$name.dict"; fi
done

seeds=$(mktemp -d)
"$WORK/affirm/fuzz/write_op_seeds" "$seeds"
zip -qj "$OUT/hlo_reader_seed_corpus.zip" "$seeds"/* corpus/hlo/* corpus/regressions/*
zip -qj "$OUT/hlo_proto_seed_corpus.zip" corpus/hlo_proto/*
zip -qj "$OUT/map_reader_seed_corpus.zip" corpus/maps/*
zip -qj "$OUT/rule_reader_seed_corpus.zip" corpus/rules/*/* core/simplify/rules/*
