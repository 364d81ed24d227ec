#include "roofline_files.h"

#include <fmt/format.h>

#include <cctype>

#include "output.h"
#include "report/clean_text.h"
#include "report/html/page.h"
#include "report/roofline_plot.h"
#include "report/roofline_report.h"
#include "support/child_process.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"
#include "tables.h"

namespace heddle::tool {
namespace {

constexpr std::chrono::seconds kDrawingTime{60};
constexpr std::size_t kPictureBytes = std::size_t{64} << 20;
constexpr std::size_t kMessageWidth = 300;

bool is_picture(const std::string& file) {
  return file.ends_with(".svg") || file.ends_with(".pdf");
}

/// gnuplot writes the time into a PDF: digits for digits, so that offsets in it still hold.
void forget_time(std::string& pdf) {
  constexpr std::string_view kKey = "/CreationDate (D:";
  constexpr std::string_view kNoTime = "19700101000000";
  const std::size_t found = pdf.find(kKey);
  if (found == std::string::npos) return;
  const std::size_t from = found + kKey.size();
  for (std::size_t i = 0; i < kNoTime.size() && from + i < pdf.size(); ++i) {
    if (std::isdigit(static_cast<unsigned char>(pdf[from + i])) == 0) return;
    pdf[from + i] = kNoTime[i];
  }
}

std::string drawn(const std::string& script, std::string_view beginning) {
  ChildLimits limits;
  limits.time = kDrawingTime;
  limits.output_bytes = kPictureBytes;
  ChildResult result;
  try {
    result = run_child({"gnuplot", "-d"}, script, limits);
  } catch (const Error& error) {
    if (error.code() != ExitCode::missing) throw;
    throw Error("gnuplot, which draws this format, is not installed",
                "install it (Debian, Ubuntu: gnuplot-nox), or write -o FILE.txt or -o FILE.gp",
                ExitCode::missing);
  }
  if (result.timed_out) throw Error("gnuplot took too long", "draw fewer points: --max-points 10");
  if (result.exit_code != 0 || !result.output.starts_with(beginning))
    throw Error(fmt::format("gnuplot drew nothing: {}",
                            report::one_line(trim(result.errors), kMessageWidth)),
                "it needs the terminals svg and pdfcairo (gnuplot-nox has them); -o FILE.gp writes "
                "the script",
                ExitCode::missing);
  forget_time(result.output);
  return result.output;
}

std::string content(const RooflineReport& report, const std::string& file) {
  if (file.ends_with(".json")) return json_text(report::roofline_json(report));
  if (file.ends_with(".html")) return report::html_page(report::roofline_view(report));
  if (file.ends_with(".gp")) return report::roofline_plot(report, report::PlotFormat::svg);
  if (file.ends_with(".txt")) return report::roofline_text(report, {});
  const bool is_svg = file.ends_with(".svg");
  return drawn(
      report::roofline_plot(report, is_svg ? report::PlotFormat::svg : report::PlotFormat::pdf),
      is_svg ? "<?xml" : "%PDF");
}

}  // namespace

void check_roofline_files(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    if (!is_picture(file) && !file.ends_with(".json") && !file.ends_with(".gp") &&
        !file.ends_with(".txt") && !file.ends_with(".html"))
      throw Error(fmt::format("-o {}: the ending names no format", file),
                  "use .html, .svg, .pdf, .txt, .json or .gp");
    check_writable(file);
  }
}

void write_roofline_files(const RooflineReport& report, const std::vector<std::string>& files) {
  const report::FileColumns as_in_all_files;
  for (const bool pictures : {false, true}) {
    for (const std::string& file : files) {
      if (is_picture(file) != pictures) continue;
      write_text(file, content(report, file));
      say_written(file);
    }
  }
}

}  // namespace heddle::tool
