# affirm_library(NAME SOURCES ... DEPS ...): one layer, or one part of a layer.
function(affirm_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  target_link_libraries(${name} PUBLIC affirm_llvm ${ARG_DEPS})
endfunction()

# affirm_test(NAME LABELS label ... SOURCES ... DEPS ...): a GoogleTest program, one ctest entry. Labels: unit (the
# default), property, fuzz-short, differential, python, accept. It runs in the source folder, so that tests name corpus files as a reader would.
function(affirm_test name)
  cmake_parse_arguments(ARG "" "LABEL;TIMEOUT" "LABELS;SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} GTest::gtest GTest::gmock GTest::gtest_main rapidcheck rapidcheck_gtest)
  target_compile_options(${name} PRIVATE -Wno-missing-field-initializers)
  add_test(NAME ${name} COMMAND ${name} --gtest_brief=1
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  list(APPEND ARG_LABELS ${ARG_LABEL})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 600)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT})
endfunction()
