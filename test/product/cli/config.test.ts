import { describe, expect, it } from "vitest";
import { Project, smallProto } from "./command.js";

const config = { spec: "a.proto", out: "gen", targets: ["models"] };
const upToDate = /^a\.proto → gen: up to date/;

/** A project whose configuration is a file of this name and text. */
function configured(name: string, text: string) {
  return new Project({
    "a.proto": smallProto,
    "b.proto": smallProto.replace("small", "other"),
    [name]: text,
  });
}

const commented = `// The generated files.
{
  /* "spec": "nope", */
  "spec": "a.proto", // The proto.
  "out": "gen",
  "targets": ["models",],
}
`;

describe("a configuration in JSON", () => {
  it.each(["json", "jsonc"])(
    "the file may have comments and trailing commas if it ends in .%s",
    async (ending) => {
      const project = configured(`a2a-codegen.config.${ending}`, commented);
      expect((await project.run("generate")).stderr).toBe("");
      expect((await project.run("generate")).stdout).toMatch(upToDate);
    },
  );

  it("mistakes have locations, with and without comments", async () => {
    const project = configured(
      "a2a-codegen.config.json",
      commented.replace('"out": "gen"', '"out": 1'),
    );
    expect((await project.run("generate")).stderr).toMatch(
      /^a2a-codegen\.config\.json:5:3: "out" must be a string\./,
    );
  });

  it("an upgrade keeps the comments", async () => {
    const project = configured("a2a-codegen.config.json", commented);
    await project.run("generate");
    expect((await project.run("upgrade --to b.proto --write --force")).code).toBe(0);
    const written = project.read("a2a-codegen.config.json");
    expect(written.replace(/\n *"aliases": "all",(?=\n)/, "")).toBe(
      commented.replace('"a.proto"', '"b.proto"'),
    );
  });

  it("folders may be written as on Windows, on every system", async () => {
    const text = '{ "spec": ".\\\\a.proto", "out": "src\\\\a2a", "targets": ["models"] }';
    const project = configured("a2a-codegen.config.json", text);
    expect((await project.run("generate")).stderr).toBe("");
    expect(project.has("src/a2a/models.ts")).toBe(true);
  });

  it("the configuration of a folder is found", async () => {
    const project = configured("a2a-codegen.config.json", "{}");
    project.write({ "a2a-codegen.config.mjs": "" });
    expect((await project.run("generate")).stderr).toBe(
      "the folder has two configurations, a2a-codegen.config.json and a2a-codegen.config.mjs. Remove one of them, or choose one with --config.\n",
    );
    expect((await project.run("generate --config a2a-codegen.config.json --dry-run")).code).toBe(0);
  });
});

describe("a configuration that is a module", () => {
  const module = `export default ${JSON.stringify(config)};\n`;

  it.each(["js", "mjs"])("the module is found if it ends in .%s", async (ending) => {
    const project = configured(`a2a-codegen.config.${ending}`, module);
    expect((await project.spawn("generate")).stderr).toBe("");
    expect((await project.spawn("generate")).stdout).toMatch(upToDate);
  });

  it("the module may be TypeScript if Node supports it, and otherwise the error explains this", async () => {
    const project = configured(
      "a2a-codegen.config.ts",
      `${module.trim().replace(/;$/, "")} satisfies object;\n`,
    );
    const canStrip = "typescript" in process.features && process.features.typescript !== false;
    const { stdout, stderr } = await project.spawn("generate");
    if (canStrip) expect(stdout).toMatch(/^a\.proto → gen/);
    else
      expect(stderr).toBe(
        `a2a-codegen.config.ts: Node ${process.versions.node} does not run TypeScript. Use Node 22.18 or later, or write the configuration as a2a-codegen.config.mjs.\n`,
      );
  });

  it.each([
    ["", "the configuration must be an object. Correct it.\n"],
    [
      "export default { out: 1 };",
      '"out" must be a string. It specifies the folder of the output, such as src/a2a.\n',
    ],
    [
      "throw new Error('No');",
      "the configuration cannot be loaded: No. Correct it; a module must export",
    ],
  ])("mistakes in the module are named: %j", async (text, message) => {
    const stderr = await configured("a2a-codegen.config.mjs", text).refusal("generate");
    expect(stderr.startsWith(`a2a-codegen.config.mjs: ${message}`)).toBe(true);
  });

  it("an upgrade changes the version in the module unless it is computed", async () => {
    const text = '// Ours.\nexport default { spec: "a.proto", out: "gen", targets: ["models"] };\n';
    const project = configured("a2a-codegen.config.mjs", text);
    await project.run("generate");
    expect((await project.run("upgrade --to b.proto --write --force")).stderr).toBe("");
    expect(project.read("a2a-codegen.config.mjs")).toBe(text.replace("a.proto", "b.proto"));
    project.write({
      "a2a-codegen.config.mjs": text.replace('"a.proto"', '["a", "proto"].join(".")'),
    });
    expect((await project.run("upgrade --to b.proto --write --force")).stderr).toBe(
      'a2a-codegen.config.mjs: "spec" cannot be set in this module. Set spec: "VERSION" once and remove schema and manifest, or convert the configuration to JSON.\n',
    );
  });
});

describe("targets that are added to the default targets", () => {
  const added = { spec: "1.0", targets: ["+store-sqlite"] };
  const stores = ["src/a2a/kit/stores/sqlite.ts", "src/a2a/kit/stores/redis.ts"] as const;

  it("the targets of the configuration stay in the output, and the targets of one run do not", async () => {
    const project = configured("a2a-codegen.config.json", JSON.stringify(added));
    const present = () => stores.map((file) => project.has(file));
    const { code, stderr } = await project.run("generate --targets +store-redis");
    expect([code, stderr]).toEqual([0, ""]);
    expect(present()).toEqual([true, true]);
    expect((await project.run("generate")).stdout).toContain(
      "(target store-redis is no longer chosen)",
    );
    expect(present()).toEqual([true, false]);
  });
});
