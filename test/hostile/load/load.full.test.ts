import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { packageFolder } from "../../../support/package-folder.js";
import type { LoadResult } from "./load.js";

const run = promisify(execFile);

// In a separate process, so that no other resources are counted.
const script = join(packageFolder, "test", "tools", "load.mjs");

it("no stream is lost or reordered under load, and killed clients leave no resources behind", async () => {
  const { stdout } = await run(process.execPath, [
    script,
    "--streams",
    "100",
    "--seconds",
    "1",
    "--json",
  ]);
  const results = JSON.parse(stdout) as LoadResult[];
  expect(results.map(({ transport, problems }) => ({ transport, problems }))).toEqual(
    ["jsonrpc", "rest", "grpc", "grpc-together"].map((transport) => ({ transport, problems: [] })),
  );
  for (const { streams, events, unaryPerSecond } of results) {
    expect(streams).toEqual({ whole: 70, aborted: 10, left: 10, broken: 10 });
    expect(events).toBeGreaterThan(70 * 10);
    expect(unaryPerSecond).toBeGreaterThan(0);
  }
});

it("the script names unknown options and values", async () => {
  const refused = run(process.execPath, [script, "--transport", "soap"]).catch(
    (error: unknown) => error,
  );
  expect(await refused).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Unknown transport "soap"') as string,
  });
});
