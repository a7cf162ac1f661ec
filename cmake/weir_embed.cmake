# weir_embed(TARGET FUNCTION HEADER FOLDER FILES...): the files of a folder become part of the library, and HEADER's
# `std::string_view FUNCTION(std::string_view file) noexcept` in namespace weir returns them by name; no such file: an
# empty text. The source is made when the library is built.
function(weir_embed target function header folder)
  set(output "${CMAKE_CURRENT_BINARY_DIR}/embedded/${function}.cpp")
  list(TRANSFORM ARGN PREPEND "${folder}/" OUTPUT_VARIABLE paths)
  list(JOIN ARGN "|" files)
  add_custom_command(
    OUTPUT "${output}"
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${CMAKE_CURRENT_SOURCE_DIR}/${folder} "-DFILES=${files}" -DHEADER=${header}
            -DFUNCTION=${function} -DOUTPUT=${output} -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${paths} "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
    VERBATIM)
  target_sources(${target} PRIVATE "${output}")
  add_custom_target(${target}_${function} DEPENDS "${output}")
  add_dependencies(weir_generated ${target}_${function})
endfunction()
