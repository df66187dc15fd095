import { expect, it } from "vitest";
import { libraryName } from "../../../generator/core/package-names.js";
import { defaultTargets } from "../../../generator/targets/registry.js";
import type { Generated } from "../../../generator/core/contract.js";
import { findSource, generateFrom } from "../../support/output.js";

/** Generates 1.0 with an adapter for 0.3. */
function generated(targets: readonly string[], runtimeImport?: string) {
  const source = { ...findSource("1.0"), versions: [findSource("0.3.0")] };
  return generateFrom(source, {
    targets,
    aliases: "none",
    agentImport: "./a2a",
    ...(runtimeImport && { runtimeImport }),
  });
}

function linesOf(text: string) {
  return text.split("\n").length - 1;
}

function sizeOf({ files, agent = "" }: Generated) {
  return files.reduce((sum, { text }) => sum + linesOf(text), linesOf(agent));
}

it("an output with every transport, tasks and an adapter for 0.3 has at most 15,700 lines if it imports the package", async () => {
  expect(sizeOf(await generated(defaultTargets(), libraryName))).toBeLessThanOrEqual(15_700);
});

// The direct conversions of calls have 400 lines, and save a third of the time of each call in 0.3.
// Headers and trailers, routes of several services, and lines of JSON have 130 lines.
it("an output with a server over JSON-RPC and an adapter for 0.3 has at most 19,400 lines if it has copies", async () => {
  expect(sizeOf(await generated(["server", "jsonrpc"]))).toBeLessThanOrEqual(19_400);
});

it("an adapter has no file that none of its files imports", async () => {
  const { files } = await generated(defaultTargets(), libraryName);
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const entries = ["index", "client", "server", "jsonrpc", "rest", "grpc"].map(
    (name) => `versions/0.3/${name}.ts`,
  );
  const reached = new Set(entries);
  for (const path of reached) {
    for (const [, specifier = ""] of (texts.get(path) ?? "").matchAll(/ from "(\.[^"]*)\.js";/g)) {
      const { pathname } = new URL(`${specifier}.ts`, `file:///${path}`);
      reached.add(pathname.slice(1));
    }
  }
  const unused = files
    .map(({ path }) => path)
    .filter((path) => path.startsWith("versions/") && !reached.has(path));
  expect(unused).toEqual([]);
});

it("the types of an adapter are exactly the types that its calls use", async () => {
  const { files } = await generated(["server", "jsonrpc"]);
  const models = files
    .filter(({ path }) => path.startsWith("versions/0.3/models/"))
    .map(({ text }) => text);
  const declared = models.join("\n");
  expect(declared).toContain("export interface MessageSendParams ");
  expect(declared).not.toMatch(
    /export (?:interface|type) (?:JSONRPCError|SendMessageSuccessResponse)\b/,
  );
});
