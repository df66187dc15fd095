import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, posix } from "node:path";
import { writeAtomically } from "../output/replace.js";
import { InputError } from "../../support/diagnostics.js";
import { packageFolder } from "../../support/package-folder.js";
import { importPath } from "./settings.js";

/** Example that `init` can write, from a folder of `examples/`. */
interface Example {
  readonly folder: string;
  /** Name of the agent's file in this folder. */
  readonly agent: string;
  /** Name of the agent's file in a project, if it differs. */
  readonly agentName?: string;
  /** Other files to write to the folder of the agent. */
  readonly sources: readonly string[];
  /** Files to write to the folder of the project. */
  readonly assets: readonly string[];
  /** Packages that the example imports, in addition to the library. */
  readonly packages?: readonly string[];
  /** Commands that start the agent, if it is not a program for Node. */
  readonly start?: readonly string[];
}

const examples = {
  research: {
    folder: "research-agent",
    agent: "main.ts",
    agentName: "agent.ts",
    sources: ["client.ts"],
    assets: [],
  },
  model: {
    folder: "model",
    agent: "assistant.ts",
    sources: ["model.ts", "assistant-client.ts"],
    assets: [],
  },
  orchestrator: {
    folder: "orchestrator",
    agent: "orchestrator.ts",
    sources: ["specialists.ts", "orchestrator-client.ts"],
    assets: [],
  },
  "ai-sdk": {
    folder: "ai-sdk",
    agent: "clerk.ts",
    sources: ["clerk-model.ts", "clerk-client.ts"],
    assets: [],
    packages: ["ai@7", "zod"],
  },
  langgraph: {
    folder: "langgraph",
    agent: "travel.ts",
    sources: ["travel-graph.ts", "travel-client.ts"],
    assets: [],
    packages: ["@langchain/langgraph", "@langchain/core"],
  },
  browser: {
    folder: "browser",
    agent: "page-server.ts",
    sources: ["page.ts"],
    assets: ["page.html"],
  },
  cloudflare: {
    folder: "cloudflare",
    agent: "worker.ts",
    sources: [],
    assets: ["wrangler.jsonc"],
    start: ["npm install --save-dev wrangler", "npx tsc --noEmit", "npx wrangler dev"],
  },
} as const satisfies Readonly<Record<string, Example>>;

/** Name of an example. */
export type ExampleName = keyof typeof examples;

/** Names of the examples. */
export const exampleNames = Object.keys(examples) as readonly ExampleName[];

/** Returns the default name of the file with an example's agent in a project. */
export function agentNameOf(name: ExampleName): string {
  const { agent, agentName = agent }: Example = examples[name];
  return agentName;
}

/** Settings of the project that the code of an example depends on. */
export interface ExampleProject {
  readonly cwd: string;
  /** Path of the agent, relative to `cwd`. */
  readonly agent: string;
  /** Output folder, relative to `cwd`. */
  readonly out: string;
  /** Extension of imports: `.js`, `.ts`, or an empty string. */
  readonly extension: string;
}

/**
 * Matches the specifiers with which examples import an output in the repository. Captures its
 * version and the module.
 */
const exampleOutput = /"\.\.\/\.\.\/generated\/([^/"]+)\/([^"]+)\.js"/g;

/** File of an example: its text, and its path relative to the project. */
export interface ExampleFile {
  readonly path: string;
  readonly text: string;
}

/**
 * Returns the files of an example for a project.
 *
 * @throws InputError if one of the files already exists with other content
 */
export function exampleFiles(name: ExampleName, project: ExampleProject): ExampleFile[] {
  const { folder, agent, agentName = agent, sources, assets }: Example = examples[name];
  const beside = (file: string): string => posix.join(posix.dirname(project.agent), file);
  const placed: readonly (readonly [string, string])[] = [
    [agent, project.agent],
    ...sources.map((file) => [file, beside(file)] as const),
    ...assets.map((file) => [file, file] as const),
  ];
  const files = placed.map(([file, path]) => {
    const text = readFileSync(join(packageFolder, "examples", folder, file), "utf8");
    // Assets name the agent by its default path.
    const placedText = text.replaceAll(`"src/${agentName}"`, JSON.stringify(project.agent));
    return { path, text: withImports(placedText, project) };
  });
  const changed = files.filter(({ path, text }) => {
    const present = join(project.cwd, path);
    return existsSync(present) && readFileSync(present, "utf8") !== text;
  });
  if (changed.length === 0) return files;
  const message = "the file already exists, and differs from the file of the example";
  const hint = "Remove the file, or choose another folder with --agent";
  throw new InputError(...changed.map(({ path: file }) => ({ location: { file }, message, hint })));
}

/** Replaces the imports from the repository with imports from the project's output. */
function withImports(text: string, { cwd, agent, out, extension }: ExampleProject): string {
  const prefix = importPath(join(cwd, agent), join(cwd, out));
  return text
    .replaceAll(exampleOutput, (_, _version, module: string) => `"${prefix}/${module}${extension}"`)
    .replaceAll(/(from "\.\/[^/"]+)\.js"/g, `$1${extension}"`);
}

/**
 * Throws an `InputError` if an output is of another version than an example, or does not contain
 * the modules that the example imports. `title` is the title of the output's specification, and
 * `has` returns whether the output contains a file. `titleOf` returns the title of a version.
 * `hint` explains how to add missing modules.
 */
export function checkExample(
  name: ExampleName,
  output: { readonly title: string; readonly has: (file: string) => boolean },
  titleOf: (version: string) => string,
  hint = "Leave out --targets",
): void {
  const { folder, agent, sources }: Example = examples[name];
  const texts = [agent, ...sources].map((file) =>
    readFileSync(join(packageFolder, "examples", folder, file), "utf8"),
  );
  const imports = texts.flatMap((text) => [...text.matchAll(exampleOutput)]);
  const version = imports[0]?.[1] ?? "";
  if (titleOf(version) !== output.title) {
    const message = `the example ${name} requires ${titleOf(version)}, not ${output.title}`;
    throw new InputError({ message, hint: `Use --spec ${version}, or leave out --example` });
  }
  const missing = [...new Set(imports.map(([, , module = ""]) => `${module}.ts`))].filter(
    (file) => !output.has(file),
  );
  if (missing.length === 0) return;
  throw new InputError({
    message: `the example ${name} requires ${missing.join(", ")} in the output`,
    hint,
  });
}

/**
 * Writes the files of an example, and a `tsconfig.json` if the project does not have one. Returns
 * the paths of all files.
 */
export function writeExample(
  files: readonly ExampleFile[],
  { cwd, agent, extension }: ExampleProject,
): string[] {
  for (const { path, text } of files) writeAtomically(join(cwd, path), text);
  const paths = files.map(({ path }) => path);
  if (existsSync(join(cwd, "tsconfig.json"))) return paths;
  const sources = dirname(agent);
  const compilerOptions = {
    target: "ES2022",
    module: "NodeNext",
    types: ["node"],
    strict: true,
    // Declarations of other packages, such as the AI SDK, may import packages without types.
    skipLibCheck: true,
    rootDir: sources,
    outDir: "dist",
    ...(extension === ".ts" && { rewriteRelativeImportExtensions: true }),
  };
  const config = { compilerOptions, include: [sources] };
  writeAtomically(join(cwd, "tsconfig.json"), `${JSON.stringify(config, null, 2)}\n`);
  return [...paths, "tsconfig.json"];
}

/** Returns the commands that start an example in a project, in order. */
export function startCommands(name: ExampleName, { cwd, agent }: ExampleProject): string[] {
  const { sources, packages = [], start }: Example = examples[name];
  const described = join(cwd, "package.json");
  const isModule =
    existsSync(described) && /"type"\s*:\s*"module"/.test(readFileSync(described, "utf8"));
  const folder = posix.dirname(agent);
  const bundle =
    `npx esbuild ${posix.join(folder, "page.ts")} --bundle --format=esm ` +
    "--outfile=dist/public/page.js";
  const setUp = isModule ? [] : ["npm pkg set type=module"];
  if (start !== undefined) return [...setUp, ...start];
  return [
    ...setUp,
    ...(packages.length > 0 ? [`npm install ${packages.join(" ")}`] : []),
    ...(sources.includes("page.ts") ? ["npm install --save-dev esbuild"] : []),
    "npx tsc",
    ...(sources.includes("page.ts") ? [bundle] : []),
    `node dist/${basename(agent).replace(/ts$/, "js")}`,
    ...sources
      .filter((file) => file.endsWith("client.ts"))
      .map((file) => `node dist/${file.replace(/ts$/, "js")}`),
  ];
}
