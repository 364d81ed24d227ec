class JITFunction:
    pass
