import { existsSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { generatorName } from "../core/package-names.js";
import { isListed } from "../output/package.js";
import { createOnce } from "../output/replace.js";
import { prepareUserFile, readUserFile } from "../output/user-file.js";
import { packageFolder } from "../../support/package-folder.js";
import { withSlashes } from "../../support/paths.js";
import { isLink } from "../../support/real-path.js";
import { agentCommands } from "./agent-commands.js";

/** Paths that the instructions for coding agents contain. */
export interface ProjectPaths {
  readonly out: string;
  readonly agent: string;
  /** Path from the agent to the output folder, as in imports: `./a2a`. */
  readonly agentImport: string;
  /** Extension of imports: `.js`, `.ts`, or an empty string. */
  readonly extension: string;
}

/** File for coding agents, and the change that was made to it. */
export interface AgentsFile {
  readonly path: string;
  readonly state: "created" | "extended" | "unchanged";
  /** Reason why the file is unchanged. */
  readonly reason?: string;
}

const start = "<!-- a2a-codegen: start -->";
const end = "<!-- a2a-codegen: end -->";

/** Paths of the files for coding agents. */
const agentsPath = "AGENTS.md";
const skillPath = join(".agents", "skills", "a2a-agent", "SKILL.md");

/**
 * Writes the instructions for coding agents: a section of AGENTS.md, and a skill. Existing text of
 * the user is kept. Symbolic links are not followed, because they may lead out of the project.
 *
 * @throws InputError if AGENTS.md is not UTF-8, or is read-only
 */
export function writeAgentsFiles(cwd: string, paths: ProjectPaths): AgentsFile[] {
  // Without the package in the project, `npx a2a` would download a different package, whose name is
  // `a2a`.
  const a2a = isListed(generatorName, cwd) ? "npx a2a" : `npx -p ${generatorName} a2a`;
  const values = { ...valuesOf(cwd, paths), a2a };
  const textIn = (name: string): string => textOf(name, values, join(cwd, paths.out));
  return [writeSection(cwd, textIn("AGENTS.md")), writeSkill(cwd, textIn("SKILL.md"))];
}

function writeSection(cwd: string, section: string): AgentsFile {
  const path = join(cwd, agentsPath);
  const marked = `${start}\n\n${section}\n${end}\n`;
  if (isLink(path))
    return { path: agentsPath, state: "unchanged", reason: "it is a symbolic link" };
  if (createOnce(path, marked)) return { path: agentsPath, state: "created" };
  const before = readUserFile(path, agentsPath);
  if (before.includes(start))
    return { path: agentsPath, state: "unchanged", reason: "it has the section already" };
  const separator =
    before === "" || before.endsWith("\n\n") ? "" : before.endsWith("\n") ? "\n" : "\n\n";
  const change = prepareUserFile(path, agentsPath, before, before + separator + marked);
  try {
    change.commit();
  } finally {
    change.close();
  }
  return { path: agentsPath, state: "extended" };
}

function writeSkill(cwd: string, text: string): AgentsFile {
  const path = join(cwd, skillPath);
  if (existsSync(path)) return { path: skillPath, state: "unchanged", reason: "it exists already" };
  for (let folder = path; folder !== cwd; folder = dirname(folder)) {
    if (isLink(folder))
      return { path: skillPath, state: "unchanged", reason: "its path has a symbolic link" };
  }
  createOnce(path, text);
  return { path: skillPath, state: "created" };
}

type Values = Readonly<Record<string, string>>;

/** Returns the paths and the commands of a project that the texts contain. */
function valuesOf(cwd: string, { out, agent, agentImport, extension }: ProjectPaths): Values {
  const folder = posix.join(posix.dirname(withSlashes(agent)), "/").replace(/^\.\/$/, "");
  const files = [agent, `${folder}turn.test.ts`];
  const [build, serve = ""] = agentCommands({ cwd, out, agent, extension }, files);
  const started = serve.replace(/^node /, "");
  const tested = posix.join(posix.dirname(started), "turn.test.js");
  const commands =
    build === undefined
      ? {
          build: "as your bundler or framework does",
          serve: "as your framework does",
          test: "with your test runner",
        }
      : { build: `\`${build}\``, serve: `\`${serve}\``, test: `\`node --test ${tested}\`` };
  return { out, agent, folder, import: agentImport, extension, ...commands };
}

/** A row of a table about a module of the output. */
const moduleRow = /^\| `\{\{out\}\}\/([\w./-]+)`/;

/**
 * Reads a text of the package, and inserts values. Omits rows about modules that the output does
 * not contain.
 */
function textOf(name: string, values: Values, out: string): string {
  const text = readFileSync(join(packageFolder, "templates", "project", name), "utf8");
  const lines = text.split("\n").filter((line) => {
    const [, module] = moduleRow.exec(line) ?? [];
    return module === undefined || existsSync(join(out, module));
  });
  return lines.join("\n").replaceAll(/\{\{(\w+)\}\}/g, (_, key: string) => values[key] ?? "");
}
