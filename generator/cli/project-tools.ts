import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isLink } from "../../support/real-path.js";

interface Tool {
  /** Files whose presence shows that a project uses the tool. */
  readonly files: readonly string[];
  readonly advice: (out: string) => string;
}

const tools: readonly Tool[] = [
  {
    files: ["eslint.config.js", "eslint.config.mjs", "eslint.config.ts"],
    advice: (out) =>
      `ESLint: add { ignores: ["${out}/**"] } to the configuration, unless it should lint the ` +
      "output",
  },
  {
    files: [
      ".prettierrc",
      ".prettierrc.json",
      ".prettierrc.yaml",
      "prettier.config.js",
      "prettier.config.mjs",
    ],
    advice: (out) => `Prettier: add ${out}/ to .prettierignore, unless it should format the output`,
  },
  {
    files: ["biome.json", "biome.jsonc"],
    advice: (out) => `Biome: add "!${out}" to "files.includes", unless it should check the output`,
  },
];

/**
 * Returns the settings that the project's linters and formatters require for the output folder,
 * with one line for each tool.
 */
export function toolAdvice(cwd: string, out: string): string[] {
  return tools.flatMap(({ files, advice }) =>
    files.some((file) => existsSync(join(cwd, file))) ? [advice(out)] : [],
  );
}

/**
 * Packages that are required to compile the output: the compiler, and the platform types that its
 * Node modules use.
 */
const compiler = ["typescript", "@types/node"];

/**
 * Returns the compiler packages that are neither installed nor listed in a `package.json`, in the
 * folder and in its parents.
 */
export function missingCompiler(folder: string): string[] {
  const described = join(folder, "package.json");
  const text = existsSync(described) ? readFileSync(described, "utf8") : "";
  const isThere = (name: string): boolean =>
    text.includes(`"${name}"`) || existsSync(join(folder, "node_modules", name, "package.json"));
  const missing = compiler.filter((name) => !isThere(name));
  const above = dirname(folder);
  return above === folder || missing.length === 0
    ? missing
    : missingCompiler(above).filter((name) => missing.includes(name));
}

/** Returns the line that explains how to install the missing packages. */
export function compilerAdvice(missing: readonly string[]): string[] {
  if (missing.length === 0) return [];
  const [all, them] = [missing.join(" "), missing.join(" and ")];
  return [`Compiling the output requires ${them}: npm install --save-dev ${all}`];
}

/**
 * Appends a rule to the `.gitattributes` of the repository that marks the output folder as
 * generated. Returns whether the file was changed; without a repository nothing is written.
 */
export function markGenerated(cwd: string, out: string): boolean {
  if (!existsSync(join(cwd, ".git"))) return false;
  const path = join(cwd, ".gitattributes");
  // Git does not follow a symbolic link here, so a rule that is written through a link would have
  // no effect.
  if (isLink(path)) return false;
  const line = `${out}/** linguist-generated`;
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  if (text.split(/\r?\n/).some((entry) => entry.startsWith(`${out}/**`))) return false;
  appendFileSync(path, `${text === "" || text.endsWith("\n") ? "" : "\n"}${line}\n`);
  return true;
}
