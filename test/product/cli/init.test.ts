import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Project, smallProto } from "./command.js";
import { runInProcess } from "./in-process.js";
import { askForSettings } from "../../../generator/cli/questions.js";

describe("init", () => {
  it("init writes a configuration, the output and the agent skeleton, without questions if no terminal is attached", async () => {
    const project = new Project();
    const stdout = await project.succeed("init");
    expect(stdout).toContain(
      "a2a-codegen.config.json written\nThe output imports a2a-codegen-runtime; package.json now has a2a-codegen-runtime in dependencies and a2a-codegen in devDependencies: run `npm install`\nA2A 1.0.1 → src/a2a",
    );
    expect(stdout).toContain("src/agent.ts created; it is yours to edit");
    expect(stdout).toMatch(
      /\nNext, edit src\/agent\.ts, and start it:\n {2}npx tsc src\/agent\.ts .*--rootDir src --outDir dist\n {2}node dist\/agent\.js\n/,
    );
    expect(JSON.parse(project.read("a2a-codegen.config.json"))).toEqual({
      $schema: "./node_modules/a2a-codegen/config.schema.json",
      spec: "1.0",
      out: "src/a2a",
      agent: "src/agent.ts",
      runtime: "package",
    });
    expect(Object.keys(project.files("src"))).toEqual(
      expect.arrayContaining(["a2a/index.ts", "agent.ts"]),
    );
  });

  it("init refuses the package as the runtime without a package.json, which would list it", async () => {
    const project = new Project();
    rmSync(project.path("package.json"));
    expect(await project.refusal("init --yes --runtime package")).toContain(
      '"a2a-codegen-runtime", which the output would import, is not installed',
    );
    expect(Object.keys(project.files())).toEqual([]);
  });

  it.each(["init --yes", "init --yes --runtime copy", "generate --targets models"])(
    "%s refuses an invalid package.json with its location, and writes nothing",
    async (command) => {
      const project = new Project({ "package.json": '{\n  "name": x\n}' });
      expect(await project.refusal(command)).toMatch(
        /^\S*package\.json:2:11: the file is not valid JSON: .*\. Correct it\.\n$/,
      );
      expect(Object.keys(project.files())).toEqual(["package.json"]);
    },
  );

  it("init calls packages optional unless the user has chosen the targets that import them", async () => {
    const packages = "packages that are not installed: npm install @grpc/grpc-js";
    expect(await new Project().succeed("init --yes")).toContain(
      `\n  optional modules of the output import ${packages}\n`,
    );
    expect(await new Project().succeed("init --yes --targets client,grpc")).toContain(
      `\n  the output imports ${packages}\n`,
    );
  });

  it("generate reads the dependencies in a package.json with a byte order mark", async () => {
    const dependencies = { "a2a-codegen-runtime": "^0.1.0" };
    const text = `\uFEFF${JSON.stringify({ type: "module", dependencies })}`;
    const project = new Project({ "package.json": text });
    expect(await project.succeed("generate --targets models,validators")).not.toContain(
      "not installed",
    );
    expect(project.read("src/a2a/validators/agent-card.ts")).toContain(
      'from "a2a-codegen-runtime/',
    );
  });

  it.each([
    ["dependencies", "null"],
    ["dependencies", "[]"],
    ["dependencies", '"a"'],
    ["devDependencies", "3"],
  ])(
    "init refuses a package.json with the %s %s before it writes anything",
    async (name, value) => {
      const project = new Project({ "package.json": `{ "${name}": ${value} }` });
      expect(await project.refusal("init --yes --targets models")).toBe(
        `package.json: "${name}" is not an object, so it cannot list the packages of the output. Remove "${name}", or change it to an object with the version of each package.\n`,
      );
      expect(Object.keys(project.files())).toEqual(["package.json"]);
    },
  );

  it("init also lists the library if the option runtime names it", async () => {
    const project = new Project();
    await project.succeed("init --yes --targets models --runtime a2a-codegen-runtime");
    expect(project.read("package.json")).toContain('"a2a-codegen-runtime": "^');
  });

  it("init names the package.json in a folder above by its path", async () => {
    const project = new Project({ "packages/one/x.txt": "" });
    const { stdout } = await runInProcess(
      ["init", "--targets", "models"],
      project.path("packages/one"),
    );
    expect(stdout).toContain(
      `; ${join("..", "..", "package.json")} now has a2a-codegen-runtime in`,
    );
  });

  it("init writes the flags into the configuration", async () => {
    const project = new Project({ "a.proto": smallProto });
    const flags = [
      "--spec",
      "a.proto",
      "--out",
      "lib",
      "--agent",
      "x.ts",
      "--targets",
      "models, protobuf",
    ];
    await project.succeed("init", flags, "--import-extension ts");
    expect(JSON.parse(project.read("a2a-codegen.config.json"))).toEqual({
      $schema: "./node_modules/a2a-codegen/config.schema.json",
      spec: "a.proto",
      out: "lib",
      agent: "x.ts",
      targets: ["models", "protobuf"],
      runtime: "package",
      importExtension: "ts",
    });
    expect((await project.run("generate")).stdout).toContain("a.proto → lib: up to date");
  });

  it.each([[["--targets", "models"]], [["--spec", "a.proto"]]])(
    "init suggests no agent if the output has no server (%j)",
    async (flags) => {
      const project = new Project({ "a.proto": smallProto });
      const stdout = await project.succeed("init --yes", flags);
      expect(stdout).toMatch(
        /\n(?!Next)[^\n]*\nAfter a change of version, run `npx a2a-codegen generate`\n$/,
      );
      expect(JSON.parse(project.read("a2a-codegen.config.json"))).not.toHaveProperty("agent");
      expect(project.has("src/agent.ts")).toBe(false);
      expect((await project.run("generate")).stdout).toContain("up to date");
    },
  );

  it.each([
    ["{}", ["npx tsc", "node src/agent.js"]],
    [
      '{ "compilerOptions": { "rootDir": "src", "outDir": "dist" } }',
      ["npx tsc", "node dist/agent.js"],
    ],
    [
      '{ "compilerOptions": { "rootDir": ".", "outDir": "./build" } }',
      ["npx tsc", "node build/src/agent.js"],
    ],
    ['{ "compilerOptions": { "noEmit": true } }', []],
  ])(
    "init prints the commands that start the agent in a project with the tsconfig.json %s",
    async (config, commands) => {
      const project = new Project({ "tsconfig.json": config });
      const { stdout } = await project.run("init --yes");
      const next = commands.length === 0 ? "" : ", and start it:";
      const lines = [
        `Next, edit src/agent.ts${next}`,
        ...commands.map((command) => `  ${command}`),
      ];
      const last = "After a change of version, run `npx a2a-codegen generate`";
      expect(stdout.split("\n").slice(-lines.length - 2)).toEqual([...lines, last, ""]);
      expect(stdout).not.toContain("earlier versions");
    },
  );

  it("init --json prints one document", async () => {
    const { code, output } = await new Project().json("init --targets server");
    expect(code).toBe(0);
    expect(output).toMatchObject({
      ok: true,
      config: "a2a-codegen.config.json",
      agent: "src/agent.ts",
      out: "src/a2a",
    });
  });

  it("init repeats a question if the reply is invalid, and gives the reason", async () => {
    const project = new Project({ "a.proto": smallProto, "dir/file": "" });
    const answers = ["9.9", "a.proto", "dir/file", ".", "", "dir", "x.ts"];
    const [asked, refused]: [string[], string[]] = [[], []];
    const found = await askForSettings(
      {},
      { spec: "1.0", out: "src/a2a", agent: "src/agent.ts" },
      project.folder,
      {
        question: async (text) => {
          asked.push(text);
          return answers.shift() ?? "";
        },
        refuse: ({ message }) => void refused.push(message),
      },
    );
    expect(found).toEqual({ spec: "a.proto", out: "src/a2a", agent: "x.ts" });
    expect(asked.map((text) => text.split(/[ :]/)[0])).toEqual([
      "Version",
      "Version",
      "Output",
      "Output",
      "Output",
      "Program",
      "Program",
    ]);
    expect(refused.map((text) => text.split(". ")[0])).toEqual([
      expect.stringContaining('the specification "9.9" does not exist'),
      'the output folder "dir/file" is not a folder',
      'the output folder "." is the folder of a project',
      'the program "dir" is a folder',
    ]);
  });

  it("init says that an agent is ignored if the output has no server", async () => {
    const project = new Project();
    const args = ["init", "--agent", "src/mine.ts", "--targets", "client"];
    const line = "  the agent src/mine.ts is ignored: it requires the target server\n";
    expect((await project.run(args)).stdout).toContain(line);
    expect((await new Project().json(args)).output).toMatchObject({
      ignoredAgent: "src/mine.ts",
    });
    expect((await project.run("generate --targets models --agent src/mine.ts")).stdout).toContain(
      line,
    );
  });

  it("init lists what is required to compile, unless it is installed", async () => {
    const line = "Compiling the output requires typescript and @types/node: npm install --save-dev";
    const project = new Project();
    expect((await project.run("init --targets models")).stdout).toContain(line);
    project.write({
      "package.json": '{ "devDependencies": { "typescript": "*", "@types/node": "*" } }',
    });
    expect((await project.run("init --targets models --force")).stdout).not.toContain("Compiling");
  });

  it("init refers to the JSON Schema of the package in any installation", async () => {
    const project = new Project({
      "node_modules/a2a-codegen/config.schema.json": "{}",
      "packages/one/package.json": "{}",
    });
    const { code } = await runInProcess(
      ["init", "--targets", "models"],
      project.path("packages/one"),
    );
    expect(code).toBe(0);
    expect(JSON.parse(project.read("packages/one/a2a-codegen.config.json"))).toMatchObject({
      $schema: "../../node_modules/a2a-codegen/config.schema.json",
    });
  });

  it.each(["jsonc", "mjs", "ts"])(
    "init does not write a second configuration next to a configuration that ends in .%s",
    async (ending) => {
      const project = new Project({ [`a2a-codegen.config.${ending}`]: "" });
      for (const args of [["init"], ["init", "--force"]])
        expect(await project.run(args)).toEqual({
          code: 2,
          stdout: "",
          stderr: `a2a-codegen.config.${ending}: the project already has a configuration. Edit it and run \`a2a-codegen generate\`, or remove it and run this command again.\n`,
        });
    },
  );

  it("init does not replace a configuration", async () => {
    const config = '{ "spec": "1.0.0" }';
    const project = new Project({ "a2a-codegen.config.json": config });
    expect(await project.run("init")).toEqual({
      code: 2,
      stdout: "",
      stderr:
        "a2a-codegen.config.json: the project already has a configuration. Edit it and run `a2a-codegen generate`, or replace it with --force.\n",
    });
    expect(project.read("a2a-codegen.config.json")).toBe(config);
    expect(project.has("src")).toBe(false);
  });

  it("init --force replaces even an invalid configuration and takes nothing from it", async () => {
    const project = new Project({ "a2a-codegen.config.json": "{" });
    await project.succeed("init --force --targets models");
    expect(JSON.parse(project.read("a2a-codegen.config.json"))).toMatchObject({ spec: "1.0" });
  });

  it("init writes no configuration if the output cannot be generated", async () => {
    const project = new Project();
    expect((await project.run("init --spec 9.9")).code).toBe(2);
    expect(Object.keys(project.files())).toEqual(["package.json"]);
  });

  it("init marks the output as generated in a repository once, and says how to configure linters and formatters", async () => {
    const project = new Project({
      ".git/HEAD": "",
      ".gitattributes": "*.png binary",
      "biome.json": "{}",
    });
    const { stdout } = await project.run("init --targets models");
    expect(project.read(".gitattributes")).toBe("*.png binary\nsrc/a2a/** linguist-generated\n");
    expect(stdout).toContain('Biome: add "!src/a2a" to "files.includes"');
    await project.run("init --targets models --force");
    expect(project.read(".gitattributes")).toBe("*.png binary\nsrc/a2a/** linguist-generated\n");
  });
});
