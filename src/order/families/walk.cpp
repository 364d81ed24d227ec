// Families that walk the rows and columns of a plane.
#include "order/families/list.h"

namespace heddle::order {

const Family kColumns = {
    "columns", FamilyKind::walk,
    {},        "column by column (rows fastest)",
    R"(
def columns(t, rows, cols):
    return t % rows, t // rows
)",
    R"(
def columns_inverse(row, col, rows, cols):
    return col * rows + row
)",       "t = col*rows + row with 0 <= row < rows is division with remainder"};

const Family kSnake = {
    "snake", FamilyKind::walk,
    {},      "row by row, every second row backwards",
    R"(
def snake(t, rows, cols):
    row = t // cols
    col = t % cols
    if row % 2 == 1:
        col = cols - 1 - col
    return row, col
)",
    R"(
def snake_inverse(row, col, rows, cols):
    if row % 2 == 1:
        col = cols - 1 - col
    return row * cols + col
)",     "row-major, with the columns of odd rows mirrored, which maps 0..cols-1 onto itself"};

const Family kGroup = {"group",
                       FamilyKind::walk,
                       {"height"},
                       "bands of `height` rows, each walked column by column",
                       R"(
def group(t, rows, cols, height):
    band = min(height, rows)
    per_band = band * cols
    first = t // per_band * band
    tall = min(rows - first, band)
    inside = t % per_band
    return first + inside % tall, inside // tall
)",
                       R"(
def group_inverse(row, col, rows, cols, height):
    band = min(height, rows)
    first = row // band * band
    tall = min(rows - first, band)
    return first * cols + col * tall + (row - first)
)",
                       "the bands before `first` hold first*cols tiles, all of full height; the "
                       "band's own tall*cols tiles are "
                       "walked column by column, and only the last band can be shorter. band <= "
                       "rows keeps band*cols below 2^31"};

const Family kGroupColumns = {"group_columns",
                              FamilyKind::walk,
                              {"width"},
                              "bands of `width` columns, each walked row by row",
                              R"(
def group_columns(t, rows, cols, width):
    band = min(width, cols)
    per_band = band * rows
    first = t // per_band * band
    wide = min(cols - first, band)
    inside = t % per_band
    return inside // wide, first + inside % wide
)",
                              R"(
def group_columns_inverse(row, col, rows, cols, width):
    band = min(width, cols)
    first = col // band * band
    wide = min(cols - first, band)
    return first * rows + row * wide + (col - first)
)",
                              "group with rows and columns exchanged"};

const Family kGroupSnake = {
    "group_snake",
    FamilyKind::walk,
    {"height"},
    "as group, every second band backwards",
    R"(
def group_snake(t, rows, cols, height):
    band = min(height, rows)
    per_band = band * cols
    number = t // per_band
    first = number * band
    tall = min(rows - first, band)
    inside = t % per_band
    col = inside // tall
    if number % 2 == 1:
        col = cols - 1 - col
    return first + inside % tall, col
)",
    R"(
def group_snake_inverse(row, col, rows, cols, height):
    band = min(height, rows)
    number = row // band
    first = number * band
    tall = min(rows - first, band)
    if number % 2 == 1:
        col = cols - 1 - col
    return first * cols + col * tall + (row - first)
)",
    "group, with the columns of odd bands mirrored, which maps 0..cols-1 onto itself"};

const Family kGroupColumnsSnake = {
    "group_columns_snake",
    FamilyKind::walk,
    {"width"},
    "as group_columns, every second band backwards",
    R"(
def group_columns_snake(t, rows, cols, width):
    band = min(width, cols)
    per_band = band * rows
    number = t // per_band
    first = number * band
    wide = min(cols - first, band)
    inside = t % per_band
    row = inside // wide
    if number % 2 == 1:
        row = rows - 1 - row
    return row, first + inside % wide
)",
    R"(
def group_columns_snake_inverse(row, col, rows, cols, width):
    band = min(width, cols)
    number = col // band
    first = number * band
    wide = min(cols - first, band)
    if number % 2 == 1:
        row = rows - 1 - row
    return first * rows + row * wide + (col - first)
)",
    "group_columns, with the rows of odd bands mirrored, which maps 0..rows-1 onto itself"};

const Family kBlockFirst = {
    "block_first", FamilyKind::walk,
    {"dies"},      "rows fastest, each die its own rows (attention: its own heads)",
    R"(
def block_first(t, rows, cols, dies):
    return xcd(t % rows, rows, dies), t // rows
)",
    R"(
def block_first_inverse(row, col, rows, cols, dies):
    return col * rows + xcd_inverse(row, rows, dies)
)",           "columns, followed by xcd on the row alone: both are permutations",
    "xcd"};

const Family kHeadFirst = {"head_first", FamilyKind::walk,
                           {"dies"},     "attention, each die works through whole heads (rows)",
                           R"(
def head_first(t, rows, cols, dies):
    tile = xcd(t, rows * cols, dies)
    return tile // cols, tile % cols
)",
                           R"(
def head_first_inverse(row, col, rows, cols, dies):
    return xcd_inverse(row * cols + col, rows * cols, dies)
)",          "xcd inside one plane (one batch), read as row and column",
                           "xcd"};

}  // namespace heddle::order
