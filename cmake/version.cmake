# cmake -DSOURCE=folder -DVERSION=0.2.0 -DOUTPUT=version.cpp -P version.cmake
# Writes src/support/version.h's functions, and leaves the file alone where nothing changed. The commit
# is that of git; of an archive, which has no git, the one that git wrote into commit.txt.
execute_process(COMMAND git -C ${SOURCE} describe --always --abbrev=12 --exclude * --dirty=+changes
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  file(READ ${SOURCE}/cmake/commit.txt commit)
  string(STRIP "${commit}" commit)
  if(commit MATCHES "Format")
    set(commit "")
  endif()
endif()
set(text "#include \"support/version.h\"

namespace heddle {

const char* version() {
  return \"${VERSION}\";
}

const char* commit() {
  return \"${commit}\";
}

std::string version_text() {
  const std::string from = commit();
  return from.empty() ? version() : version() + (\" (\" + from + \")\");
}

}  // namespace heddle
")
set(before "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT before STREQUAL text)
  file(WRITE ${OUTPUT} "${text}")
endif()
