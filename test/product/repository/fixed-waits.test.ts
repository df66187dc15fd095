import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";

/** Folders whose programs run for a given time, as users specify it. */
const timed = /^test\/(?:cluster|hostile\/load)\//;

/** Folders without tests. Other tests write into the folder for output at the same time. */
const others = new Set([".out", "fixtures"]);

/** Files with a wait that is not before an assertion, and the reason for it. */
const exceptions: Readonly<Record<string, string>> = {
  "test/product/cli/validate.test.ts":
    "writes to standard input late, and cannot see that the process waits for it",
  "test/product/cli/interrupted.full.test.ts": "kills a process at any time",
};

/** Returns whether a call waits for a time: a timer, or a promise that a timer resolves. */
function isWait(call: ts.Expression) {
  if (ts.isNewExpression(call))
    return /^\(\w+\) =>\s*setTimeout\(\w+, (?!0\))/.test(call.arguments?.[0]?.getText() ?? "");
  if (
    !ts.isCallExpression(call) ||
    !/^(?:delay|pause|sleep|setTimeout)$/.test(call.expression.getText())
  )
    return false;
  return call.arguments.length === 1 && call.arguments[0]?.getText() !== "0";
}

/** Returns the function around a node, and whether a loop in this function repeats the node. */
function scopeOf(node: ts.Node): {
  readonly scope: ts.Node | undefined;
  readonly isRepeated: boolean;
} {
  let isRepeated = false;
  for (let at = node.parent; !ts.isSourceFile(at); at = at.parent) {
    if (ts.isFunctionLike(at)) return { scope: at, isRepeated };
    isRepeated ||= ts.isForStatement(at) || ts.isWhileStatement(at) || ts.isDoStatement(at);
  }
  return { scope: undefined, isRepeated };
}

/**
 * Returns whether a test runs a function itself, or calls it. Other functions are those of slow
 * services and peers, which tests pass on.
 */
function isOfTest(scope: ts.Node | undefined) {
  if (scope === undefined) return true;
  // Generators are slow streams and turns.
  if (ts.isFunctionDeclaration(scope))
    return ts.isSourceFile(scope.parent) && scope.asteriskToken === undefined;
  const call = scope.parent;
  return ts.isCallExpression(call) && /^(?:it|test|before|after)/.test(call.expression.getText());
}

/** Returns the fixed waits of a file with the numbers of their lines. */
function waitsOf(file: string, text = readFileSync(file, "utf8")) {
  // To parse every file takes seconds.
  if (!/\b(?:delay|pause|sleep|setTimeout)\(/.test(text)) return [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isAwaitExpression(node) && isWait(node.expression)) {
      const { scope, isRepeated } = scopeOf(node);
      // A helper that looks repeatedly waits for an event. A test itself has `vi.waitFor`.
      const isPolling = isRepeated && scope !== undefined && ts.isFunctionDeclaration(scope);
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      if (isOfTest(scope) && !isPolling) found.push(`${file}:${line + 1} ${node.getText()}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

it("tests wait for events and not for a fixed time", () => {
  const files = readdirSync("test")
    .filter((folder) => !others.has(folder))
    .flatMap((folder) =>
      readdirSync(join("test", folder), { recursive: true, encoding: "utf8" }).map(
        (name) => `test/${folder}/${name.replaceAll("\\", "/")}`,
      ),
    )
    .filter((file) => file.endsWith(".ts") && !timed.test(file));
  const waits = files.flatMap((file) => waitsOf(file));
  expect(
    waits.filter((wait) => !Object.keys(exceptions).some((file) => wait.startsWith(`${file}:`))),
  ).toEqual([]);
  for (const file of Object.keys(exceptions)) expect(waits.join("\n")).toContain(file);
});

it.each([
  ["a test", 'it("x", async () => { await delay(50); });', 1],
  ["a test with a table", 'it.each([1])("x", async () => { for (;;) await delay(50); });', 1],
  [
    "a promise of its own",
    "it('x', async () => { await new Promise((resolve) => setTimeout(resolve, 20)); });",
    1,
  ],
  ["a helper", "async function calm() { await pause(5); }", 1],
  ["a helper that polls", "async function calm() { while (busy()) await pause(5); }", 0],
  ["a slow service", 'it("x", async () => { serve(async () => { await delay(50); }); });', 0],
  ["a turn of the event loop", 'it("x", async () => { await delay(0); });', 0],
])("the search for fixed waits finds those of tests: %s", (_, text, count) => {
  expect(waitsOf("test/example.ts", text)).toHaveLength(count);
});
