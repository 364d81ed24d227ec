# cmake -DFOLDER=gpus -DOUTPUT=gpu_files.cpp -P embed_gpus.cmake
# Writes the files of gpus/ into a C++ source: their names and texts, no path.
file(GLOB files LIST_DIRECTORIES false ${FOLDER}/*.toml)
list(SORT files)
set(rows "")
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(APPEND rows "      {\"${name}\", R\"heddle(${text})heddle\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"config/gpu_files.h\"

namespace heddle::config {

const std::vector<GpuFile>& gpu_files() {
  static const std::vector<GpuFile> files = {
${rows}  };
  return files;
}

}  // namespace heddle::config
")
