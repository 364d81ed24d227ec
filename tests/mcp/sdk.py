#!/usr/bin/env python3
"""heddle mcp under the official SDK of the protocol; skipped (77) where node or the SDK is missing.

    tests/mcp/sdk.py --program build/heddle

The SDK is looked for in $HEDDLE_MCP_SDK, a folder with node_modules in it:
    npm install @modelcontextprotocol/sdk @modelcontextprotocol/client
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from small_job import JOB, KERNEL

SKIPPED = 77


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    program = pathlib.Path(parser.parse_args().program).resolve()
    modules = os.environ.get("HEDDLE_MCP_SDK", "")
    node = shutil.which("node")
    if node is None or not modules:
        print("skipped: node is not installed" if node is None else "skipped: HEDDLE_MCP_SDK is not set")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        (root / "add.py").write_text(KERNEL)
        (root / "add.toml").write_text(JOB)
        (root / "large.toml").write_text(JOB.replace("= 256", "= 65536"))
        script = pathlib.Path(__file__).with_name("sdk.cjs")
        return subprocess.run([node, str(script), str(program), modules, str(root)],
                              check=False, timeout=300).returncode


if __name__ == "__main__":
    sys.exit(main())
