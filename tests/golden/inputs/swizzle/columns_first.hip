const int BM = 128;
const int BN = 64;
int tiles_m = (M + BM - 1) / BM;
int tiles_n = (N + BN - 1) / BN;
int col = blockIdx.x / tiles_m;
int row = blockIdx.x % tiles_m;
int row_start = row * BM;
