import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { packageFolder } from "../../../../../support/package-folder.js";
import { maxHeapBytes } from "../../../../../library/kit/memory/heap.js";
import { temporaryFolder } from "../../../../support/temporary-folder.js";

it.each([
  [
    "Node",
    {
      process: {
        getBuiltinModule: () => ({ getHeapStatistics: () => ({ heap_size_limit: 128 }) }),
      },
    },
    128,
  ],
  ["Chromium", { performance: { memory: { jsHeapSizeLimit: 4 } } }, 4],
  ["a platform without limits", {}, Infinity],
  [
    "a platform that does not implement the module",
    {
      process: {
        getBuiltinModule: () => {
          throw new Error("not implemented");
        },
      },
    },
    Infinity,
  ],
])("maxHeapBytes returns the maximum size of the heap of %s", (_, platform, bytes) => {
  expect(maxHeapBytes(platform)).toBe(bytes);
});

/** Creates ended tasks of 80 KB, and prints how many the store has kept. */
const program = `
import { memoryStore } from "kit";
const [store, scope] = [memoryStore(), { tenant: "", owner: "ada" }];
const status = { state: "TASK_STATE_COMPLETED", timestamp: new Date().toISOString() };
for (let number = 0; number < 4_000; number += 1) {
  const parts = [{ text: String(number).padEnd(80_000, "x") }];
  const task = { id: String(number), contextId: "c", status, history: [{ messageId: "m", role: "ROLE_USER", parts }] };
  await store.create(JSON.parse(JSON.stringify(task)), { scope, turn: { id: "i" } });
}
console.log((await store.list(scope, { limit: 1 })).total);
`;

it("memoryStore with default options fits into a heap of 128 MB", async () => {
  const folder = temporaryFolder();
  const outfile = join(folder, "program.mjs");
  const kit = join(packageFolder, "library", "kit", "memory", "store.ts");
  await build({
    stdin: { contents: program, resolveDir: folder, loader: "ts" },
    alias: { kit },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
  });
  const options = ["--max-old-space-size=128", "--input-type=module"];
  const printed = execFileSync(process.execPath, [
    ...options,
    "-e",
    `import ${JSON.stringify(pathToFileURL(outfile))}`,
  ]);
  const kept = Number(printed.toString());
  expect(kept).toBeGreaterThan(100);
  expect(kept).toBeLessThan(4_000);
});
