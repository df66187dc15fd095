import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageFolder } from "../../../support/package-folder.js";
import { exampleNames } from "../../../generator/project/examples.js";
import { codeBlocks } from "../docs/markdown.js";
import { strictest } from "../types/compile.js";
import { Project } from "./command.js";
import { NewcomerProject } from "../docs/newcomer.js";

const skillPath = ".agents/skills/a2a-agent/SKILL.md";

/** Compiler options under which the code of the skill must compile. */
const compilerOptions = {
  ...strictest,
  types: ["node"],
  erasableSyntaxOnly: true,
  skipLibCheck: true,
  noEmit: false,
  rootDir: "src",
  outDir: "dist",
};

describe("the files for coding agents", () => {
  it("init writes AGENTS.md and a skill only if they are requested", async () => {
    const project = new Project();
    await project.succeed("init --targets models");
    expect([project.has("AGENTS.md"), project.has(skillPath)]).toEqual([false, false]);
    const { stdout } = await project.run("init --force --targets models --agents-md");
    expect(stdout).toContain(
      "AGENTS.md written for coding agents\n.agents/skills/a2a-agent/SKILL.md written",
    );
    expect(project.read("AGENTS.md")).toContain("`src/a2a/`");
    expect(project.read(skillPath)).toContain('from "./a2a/kit/index.js"');
    expect(project.read("AGENTS.md")).toContain("`npx a2a send ");
  });

  it("the files name the package of a2a if the project does not list it, because npm has another package of this name", async () => {
    const project = new Project();
    const copies = ["init", "--runtime", "copy", "--targets", "models", "--agents-md"];
    expect((await project.run(copies)).code).toBe(0);
    expect(project.read("AGENTS.md") + project.read(skillPath)).not.toContain("npx a2a ");
    expect(project.read("AGENTS.md")).toContain("`npx -p a2a-codegen a2a send ");
  });

  it("init uses the paths of the project in the files", async () => {
    const project = new Project();
    const paths = ["--out", "lib/generated", "--agent", "lib/bot.ts", "--import-extension", "none"];
    await project.run("init --targets server,jsonrpc", paths, "--agents-md");
    expect(project.read("AGENTS.md")).toMatch(/`lib\/generated\/`[^]*`lib\/bot\.ts`/);
    expect(project.read(skillPath)).toContain('from "./generated/index"');
    expect(project.read("AGENTS.md") + project.read(skillPath)).not.toMatch(/\{\{|\}\}/);
  });

  it("init keeps the text of an existing AGENTS.md, and adds its section once", async () => {
    const project = new Project({ "AGENTS.md": "# Rules\n\nBe brief.", [skillPath]: "mine" });
    const args = ["init", "--force", "--targets", "models", "--agents-md"];
    const { stdout } = await project.run(args);
    expect(stdout).toContain("AGENTS.md has a new section for coding agents\n");
    expect(stdout).toContain("SKILL.md is unchanged: it exists already\n");
    const text = project.read("AGENTS.md");
    expect(text.startsWith("# Rules\n\nBe brief.\n\n<!-- a2a-codegen: start -->\n")).toBe(true);
    expect((await project.run(args)).stdout).toContain(
      "AGENTS.md is unchanged: it has the section already\n",
    );
    expect([project.read("AGENTS.md"), project.read(skillPath)]).toEqual([text, "mine"]);
  });

  it("init follows no symbolic link to another file", async () => {
    const project = new Project({ "notes.md": "mine", "other/file": "" });
    symlinkSync("notes.md", project.path("AGENTS.md"));
    symlinkSync("other", project.path(".agents"));
    const stdout = await project.succeed("init --targets models --agents-md");
    expect(stdout).toContain("AGENTS.md is unchanged: it is a symbolic link\n");
    expect(stdout).toContain("SKILL.md is unchanged: its path has a symbolic link\n");
    expect([project.read("notes.md"), project.has("other/skills")]).toEqual(["mine", false]);
  });

  it("init --agents-md adds the files to a project with a configuration, with its paths, and changes nothing else", async () => {
    const project = new Project();
    await project.succeed("init --targets models --out lib/wire --import-extension ts");
    const before = project.files();
    expect(await project.succeed("init --agents-md --yes")).toBe(
      `AGENTS.md written for coding agents\n${skillPath} written for coding agents\n`,
    );
    const { [skillPath]: skill, "AGENTS.md": section, ...others } = project.files();
    expect(others).toEqual(before);
    expect([section, skill]).toEqual([
      expect.stringContaining("`lib/wire/`"),
      expect.stringContaining('from "./wire/kit/index.ts"'),
    ]);
    expect((await project.json("init --agents-md")).output).toMatchObject({
      agentsFiles: [{ state: "unchanged" }, { state: "unchanged" }],
    });
  });

  it("init --json lists the files with their states", async () => {
    const { output } = await new Project({ "AGENTS.md": "" }).json(
      "init --targets models --agents-md",
    );
    expect(output).toMatchObject({
      agentsFiles: [
        { path: "AGENTS.md", state: "extended" },
        { path: skillPath, state: "created" },
      ],
    });
  });
});

describe("the content of the files for coding agents", () => {
  const project = new NewcomerProject("agents-md");
  const written = project.shell("npx a2a-codegen init --yes --agents-md");
  const textOf = async (path: string) => {
    await written;
    return readFileSync(join(project.folder, path), "utf8");
  };

  it.each(["AGENTS.md", skillPath])("each command in %s exists, with its options", async (path) => {
    const commands = [...(await textOf(path)).matchAll(/`npx (a2a(?:-codegen)? [^`]*)`/g)].map(
      ([, text = ""]) => text,
    );
    expect(commands.length).toBeGreaterThan(1);
    for (const command of new Set(commands)) {
      const words = command.replaceAll(/"[^"]*"/g, "text").split(" ");
      const isOption = (word: string) => word.startsWith("-");
      const [bin = "", ...rest] = words;
      const first = rest.findIndex(isOption);
      const names =
        bin === "a2a" ? rest.slice(0, first < 0 ? rest.length : first) : rest.slice(0, 1);
      const { code, output } = await project.shell(`npx ${bin} ${names.join(" ")} --help`);
      expect(code, command).toBe(0);
      for (const option of rest.filter(isOption))
        expect(output, command).toMatch(new RegExp(`(^|\\s)${option}\\b`, "m"));
    }
  });

  it.each(["AGENTS.md", skillPath])("each path in %s exists in a new project", async (path) => {
    const text = await textOf(path);
    const named = [...text.matchAll(/`([\w./@-]+\/[\w./-]*|[\w-]+\.config\.json)`/g)].map(
      ([, name = ""]) => name,
    );
    const written = [...text.matchAll(/`([\w./-]+\.ts)`:\n\n```ts/g)].map(([, name = ""]) => name);
    const paths = named
      .filter((name) => !written.includes(name))
      .map((name) => (/^(?:server|client)\//.test(name) ? `src/a2a/${name}` : name));
    expect(named.length).toBeGreaterThan(5);
    expect(paths.filter((name) => !existsSync(join(project.folder, name)))).toEqual([]);
  });

  it("the agent of the skill compiles under the strictest flags, and is built, tested, served and called", async () => {
    const built = new NewcomerProject("agents-md-built");
    built.write("tsconfig.json", JSON.stringify({ compilerOptions, include: ["src"] }));
    expect((await built.shell("npx a2a-codegen init --yes --agents-md")).code).toBe(0);
    const [skill, agents] = [skillPath, "AGENTS.md"].map((path) =>
      readFileSync(join(built.folder, path), "utf8"),
    );
    const snippets = [...(skill ?? "").matchAll(/`([\w./-]+\.ts)`:\n\n```ts\n([^]*?)```/g)];
    expect(snippets).toHaveLength(codeBlocks(skill ?? "").length);
    for (const [, path = "", text = ""] of snippets) built.write(path, text);
    const cells = (skill ?? "").matchAll(/^\| (?:build|serve|test) .*\| `([^`]+)`/gm);
    const [build = "", serve = "", test = ""] = [...cells].map(([, command = ""]) => command);
    for (const command of [build, serve, test]) expect(agents).toContain(`\`${command}\``);
    symlinkSync(
      join(packageFolder, "node_modules", "@types"),
      join(built.folder, "node_modules", "@types"),
    );
    expect(await built.shell(build)).toEqual({ code: 0, output: "" });
    expect((await built.shell(test)).output).toMatch(/^# pass 2$/m);
    const agent = await built.startAgent(serve.replace("node ", ""), 1);
    try {
      const { code, output } = await built.node("dist/call.js", agent.url);
      expect([code, output]).toEqual([0, expect.stringMatching(/COMPLETED \[[^]*You asked: /)]);
      expect((await built.shell(`npx a2a card get -a ${agent.url} --validate`)).code).toBe(0);
    } finally {
      await agent.stop();
    }
  });

  it("a project without tsconfig.json gets a command that also compiles the test", async () => {
    const build = "npx tsc src/agent.ts src/turn.test.ts --target es2022 --module nodenext";
    expect(await textOf("AGENTS.md")).toContain(build);
    const bundled = new Project();
    await bundled.run("init --yes --agents-md --import-extension none");
    expect(bundled.read("AGENTS.md")).toMatch(
      /^\| build +\| as your bundler or framework does +\|$/m,
    );
  });

  it("the list of modules contains what the output contains, and nothing else", async () => {
    const listed = [...(await textOf("AGENTS.md")).matchAll(/^\| `src\/a2a\/([\w./-]+)`/gm)].map(
      ([, path]) => path,
    );
    expect(listed).toContain("kit/testing.ts");
    expect(listed).not.toContain("kit/stores/sqlite.ts");
    const other = new Project();
    const targets = [
      "--targets",
      "+store-sqlite,+auth-jwt,+auth-oauth,+otel,+store-tests,+gateway",
      "--versions",
      "0.3.0",
    ];
    await other.succeed("init --yes --agents-md", targets);
    const text = other.read("AGENTS.md");
    for (const path of ["kit/stores/sqlite", "kit/auth/jwt", "kit/auth/oauth", "kit/otel"])
      expect(text).toContain(`\`src/a2a/${path}.ts\``);
    expect(text).toContain("`src/a2a/server/gateway.ts`");
    expect(text).toContain("`src/a2a/versions/`");
    expect(text).not.toContain("kit/stores/redis.ts");
  });
});

describe("the examples of init", () => {
  it.each(exampleNames)(
    "init writes the example %s with the imports of the project",
    async (name) => {
      const project = new Project();
      const args = [
        "init",
        "--example",
        name,
        "--agent",
        "app/bot.ts",
        "--out",
        "app/gen",
        "--import-extension",
        "ts",
      ];
      const stdout = await project.succeed(args);
      const sources = Object.entries(project.files("app")).filter(
        ([path]) => !path.startsWith("gen/"),
      );
      const specifiers = sources.flatMap(([, text]) =>
        [...text.matchAll(/from "([^"]+)"/g)].map(([, from = ""]) => from),
      );
      const local = specifiers.filter((from) => from.startsWith("."));
      expect(local.filter((from) => !project.has(join("app", from)))).toEqual([]);
      expect(local.length).toBeGreaterThan(1);
      expect(JSON.parse(project.read("tsconfig.json"))).toMatchObject({
        compilerOptions: { skipLibCheck: true },
        include: ["app"],
      });
      const start =
        name === "cloudflare"
          ? / {2}npx tsc --noEmit\n {2}npx wrangler dev\n/
          : / {2}npx tsc\n[^]* {2}node dist\/bot\.js\n/;
      expect(stdout).toMatch(new RegExp(`\nNext, start the example:\n[^]*${start.source}`));
    },
  );

  it("init overwrites no file with an example", async () => {
    const project = new Project({ "src/model.ts": "mine" });
    expect(await project.refusal("init --example model")).toContain(
      "src/model.ts: the file already exists, and differs from the file of the example. Remove",
    );
    expect([project.has("src/a2a"), project.read("src/model.ts")]).toEqual([false, "mine"]);
  });

  it.each(exampleNames.filter((name) => name !== "research"))(
    "init adds the example %s to a project that init has created, and changes no other file",
    async (name) => {
      const project = new Project();
      await project.succeed("init");
      const before = project.files();
      const { code, stdout, stderr } = await project.run("init --example", name);
      expect(code, stderr).toBe(0);
      const written = (/^Example written: (.*)$/m.exec(stdout)?.[1] ?? "").split(", ");
      const after = project.files();
      expect(Object.keys(after).filter((path) => !(path in before))).toEqual(written.toSorted());
      expect(after).toMatchObject(before);
      await project.succeed("init --example", name);
      expect(project.files()).toEqual(after);
    },
  );

  it("init names each file that differs from the file of an example, and then writes nothing", async () => {
    const project = new Project();
    await project.run("init");
    project.write({ "src/model.ts": "mine", "src/assistant.ts": "mine" });
    const stderr = await project.refusal("init --example model");
    const named = stderr
      .split("\n")
      .flatMap((line) => /^\s*(\S+): the file already exists/.exec(line)?.[1] ?? []);
    expect(named.toSorted()).toEqual(["src/assistant.ts", "src/model.ts"]);
    expect(project.has("src/assistant-client.ts")).toBe(false);
  });

  it("init adds an example next to the agent of the configuration", async () => {
    const project = new Project();
    await project.run("init --agent app/bot.ts --out app/gen");
    await project.succeed("init --example model");
    expect(project.read("app/assistant.ts")).toContain('from "./gen/index.js"');
  });

  it("init refuses an example for a project whose output has no modules of the example", async () => {
    const project = new Project();
    await project.run("init --targets client,jsonrpc");
    expect(await project.refusal("init --example model")).toContain(
      "Add client, server and tasks to the targets of the configuration, and run",
    );
    expect(project.has("src/assistant.ts")).toBe(false);
  });

  it("init keeps an existing tsconfig.json", async () => {
    const project = new Project({ "tsconfig.json": "{}" });
    await project.run("init --example research");
    expect(project.read("tsconfig.json")).toBe("{}");
  });

  it.each([
    [["--spec", "0.3.0"], "the example model requires A2A 1.0.1, not A2A 0.3.0. Use --spec 1.0"],
    [
      ["--targets", "client,jsonrpc"],
      "the example model requires kit/index.ts, server/node.ts in the output",
    ],
  ])("init refuses an example for which the output is not suitable: %j", async (args, message) => {
    const project = new Project();
    expect(await project.refusal("init --example model", args)).toContain(message);
    expect(project.has("src")).toBe(false);
  });
});
