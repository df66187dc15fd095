import { build } from "esbuild";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  agentNameOf,
  exampleNames,
  type ExampleName,
} from "../../../generator/project/examples.js";
import { packageFolder } from "../../../support/package-folder.js";
import { outFolder } from "../../support/output.js";
import { freePort } from "../../support/free-port.js";
import { examples } from "../docs/pages.js";
import { libraryName } from "../../../generator/core/package-names.js";
import { packAll } from "../../../build/pack.mjs";

const run = promisify(execFile);
const folder = mkdtempSync(join(outFolder, "packed-"));
const compiler = join(packageFolder, "node_modules", "typescript-7", "bin", "tsc");

/** The clients of the examples. The pages show their output. */
const clients: Readonly<Record<string, string>> = {
  research: "client",
  model: "assistant-client",
  orchestrator: "orchestrator-client",
  "ai-sdk": "clerk-client",
  langgraph: "travel-client",
};

beforeAll(async () => {
  const { generator, library } = packAll(folder);
  for (const [name, { filename }] of Object.entries({ generator, library })) {
    mkdirSync(join(folder, name));
    await run("tar", ["xzf", join(folder, filename), "-C", name, "--strip-components=1"], {
      cwd: folder,
    });
  }
  mkdirSync(join(folder, "generator", "node_modules"));
  symlinkSync(join(folder, "library"), join(folder, "generator", "node_modules", libraryName));
});

/** Creates a project with an example of the packed package, and compiles it. */
async function compiled(name: string) {
  const project = join(folder, name);
  mkdirSync(join(project, "node_modules"), { recursive: true });
  symlinkSync(join(folder, "generator"), join(project, "node_modules", "a2a-codegen"), "dir");
  symlinkSync(join(folder, "library"), join(project, "node_modules", libraryName), "dir");
  writeFileSync(join(project, "package.json"), '{ "type": "module" }');
  const program = join(folder, "generator", "dist", "generator", "cli", "main.cjs");
  const { stdout } = await run(process.execPath, [program, "init", "--yes", "--example", name], {
    cwd: project,
  });
  expect(stdout).toContain("The output imports a2a-codegen-runtime");
  await run(process.execPath, [compiler], { cwd: project });
  return project;
}

/** Starts the agent of an example on a free port, and waits until it listens. */
async function start(project: string, name: ExampleName) {
  const port = await freePort();
  const program = `dist/${agentNameOf(name).replace(/ts$/, "js")}`;
  const agent = spawn(process.execPath, [program], {
    cwd: project,
    env: { ...process.env, PORT: `${port}` },
  });
  onTestFinished(() => void agent.kill());
  const ended = once(agent, "exit").then(([code]) =>
    Promise.reject(new Error(`the agent ended with ${String(code)}`)),
  );
  await Promise.race([once(agent.stdout, "data"), ended]);
  return `http://127.0.0.1:${port}`;
}

describe("the examples of the packed package", () => {
  it.each(exampleNames.filter((name) => name in clients))(
    "the client of the example %s prints what its page shows",
    async (name) => {
      const project = await compiled(name);
      const url = await start(project, name);
      const client = clients[name] ?? "";
      const { stdout } = await run(process.execPath, [`dist/${client}.js`, url], { cwd: project });
      expect(stdout).toBe(examples.find(({ file }) => file === `${client}.ts`)?.output);
    },
  );

  it("the agent of the example browser serves its page and its card", async () => {
    const project = await compiled("browser");
    const outfile = join(project, "dist", "public", "page.js");
    await build({
      entryPoints: [join(project, "src", "page.ts")],
      bundle: true,
      format: "esm",
      outfile,
    });
    const url = await start(project, "browser");
    expect(await (await fetch(url)).text()).toContain("Chat with an agent");
    expect(await (await fetch(`${url}/page.js`)).text()).toContain("location.origin");
    expect(await (await fetch(`${url}/.well-known/agent-card.json`)).json()).toMatchObject({
      name: "Greeter",
    });
    expect((await fetch(`${url}/package.json`)).status).toBe(404);
  });
});
