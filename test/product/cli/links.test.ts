import { lstatSync, mkdirSync, readdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { Project, smallProto } from "./command.js";

const generate = [
  "generate",
  "--spec",
  "a.proto",
  "--out",
  "src/a2a",
  "--targets",
  "models,validators",
];

const server = ["--targets", "server"];

/** A project with a small proto, and a folder outside of it that nothing may change. */
function projects(): { readonly project: Project; readonly outside: Project } {
  return {
    project: new Project({ "a.proto": smallProto, "src/x.txt": "" }),
    outside: new Project({ home: "kept" }),
  };
}

describe("links in a project", () => {
  it("a link is not followed by writing a new agent", async () => {
    const { project, outside } = projects();
    symlinkSync(outside.path("home"), project.path("src/.agent.ts.a2a-codegen-new"));
    await project.succeed("generate --out src/a2a --agent src/agent.ts", server);
    expect(outside.read("home")).toBe("kept");
    expect(lstatSync(project.path("src/agent.ts")).isFile()).toBe(true);
  });

  it("a link is not followed by merging an agent", async () => {
    const { project, outside } = projects();
    const run = (spec: string) =>
      project.run("generate --spec", spec, "--agent src/agent.ts", server);
    expect((await run("0.3.0")).stderr).toBe("");
    for (const kind of ["new", "old"])
      symlinkSync(outside.path("home"), project.path(`src/.agent.ts.a2a-codegen-${kind}`));
    expect((await run("1.0")).stdout).toContain("listTasks added");
    expect(outside.read("home")).toBe("kept");
  });

  it("a link is not followed by init, for the configuration and for marking the output", async () => {
    const { project, outside } = projects();
    mkdirSync(project.path(".git"));
    const names = [
      "a2a-codegen.config.json.a2a-codegen-new",
      ".a2a-codegen.config.json.a2a-codegen-new",
    ];
    for (const name of [...names, ".gitattributes", "a2a-codegen.config.json"])
      symlinkSync(outside.path("home"), project.path(name));
    await project.succeed("init --yes --force --spec a.proto --targets models");
    expect(outside.read("home")).toBe("kept");
    expect(project.read("a2a-codegen.config.json")).toContain('"a.proto"');
  });

  it("a link is not followed by preparing the output, or by restoring it after an aborted run", async () => {
    const { project, outside } = projects();
    symlinkSync(outside.folder, project.path(`src/.a2a.a2a-codegen-new.${process.pid}`));
    symlinkSync(outside.folder, project.path("src/.a2a.a2a-codegen-old.99999999"));
    await project.succeed(generate);
    expect(lstatSync(project.path("src/a2a")).isSymbolicLink()).toBe(false);
    expect(project.has("src/a2a/home")).toBe(false);
    expect(readdirSync(outside.folder).sort()).toEqual(["home", "package.json"]);
  });

  it.each([[[]], [["--force"]]])(
    "a link in place of a folder of the output is refused with %j",
    async (args) => {
      const { project, outside } = projects();
      mkdirSync(project.path("src/a2a"));
      symlinkSync(outside.folder, project.path("src/a2a/runtime"));
      expect(await project.refusal(generate, args)).toBe(
        "src/a2a/runtime: a link has the path of a folder of the output. Remove the link; its target is not changed.\n",
      );
      expect(readdirSync(outside.folder).sort()).toEqual(["home", "package.json"]);
    },
  );

  it.each([
    ["docs", "--manifest", "m.yaml"],
    ["extends", "--manifest", "m.yaml"],
    ["import", "--spec", "b.proto"],
  ])("a link does not lead %s out of the project", async (key, ...args) => {
    const { project, outside } = projects();
    project.write({ "m.yaml": `${key}: x.yaml\n`, "b.proto": `${smallProto}import "x.yaml";\n` });
    symlinkSync(outside.path("home"), project.path("x.yaml"));
    expect(
      await project.refusal("generate", key === "import" ? [] : ["--spec", "a.proto"], args),
    ).toBe(
      key === "import"
        ? 'b.proto: the import "x.yaml" is a link to a file outside the folder of the main proto and the project. Replace the link with the file.\n'
        : `m.yaml: "${key}" in the manifest is "x.yaml", which is neither below its folder nor below the project. Move the file next to the manifest.\n`,
    );
  });

  it.each([
    ["the output folder", "src/a2a", ""],
    ["a parent folder", "src", "/a2a"],
  ])("a link does not lead %s out of the project", async (_, link, rest) => {
    const { project, outside } = projects();
    rmSync(project.path(link), { recursive: true, force: true });
    symlinkSync(outside.folder, project.path(link));
    expect(await project.refusal(generate)).toBe(
      `the output folder "${link}${rest}" is a link to "${realpathSync(outside.folder)}${rest}", outside the project. Remove the link, or specify its target with --out.\n`,
    );
    expect(readdirSync(outside.folder).sort()).toEqual(["home", "package.json"]);
  });

  it("a circle of links is reported", async () => {
    const { project } = projects();
    symlinkSync("one", project.path("two"));
    symlinkSync("two", project.path("one"));
    expect(await project.refusal("generate --out one")).toMatch(
      /^".*(?:one|two)" is a link to itself\. Remove it\.\n$/,
    );
  });
});

describe("a forged lock file", () => {
  const names = [
    "../../package.json",
    "/etc/hosts",
    "a/../../x.ts",
    "..\\x.ts",
    "C:x.ts",
    "",
    "a//b.ts",
    "./x.ts",
    "x\0.ts",
  ];

  let project: Project;
  let lock: { files: object };
  const path = join("src", "a2a", "a2a-codegen.lock.json");

  beforeAll(async () => {
    project = projects().project;
    await project.run(generate);
    lock = JSON.parse(project.read(path)) as { files: object };
  });

  it.each(names)(
    "the lock file removes and overwrites nothing outside of its folder: %j",
    async (name) => {
      project.write({
        [path]: JSON.stringify({ ...lock, input: "", files: { ...lock.files, [name]: "" } }),
      });
      const before = project.files();
      for (const args of [[], ["--force"], ["--check"]]) {
        expect(await project.refusal(generate, args)).toBe(
          `${path}: the lock file lists ${JSON.stringify(name)}, which is not a file below its folder. Restore the file from version control, or remove it and run again with --force.\n`,
        );
      }
      expect(project.files()).toEqual(before);
    },
  );
});
