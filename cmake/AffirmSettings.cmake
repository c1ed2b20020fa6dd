# Language level, warnings and build type.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)  # LLVM's libraries lie in a folder of their own
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
# Optimized, small and quick to link; asserts of our own do not exist (errors are values).
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
# Code that takes no time of note in a run is compiled with these instead: the build is faster.
set(AFFIRM_QUICK_OPTIONS "$<$<CONFIG:Release>:-O1>")

option(AFFIRM_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(AFFIRM_COVERAGE "Count which lines run, for llvm-cov (clang only)" OFF)
option(AFFIRM_FUZZERS "Build the libFuzzer targets (clang only)" OFF)
set(AFFIRM_FUZZING_ENGINE -fsanitize=fuzzer CACHE STRING "What fuzz targets are linked with")

# No -Werror: a compiler that we have not met warns of other things, and that is no reason for
# somebody's build to end. `./dev test` ends at a warning, and so does CI.
add_compile_options(-Wall -Wextra)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False alarms of g++ 12: inside LLVM's small containers (LLVM's own build turns it off too), and
  # in its own strings where their header is precompiled.
  add_compile_options(-Wno-maybe-uninitialized -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow
                      -Wno-stringop-overread)
  # Wrong code of g++ 12: of doubles beside each other, `{double(float(x)), double(float(y))}`, it
  # leaves both conversions out. test_scalar_conversions sees it.
  add_compile_options(-fno-tree-slp-vectorize)
else()
  # libstdc++ 12's stable_sort uses a function that libstdc++ 12 has deprecated.
  add_compile_options(-Wno-deprecated-declarations)
endif()
if(AFFIRM_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()
if(AFFIRM_COVERAGE)
  add_compile_options(-O1 -fprofile-instr-generate -fcoverage-mapping)
  add_link_options(-fprofile-instr-generate)
endif()
if(AFFIRM_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(AFFIRM_SANITIZE OR AFFIRM_FUZZERS)
  add_library(affirm_asan_options OBJECT ${CMAKE_CURRENT_LIST_DIR}/asan_options.cc)
  link_libraries("$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:$<TARGET_OBJECTS:affirm_asan_options>>")
endif()

find_program(CCACHE ccache)
if(CCACHE)
  # ccache has to ignore these differences, or it keeps nothing of a file that uses precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()
# lld links the large shared LLVM and MLIR several times faster than ld.
if(EXISTS /usr/lib/llvm-22/bin/ld.lld)
  add_link_options(-B/usr/lib/llvm-22/bin -fuse-ld=lld)
endif()
