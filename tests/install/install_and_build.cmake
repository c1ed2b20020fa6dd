# Installs BUILD into a fresh prefix below SCRATCH, builds CONSUMER against it and runs it.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(status)
    message(FATAL_ERROR "${ARGN}: ${status}\n${output}")
  endif()
endfunction()

set(prefix ${SCRATCH}/prefix)
file(REMOVE_RECURSE ${prefix} ${SCRATCH}/consumer)
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
# No header may lead back to the sources or to the build folder.
run(${CMAKE_COMMAND} -G Ninja -S ${CONSUMER} -B ${SCRATCH}/consumer -DCMAKE_PREFIX_PATH=${prefix}
    -DCMAKE_CXX_COMPILER=${COMPILER} "-DCMAKE_CXX_FLAGS=${FLAGS}" -DCMAKE_BUILD_TYPE=Debug)
run(${CMAKE_COMMAND} --build ${SCRATCH}/consumer)
run(${SCRATCH}/consumer/consumer)
run(${prefix}/bin/affirm --help)
# The same by pkg-config, without CMake.
find_program(PKG_CONFIG NAMES pkg-config pkgconf REQUIRED)
file(GLOB_RECURSE pc ${prefix}/*/affirm.pc)
cmake_path(GET pc PARENT_PATH pkgconfig)
foreach(what cflags libs)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${pkgconfig} ${PKG_CONFIG} --${what} --static affirm
                  OUTPUT_VARIABLE ${what} OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(${what} UNIX_COMMAND "${${what}}")
endforeach()
separate_arguments(flags UNIX_COMMAND "${FLAGS}")
run(${COMPILER} ${flags} ${cflags} ${CONSUMER}/main.cc -o ${SCRATCH}/consumer/by_pkg_config ${libs})
run(${SCRATCH}/consumer/by_pkg_config)
# `man affirm`, by man where there is one, else by what man calls.
find_program(MAN man)
if(MAN)
  run(${CMAKE_COMMAND} -E env MANPATH=${prefix}/share/man MANPAGER=cat ${MAN} affirm)
else()
  set(output)
  execute_process(COMMAND groff -man -Tutf8 -ww ${prefix}/share/man/man1/affirm.1 OUTPUT_VARIABLE page
                  ERROR_VARIABLE warnings COMMAND_ERROR_IS_FATAL ANY)
  if(warnings OR NOT page MATCHES "EXIT STATUS")
    message(FATAL_ERROR "the manual page: ${warnings}")
  endif()
endif()
# Each shell that is there takes its completion from the prefix.
run(bash -c "source '${prefix}/share/bash-completion/completions/affirm' && complete -p affirm | grep -q _affirm")
foreach(file share/man/man1/affirm.1 share/bash-completion/completions/affirm share/zsh/site-functions/_affirm
        share/fish/vendor_completions.d/affirm.fish)
  if(NOT EXISTS ${prefix}/${file})
    message(FATAL_ERROR "${file} was not installed")
  endif()
endforeach()
# Nothing is left of what was installed.
run(${CMAKE_COMMAND} -DMANIFEST=${BUILD}/install_manifest.txt -P ${SOURCES}/cmake/uninstall.cmake)
if(EXISTS ${prefix})
  file(GLOB_RECURSE rest ${prefix}/*)
  message(FATAL_ERROR "uninstall leaves ${prefix}: ${rest}")
endif()
