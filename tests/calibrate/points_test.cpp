#include "calibrate/points.h"

#include <gtest/gtest.h>

#include "support/error.h"

namespace heddle::calibrate {
namespace {

std::vector<MeasuredPoint> points_of(std::string_view text) {
  return parse_points(text, "t/t.csv", "t");
}

std::string error_of(std::string_view text) {
  try {
    points_of(text);
  } catch (const Error& error) {
    return error.full_text();
  }
  return "no error";
}

std::string error_in_row(const std::string& row) {
  return error_of("job,gpu,order,l2_hit_pct,speedup,set\n" + row + "\n");
}

TEST(Points, reads_columns_by_name) {
  const auto points = points_of(
      "# measured\n"
      "note,l2_hit_pct,order,gpu,set,job,last_level_hit_pct,speedup,time_us,tiles,source,"
      "dram_read_mb\n"
      "a note,4.5,\"xcd(8) | group(2)\",mi300x,M=8  N=4*M,../j.toml,100,0.5,1e3,4x8,a log,13.4\n"
      ",,identity,h200,,k.toml,0,,,,,\n");
  ASSERT_EQ(points.size(), 2U);
  const MeasuredPoint& first = points[0];
  EXPECT_EQ(first.place(), "t/t.csv:3");
  EXPECT_EQ(first.job, "j.toml");
  EXPECT_EQ(first.gpu, "mi300x");
  EXPECT_EQ(first.order, "xcd(8) | group(2)");
  EXPECT_EQ(first.tiles, "4x8");
  EXPECT_EQ(first.overrides, (std::vector<std::string>{"M=8", "N=4*M"}));
  EXPECT_EQ(first.l2_hit_pct, 4.5);
  EXPECT_EQ(first.last_level_hit_pct, 100.0);
  EXPECT_EQ(first.dram_read_mb, 13.4);
  EXPECT_FALSE(points[1].dram_read_mb);
  EXPECT_EQ(first.speedup, 0.5);
  EXPECT_EQ(first.time_us, 1000.0);
  EXPECT_EQ(first.source, "a log");
  EXPECT_EQ(first.note, "a note");
  EXPECT_EQ(points[1].job, "t/k.toml");
  const auto own = points_of("job,gpu,order,l2_hit_pct\nj,g/my.toml:CPX,identity,1\n");
  EXPECT_EQ(own[0].gpu, "t/g/my.toml:CPX");
  EXPECT_EQ(own[0].gpu_field, "g/my.toml:CPX");
  EXPECT_EQ(points[1].last_level_hit_pct, 0.0);
  EXPECT_FALSE(points[1].l2_hit_pct || points[1].speedup || points[1].time_us);
}

TEST(Points, names_the_columns) {
  EXPECT_EQ(error_of("job,gpu,order,l2_hit\n"),
            "t/t.csv:1:1: no column is called 'l2_hit'\n"
            "  try: the columns are: job gpu order tiles set family l2_hit_pct "
            "last_level_hit_pct dram_read_mb speedup time_us registers shared_bytes spills source "
            "note");
  EXPECT_NE(error_of("job,gpu,order,speedups\n").find("did you mean 'speedup'?"),
            std::string::npos);
  EXPECT_NE(error_of("job,gpu,speedup\n").find("no column 'order'"), std::string::npos);
  EXPECT_NE(error_of("job,gpu,job,order\n").find("two columns are called 'job'"),
            std::string::npos);
}

TEST(Points, of_a_sweep_have_a_family_and_what_the_compiler_made) {
  const std::string head = "job,gpu,order,family,time_us,registers,shared_bytes,spills\n";
  const auto points = parse_points(head + "j,g,columns,gemm,5,128,65536,0\n", "t.csv", "t");
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points[0].family, "gemm");
  EXPECT_NE(error_of(head + "j,g,columns,,5,many,,\n").find("registers is 'many'"),
            std::string::npos);
  const std::string unmeasured = head + "j,g,columns,gemm,,,,\n";
  EXPECT_NE(error_of(unmeasured).find("no measurement"), std::string::npos);
  EXPECT_EQ(parse_points(unmeasured, "t.csv", "t", Rows::any).size(), 1U);
}

TEST(Points, refuses_rows_that_say_nothing) {
  EXPECT_NE(error_of("").find("t/t.csv: the table is empty"), std::string::npos);
  EXPECT_NE(error_of("job,gpu,order\n").find("t/t.csv: the table has no points"),
            std::string::npos);
  EXPECT_NE(error_in_row("j,g,identity,,,").find("t/t.csv:2:1: the row has no measurement"),
            std::string::npos);
  EXPECT_NE(error_in_row("j,g,,1,,").find("the row has no order"), std::string::npos);
  EXPECT_NE(error_in_row("j,g,p0, p1,1,,").find("7 fields, the table 6 columns"),
            std::string::npos);
}

TEST(Points, checks_numbers) {
  EXPECT_EQ(error_in_row("j,g,o,101,,"),
            "t/t.csv:2:1: l2_hit_pct cannot be 101\n"
            "  try: write a number from 0 to 100, or leave the field empty");
  for (const char* hit : {"-1", "nan", "inf", "1%", "0x10", "1,5", "--", "1e999"})
    EXPECT_NE(error_in_row(std::string("j,g,o,") + hit + ",,").find("t/t.csv:2:1"),
              std::string::npos)
        << hit;
  for (const char* speedup : {"0", "-1", "nan", "inf", "2x", "1e300", "1e400", "1e16"})
    EXPECT_NE(error_in_row(std::string("j,g,o,1,") + speedup + ",").find("speedup"),
              std::string::npos)
        << speedup;
  EXPECT_EQ(error_of("job,gpu,order,dram_read_mb\nj,g,o,-1\n"),
            "t/t.csv:2:1: dram_read_mb cannot be -1\n"
            "  try: write a number from 0 to 1e9, or leave the field empty");
  EXPECT_EQ(points_of("job,gpu,order,dram_read_mb\nj,g,o,0\n")[0].dram_read_mb, 0.0);
  EXPECT_NE(error_in_row("j,g,o,1,1,M").find("'M' sets nothing"), std::string::npos);
  EXPECT_EQ(error_in_row("j,g,o,1,1e400,"),
            "t/t.csv:2:1: speedup cannot be 1e400\n"
            "  try: write a number from 0.0001 to 10000, or leave the field empty");
}

TEST(Points, says_what_is_no_table) {
  const auto expect = [](std::string_view text, const char* what) {
    EXPECT_NE(error_of(text).find(what), std::string::npos) << error_of(text);
  };
  expect(std::string_view("j\0o\0b\0", 6), "t/t.csv: the table is not UTF-8 text");
  expect("job,gpu,order\n\xff\xfe,1", "t/t.csv:2:1: the table is not UTF-8 text");
  expect("job,gpu,order\ra,b,c\r", "carriage returns alone");
  expect("job;gpu;order;l2_hit_pct\n", "the columns are separated by ';'");
  expect("job\tgpu\torder\n", "the columns are separated by tabs");
  expect("job,gpu,order,speedup,\n", "column 5 has no name\n  try: drop the comma at the end");
  expect("job,gpu,order,\x1b[1m\n", "no column is called '?[1m'");
  EXPECT_EQ(points_of("job,gpu,order,speedup,set\nj,g,\"p0 é\",1,\"A=1\nB=2\tC=3\"\n")[0].overrides,
            (std::vector<std::string>{"A=1", "B=2", "C=3"}));
}

}  // namespace
}  // namespace heddle::calibrate
