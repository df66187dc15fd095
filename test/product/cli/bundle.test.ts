import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { packageFolder } from "../../../support/package-folder.js";
import { cli, ended, Project } from "./command.js";

interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses: readonly {
    readonly license?: { readonly id: string };
    readonly expression?: string;
  }[];
}

interface Bom {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const dist = join(packageFolder, "dist");
const bom = JSON.parse(readFileSync(join(dist, "sbom.cdx.json"), "utf8")) as Bom;

describe("the bill of materials of the bundle", () => {
  it("the bill lists the packages whose licenses the bundle contains", () => {
    const heads = readFileSync(join(dist, "LICENSES.txt"), "utf8").matchAll(
      /^(\S+) (\d+\.\d+\.\d+\S*) \((.+)\)$/gm,
    );
    const licensed = [...heads].map(([, name, version, license]) =>
      [name, version, license].join(" "),
    );
    const listed = bom.components.map(({ name, version, licenses: [first] }) =>
      [name, version, first?.license?.id ?? first?.expression].join(" "),
    );
    expect(listed.length).toBeGreaterThan(10);
    expect(listed.sort()).toEqual(licensed.sort());
  });

  it.each(["handlebars", "jsonc-parser", "lodash", "protobufjs", "yaml", "yargs"])(
    "the bill lists %s, whose code is in the bundle, with the installed version",
    (name) => {
      const installed = JSON.parse(
        readFileSync(join(packageFolder, "node_modules", name, "package.json"), "utf8"),
      ) as Component;
      const purl = `pkg:npm/${name}@${installed.version}`;
      expect(bom.components).toContainEqual(
        expect.objectContaining({ name, version: installed.version, purl }),
      );
    },
  );

  it("the bill is a valid CycloneDX document of this package", () => {
    const own = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")) as Component;
    expect([bom.bomFormat, bom.specVersion]).toEqual(["CycloneDX", "1.6"]);
    expect(bom.metadata.component).toMatchObject({ name: own.name, version: own.version });
    expect(bom.dependencies[0]?.dependsOn).toEqual(bom.components.map(({ purl }) => purl));
    expect(new Set(bom.components.map(({ purl }) => purl)).size).toBe(bom.components.length);
  });

  it("the bill lists each package that an output of the build includes, including nested packages", async () => {
    type Find = (
      root: string,
      outputs: object,
    ) => readonly { readonly name: string; readonly folder: string }[];
    const module = pathToFileURL(join(packageFolder, "build", "packages.mjs")).href;
    const { bundledPackages } = (await import(module)) as { readonly bundledPackages: Find };
    const project = new Project();
    for (const path of ["node_modules/a", "node_modules/@b/c", "node_modules/@b/c/node_modules/d"])
      project.write({
        [`${path}/package.json`]: JSON.stringify({ name: path.slice(path.lastIndexOf("_") + 9) }),
      });
    const inputs = [
      "node_modules/a/x.js",
      "node_modules/@b/c/y.js",
      "node_modules/@b/c/node_modules/d/z.js",
      "own.ts",
    ];
    const outputs = {
      "dist/x.js": { inputs: Object.fromEntries(inputs.map((path) => [path, {}])) },
    };
    expect(bundledPackages(project.folder, outputs).map(({ name }) => name)).toEqual([
      "@b/c",
      "d",
      "a",
    ]);
  });
});

describe("the command on an old Node", () => {
  const { engines } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")) as {
    readonly engines: { readonly node: string };
  };
  const needed = engines.node.replace(">=", "");

  it.each(["v18.20.8", "v20.18.3", "v16.0.0"])(
    "the command ends with one line on %s",
    async (version) => {
      const project = new Project();
      project.write({
        "old.cjs": `Object.defineProperty(process, "version", { value: "${version}" });\n`,
      });
      const child = spawn(process.execPath, ["--require", project.path("old.cjs"), cli, "list"], {
        stdio: "pipe",
      });
      expect(await ended(child)).toEqual({
        code: 2,
        stdout: "",
        stderr: `a2a-codegen requires Node ${needed} or later, but this is Node ${version.slice(1)}.\n`,
      });
    },
  );

  it("the command loads no other module before it checks the version", () => {
    const text = readFileSync(cli, "utf8");
    expect(text.match(/\brequire\(|\bimport\b(?!\()/g)).toBeNull();
    expect(text.indexOf("process.version")).toBeLessThan(text.indexOf("getBuiltinModule"));
  });
});
