import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildSync } from "esbuild";
import { describe, expect, it } from "vitest";
import { packageFolder } from "../../../generator/support/package-folder.js";
import { changeAll, journalFolder, replaceFile, undoInterrupted } from "../../../generator/output/journal.js";
import { Project } from "../../product/cli/command.js";

const journalModule = join(packageFolder, "generator", "output", "journal.ts");

/** A project with a folder, files of several kinds, and something that must not be touched. */
function project(): Project {
  const found = new Project({ "a.ts": "a\r\n", "out/b.ts": "b", "out/deep/c.ts": "c", "other.ts": "o" });
  chmodSync(found.path("a.ts"), 0o640);
  return found;
}

const pathsOf = (found: Project): string[] => ["a.ts", "new.ts", "out"].map((path) => found.path(path));

/** Changes everything that the paths name, up to a point. */
function changes(found: Project, steps: number): void {
  const all = [
    () => replaceFile(found.path("a.ts"), "A"),
    () => writeFileSync(found.path("new.ts"), "N"),
    () => mkdirSync(found.path("out/more")),
    () => writeFileSync(found.path("out/more/d.ts"), "d"),
    () => replaceFile(found.path("out/b.ts"), "B"),
  ];
  for (const step of all.slice(0, steps)) step();
}

describe("changes that stay as a whole or not at all", () => {
  it("stay where nothing goes wrong, and leave nothing else behind", () => {
    const found = project();
    expect(changeAll(found.folder, pathsOf(found), () => (changes(found, 5), "done"))).toBe("done");
    expect(found.files()).toMatchObject({ "a.ts": "A", "new.ts": "N", "out/b.ts": "B", "out/more/d.ts": "d" });
    expect(existsSync(found.path(journalFolder))).toBe(false);
    expect(statSync(found.path("a.ts")).mode & 0o777).toBe(0o640);
    expect(undoInterrupted(found.folder)).toBe(false);
  });

  it.each([0, 1, 2, 3, 4, 5])("are undone where something throws after %i steps", (steps) => {
    const found = project();
    const before = found.files();
    const change = (): void => {
      changes(found, steps);
      throw new Error("No more");
    };
    expect(() => changeAll(found.folder, pathsOf(found), change)).toThrow("No more");
    expect(found.files()).toEqual(before);
    expect(statSync(found.path("a.ts")).mode & 0o777).toBe(0o640);
  });

  it.each([0, 2, 5])("are undone by the next run where the process ends after %i steps", (steps) => {
    const found = project();
    const before = found.files();
    const module = join(found.folder, "..", `${basename(found.folder)}-journal.mjs`);
    buildSync({ entryPoints: [journalModule], outfile: module, bundle: true, format: "esm", platform: "node" });
    const script = `
      import { writeFileSync, mkdirSync } from "node:fs";
      import { changeAll } from ${JSON.stringify(pathToFileURL(module).href)};
      const steps = [["a.ts", "A"], ["new.ts", "N"], ["out/b.ts", "B"], ["out/e.ts", "E"], ["out/deep/c.ts", "C"]];
      changeAll(process.cwd(), ["a.ts", "new.ts", "out"].map((path) => process.cwd() + "/" + path), () => {
        for (const [path, text] of steps.slice(0, ${steps})) writeFileSync(path, text);
        process.kill(process.pid, "SIGKILL");
      });`;
    spawnSync(process.execPath, ["--input-type=module", "-e", script], { cwd: found.folder });
    rmSync(module);
    expect(existsSync(found.path(join(journalFolder, "journal.json")))).toBe(true);
    expect(undoInterrupted(found.folder)).toBe(true);
    expect(found.files()).toEqual(before);
  });

  it("were none where the process ended before the first of them", () => {
    const found = project();
    const before = found.files();
    mkdirSync(found.path(journalFolder));
    writeFileSync(found.path(join(journalFolder, "0")), "half a co");
    expect(undoInterrupted(found.folder)).toBe(false);
    expect(found.files()).toEqual(before);
  });

  it("wait for those of a process that is still running", () => {
    const found = project();
    mkdirSync(found.path(journalFolder));
    const journal = { process: process.ppid, paths: [] };
    writeFileSync(found.path(join(journalFolder, "journal.json")), JSON.stringify(journal));
    expect(() => undoInterrupted(found.folder)).toThrow(
      `${journalFolder}: an upgrade of this project is going on (process ${process.ppid}). Wait until it has ended; if the process is another program, set "process" to 0 in journal.json.`,
    );
  });

  it.each(["", "{}", '{"process":0,"paths":[{}]}', '{"process":0,"paths":[{"path":"../x","existed":true}]}'])(
    "are left alone where their journal is broken: %j",
    (text) => {
      const found = project();
      const before = { ...found.files() };
      mkdirSync(found.path(journalFolder));
      writeFileSync(found.path(join(journalFolder, "journal.json")), text);
      expect(() => undoInterrupted(found.folder)).toThrow(/journal\.json: the journal of an interrupted upgrade/);
      expect(found.files()).toMatchObject(before);
    },
  );

  it("leave a symbolic link one", () => {
    const found = project();
    symlinkSync("a.ts", found.path("link.ts"));
    changeAll(found.folder, [found.path("link.ts")], () => replaceFile(found.path("link.ts"), "L"));
    expect(found.read("a.ts")).toBe("L");
    symlinkSync("out", found.path("linked"));
    expect(() =>
      changeAll(found.folder, [found.path("linked")], () => {
        writeFileSync(found.path("out/b.ts"), "other");
        throw new Error("No more");
      }),
    ).toThrow("No more");
    expect(found.read("linked/b.ts")).toBe("b");
  });
});
