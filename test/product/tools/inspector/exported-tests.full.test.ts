import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { ESLint } from "eslint";
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";
import { expect, it } from "vitest";
import { packageFolder } from "../../../../support/package-folder.js";
import { agentTest, callerTest } from "../../../../tools/agents/conversation/index.js";
import { strictest } from "../../docs/strictest.js";
import { hostileConversation, projectWith, scriptedConversation } from "./exporting.js";

it("exported tests compile with the strictest flags, and strictTypeChecked finds nothing", async () => {
  const conversations = { hostile: hostileConversation(), tea: await scriptedConversation() };
  const files = Object.entries(conversations).flatMap(([name, conversation]) => [
    [`${name}.test.ts`, agentTest(conversation)],
    [`${name}-caller.test.ts`, callerTest(conversation)],
  ]);
  const names = files.map(([name = ""]) => name);
  const compilerOptions = {
    ...{ strict: true, target: "es2022", module: "nodenext", types: ["node"], noEmit: true },
    ...{ skipLibCheck: true, customConditions: ["a2a-codegen-source"] },
  };
  const folder = projectWith("strict", {
    ...(Object.fromEntries(files) as Record<string, string>),
    "tsconfig.json": JSON.stringify({ compilerOptions, files: names }),
  });
  const tsc = join(packageFolder, "node_modules", "typescript", "bin", "tsc");
  execFileSync(process.execPath, [tsc, "-p", folder, ...strictest], { encoding: "utf8" });
  const eslint = new ESLint({
    cwd: folder,
    ignore: false,
    overrideConfigFile: true,
    overrideConfig: defineConfig({
      files: ["**/*.ts"],
      extends: [tseslint.configs.strictTypeChecked],
      languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: folder } },
    }),
  });
  const results = await eslint.lintFiles(names);
  const findings = results.flatMap(({ filePath, messages }) =>
    messages.map(({ line, message }) => `${filePath}:${line} ${message}`),
  );
  expect([results.length, findings]).toEqual([4, []]);
});
