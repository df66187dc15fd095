import { chmodSync, cpSync, existsSync, mkdirSync, readlinkSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { changeAll, findInterrupted, journalFolder } from "../../../generator/output/journal.js";
import { replaceFile } from "../../../generator/output/replace.js";
import { Project } from "../../product/cli/command.js";
import { interrupt } from "./interrupting.js";

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

const interruptedSteps = [
  ["a.ts", "A"],
  ["new.ts", "N"],
  ["out/b.ts", "B"],
  ["out/e.ts", "E"],
  ["out/deep/c.ts", "C"],
] as const;

/** Writes a journal that no run of this machine has written. */
function forge(found: Project, journal: string): void {
  found.write({ [join(journalFolder, "journal.json")]: journal, [join(journalFolder, "seal")]: "" });
}

describe("a transaction of file changes", () => {
  it("a successful transaction keeps its changes and leaves nothing else behind", () => {
    const found = project();
    expect(changeAll(found.folder, pathsOf(found), () => (changes(found, 5), "done"))).toBe("done");
    expect(found.files()).toMatchObject({ "a.ts": "A", "new.ts": "N", "out/b.ts": "B", "out/more/d.ts": "d" });
    expect(existsSync(found.path(journalFolder))).toBe(false);
    expect(statSync(found.path("a.ts")).mode & 0o777).toBe(0o640);
    expect(findInterrupted(found.folder, [found.folder])).toBeUndefined();
  });

  it.each([0, 1, 2, 3, 4, 5])("a transaction is undone if an error is thrown after %i steps", (steps) => {
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

  it.each([0, 2, 5])("a transaction is undone by the next run if the process ends after %i steps", (steps) => {
    const found = project();
    const before = found.files();
    interrupt(found.folder, ["a.ts", "new.ts", "out"], interruptedSteps.slice(0, steps));
    const interrupted = findInterrupted(found.folder, [found.folder]);
    expect(interrupted?.paths).toEqual(["a.ts", "new.ts", "out"]);
    interrupted?.undo();
    expect(found.files()).toEqual(before);
  });

  it("a transaction whose process ended before the first step changes nothing", () => {
    const found = project();
    const before = found.files();
    found.write({ [join(journalFolder, "0")]: "half a co" });
    expect(findInterrupted(found.folder, [found.folder])).toBeUndefined();
    expect(found.files()).toMatchObject(before);
  });

  it("a transaction waits for a transaction of a running process", () => {
    const found = project();
    interrupt(found.folder, ["a.ts"], []);
    const path = join(journalFolder, "journal.json");
    found.write({ [path]: found.read(path).replace(/"process":\d+/, `"process":${process.ppid}`) });
    expect(() => findInterrupted(found.folder, [found.folder])).toThrow(
      `${journalFolder}: an upgrade of this project is running (process ${process.ppid}). Wait until it ends; if the process is another program, set "process" to 0 in journal.json.`,
    );
  });

  it.each(["", "{}", '{"process":0,"paths":[{}]}', '{"process":0,"seal":"1","paths":[{"path":"../x"}]}'])(
    "a transaction is not undone if its journal is damaged: %j",
    (text) => {
      const found = project();
      forge(found, text);
      expect(() => findInterrupted(found.folder, [found.folder])).toThrow(
        /journal\.json: the journal of an interrupted upgrade cannot be read\. Restore/,
      );
    },
  );

  it.each(["0", "1700000000000000000", ""])(
    "a transaction is not undone if its journal belongs to another project: %j",
    (seal) => {
      const found = project();
      forge(found, JSON.stringify({ process: 0, seal, paths: [{ path: "other.ts", existed: false }] }));
      expect(() => findInterrupted(found.folder, [found.folder])).toThrow(
        /journal\.json: the journal belongs to an upgrade in another folder\. /,
      );
      expect(found.has("other.ts")).toBe(true);
    },
  );

  it("a transaction is not undone if its journal was copied together with the project", () => {
    const found = project();
    interrupt(found.folder, ["a.ts"], [["a.ts", "A"]]);
    const copied = new Project();
    cpSync(found.folder, copied.folder, { recursive: true, preserveTimestamps: true });
    expect(() => findInterrupted(copied.folder, [copied.folder])).toThrow("belongs to an upgrade in another folder");
  });

  it("a transaction is not undone outside of the folders that may change, also behind a link", () => {
    const found = project();
    const [outside, linked] = [new Project({ "x.ts": "x" }), "linked/x.ts"];
    symlinkSync(outside.folder, found.path("linked"));
    for (const path of [join("..", basename(outside.folder), "x.ts"), linked]) {
      interrupt(found.folder, [path], []);
      expect(() => findInterrupted(found.folder, [found.folder])).toThrow(
        `the journal lists "${path}", which is not a file that an upgrade of this project changes`,
      );
      expect(findInterrupted(found.folder, [found.folder, outside.folder])?.paths).toEqual([path]);
    }
  });

  it("a transaction keeps links inside of folders", () => {
    const found = project();
    symlinkSync("b.ts", found.path("out/link.ts"));
    interrupt(found.folder, ["out"], [["out/b.ts", "B"]]);
    findInterrupted(found.folder, [found.folder])?.undo();
    expect(readlinkSync(found.path("out/link.ts"))).toBe("b.ts");
  });

  it("a transaction keeps a symbolic link as a link", () => {
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
