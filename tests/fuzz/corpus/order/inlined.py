pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    def f(x, y):
        if x > 3:
            return y
        return x
    pid_m = f(pid_n, pid_m); pid_n = pid_n
