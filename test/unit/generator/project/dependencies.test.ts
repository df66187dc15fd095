import { chmodSync, lstatSync, mkdirSync, statSync, symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { planPackages } from "../../../../generator/project/dependencies.js";
import { packageVersion } from "../../../../support/package-folder.js";
import { Project } from "../../../product/cli/command.js";

const usual = `^${packageVersion()}`;

/** Returns the `package.json` after the change, and what the change reports. */
function changed(description: string, path = "package.json"): { text: string; listed: unknown } {
  const project = new Project({ [path]: description });
  const change = planPackages(
    project.path(path.replace(/\/?package\.json$/, "") || "."),
    "package",
  );
  change?.write();
  const { dependencies, devDependencies } = change ?? {};
  return { text: project.read(path), listed: [dependencies, devDependencies] };
}

const listed = (description: object): unknown =>
  JSON.parse(changed(JSON.stringify(description)).text);

describe("the packages of a project", () => {
  it("the library becomes a dependency, and the generator a development dependency", () => {
    expect(listed({ name: "x" })).toEqual({
      name: "x",
      dependencies: { "a2a-codegen-runtime": usual },
      devDependencies: { "a2a-codegen": usual },
    });
  });

  it("the generator moves to the development dependencies, and the library gets its range", () => {
    expect(listed({ dependencies: { "a2a-codegen": "~0.1.0", zod: "4" } })).toEqual({
      dependencies: { zod: "4", "a2a-codegen-runtime": "~0.1.0" },
      devDependencies: { "a2a-codegen": "~0.1.0" },
    });
  });

  it("a range that is not a number, such as a file, stays with its package", () => {
    const devDependencies = { "a2a-codegen": "file:a.tgz", "a2a-codegen-runtime": "file:b.tgz" };
    expect(listed({ devDependencies })).toEqual({
      dependencies: { "a2a-codegen-runtime": "file:b.tgz" },
      devDependencies: { "a2a-codegen": "file:a.tgz" },
    });
  });

  it("the rest of the text keeps its format", () => {
    const { text, listed: packages } = changed('{\r\n\t"name": "x",\r\n\t"a": [1,2]\r\n}\r\n');
    expect(text).toBe(
      [
        '{\r\n\t"name": "x",\r\n\t"a": [1,2],\r\n\t"dependencies": {\r\n\t\t',
        `"a2a-codegen-runtime": "${usual}"\r\n\t},\r\n\t"devDependencies": {\r\n\t\t`,
        `"a2a-codegen": "${usual}"\r\n\t}\r\n}\r\n`,
      ].join(""),
    );
    expect(packages).toEqual([["a2a-codegen-runtime"], ["a2a-codegen"]]);
  });

  it.each(["dependencies", "peerDependencies", "optionalDependencies"])(
    "nothing changes if the library is in %s, and the generator in devDependencies",
    (section) => {
      const description = `{ "${section}": { "a2a-codegen-runtime": "*" }, "devDependencies": { "a2a-codegen": "*" } }`;
      expect(changed(description)).toEqual({ text: description, listed: [undefined, undefined] });
    },
  );

  it("the generator may be a dependency of the project around the project", () => {
    const project = new Project({
      "package.json": '{ "devDependencies": { "a2a-codegen": "*" } }',
      "packages/agent/package.json": "{}",
    });
    planPackages(project.path("packages/agent"), "package")?.write();
    expect(JSON.parse(project.read("packages/agent/package.json"))).toEqual({
      dependencies: { "a2a-codegen-runtime": usual },
    });
  });

  it("a change of package.json between the plan and the write is kept", () => {
    const project = new Project({ "package.json": "{}" });
    const change = planPackages(project.folder, "package");
    project.write({ "package.json": '{ "dependencies": { "zod": "4" } }' });
    change?.write();
    expect(JSON.parse(project.read("package.json"))).toEqual({
      dependencies: { zod: "4", "a2a-codegen-runtime": usual },
      devDependencies: { "a2a-codegen": usual },
    });
  });

  it("a package.json that is a link stays a link, and its target keeps its mode", () => {
    const project = new Project({ "shared/package.json": "{}" });
    mkdirSync(project.path("agent"));
    chmodSync(project.path("shared/package.json"), 0o600);
    symlinkSync("../shared/package.json", project.path("agent/package.json"));
    planPackages(project.path("agent"), "package")?.write();
    expect(lstatSync(project.path("agent/package.json")).isSymbolicLink()).toBe(true);
    expect(statSync(project.path("shared/package.json")).mode & 0o777).toBe(0o600);
    expect(project.read("shared/package.json")).toContain('"a2a-codegen-runtime": "^');
  });

  it("a read-only package.json is refused by its path", () => {
    const project = new Project({ "package.json": "{}", "src/x.txt": "" });
    chmodSync(project.path("package.json"), 0o444);
    expect(() => planPackages(project.path("src"), "package")).toThrow(
      /^\.\.[/\\]package\.json: the file is read-only, .*\. Make it writable, or use copies/,
    );
  });

  it("a byte order mark is kept", () => {
    const { text } = changed('\uFEFF{ "dependencies": { "a2a-codegen": "~1.2.3" } }');
    expect(text).toMatch(/^\uFEFF\{/);
    expect(JSON.parse(text.slice(1))).toEqual({
      dependencies: { "a2a-codegen-runtime": "~1.2.3" },
      devDependencies: { "a2a-codegen": "~1.2.3" },
    });
  });

  it.each([
    ["", "package.json:1:1: the file is not valid JSON: "],
    ['{\n  "name": x\n}', "package.json:2:11: the file is not valid JSON: "],
    ["[]", "package.json: the file is not a JSON object. Correct it."],
  ])("a package.json with the text %j is refused", (text, message) => {
    const project = new Project({ "package.json": text });
    expect(() => planPackages(project.folder, "package")).toThrow(message);
  });
});
