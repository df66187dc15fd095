import { describe, expect, it } from "vitest";
import { Project, smallProto } from "./command.js";

const config = { spec: "a.proto", out: "gen", targets: ["models"] };
const upToDate = /^a\.proto → gen: up to date/;

/** A project whose configuration is a file of this name and text. */
function configured(name: string, text: string): Project {
  return new Project({ "a.proto": smallProto, "b.proto": smallProto.replace("small", "other"), [name]: text });
}

const commented = `// What is generated.
{
  /* "spec": "nope", */
  "spec": "a.proto", // The proto.
  "out": "gen",
  "targets": ["models",],
}
`;

describe("a configuration in JSON", () => {
  it.each(["json", "jsonc"])("may have comments and trailing commas in a file that ends in .%s", async (ending) => {
    const project = configured(`a2a-codegen.config.${ending}`, commented);
    expect((await project.run(["generate"])).stderr).toBe("");
    expect((await project.run(["generate"])).stdout).toMatch(upToDate);
  });

  it("has the locations of its mistakes, comments or not", async () => {
    const project = configured("a2a-codegen.config.json", commented.replace('"out": "gen"', '"out": 1'));
    expect((await project.run(["generate"])).stderr).toMatch(
      /^a2a-codegen\.config\.json:5:3: "out" must be a string\./,
    );
  });

  it("keeps its comments in an upgrade", async () => {
    const project = configured("a2a-codegen.config.json", commented);
    await project.run(["generate"]);
    expect((await project.run(["upgrade", "--to", "b.proto", "--write", "--force"])).code).toBe(0);
    expect(project.read("a2a-codegen.config.json")).toBe(commented.replace('"a.proto"', '"b.proto"'));
  });

  it("may write folders as on Windows, on every system", async () => {
    const text = '{ "spec": ".\\\\a.proto", "out": "src\\\\a2a", "targets": ["models"] }';
    const project = configured("a2a-codegen.config.json", text);
    expect((await project.run(["generate"])).stderr).toBe("");
    expect(project.has("src/a2a/models.ts")).toBe(true);
  });

  it("is one in a folder", async () => {
    const project = configured("a2a-codegen.config.json", "{}");
    project.write({ "a2a-codegen.config.mjs": "" });
    expect((await project.run(["generate"])).stderr).toBe(
      "the folder has two configurations, a2a-codegen.config.json and a2a-codegen.config.mjs. Remove one of them, or choose one with --config.\n",
    );
    expect((await project.run(["generate", "--config", "a2a-codegen.config.json", "--dry-run"])).code).toBe(0);
  });
});

describe("a configuration that is a module", () => {
  const module = `export default ${JSON.stringify(config)};\n`;

  it.each(["js", "mjs"])("is found where it ends in .%s", async (ending) => {
    const project = configured(`a2a-codegen.config.${ending}`, module);
    expect((await project.spawn(["generate"])).stderr).toBe("");
    expect((await project.spawn(["generate"])).stdout).toMatch(upToDate);
  });

  it("may be TypeScript where Node runs that, and says so where it does not", async () => {
    const project = configured("a2a-codegen.config.ts", `${module.trim().replace(/;$/, "")} satisfies object;\n`);
    const canStrip = "typescript" in process.features && process.features.typescript !== false;
    const { stdout, stderr } = await project.spawn(["generate"]);
    if (canStrip) expect(stdout).toMatch(/^a\.proto → gen/);
    else
      expect(stderr).toBe(
        `a2a-codegen.config.ts: Node ${process.versions.node} does not run TypeScript. Use Node 22.18 or later, or write the configuration as a2a-codegen.config.mjs.\n`,
      );
  });

  it.each([
    ["", "the configuration must be an object. Correct it.\n"],
    ["export default { out: 1 };", '"out" must be a string. It specifies the folder of the output, such as src/a2a.\n'],
    ["throw new Error('No');", "the configuration cannot be loaded: No. Correct it; a module must export"],
  ])("has its mistakes named: %j", async (text, message) => {
    const { code, stderr } = await configured("a2a-codegen.config.mjs", text).run(["generate"]);
    expect(code).toBe(2);
    expect(stderr.startsWith(`a2a-codegen.config.mjs: ${message}`)).toBe(true);
  });

  it("gets its new version from an upgrade, unless it computes it", async () => {
    const text = '// Ours.\nexport default { spec: "a.proto", out: "gen", targets: ["models"] };\n';
    const project = configured("a2a-codegen.config.mjs", text);
    await project.run(["generate"]);
    expect((await project.run(["upgrade", "--to", "b.proto", "--write", "--force"])).stderr).toBe("");
    expect(project.read("a2a-codegen.config.mjs")).toBe(text.replace("a.proto", "b.proto"));
    project.write({ "a2a-codegen.config.mjs": text.replace('"a.proto"', '["a", "proto"].join(".")') });
    expect((await project.run(["upgrade", "--to", "b.proto", "--write", "--force"])).stderr).toBe(
      'a2a-codegen.config.mjs: "spec" cannot be set in this module. Set spec: "VERSION" once and remove schema and manifest, or convert the configuration to JSON.\n',
    );
  });
});
