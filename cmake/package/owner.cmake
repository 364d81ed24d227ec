# Packs the .tar.gz once more: its files belong to root and are sorted, whoever packs. CPack does so for the .deb.
foreach(file ${CPACK_PACKAGE_FILES})
  if(NOT file MATCHES "\\.tar\\.gz$")
    continue()
  endif()
  set(folder ${CPACK_TEMPORARY_DIRECTORY}/owner)
  file(REMOVE_RECURSE ${folder})
  file(ARCHIVE_EXTRACT INPUT ${file} DESTINATION ${folder})
  execute_process(
    COMMAND tar --create --sort=name --owner=0 --group=0 --numeric-owner --mtime=@$ENV{SOURCE_DATE_EPOCH}
      --directory=${folder} ${CPACK_PACKAGE_FILE_NAME}
    COMMAND gzip -9n
    OUTPUT_FILE ${file} COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE_RECURSE ${folder})
endforeach()
