// A 1-D launch that yields a row and a column.
int id = blockIdx.x;
int row = id % ROWS;
int col = id / ROWS;
