import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Lock } from "../../../../generator/output/lock.js";
import { hashOf } from "../../../../support/hash.js";
import { recover } from "../../../../generator/output/swap.js";
import { writeOutput } from "../../../../generator/output/write.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

const scratch = () => join(temporaryFolder(), "out");

/** The folder that a run leaves beside an output folder when it is ended. */
function beside(out: string, kind: string) {
  return join(dirname(out), `.out.a2a-codegen-${kind}`);
}

function put(path: string, text: string) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Writes an output of these files, all of which are new. */
function write(
  out: string,
  files: Readonly<Record<string, string>>,
  removed: readonly string[] = [],
) {
  const list = Object.entries(files).map(([path, text]) => ({ path, text }));
  const hashes = Object.fromEntries(list.map(({ path, text }) => [path, hashOf(text)]));
  const lock: Lock = {
    lockVersion: 1,
    generator: "0",
    spec: "x",
    input: "y",
    options: {},
    files: hashes,
  };
  writeOutput(out, list, lock, { written: Object.keys(files), unchanged: [], removed });
}

describe("writing the output", () => {
  it("writing replaces the generated files and removes obsolete files with their folders", () => {
    const out = scratch();
    write(out, { "a.ts": "1", "gone/b.ts": "1" });
    write(out, { "a.ts": "2" }, ["gone/b.ts"]);
    expect(readFileSync(join(out, "a.ts"), "utf8")).toBe("2");
    expect(existsSync(join(out, "gone"))).toBe(false);
  });

  it("writing keeps files, links, empty folders and permissions of the user", () => {
    const out = scratch();
    write(out, { "a.ts": "1" });
    put(join(out, "mine/notes.txt"), "kept");
    mkdirSync(join(out, "empty"), { mode: 0o750 });
    symlinkSync("nowhere", join(out, "link"));
    write(out, { "a.ts": "2" });
    expect(readFileSync(join(out, "mine/notes.txt"), "utf8")).toBe("kept");
    expect(statSync(join(out, "empty")).mode & 0o777).toBe(0o750);
    expect(lstatSync(join(out, "link")).isSymbolicLink()).toBe(true);
  });
});

describe("recovering from an aborted run", () => {
  it("recovery restores the previous output, even if another process has reused the process id", () => {
    const out = scratch();
    write(out, { "a.ts": "1" });
    put(join(out, "mine.ts"), "kept");
    renameSync(out, beside(out, `old.${process.ppid}`));
    recover(out);
    expect(readFileSync(join(out, "mine.ts"), "utf8")).toBe("kept");
  });

  it("recovery saves what only the previous output contains before it removes it", () => {
    const out = scratch();
    write(out, { "a.ts": "1", "old.ts": "1" });
    const old = beside(out, "old.999999999");
    renameSync(out, old);
    put(join(old, "late.ts"), "kept");
    write(out, { "a.ts": "2" });
    recover(out);
    expect(existsSync(old)).toBe(false);
    expect(readFileSync(join(out, "late.ts"), "utf8")).toBe("kept");
    expect(readFileSync(join(out, "a.ts"), "utf8")).toBe("2");
    expect(existsSync(join(out, "old.ts"))).toBe(false);
  });

  it("recovery removes the folder of a write test, next to the output or in a parent folder", () => {
    const out = scratch();
    const trial = join(dirname(out), ".a2a-codegen-trial.99999999");
    for (const target of [out, join(out, "deep", "a2a")]) {
      mkdirSync(trial);
      recover(target);
      expect(existsSync(trial)).toBe(false);
    }
  });

  it("recovery removes prepared files unless another run has just started with them", () => {
    const out = scratch();
    write(out, { "a.ts": "1" });
    const [left, current] = [beside(out, "new.999999999"), beside(out, `new.${process.ppid}`)];
    for (const path of [left, current]) put(join(path, "a.ts"), "2");
    recover(out);
    expect([existsSync(left), existsSync(current)]).toEqual([false, true]);
    vi.useFakeTimers({ now: Date.now() + 100_000 });
    onTestFinished(() => void vi.useRealTimers());
    recover(out);
    expect(existsSync(current)).toBe(false);
    expect(readFileSync(join(out, "a.ts"), "utf8")).toBe("1");
  });
});
