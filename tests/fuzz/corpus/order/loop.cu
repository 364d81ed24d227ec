const int p = blockIdx.x;
int t = p;
for (int i = 0; i < 3; ++i) { t = t > 4 ? t - 1 : t + 1; }
if (p >= 12) return;
int tile = t;
