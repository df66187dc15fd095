import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ESLint } from "eslint";
import { packageFolder } from "../../support/package-folder.js";

/** The rules as a project of a user has them that extends the preset and nothing else. */
const config = `import tseslint from "typescript-eslint";

export default tseslint.config({
  files: ["**/*.ts"],
  extends: [tseslint.configs.strictTypeChecked],
  languageOptions: {
    parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
  },
});
`;

/**
 * Lints files of a project by `strictTypeChecked` of typescript-eslint, in a process of its own,
 * and returns the findings. The paths are relative to the project.
 */
export async function lintStrictly(folder: string, paths: readonly string[]): Promise<string[]> {
  const configFile = join(folder, "strict.config.mjs");
  writeFileSync(configFile, config);
  const program = join(packageFolder, "node_modules", "eslint", "bin", "eslint.js");
  const args = [program, "--no-ignore", "--config", configFile, "--format", "json", ...paths];
  const run = promisify(execFile)(process.execPath, args, { cwd: folder, maxBuffer: 1 << 26 });
  // ESLint exits with code 1 if it finds something, and still prints the report.
  const { stdout } = await run.catch((error: unknown) => error as { readonly stdout: string });
  const results = JSON.parse(stdout) as ESLint.LintResult[];
  return results.flatMap(({ filePath, messages }) =>
    messages.map(
      ({ line, ruleId, message }) =>
        `${filePath.slice(folder.length + 1)}:${line} ${ruleId ?? ""} ${message}`,
    ),
  );
}
