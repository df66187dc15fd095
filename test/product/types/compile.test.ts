import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { packageFolder } from "../../../support/package-folder.js";
import { unchecked } from "../../../generator/core/headers.js";
import { specRegistry } from "../../../generator/input/registry.js";
import { targets } from "../../../generator/targets/registry.js";
import {
  findSource,
  generateFrom,
  libraryOptions,
  sourceOf,
  writeTo,
} from "../../support/output.js";
import { isTried } from "../../support/size.js";
import { compilers, complaintsOf, outermost, typeProblems } from "./compile.js";
import { hostileProto } from "./hostile.js";

const bundled = specRegistry(packageFolder)
  .list()
  // The output of 1.0.0 differs from the output of 1.0 in statuses and a media type.
  .filter(({ id }) => isTried(id) && id !== "1.0.0");

const everyTarget = targets.map(({ name }) => name);

/** Code that every compiler must accept. */
const sources = [
  ...bundled.map(({ id }) => [`bundled-${id}`, () => findSource(id)] as const),
  ["everything", () => findSource(join("test", "fixtures", "everything", "everything.proto"))],
  ["hostile", () => sourceOf(hostileProto)],
] as const;

/**
 * The files that every compiler checks: programs, an output with the task kit, and one with every
 * type. They import the library, so that its declarations are checked, too. The fastest compiler
 * checks all outputs.
 */
const foremost = ["types/*.ts", "types/bundled-1.1-draft/**/*", "types/everything/**/*"];

/**
 * The store for SQLite takes a database of `better-sqlite3`, by the types that are published for
 * it.
 */
const betterSqlite = `import type BetterSqlite from "better-sqlite3";
import { sqliteStore, type SqliteStore } from "./bundled-1.0/kit/stores/sqlite.js";

export const storeOn = (database: BetterSqlite.Database): SqliteStore => sqliteStore(database);
`;

/** Compilers of JavaScript side by side take minutes on a machine with other work. */
const patient = { timeout: 480_000 };

const everyOption = { allowUnusedLabels: false, allowUnreachableCode: false };

describe("the output", () => {
  beforeAll(async () => {
    for (const [name, find] of sources) {
      // Copies are the same in each output, and take longer to check than the rest.
      const library = name === "bundled-1.0" ? {} : libraryOptions;
      writeTo(
        join("types", name),
        await generateFrom(find(), { targets: everyTarget, ...library }),
      );
    }
    const { agent = "" } = await generateFrom(findSource("1.0"), {
      agentImport: "./bundled-1.0",
      targets: ["server"],
    });
    const refusals = readFileSync(
      join(packageFolder, "test", "product", "types", "refusals.ts"),
      "utf8",
    );
    const files = [
      { path: "agent.ts", text: agent },
      { path: "refusals.ts", text: refusals.replace("../../../generated/1.0/", "./bundled-1.0/") },
      { path: "better-sqlite3.ts", text: betterSqlite },
    ];
    writeTo("types", { files });
  });

  it.concurrent.each(compilers)(
    "the output compiles with %s under every flag, in Node",
    patient,
    async (compiler) => {
      const include = compiler === "typescript-7" ? ["types/**/*"] : foremost;
      const project = { name: "node", include, surrounding: "node", options: everyOption } as const;
      expect(await complaintsOf(compiler, project)).toEqual([]);
    },
  );

  it.concurrent(
    "the output declares the types of its exports, so that each file has its own declarations",
    async () => {
      const options = { declaration: true, isolatedDeclarations: true };
      const project = {
        name: "isolated",
        include: ["types/*/**/*"],
        surrounding: "node",
        options,
      } as const;
      expect(await complaintsOf("typescript-7", project)).toEqual([]);
    },
  );

  it.concurrent.each(outermost)(
    "the output compiles with %s for a browser, except for the modules that require Node",
    async (compiler) => {
      const folder = "types/bundled-1.0";
      const include = [
        `${folder}/client/index.ts`,
        `${folder}/server/http.ts`,
        `${folder}/index.ts`,
      ];
      const project = {
        name: "browser",
        include,
        surrounding: "browser",
        options: everyOption,
      } as const;
      expect(await complaintsOf(compiler, project)).toEqual([]);
    },
  );

  it.concurrent(
    "the tests find mistakes in generated code, which compilers of users skip",
    async () => {
      const { files } = await generateFrom(findSource("1.0"), libraryOptions);
      const mistaken = files.map(({ path, text }) => ({
        path,
        text: text.includes(unchecked) ? `${text}"" satisfies number;\n` : text,
      }));
      const found = await typeProblems({ files: mistaken });
      expect(found).toHaveLength(
        mistaken.filter(({ text }) => text.includes("satisfies number")).length,
      );
      const skipped = mistaken.map(({ path, text }) => ({
        path,
        text: text.replace(unchecked, "// @ts-nocheck"),
      }));
      expect(await typeProblems({ files: skipped })).toEqual([]);
    },
  );
});
