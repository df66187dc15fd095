import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageFolder } from "../../../generator/support/package-folder.js";
import { median, quick, rates } from "../../../bench/clock.js";
import { amount, rate, type Result } from "../../../bench/result.js";
import { noPostgres } from "../../support/postgres.js";
import { noRedis } from "../../support/redis.js";
import { sqliteLibrary } from "../../support/sqlite.js";

const program = join(packageFolder, "bench", "run.mjs");

/** Part of the names that an area must measure. */
const areas: readonly (readonly [string, readonly string[]])[] = [
  ["validators", ["verdict on a task", "validate a send request", "all issues of an invalid task"]],
  ["protobuf", ["encode a task", "decode a send request", "JSON text of a task", "bytes of a send request"]],
  ["size", ["client bundle"]],
  ["versions", ["A call of 0.3", "client bundle"]],
  [
    "stores",
    [
      ...(noPostgres === undefined ? ["Postgres, events"] : []),
      ...(noRedis === undefined ? ["Redis, events"] : []),
      ...(sqliteLibrary.missing === undefined ? ["SQLite by"] : []),
    ],
  ],
  ["generation", ["generate with nothing to do", "--help", "generate 10 messages", "memory to generate 10 messages"]],
];

describe("the benchmarks", () => {
  it.each(areas)("the benchmarks measure %s", (area, names) => {
    const text = execFileSync(process.execPath, [program, "--quick", "--json", "--only", area], { encoding: "utf8" });
    const results = JSON.parse(text) as Result[];
    for (const name of names) expect(results.filter((result) => result.name.startsWith(name))).not.toEqual([]);
    for (const { ours, peer, ratio, unit } of results) {
      expect(Math.min(ours, peer)).toBeGreaterThan(0);
      expect(ratio).toBeCloseTo(unit.endsWith("/s") ? ours / peer : peer / ours);
    }
  });

  it.each([
    [["--only", "nothing"], 'Unknown area "nothing"'],
    [["--write", "--quick"], "--write requires all areas"],
    [["--fast"], "--fast"],
  ])("the benchmarks refuse %j and list the valid values", (args, message) => {
    const { status, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: "utf8" });
    expect(status).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).toContain("Areas: generation, ");
  });

  it("the comparison gives the factor by which our result is better, in any unit", () => {
    expect(rate("a", 6, "peer", 2)).toMatchObject({ ratio: 3 });
    expect(amount("a", 6, "peer", 2, "ms")).toMatchObject({ ratio: 1 / 3 });
  });

  it("the benchmarks run each contestant several times, in turns", () => {
    const order: string[] = [];
    const found = rates({ a: () => order.push("a"), b: () => order.push("b") }, { ...quick, rounds: 3 });
    expect(Object.keys(found)).toEqual(["a", "b"]);
    expect(order.filter((name, index) => name !== order[index - 1]).join("")).toBe("abababab");
    expect(median([5, 1, 9])).toBe(5);
    expect(median([5, 1, 9, 7])).toBe(6);
  });
});
