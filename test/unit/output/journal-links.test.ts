import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findInterrupted, journalFolder } from "../../../generator/output/journal.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

/** A folder with a journal that restores a file, as a repository may bring it along. */
function planted(path: string, seal: (file: string) => string, kept: (file: string) => void): string {
  const folder = temporaryFolder();
  const aside = join(folder, journalFolder);
  mkdirSync(aside);
  const text = JSON.stringify({ process: 0, seal: seal(join(aside, "seal")), paths: [{ path, existed: true }] });
  kept(join(aside, "0"));
  writeFileSync(join(aside, "journal.json"), text);
  return folder;
}

const timeOf = (file: string): string => statSync(file, { bigint: true }).ctimeNs.toString();
const realSeal = (file: string): string => {
  writeFileSync(file, "");
  return timeOf(file);
};
const write = (file: string): void => writeFileSync(file, "echo planted");

it.each<[string, string]>([
  [
    "whose seal is a link to a file with a known time",
    planted(
      "src/x.ts",
      (file) => {
        symlinkSync("/etc/hostname", file);
        return timeOf(file);
      },
      write,
    ),
  ],
  ["that contains a link", planted("src/x.ts", realSeal, (file) => symlinkSync("/etc/hostname", file))],
  ["that leads to the programs of git", planted(".git/hooks/pre-commit", realSeal, write)],
])("a journal %s is refused, and nothing is restored", (_what, folder) => {
  expect(() => findInterrupted(folder, [folder])).toThrow(/\.a2a-codegen-upgrade/);
});

it("a journal that was written by this tool is trusted", () => {
  const folder = planted("x.ts", realSeal, write);
  findInterrupted(folder, [folder])?.undo();
  expect(readFileSync(join(folder, "x.ts"), "utf8")).toBe("echo planted");
});
