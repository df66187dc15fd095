import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageFolder } from "../../../support/package-folder.js";
import { median, quick, rates } from "../../../bench/clock.js";
import { plots } from "../../../bench/plots.mjs";
import type { Point } from "../../../bench/point.js";
import { memoryRows } from "../../../bench/areas/sdks.js";
import { calls } from "../../../bench/sdks/calls.js";
import {
  amount,
  rate,
  ratioOf,
  spreadOf,
  type Omission,
  type Result,
} from "../../../bench/result.js";
import { changesOf } from "../../../bench/compare.mjs";
import { noPostgres } from "../../support/postgres.js";
import { noRedis } from "../../support/redis.js";
import { sqliteLibrary } from "../../support/sqlite.js";

const program = join(packageFolder, "bench", "run.mjs");

type PointsOf = Readonly<Record<string, readonly Point[]>>;

/** Part of the names that an area must measure. */
const areas: readonly (readonly [string, readonly string[]])[] = [
  ["validators", ["check a task", "validate a send request", "all issues of an invalid task"]],
  [
    "protobuf",
    ["encode a task", "decode a send request", "JSON text of a task", "bytes of a send request"],
  ],
  ["size", ["client bundle"]],
  ["versions", ["A 0.3 call", "client bundle"]],
  ["services", ["gRPC service, unary", "gRPC service, stream"]],
  [
    "stores",
    [
      ...(noPostgres === undefined ? ["Postgres, events"] : []),
      ...(noRedis === undefined ? ["Redis, events"] : []),
      ...(sqliteLibrary.missing === undefined ? ["SQLite by"] : []),
    ],
  ],
  [
    "generation",
    [
      "generate with nothing to do",
      "--help",
      "generate 10 messages",
      "memory to generate 10 messages",
    ],
  ],
];

/** Lines of each plot that are measured with what is installed. */
const lines = {
  messages: ["a2a-codegen", "ts-proto"],
  processes: [
    ...(noPostgres === undefined ? ["Postgres"] : []),
    ...(noRedis === undefined ? ["Redis"] : []),
  ],
  subscribers: ["task kit"],
  tasks: [
    ...(noPostgres === undefined ? ["Postgres"] : []),
    ...(noRedis === undefined ? ["Redis"] : []),
    ...(sqliteLibrary.missing === undefined ? ["SQLite"] : []),
  ],
};

describe("the benchmarks", () => {
  it.each(Object.entries(lines))(
    "the benchmarks measure the growth of %s in each panel",
    (area, names) => {
      const args = [program, "--growth", "--quick", "--json", "--only", area];
      const points =
        (JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as PointsOf)[
          area
        ] ?? [];
      const panels = plots[area]?.panels.map(({ name }) => name) ?? [];
      expect(points.filter(({ y }) => !(y > 0))).toEqual([]);
      expect(new Set(points.map(({ series, panel }) => `${series}: ${panel}`))).toEqual(
        new Set(names.flatMap((name) => panels.map((panel) => `${name}: ${panel}`))),
      );
    },
  );

  it.each(areas)("the benchmarks measure %s", (area, names) => {
    const text = execFileSync(process.execPath, [program, "--quick", "--json", "--only", area], {
      encoding: "utf8",
    });
    const results = JSON.parse(text) as Result[];
    for (const name of names)
      expect(results.filter((result) => result.name.startsWith(name))).not.toEqual([]);
    for (const { ours, peer, ratio, unit } of results) {
      expect(Math.min(ours, peer)).toBeGreaterThan(0);
      expect(ratio).toBeCloseTo(unit.endsWith("/s") ? ours / peer : peer / ours);
    }
  });

  it.runIf(process.platform === "linux")(
    "the benchmarks measure our agent and the JavaScript SDK in each row of the SDKs, without other toolchains",
    () => {
      const args = [program, "--quick", "--json", "--only", "sdks"];
      const results = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as (
        Result | Omission
      )[];
      const node = `Node ${process.versions.node.split(".")[0] ?? ""}`;
      const memories = memoryRows.map(({ name }) => name as string);
      const measured = results.filter((result): result is Result => "unit" in result);
      // In a quick run, the memory of a process need not grow.
      const omitted = results.filter((result) => !("unit" in result)).map(({ name }) => name);
      expect(omitted.filter((name) => !memories.includes(name))).toEqual([]);
      const rows = [...calls.map(({ name }) => name), ...memories];
      expect(measured.map(({ name }) => name)).toEqual(
        rows.filter((name) => !omitted.includes(name)).map((name) => `${name}, ${node}`),
      );
      for (const { peerName, unit, ours, peer } of measured) {
        expect(peerName).toMatch(/^JavaScript SDK \d/);
        if (unit.endsWith("/s")) expect(Math.min(ours, peer)).toBeGreaterThan(0);
      }
    },
  );

  it.each([
    [["--only", "nothing"], 'Unknown area "nothing"'],
    [["--write", "--only", "sdks,size"], "--write requires all areas"],
    [["--write", "--quick"], "--write requires all areas"],
    [["--write", "--compare", "HEAD"], "--write requires a run without --compare"],
    [["--growth", "--only", "stores"], 'Unknown area "stores"'],
    [["--growth", "--compare", "HEAD"], "--growth requires a run without --compare"],
    [["--growth", "--write", "--quick"], "--write requires a thorough run"],
    [["--fast"], "--fast"],
  ])("the benchmarks refuse %j and list the valid values", (args, message) => {
    const { status, stderr } = spawnSync(process.execPath, [program, ...args], {
      encoding: "utf8",
    });
    expect(status).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).toContain("Areas: generation, ");
  });

  it("the comparison gives the factor by which our result is better, in any unit", () => {
    expect(rate("a", 6, "peer", 2)).toMatchObject({ ratio: 3 });
    expect(amount("a", 6, "peer", 2, "ms")).toMatchObject({ ratio: 1 / 3 });
  });

  it("the benchmarks run each contestant several times, in turns", async () => {
    const order: string[] = [];
    const found = await rates(
      { a: () => order.push("a"), b: () => order.push("b") },
      { ...quick, rounds: 3 },
    );
    expect(Object.keys(found)).toEqual(["a", "b"]);
    expect(order.filter((name, index) => name !== order[index - 1]).join("")).toBe("abababab");
    expect(median([5, 1, 9])).toBe(5);
    expect(median([5, 1, 9, 7])).toBe(6);
  });

  it("the comparison has a spread from five rounds on, which leaves out the extremes of many rounds", () => {
    expect(rate("a", [6, 8, 9, 7], "peer", 2).spread).toBeUndefined();
    expect(rate("a", [6, 8, 2, 4, 10], "peer", [2, 2, 2, 2, 2])).toMatchObject({
      ratio: 3,
      spread: { low: 1, high: 5 },
    });
    const many = Array.from({ length: 21 }, (_, index) => index);
    expect(spreadOf(many)).toEqual({ low: 5, high: 15 });
  });

  it("the comparison of two commits finds results that differ in each of a few rounds, and bytes that differ", () => {
    const before = [
      rate("a", [1, 2, 3, 4, 5], "x", 1),
      rate("b", [1, 2, 3, 4, 5], "x", 1),
      amount("c", 90, "x", 1, "B"),
    ];
    const after = [
      rate("a", [2, 4, 6, 8, 10], "x", 1),
      rate("b", [2, 1, 6, 2, 9], "x", 1),
      amount("c", 100, "x", 1, "B"),
    ];
    const changes = changesOf(before, after, { ratioOf, spreadOf, median });
    expect(changes.map(({ name, factor, isCertain }) => [name, factor, isCertain])).toEqual([
      ["a", 2, true],
      ["b", 1.8, false],
      ["c", 0.9, true],
    ]);
  });
});
