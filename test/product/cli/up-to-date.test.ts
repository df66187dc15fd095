import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import budget from "../../../bench/budget.json" with { type: "json" };
import type * as upToDate from "../../../generator/cli/up-to-date.js";
import { bundledDigest, bundledDigests } from "../../../generator/input/bundled-digests.js";
import { packageFolder } from "../../../support/package-folder.js";
import { Random, seedOf } from "../../support/random/random.js";
import { seed } from "../../support/seed.js";
import { cli, Project, smallProto } from "./command.js";

/** The built module for runs without changes. */
const { runIfCurrent } = createRequire(import.meta.url)(
  join(dirname(cli), "up-to-date.cjs"),
) as typeof upToDate;

const config = "a2a-codegen.config.json";

/** Writes a project with bundled specifications, and a link to the library. */
function bundledProject(): Project {
  const project = new Project({
    [config]: JSON.stringify({
      spec: "1.0",
      versions: ["0.3.0"],
      targets: ["server", "jsonrpc"],
      agent: "src/agent.ts",
      runtime: "package",
    }),
    "package.json": '{ "type": "module", "dependencies": { "a2a-codegen-runtime": "^0.1.0" } }',
  });
  mkdirSync(project.path("node_modules"));
  symlinkSync(join(packageFolder, "library"), project.path("node_modules/a2a-codegen-runtime"));
  return project;
}

/** Writes a project with local inputs of every kind. */
function localProject(): Project {
  return new Project({
    [config]: JSON.stringify({
      spec: "protos/small.proto",
      protoPaths: ["protos"],
      targets: ["models", "validators"],
      templates: "templates",
      out: "src/a2a",
    }),
    "protos/small.proto": smallProto.replace(
      "// A note.",
      'import "other.proto";\n// A note.\nmessage Uses { Other other = 1; }\n',
    ),
    "protos/other.proto":
      'syntax = "proto3";\npackage small;\nmessage Other { string name = 1; }\n',
    "templates/index.hbs": "{{header}}\nexport const mine = true;\n",
  });
}

type Mutation = (project: Project, random: Random) => void;

const out = "src/a2a";
const lockPath = `${out}/a2a-codegen.lock.json`;

/** Returns a mutation that changes the text of a file, if it exists. */
function edit(path: string, change: (text: string, random: Random) => string): Mutation {
  return (project, random) => {
    if (project.has(path)) project.write({ [path]: change(project.read(path), random) });
  };
}

/** Returns a mutation that changes the JSON object in a file, unless it is invalid. */
function editJson(
  path: string,
  change: (value: Record<string, unknown>, random: Random) => void,
): Mutation {
  return edit(path, (text, random) => {
    try {
      const value = JSON.parse(text) as Record<string, unknown>;
      change(value, random);
      return JSON.stringify(value);
    } catch {
      return text;
    }
  });
}

const remove =
  (path: string): Mutation =>
  (project) =>
    rmSync(project.path(path), { recursive: true, force: true });

const add =
  (path: string, text: string): Mutation =>
  (project) =>
    project.write({ [path]: text });

/** Returns a mutation of one of the generated files. */
function editOutput(change: (path: string, project: Project) => void): Mutation {
  return (project, random) => {
    const paths = Object.keys(project.files(out)).filter((path) => path.endsWith(".ts"));
    if (paths.length > 0) change(`${out}/${random.pick(paths)}`, project);
  };
}

const withText = (change: (text: string) => string): Mutation =>
  editOutput((path, project) => project.write({ [path]: change(project.read(path)) }));

const mutations: readonly Mutation[] = [
  () => undefined,
  // The output.
  withText((text) => `${text}export const edited = true;\n`),
  withText((text) => text.replaceAll("\n", "\r\n")),
  withText((text) => text.replaceAll("  ", "\t")),
  withText((text) => text.replace(/export (?=\w)/, "")),
  withText(() => ""),
  editOutput((path, project) => rmSync(project.path(path))),
  editOutput((path, project) => {
    rmSync(project.path(path));
    mkdirSync(project.path(path));
  }),
  editOutput((path, project) => {
    renameSync(project.path(path), project.path("moved.ts"));
    symlinkSync(project.path("moved.ts"), project.path(path));
  }),
  editOutput((path, project) => {
    const bytes = Buffer.concat([readFileSync(project.path(path)), Buffer.from([0xff, 0x0a])]);
    writeFileSync(project.path(path), bytes);
  }),
  add(`${out}/extra.ts`, "export {};\n"),
  add(`${out}/notes.md`, "notes\n"),
  remove(out),
  (project) => {
    // The folder may be a link already, because steps occur more than once.
    if (!project.has(out) || project.has("elsewhere")) return;
    cpSync(project.path(out), project.path("elsewhere"), { recursive: true });
    rmSync(project.path(out), { recursive: true });
    symlinkSync(project.path("elsewhere"), project.path(out));
  },
  (project) => {
    if (project.has(out)) renameSync(project.path(out), project.path("src/.a2a.a2a-codegen-old.1"));
  },
  (project) => {
    if (project.has(out) && process.getuid?.() !== 0) chmodSync(project.path(out), 0o555);
  },
  // The lock file.
  remove(lockPath),
  edit(lockPath, (text) => text.slice(0, -20)),
  edit(lockPath, () => "[]"),
  editJson(lockPath, (lock, random) => {
    const key = random.pick(Object.keys(lock));
    lock[key] = random.pick<unknown>([undefined, "other", {}, 2, lock[key]]);
  }),
  editJson(lockPath, (lock) => (lock["generator"] = "9.0.0")),
  editJson(lockPath, (lock) => (lock["lockVersion"] = 2)),
  editJson(lockPath, (lock, random) => {
    const files = lock["files"] as Record<string, string>;
    const path = random.pick(Object.keys(files));
    if (random.oneIn(2)) files[path] = "0".repeat(64);
    else Reflect.deleteProperty(files, path);
  }),
  editJson(lockPath, (lock) => {
    (lock["files"] as Record<string, string>)["../outside.ts"] = "0".repeat(64);
  }),
  // The configuration.
  remove(config),
  edit(config, (text) => `// a comment\n${text}`),
  edit(config, (text) => text.slice(0, -1)),
  (project) => {
    if (project.has(config)) renameSync(project.path(config), project.path(`${config}c`));
  },
  add("a2a-codegen.config.mjs", 'export default { spec: "1.0", targets: ["models"] };\n'),
  editJson(config, (value, random) => {
    const [key, entry] = random.pick<readonly [string, unknown]>([
      ["spec", "1.0.1"],
      ["spec", "1"],
      ["spec", "0.3.0"],
      ["spec", "missing.proto"],
      ["spec", ["1.0", "0.3.0"]],
      ["versions", []],
      ["out", "../outside"],
      ["out", "src/other"],
      ["out", "src\\a2a"],
      ["runtime", "copy"],
      ["runtime", "unknown-package"],
      ["targets", ["models"]],
      ["agent", "src/other.ts"],
      ["agent", `${out}/index.ts`],
      ["aliases", "all"],
      ["importExtension", "ts"],
      ["unknown", 1],
      ["manifest", "1.0"],
      ["extensions", ["missing.json"]],
      ["templates", "templates"],
    ]);
    value[key] = entry;
  }),
  // Other files of the project.
  remove("src/agent.ts"),
  (project) => {
    rmSync(project.path("src/agent.ts"), { force: true });
    mkdirSync(project.path("src/agent.ts"), { recursive: true });
  },
  edit("src/agent.ts", () => ""),
  remove("package.json"),
  add("package.json", "{"),
  add("package.json", '{ "type": "module" }'),
  add("package.json", '{ "workspaces": ["a"] }'),
  remove("node_modules"),
  (project) => {
    rmSync(project.path("node_modules"), { recursive: true, force: true });
    const library = "node_modules/a2a-codegen-runtime/package.json";
    project.write({ [library]: '{ "version": "9.0.0", "outputForms": [9, 9] }' });
  },
  // Local inputs.
  edit("protos/small.proto", (text) => `${text}message Added { string id = 1; }\n`),
  edit("protos/other.proto", (text) => text.replace("name", "title")),
  edit("protos/small.proto", () => "not a proto"),
  remove("protos/other.proto"),
  edit("templates/index.hbs", (text) => `${text}// changed\n`),
  add("templates/unknown.hbs", "nothing\n"),
  add("templates/notes.md", "notes\n"),
  remove("templates"),
];

const commandLines: readonly string[] = [
  ...Array.from({ length: 4 }, () => "generate"),
  ...Array.from({ length: 3 }, () => "generate --check"),
  "generate --dry-run",
  "generate --json",
  "generate --check --json",
  "generate --force",
  "generate --verbose",
  "generate --runtime copy",
  "generate --spec 1.0",
  "generate --spec all",
  `generate --out ${out}`,
  "generate --targets models",
  "generate --agent src/agent.ts",
  "generate --config missing.json",
  "generate --check --force",
  "generate --no-check",
  "generate --unknown",
  "generate extra",
  "--json generate",
  "generate --help",
  "generate --version",
  "generate --watch --json",
];

/** Replaces the durations in the output of a run, which differ each time. */
function withoutTimes(text: string): string {
  return text.replace(/\d+(?:\.\d+)?(?:e-\d+)? s\b/g, "0 s").replace(/"seconds": [\d.e-]+/, "0");
}

/** A folder that all cases of a project begin with. */
async function generated(project: Project): Promise<Project> {
  await project.succeed("generate");
  await project.succeed("generate --check");
  return project;
}

describe("the module for runs without changes", () => {
  const starts = new Map<string, Project>();
  beforeAll(async () => {
    starts.set("bundled", await generated(bundledProject()));
    starts.set("local", await generated(localProject()));
  });

  it.each([
    ["bundled", 60],
    ["local", 300],
  ] as const)(
    "the module only answers if the whole program prints the same and changes nothing: %s inputs",
    { timeout: 300_000 },
    async (name, cases) => {
      const start = starts.get(name);
      if (start === undefined) throw new Error("The project is missing");
      let answers = 0;
      for (let index = 0; index < cases; index += 1) {
        const random = new Random(seedOf(seed, name, index));
        const project = new Project();
        rmSync(project.folder, { recursive: true });
        cpSync(start.folder, project.folder, { recursive: true, verbatimSymlinks: true });
        for (const mutate of random.list(2, () => random.pick(mutations))) mutate(project, random);
        const words = random.pick(commandLines);
        const before = project.files();
        const quick = await runIfCurrent(words.split(" "), project.folder);
        if (quick === undefined) continue;
        answers += 1;
        const after = project.files();
        const { code, stdout, stderr } = await project.run(words);
        const context = `seed ${seed}, case ${index}: ${words}`;
        expect([quick.code, withoutTimes(quick.text), ""], context).toEqual([
          code,
          withoutTimes(stdout),
          stderr,
        ]);
        // A run restores the output of a run that was interrupted.
        if (!project.has("src/.a2a.a2a-codegen-old.1") && existsSync(project.path(out)))
          expect(project.files(), context).toEqual(after);
        if (before[lockPath] !== undefined) expect(after, context).toEqual(before);
      }
      expect(answers).toBeGreaterThan(cases / 10);
    },
  );

  it.each(["generate", "generate --check", "generate --json", "--json generate --check"])(
    "the module answers `%s` if nothing has changed",
    async (words) => {
      for (const [, project] of starts)
        expect((await runIfCurrent(words.split(" "), project.folder))?.code).toBe(0);
    },
  );

  it("the module does not answer for another version of the package", async () => {
    const project = starts.get("bundled");
    const copy = new Project();
    for (const path of ["spec", "advisories.json", "dist/generator/cli"])
      cpSync(join(packageFolder, path), copy.path(path), { recursive: true });
    const run = async (version: string) => {
      copy.write({ "package.json": JSON.stringify({ name: "a2a-codegen", version }) });
      const load = createRequire(import.meta.url);
      const path = copy.path("dist/generator/cli/up-to-date.cjs");
      Reflect.deleteProperty(load.cache, path);
      const module = load(path) as typeof upToDate;
      return await module.runIfCurrent(["generate"], project?.folder ?? "");
    };
    const { version } = JSON.parse(
      readFileSync(join(packageFolder, "package.json"), "utf8"),
    ) as Record<string, string>;
    expect((await run(version ?? ""))?.code).toBe(0);
    for (const other of ["0.0.1", "99.0.0"]) expect(await run(other)).toBeUndefined();
  });
});

describe("the first file of the command line", () => {
  it.each([[[]], [["--help"]], [["-h"]], [["help"]]])(
    "the first file prints the help of the whole program: %j",
    async (words: readonly string[]) => {
      const project = new Project();
      for (const env of [{}, { COLUMNS: "40", LANG: "de_DE.UTF-8", FORCE_COLOR: "1" }]) {
        const { stdout, code } = await project.spawn(words, "", env);
        expect([code, stdout]).toEqual([0, (await project.run(words)).stdout]);
      }
    },
  );

  it("a run without changes loads no more modules and bytes than bench/budget.json allows", async () => {
    const project = await generated(bundledProject());
    const { stdout, stderr, code } = await project.spawn(["generate"], "", {
      NODE_DEBUG: "module,esm",
    });
    expect([code, stdout]).toEqual([0, expect.stringContaining("up to date")]);
    const loaded = [...stderr.matchAll(/load "([^"]*)" for module/g)].map(([, path = ""]) => path);
    expect(loaded.map((path) => basename(path))).toEqual(budget.start.modules);
    const bytes = loaded.reduce((sum, path) => sum + statSync(path).size, 0);
    expect(bytes).toBeLessThanOrEqual(budget.start.bytes);
    expect(stderr).not.toContain("run.js");
  });
});

describe("the digests of bundled specifications", () => {
  it("the build contains the digests of the sources", () => {
    const text = readFileSync(join(dirname(cli), "up-to-date.cjs"), "utf8");
    for (const [name, { hash }] of bundledDigests()) expect(text, name).toContain(hash);
  });

  it("a name that selects no bundled specification has no digest", () => {
    expect(["2.0", "a2a.proto", ""].map(bundledDigest)).toEqual([undefined, undefined, undefined]);
  });
});
