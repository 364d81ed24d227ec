// Space-filling curves on any grid: ragged sides are cut off exactly, nothing is padded.
#include "order/families/list.h"

namespace heddle::order {

const Family kMorton = {
    "morton",
    FamilyKind::walk,
    {},
    "Z-order: quadrants within quadrants",
    R"(
def morton(t, rows, cols):
    half = 1
    while half < max(rows, cols) - half:
        half = half * 2
    row = 0
    col = 0
    while half >= 1:
        left = min(half, cols - col)
        right = min(half, max(cols - col - half, 0))
        upper = min(half, rows - row) * (left + right)
        if t >= upper:
            t = t - upper
            row = row + half
        first = min(half, rows - row) * left
        if t >= first:
            t = t - first
            col = col + half
        half = half // 2
    return row, col
)",
    R"(
def morton_inverse(row, col, rows, cols):
    half = 1
    while half < max(rows, cols) - half:
        half = half * 2
    t = 0
    top = 0
    side = 0
    while half >= 1:
        left = min(half, cols - side)
        right = min(half, max(cols - side - half, 0))
        if row - top >= half:
            t = t + min(half, rows - top) * (left + right)
            top = top + half
        if col - side >= half:
            t = t + min(half, rows - top) * left
            side = side + half
        half = half // 2
    return t
)",
    "a square of side 2*half >= max(rows, cols) is cut into quadrants, each clipped to the grid; "
    "the four "
    "clipped sizes add up to the clipped square, and t picks the quadrant whose share it falls "
    "into, down to a "
    "single tile. All counts are at most rows*cols, and half stays at most 2^30"};

const Family kHilbert = {
    "hilbert",
    FamilyKind::walk,
    {},
    "Hilbert curve: one step at a time (some ragged grids need one diagonal step)",
    R"(
def hilbert(t, rows, cols):
    x = 0
    y = 0
    ux = 1
    uy = 0
    vx = 0
    vy = 1
    w = cols
    h = rows
    if rows > cols:
        ux, uy, vx, vy, w, h = 0, 1, 1, 0, rows, cols
    while w > 1 and h > 1:
        w2 = w // 2
        h2 = h // 2
        if w > h + h2:
            if w2 % 2 == 1 and w > 2:
                w2 = w2 + 1
            if t < w2 * h:
                w = w2
            else:
                t = t - w2 * h
                x = x + ux * w2
                y = y + uy * w2
                w = w - w2
        else:
            if h2 % 2 == 1 and h > 2:
                h2 = h2 + 1
            if t < w2 * h2:
                ux, uy, vx, vy, w, h = vx, vy, ux, uy, h2, w2
            elif t < w2 * h2 + w * (h - h2):
                t = t - w2 * h2
                x = x + vx * h2
                y = y + vy * h2
                h = h - h2
            else:
                t = t - w2 * h2 - w * (h - h2)
                x = x + ux * (w - 1) + vx * (h2 - 1)
                y = y + uy * (w - 1) + vy * (h2 - 1)
                ux, uy, vx, vy, w, h = 0 - vx, 0 - vy, 0 - ux, 0 - uy, h2, w - w2
    if h == 1:
        return y + uy * t, x + ux * t
    return y + vy * t, x + vx * t
)",
    R"(
def hilbert_inverse(row, col, rows, cols):
    t = 0
    x = 0
    y = 0
    ux = 1
    uy = 0
    vx = 0
    vy = 1
    w = cols
    h = rows
    if rows > cols:
        ux, uy, vx, vy, w, h = 0, 1, 1, 0, rows, cols
    while w > 1 and h > 1:
        along = (col - x) * ux + (row - y) * uy
        across = (col - x) * vx + (row - y) * vy
        w2 = w // 2
        h2 = h // 2
        if w > h + h2:
            if w2 % 2 == 1 and w > 2:
                w2 = w2 + 1
            if along < w2:
                w = w2
            else:
                t = t + w2 * h
                x = x + ux * w2
                y = y + uy * w2
                w = w - w2
        else:
            if h2 % 2 == 1 and h > 2:
                h2 = h2 + 1
            if across >= h2:
                t = t + w2 * h2
                x = x + vx * h2
                y = y + vy * h2
                h = h - h2
            elif along < w2:
                ux, uy, vx, vy, w, h = vx, vy, ux, uy, h2, w2
            else:
                t = t + w2 * h2 + w * (h - h2)
                x = x + ux * (w - 1) + vx * (h2 - 1)
                y = y + uy * (w - 1) + vy * (h2 - 1)
                ux, uy, vx, vy, w, h = 0 - vx, 0 - vy, 0 - ux, 0 - uy, h2, w - w2
    if h == 1:
        return t + (col - x) * ux + (row - y) * uy
    return t + (col - x) * vx + (row - y) * vy
)",
    "a w x h rectangle (w along u, h along v) is cut into two or three rectangles whose tile "
    "counts add up to "
    "w*h; t picks the one whose share it falls into, until one side is 1 and t counts along the "
    "other. Both sides "
    "shrink, so it ends; every product is at most rows*cols"};

}  // namespace heddle::order
