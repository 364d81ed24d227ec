int id = blockIdx.x;
if (id >= WORK) return;
id = WORK - 1 - id;
