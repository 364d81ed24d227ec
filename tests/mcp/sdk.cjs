// heddle mcp under the official SDK of the protocol: an independent client, in both eras.
//
//   node sdk.cjs PROGRAM MODULES ROOT
//
// MODULES is a folder with node_modules in it. Exit code 77: neither SDK is there.
"use strict";
const assert = require("node:assert");
const path = require("node:path");
const { createRequire } = require("node:module");

const [program, modules, root] = process.argv.slice(2);
const load = createRequire(path.join(modules, "here.js"));

function optional(name) {
  try {
    return load(name);
  } catch {
    return null;
  }
}

/// The calls that every client makes.
async function conformance(client, callTool) {
  const { tools } = await client.listTools();
  assert.deepStrictEqual(tools.map((tool) => tool.name).sort(),
    ["analyze", "audit_answer", "audit_patch", "check", "explain", "optimize", "simulate", "trace"]);
  // The SDK validates structured content against the output schema.
  const good = await callTool({ name: "check", arguments: { order: "xcd(8)", grid: "64x64" } });
  assert.strictEqual(good.structuredContent.result.verdict, "PROVED");
  const bad = await callTool({ name: "check", arguments: { order: "p0 // 2", grid: "64" } });
  assert.strictEqual(bad.structuredContent.result.verdict, "REFUTED");
  assert.ok(!bad.isError);
  const wrong = await callTool({ name: "check", arguments: { order: 7 } });
  assert.ok(wrong.isError);
  const outside = await callTool({ name: "trace", arguments: { job: "/etc/passwd" } });
  assert.ok(outside.isError);
  await assert.rejects(callTool({ name: "nothing", arguments: {} }));
  const { resources } = await client.listResources();
  assert.ok(resources.some((resource) => resource.uri === "heddle://gpus"));
  const families = await client.readResource({ uri: "heddle://families" });
  assert.ok(JSON.parse(families.contents[0].text).families.length > 5);
  await assert.rejects(client.readResource({ uri: "heddle://nothing" }));
  assert.ok((await client.listResourceTemplates()).resourceTemplates.length === 2);
  const inside = await callTool({ name: "trace", arguments: { job: path.join(root, "add.toml") } });
  assert.ok(!inside.isError, JSON.stringify(inside));
}

/// Progress comes, and a cancelled call ends.
async function cancel(client, call) {
  const control = new AbortController();
  let steps = 0;
  const onprogress = () => {
    steps += 1;
    control.abort();
  };
  const long = { name: "optimize", arguments: { job: "large.toml", gpu: "mi300x", effort: "high" } };
  await assert.rejects(call(long, { signal: control.signal, onprogress, timeout: 60000 }));
  assert.ok(steps > 0, "no progress");
}

async function first() {
  const sdk = optional("@modelcontextprotocol/sdk/client/index.js");
  if (!sdk) return false;
  const { StdioClientTransport } = load("@modelcontextprotocol/sdk/client/stdio.js");
  const { ListRootsRequestSchema } = load("@modelcontextprotocol/sdk/types.js");
  const client = new sdk.Client({ name: "test", version: "1" }, { capabilities: { roots: {} } });
  client.setRequestHandler(ListRootsRequestSchema,
    () => ({ roots: [{ uri: "file://" + root, name: "root" }] }));
  await client.connect(new StdioClientTransport({ command: program, args: ["mcp"] }));
  assert.strictEqual(client.getServerVersion().name, "heddle");
  await client.ping();
  await conformance(client, (call) => client.callTool(call));
  await cancel(client, (call, options) => client.callTool(call, undefined, options));
  await client.close();
  return true;
}

async function second(mode, version) {
  const sdk = optional("@modelcontextprotocol/client");
  if (!sdk) return false;
  const { StdioClientTransport } = load("@modelcontextprotocol/client/stdio");
  const client = new sdk.Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(new StdioClientTransport({ command: program, args: ["mcp", "--root", root] }));
  assert.strictEqual(client.getNegotiatedProtocolVersion(), version);
  await conformance(client, (call) => client.callTool(call));
  await cancel(client, (call, options) => client.callTool(call, options));
  await client.close();
  return true;
}

(async () => {
  const ran = [await first(), await second("auto", "2026-07-28"), await second("legacy", "2025-11-25")];
  if (!ran.includes(true)) {
    console.log("skipped: no @modelcontextprotocol/sdk and no @modelcontextprotocol/client");
    process.exit(77);
  }
  console.log(`passed: SDK 1 ${ran[0] ? "ran" : "is not there"}, SDK 2 ${ran[1] ? "ran" : "is not there"}`);
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
