# cmake --install: library, headers, command, and a package for find_package(catena).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS catena EXPORT catena-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET catena_command)
  install(TARGETS catena_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/catena ${PROJECT_BINARY_DIR}/include/catena
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h)
install(EXPORT catena-targets NAMESPACE catena:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/catena)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/catena-config.cmake.in
  ${PROJECT_BINARY_DIR}/catena-config.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/catena)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/catena-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/catena-config.cmake ${PROJECT_BINARY_DIR}/catena-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/catena)
