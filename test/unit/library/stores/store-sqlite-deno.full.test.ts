import { execFileSync } from "node:child_process";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { packageFolder } from "../../../../support/package-folder.js";
import { runtimes } from "../../../product/runtimes/runtimes.js";
import { library } from "../../../tools/library.mjs";

const deno = runtimes.find(({ name }) => name === "Deno")?.program;

const program = `
import { DatabaseSync } from "node:sqlite";
import { sqliteStore } from "./library/stores/sqlite.js";
import { storeContract } from "./library/stores/testing/store-contract.js";
const cases = [];
const framework = { describe: (_, body) => body(), it: (name, body) => cases.push({ name, body }) };
storeContract(framework, () => sqliteStore(new DatabaseSync(":memory:")), { close: (store) => store.close() });
const failed = [];
for (const { name, body } of cases) await body().catch((error) => failed.push(name + ": " + error));
console.log(JSON.stringify({ count: cases.length, failed }));
`;

it.skipIf(deno === undefined)(
  "sqliteStore fulfills the contract in Deno (skipped if Deno is not installed)",
  async () => {
    const { outputFiles } = await build({
      stdin: { contents: program, resolveDir: packageFolder, loader: "ts" },
      bundle: true,
      format: "esm",
      platform: "node",
      write: false,
      plugins: [library()],
    });
    const args = ["run", "--no-config", "--no-lock", "--no-remote", "--no-npm", "--ext=js", "-"];
    const env = { ...process.env, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" };
    const printed = execFileSync(deno ?? "deno", args, {
      input: outputFiles[0]?.text ?? "",
      env,
      encoding: "utf8",
    });
    const { count, failed } = JSON.parse(printed) as { count: number; failed: string[] };
    expect(failed).toEqual([]);
    expect(count).toBeGreaterThan(80);
  },
);
