import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { libraryName } from "../core/library.js";
import { createOnce } from "../output/replace.js";
import { prepareUserFile, readUserFile } from "../output/user-file.js";
import { packageFolder } from "../support/package-folder.js";
import { isLink } from "../support/real-path.js";
import { hasLibrary } from "./runtime-choice.js";

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
 * Writes the instructions for coding agents: a section of AGENTS.md, and a skill. Existing text of the user is kept.
 * Symbolic links are not followed, because they may lead out of the project.
 *
 * @throws InputError if AGENTS.md is not UTF-8, or is read-only
 */
export function writeAgentsFiles(cwd: string, paths: ProjectPaths): AgentsFile[] {
  // Without the package in the project, `npx a2a` would download a different package, whose name is `a2a`.
  const a2a = hasLibrary(cwd) ? "npx a2a" : `npx -p ${libraryName} a2a`;
  return [writeSection(cwd, textOf("AGENTS.md", paths, a2a)), writeSkill(cwd, textOf("SKILL.md", paths, a2a))];
}

function writeSection(cwd: string, section: string): AgentsFile {
  const path = join(cwd, agentsPath);
  const marked = `${start}\n\n${section}\n${end}\n`;
  if (isLink(path)) return { path: agentsPath, state: "unchanged", reason: "it is a symbolic link" };
  if (createOnce(path, marked)) return { path: agentsPath, state: "created" };
  const before = readUserFile(path, agentsPath);
  if (before.includes(start)) return { path: agentsPath, state: "unchanged", reason: "it has the section already" };
  const separator = before === "" || before.endsWith("\n\n") ? "" : before.endsWith("\n") ? "\n" : "\n\n";
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
    if (isLink(folder)) return { path: skillPath, state: "unchanged", reason: "its path has a symbolic link" };
  }
  createOnce(path, text);
  return { path: skillPath, state: "created" };
}

/** Reads a text file of the package, and inserts the paths of the project and the command that starts `a2a`. */
function textOf(name: string, { out, agent, agentImport, extension }: ProjectPaths, a2a: string): string {
  const values: Readonly<Record<string, string>> = { out, agent, import: agentImport, extension, a2a };
  const text = readFileSync(join(packageFolder, "templates", "project", name), "utf8");
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, key: string) => values[key] ?? "");
}
