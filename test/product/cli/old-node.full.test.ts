import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageFolder } from "../../../support/package-folder.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

/**
 * The oldest version that loads ES modules by default, and the last version that is not supported.
 */
const versions = [12, 18];
const folder = temporaryFolder();

/**
 * Installs a version of Node. Returns its path, or `undefined` if the version is not available for
 * this machine.
 */
function install(version: number) {
  const name = `node-${process.platform}-${process.arch}`;
  const prefix = join(folder, String(version));
  const args = [
    "install",
    "--prefix",
    prefix,
    "--no-audit",
    "--no-fund",
    "--prefer-offline",
    `${name}@${version}`,
  ];
  try {
    execFileSync("npm", args, { stdio: "ignore", timeout: 60_000 });
  } catch {
    return undefined;
  }
  const program = join(prefix, "node_modules", name, "bin", "node");
  return spawnSync(program, ["--version"]).status === 0 ? program : undefined;
}

describe.each(versions)("Node %i", (version) => {
  const program = install(version);
  if (program === undefined) {
    it.skip("nothing is tried: this version cannot be installed here");
    return;
  }

  it.each(["a2a-codegen", "a2a"])("%s prints one line with the required version", (name) => {
    const { bin } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")) as {
      bin: Record<string, string>;
    };
    const { status, stdout, stderr } = spawnSync(
      program,
      [join(packageFolder, bin[name] ?? ""), "list"],
      {
        encoding: "utf8",
      },
    );
    expect(stderr).toMatch(
      new RegExp(
        `^${name} requires Node 20\\.19 or later, (?:but|and) this is Node ${version}\\.[\\d.]+\\.\\n$`,
      ),
    );
    expect([status, stdout]).toEqual([2, ""]);
  });
});
