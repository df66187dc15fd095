import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../../../support/package-folder.js";
import { outFolder } from "../../support/output.js";

const binary = join(packageFolder, "node_modules", ".bin", "buf");

/** Whether buf runs on this machine; its package brings a binary for most, and not for all. */
export const hasBuf = existsSync(binary) && spawnSync(binary, ["--version"]).status === 0;

/** A rule of buf that an edit breaks. */
export type BufRule = string;

/**
 * Runs buf once and returns the rules that the edits break. In each pair of texts, the first is the
 * proto before the edit and the second the proto after it. Every proto has a package of its own.
 */
export function brokenRules(pairs: readonly (readonly [string, string])[]): ReadonlySet<BufRule>[] {
  const folder = join(outFolder, "buf");
  for (const [index, side] of ["before", "after"].entries()) {
    mkdirSync(join(folder, side), { recursive: true });
    for (const [number, pair] of pairs.entries())
      writeFileSync(join(folder, side, `p${number}.proto`), pair[index] ?? "");
  }
  const config = JSON.stringify({
    version: "v2",
    breaking: { use: ["FILE", "WIRE_JSON", "WIRE"] },
  });
  const args = [
    "breaking",
    ".",
    "--against",
    "../before",
    "--error-format=json",
    "--config",
    config,
  ];
  const options = { cwd: join(folder, "after"), encoding: "utf8", maxBuffer: 1e8 } as const;
  const { status, stdout, stderr } = spawnSync(binary, args, options);
  rmSync(folder, { recursive: true });
  if (status !== 0 && status !== 100) throw new Error(`buf failed: ${stderr}`);
  const broken = pairs.map(() => new Set<BufRule>());
  for (const line of stdout.split("\n").filter((text) => text !== "")) {
    const { path, type } = JSON.parse(line) as { readonly path: string; readonly type: BufRule };
    broken[Number(/^p(\d+)\.proto$/.exec(path)?.[1])]?.add(type);
  }
  return broken;
}

/** The categories of the rules of buf, as it tells them itself. */
export function ruleCategories(): ReadonlyMap<BufRule, readonly string[]> {
  const args = ["config", "ls-breaking-rules", "--version", "v2", "--format", "json"];
  const { stdout } = spawnSync(binary, args, { encoding: "utf8" });
  const rules = stdout
    .split("\n")
    .filter((line) => line !== "")
    .map(
      (line) => JSON.parse(line) as { readonly id: string; readonly categories: readonly string[] },
    );
  return new Map(rules.map(({ id, categories }) => [id, categories]));
}
