import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { Project } from "../cli/command.js";
import { greetings } from "./greetings.js";
import { readDocument } from "./markdown.js";
import { freePort } from "../../support/free-port.js";
import { examples } from "./pages.js";
import { libraryName } from "../../../generator/core/package-names.js";
import { libraryFolder } from "../../support/linked.js";

const packages = [
  "next@16",
  "react@19",
  "react-dom@19",
  "typescript@5.9",
  "@types/node@22",
  "@types/react@19",
];
const next = "node_modules/next/dist/bin/next";
const env = {
  ...process.env,
  NEXT_TELEMETRY_DISABLED: "1",
  NO_COLOR: "1",
  NODE_ENV: "production" as const,
};

/** Options that `next build` keeps. It adds the options that it requires. */
const compilerOptions = {
  target: "ES2022",
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  skipLibCheck: true,
};

/**
 * Returns an example of the pages as a file of a project with another layout: `folder` leads to the
 * other files.
 */
function exampleIn(file: string, folder: string) {
  const found = examples.find((example) => example.file === file);
  if (found === undefined) throw new Error(`no page has the example ${file}`);
  return found.text
    .replaceAll(/("\.[^"]*)\.js(?=")/g, "$1")
    .replaceAll('/index"', '"')
    .replaceAll('"./', `"${folder}`);
}

/** Runs a program in a folder. Returns its exit code and its output. */
function run(
  cwd: string,
  program: string,
  ...args: readonly string[]
): Promise<[code: number, output: string]> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd, env }, (error, stdout, stderr) => {
      resolve([error === null ? 0 : 1, stdout + stderr]);
    });
  });
}

it("`next build` compiles the route of the page, and `next start` serves the agent", async ({
  skip,
}) => {
  const project = new Project({ "package.json": '{ "private": true }' });
  const flags = ["--no-audit", "--no-fund", "--include=dev", "--fetch-retries=0"];
  const [failed, reason] = await run(project.folder, "npm", "install", ...flags, ...packages);
  skip(failed !== 0, `npm cannot install Next.js: ${reason.trim().split("\n")[0] ?? ""}`);
  // Next.js does not follow links out of the project.
  for (const path of ["dist", "package.json"])
    cpSync(`${libraryFolder}/${path}`, project.path(`node_modules/${libraryName}/${path}`), {
      recursive: true,
    });
  const [, init = ""] = /^npx a2a-codegen (init .*)$/m.exec(readDocument("docs/next.md")) ?? [];
  const made = await project.run(init.split(" "));
  expect(made).toMatchObject({ code: 0, stderr: "" });
  expect(made.stdout).not.toMatch(/commonjs/i);
  project.write({
    "tsconfig.json": JSON.stringify({ compilerOptions }),
    "next.config.js": `module.exports = { turbopack: { root: ${JSON.stringify(project.folder)} } };\n`,
    "src/agent.ts": "export {};\n",
    "src/greeter.ts": exampleIn("greeter.ts", "./"),
    "app/agent/[[...path]]/route.ts": exampleIn("next-route.ts", "../../../src/"),
  });
  const [code, output] = await run(project.folder, process.execPath, next, "build");
  expect(code, output).toBe(0);
  expect(output).toContain("/agent/[[...path]]");

  const port = await freePort();
  const url = `http://127.0.0.1:${String(port)}`;
  const child = spawn(process.execPath, [next, "start", "-H", "127.0.0.1", "-p", String(port)], {
    cwd: project.folder,
    env: { ...env, PUBLIC_URL: url },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(async () => {
    const ended = once(child, "exit");
    if (child.kill()) await ended;
  });
  for await (const text of child.stdout) if (String(text).includes("Ready")) break;
  expect(await greetings(`${url}/agent`)).toEqual({ jsonRpc: "Hello Ada", rest: "Hello Ada" });
}, 600_000);
