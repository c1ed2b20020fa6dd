# What `cmake --install` puts where, and the package that find_package(affirm) finds.
#
# include/affirm/*.h are the public headers. What they include of the layers' own headers stands below
# include/affirm/layers; it changes with every version.
include(CMakePackageConfigHelpers)

# One target for each part of the interface; each holds those above it.
foreach(part core verify emit driver)
  add_library(affirm_interface_${part} INTERFACE)
  set_target_properties(affirm_interface_${part} PROPERTIES EXPORT_NAME ${part})
  add_library(affirm::${part} ALIAS affirm_interface_${part})
endforeach()
target_link_libraries(affirm_interface_core INTERFACE affirm_analysis affirm_simplify affirm_hlo)
target_link_libraries(affirm_interface_verify INTERFACE affirm_interface_core affirm_rules affirm_maps affirm_hlo_semantics
                      affirm_width affirm_reference affirm_certificate)
target_link_libraries(affirm_interface_emit INTERFACE affirm_interface_verify affirm_emit)
target_link_libraries(affirm_interface_driver INTERFACE affirm_interface_emit affirm_driver)
affirm_export(affirm_llvm affirm_mlir affirm_solvers affirm_interface_core affirm_interface_verify
              affirm_interface_emit affirm_interface_driver)

install(EXPORT affirm-targets NAMESPACE affirm:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/affirm)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/affirm-config.cmake.in
                              ${PROJECT_BINARY_DIR}/affirm-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/affirm)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/affirm-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/affirm-config.cmake ${PROJECT_BINARY_DIR}/affirm-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/affirm)
install(DIRECTORY include/affirm DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY core verify emit fuzz driver DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/affirm/layers
        FILES_MATCHING PATTERN "*.h" PATTERN "*.def")
install(TARGETS affirm affirm-check-certificate)
