import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { library } from "../../../../tools/library.mjs";

// In a separate process, because resources of other tests, such as hooks of async context, increase
// the size of promises.
it("an open task uses less than 11.5 KiB of memory, whatever it waits for", async () => {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "open-tasks.ts")],
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
    plugins: [library()],
  });
  const measure = (): Record<string, number> => {
    const input = outputFiles[0]?.text ?? "";
    const printed = execFileSync(process.execPath, ["--input-type=module", "-"], {
      input,
      encoding: "utf8",
    });
    return JSON.parse(printed) as Record<string, number>;
  };
  const isLarge = ([, bytes]: readonly [string, number]): boolean => bytes >= 11.5 * 1024;
  const sizes = measure();
  expect(Object.keys(sizes)).toHaveLength(4);
  // Memory that the collector has not freed yet only adds to a size, so the least of several
  // measurements counts.
  for (let round = 0; round < 2 && Object.entries(sizes).some(isLarge); round += 1)
    for (const [kind, bytes] of Object.entries(measure()))
      sizes[kind] = Math.min(bytes, sizes[kind] ?? bytes);
  expect(Object.entries(sizes).filter(isLarge)).toEqual([]);
});
