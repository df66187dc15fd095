import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { packageFolder } from "../../../support/package-folder.js";
import { engines } from "../engines/engines.js";

const run = promisify(execFile);
const script = join(packageFolder, "test", "tools", "siege.mjs");

const all = [
  ["memory", undefined],
  ["memory --together", undefined],
  // Another client for Redis makes no difference to callers. The tests of the store and of killed
  // processes run with both.
  ...Object.entries(engines)
    .filter(([name]) => name !== "node-redis")
    .map(([name, { missing }]) => [name, missing] as const),
] as const;

for (const [name, missing] of all) {
  it.skipIf(missing !== undefined)(
    `an agent on ${name} serves other callers while one caller attacks it${missing === undefined ? "" : ` (skipped: ${missing})`}`,
    async () => {
      const given = ["--engine", ...name.split(" "), "--seconds", "2", "--keep", "--json"];
      const { stdout } = await run(process.execPath, [script, ...given]).catch((error: unknown) => {
        if (error instanceof Error && "stdout" in error && error.stdout !== "")
          return { stdout: String(error.stdout) };
        throw error;
      });
      expect(JSON.parse(stdout)).toMatchObject({
        "processes that ended": 0,
        failures: 0,
        "webhooks not called": 0,
      });
    },
  );
}
