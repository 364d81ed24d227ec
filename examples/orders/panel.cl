/* Walks the grid in panels of 4 columns, from the top of a panel to its bottom.
   The host launches whole panels, so blocks past the last column do nothing. */
const int id = get_group_id(1) * get_num_groups(0) + get_group_id(0);
const int panel = id / (4 * ROWS);
const int inside = id % (4 * ROWS);
const int row = inside / 4;
const int col = panel * 4 + inside % 4;
if (col >= COLS) return;
