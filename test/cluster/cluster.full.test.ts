import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { packageFolder } from "../../support/package-folder.js";
import { engines } from "./engines/engines.js";

const run = promisify(execFile);
const script = join(packageFolder, "test", "tools", "cluster.mjs");

const all = Object.entries(engines);

for (const [name, { missing }] of all) {
  it.skipIf(missing !== undefined)(
    `no change is lost or repeated if processes on ${name} are killed${missing === undefined ? "" : ` (skipped: ${missing})`}`,
    async () => {
      const sizes = [
        "--tasks",
        "60",
        "--updates",
        "40",
        "--subscribers",
        "24",
        "--parallel",
        "12",
        "--lease",
        "1500",
        "--rounds",
        "4",
        "--every",
        "1000",
      ];
      const given = [
        "--engine",
        name,
        "--seed",
        "1",
        "--no-measure",
        "--json",
        "--seconds",
        "90",
        ...sizes,
      ];
      const { stdout } = await run(process.execPath, [script, ...given]).catch((error: unknown) => {
        // The printed text contains the messages of the checks.
        if (error instanceof Error && "stdout" in error && error.stdout !== "")
          return { stdout: String(error.stdout) };
        throw error;
      });
      const result = JSON.parse(stdout) as Readonly<Record<string, number>> & {
        readonly texts: readonly string[];
      };
      expect(result.texts).toEqual([]);
      expect(result["tasks"]).toBeGreaterThanOrEqual(60);
      expect(result["kills"]).toBeGreaterThan(0);
      expect(result["resumed"]).toBeGreaterThan(0);
      expect(result["woken"]).toBeGreaterThan(0);
      expect(result["naps"]).toBeGreaterThan(0);
    },
  );
}

it("the script names unknown options and values", async () => {
  const refused = run(process.execPath, [script, "--engine", "paper"]).catch(
    (error: unknown) => error,
  );
  expect(await refused).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Unknown engine "paper"') as string,
  });
});
