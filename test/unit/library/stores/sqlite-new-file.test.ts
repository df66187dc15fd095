import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, describe, expect, it } from "vitest";
import { library } from "../../../tools/library.mjs";
import { sized } from "../../../support/size.js";
import { Databases, sqliteLibrary } from "../../../support/sqlite.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

const { name, missing } = sqliteLibrary;
const words = missing === undefined ? name : `${name} (skipped: ${missing})`;

describe.skipIf(missing !== undefined)(`sqliteStore on ${words}`, () => {
  const databases = new Databases();
  const children: ChildProcess[] = [];
  afterAll(() => {
    for (const child of children) child.kill();
    databases.remove();
  });

  it("sqliteStore opens a new file in two processes at the same time", async () => {
    const outfile = join(temporaryFolder(), "opener.mjs");
    await build({
      entryPoints: [join(import.meta.dirname, "sqlite-opener.ts")],
      bundle: true,
      format: "esm",
      platform: "node",
      outfile,
      plugins: [library()],
    });
    for (let count = 0; count < 2; count += 1) children.push(fork(outfile, [name]));
    await Promise.all(children.map((child) => once(child, "message")));
    const errors: unknown[] = [];
    for (let round = 0; round < sized(60, 150); round += 1) {
      const path = databases.path();
      const answers = children.map((child) => once(child, "message"));
      for (const child of children) child.send(path);
      for (const [answer] of await Promise.all(answers))
        errors.push((answer as { readonly error: string }).error);
    }
    expect(errors.filter((error) => error !== "")).toEqual([]);
  });
});
