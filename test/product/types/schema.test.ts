import { readFileSync } from "node:fs";
import { join } from "node:path";
import prettier from "prettier";
import { beforeAll, describe, expect, it } from "vitest";
import { packageFolder } from "../../../support/package-folder.js";
import { findSource, generateFrom, outFolder, textOf, writeTo } from "../../support/output.js";
import { schemaSource } from "../../unit/generator/targets/validators/emitted.js";
import { keywordDefinitions } from "../../unit/generator/targets/validators/keywords.js";
import { complaintsOf, outermost } from "./compile.js";

const sources = [
  ["keywords", () => schemaSource(keywordDefinitions)],
  ["0.3.0", () => findSource("0.3.0")],
] as const;

const options = { allowUnusedLabels: false, allowUnreachableCode: false };

describe("the models and validators of a schema", () => {
  beforeAll(async () => {
    for (const [name, find] of sources) {
      writeTo(join("schema-types", name), await generateFrom(find(), { targets: ["validators"] }));
    }
    const text = readFileSync(
      join(packageFolder, "test", "product", "types", "narrowing.ts"),
      "utf8",
    );
    const local = text.replaceAll("../../../generated/0.3.0/", "./");
    writeTo(join("schema-types", "0.3.0"), { files: [{ path: "narrowing.ts", text: local }] });
  });

  it.concurrent.each(outermost)(
    "the models and validators compile with %s under every flag",
    async (compiler) => {
      const project = {
        name: "schema",
        include: ["schema-types/**/*"],
        surrounding: "browser",
        options,
      } as const;
      expect(await complaintsOf(compiler, project)).toEqual([]);
    },
  );

  it.each(sources)(
    "the models and validators of %s have the layout of the formatter",
    async (name) => {
      for (const file of ["models.ts", "validators.ts"]) {
        const text = readFileSync(join(outFolder, "schema-types", name, file), "utf8");
        expect(await prettier.format(text, { parser: "typescript", printWidth: 100 })).toBe(text);
      }
    },
  );

  it("the models have no any, and no names with numbers that the schema does not have", async () => {
    const models = textOf(
      await generateFrom(findSource("0.3.0"), { targets: ["models"] }),
      "models.ts",
    );
    const code = models.replaceAll(/\/\*\*.*?\*\/|"[^"]*"/gs, "");
    expect(code).not.toMatch(/\bany\b|\bunknown\b/);
    const names = [...code.matchAll(/export (?:interface|type) (\w+)/g)].map(
      ([, name = ""]) => name,
    );
    expect(names.filter((name) => /\d$/.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });
});
