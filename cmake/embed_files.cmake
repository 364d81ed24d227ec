# cmake -DFOLDER=gpus -DOUTPUT=gpu_files.cpp -DINCLUDE=config/gpu_files.h -DSPACE=heddle::config
#   -DTYPE=GpuFile -DFUNCTION=gpu_files [-DWITHOUT=.toml] [-DHASHED=ON] -P embed_files.cmake
# Writes the files of a folder into a C++ source: their paths inside of it (without an ending) and
# their texts, sorted; with HASHED their SHA-256, too. READMEs stay outside.
file(GLOB_RECURSE files LIST_DIRECTORIES false RELATIVE ${FOLDER} ${FOLDER}/*)
list(FILTER files EXCLUDE REGEX "(^|/)README\\.md$")
list(SORT files)
set(rows "")
foreach(file IN LISTS files)
  file(READ ${FOLDER}/${file} text)
  set(name ${file})
  if(WITHOUT)
    string(REPLACE "${WITHOUT}" "" name ${file})
  endif()
  set(hash "")
  if(HASHED)
    file(SHA256 ${FOLDER}/${file} hash)
    set(hash ", \"${hash}\"")
  endif()
  string(APPEND rows "      {\"${name}\", R\"heddle(${text})heddle\"${hash}},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"${INCLUDE}\"

namespace ${SPACE} {

const std::vector<${TYPE}>& ${FUNCTION}() {
  static const std::vector<${TYPE}> files = {
${rows}  };
  return files;
}

}  // namespace ${SPACE}
")
