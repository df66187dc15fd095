import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { library } from "../../../../tools/library.mjs";

// In a separate process, because resources of other tests, such as hooks of async context, increase the size of
// promises.
it("an open task uses less than 11 KiB of memory, whatever it waits for", async () => {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "open-tasks.ts")],
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
    plugins: [library()],
  });
  const printed = execFileSync(process.execPath, ["--input-type=module", "-"], {
    input: outputFiles[0]?.text ?? "",
    encoding: "utf8",
  });
  const bytes = JSON.parse(printed) as Record<string, number>;
  expect(Object.keys(bytes)).toHaveLength(4);
  expect(Object.entries(bytes).filter(([, each]) => each >= 11 * 1024)).toEqual([]);
});
