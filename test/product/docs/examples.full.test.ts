import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect, Role } from "../../../generated/1.0/index.js";
import { greetings, isElsewhere } from "./greetings.js";
import { NewcomerProject, type Outcome, type RunningAgent } from "./newcomer.js";
import { startOthers } from "./other-agents.js";
import { examples, type Example, usesFramework, usesTemporal } from "./pages.js";
import { strictest } from "./strictest.js";
import { lintStrictly } from "../../support/strict-lint.js";

// All pages share one project, as their readers do: the README makes it, and the other pages build
// on it.
const project = new NewcomerProject("docs");
let agent: RunningAgent | undefined;
let compiled: Outcome | undefined;

// Deno and Next.js import files by other names than Node, and the packages of Temporal may not be
// installed, so their pages have projects of their own.
const sources = examples.filter(
  (example) =>
    example.language === "ts" &&
    !isElsewhere(example.runtime) &&
    !usesFramework(example) &&
    !usesTemporal(example),
);
const servers = sources.filter(({ runtime }) => runtime === "Node");
const documents = examples.filter(({ language }) => language === "json");
const programs = sources.filter(({ flags }) => flags.includes("run"));
const commands = examples.filter(
  ({ language, flags }) => language === "sh" && flags.includes("run"),
);
const init = commands.find(({ text }) => text.startsWith("npx a2a-codegen init"));
const compile = commands.find(({ text }) => text === "npx tsc\n");
/**
 * Commands that write files which sources import or programs read. They run before the sources are
 * compiled.
 */
const early = commands.filter(
  ({ text }) => text.includes("--out src/") || text.startsWith("openssl "),
);
/**
 * The targets that pages add to the output, each page its own. The examples of all pages require
 * all of them.
 */
const added = early
  .flatMap(({ text }) => /--targets (\+\S+) --out src\/a2a$/m.exec(text)?.[1] ?? [])
  .join(",");
/** The extensions that pages add to the output. */
const extensions = early
  .flatMap(({ text }) => /--extension (\S+) --out src\/a2a$/m.exec(text)?.[1] ?? [])
  .join(",");
const others = commands.filter((command) => ![init, compile, ...early].includes(command));

/**
 * As much of `node:sqlite` as stores need. Types for Node 20, which this repository has, do not
 * know it.
 */
const nodeSqlite = `declare module "node:sqlite" {
  class Statement {
    run(...values: unknown[]): object;
    get(...values: unknown[]): object | undefined;
    all(...values: unknown[]): object[];
  }
  export class DatabaseSync {
    constructor(path: string);
    exec(sql: string): void;
    prepare(sql: string): Statement;
  }
}
`;

/** Runs an example for the shell, and compares what it prints with what the page shows. */
async function runShell(example: Example | undefined) {
  if (example === undefined)
    throw new Error("the pages have no command that runs init, or none that compiles");
  const { code, output } = await project.shell(example.text);
  expect(code, output).toBe(0);
  if (example.output !== undefined) expect(output).toBe(example.output);
}

beforeAll(async () => {
  await runShell(init);
  for (const { file, text } of documents) if (file !== undefined) project.write(file, text);
  await runShell(compile);
  for (const command of early) await runShell(command);
  const all = `--targets ${added} --extension ${extensions}`;
  const { code, output } = await project.shell(`npx a2a-codegen generate ${all} --out src/a2a`);
  expect(code, output).toBe(0);
  project.write("src/node-sqlite.d.ts", nodeSqlite);
  for (const { file, text } of sources)
    if (file !== undefined) project.write(join("src", file), text);
  // With more checks than the README uses. The compiler writes the files even if it reports errors.
  compiled = await project.compile(...strictest);
  agent = await project.startAgent("dist/grpc-agent.js", 2);
});

afterAll(async () => {
  await agent?.stop();
});

describe.concurrent("the examples of the README and of docs/", () => {
  it("the examples compile with the output under the strictest flags", () => {
    // Declarations of other packages, such as the AI SDK, do not compile under all flags.
    const errors = compiled?.output.split("\n").filter((line) => /^\S.*error TS\d/.test(line));
    expect(errors?.filter((error) => !error.includes("node_modules/"))).toEqual([]);
  });

  it(
    "strictTypeChecked of typescript-eslint finds nothing in the examples",
    { timeout: 300_000 },
    async () => {
      const paths = sources.map(({ file = "" }) => join("src", file));
      expect(await lintStrictly(project.folder, paths)).toEqual([]);
    },
  );

  it("the examples have unique file names", () => {
    const names = [...sources, ...documents].map(
      ({ file, location }) => file ?? `none at ${location}`,
    );
    expect(names.filter((name) => name.startsWith("none at "))).toEqual([]);
    expect(names.toSorted()).toEqual([...new Set(names)].toSorted());
  });

  it.each(programs.map((example) => [example.file ?? "", example] as const))(
    "the example %s prints what its page shows",
    async (name, example) => {
      const script = join("dist", name.replace(/ts$/, "js"));
      const own =
        example.agent === undefined
          ? undefined
          : await project.startAgent(join("dist", example.agent), 1);
      const { url = "", grpcUrl = "" } = own ?? agent ?? {};
      const { code, output } = await project.node(script, url, grpcUrl).finally(() => own?.stop());
      expect(code, output).toBe(0);
      expect(output).toBe(example.output);
    },
  );

  it.each(servers)(
    "the server $file serves the agent over each transport",
    async ({ file: name = "", path }) => {
      const server = await project.startAgent(join("dist", name.replace(/ts$/, "js")), 1, { path });
      try {
        expect(await greetings(server.url + path)).toEqual({
          jsonRpc: "Hello Ada",
          rest: "Hello Ada",
        });
        const response = await fetch(`${server.url}/about`);
        if (name !== "on-node.ts") expect(await response.text()).toBe("A page of the app");
      } finally {
        await server.stop();
      }
    },
  );

  it.each(others.map((command) => [command.location, command] as const))(
    "the commands at %s run and print what the page shows",
    { timeout: 300_000 },
    async (_, command) => {
      await runShell(command);
    },
  );

  it("the receiver of the page about push notifications accepts a post only with its token", async () => {
    const receiver = await project.startAgent("dist/push-listener.js", 1);
    const body = JSON.stringify({
      statusUpdate: { taskId: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" } },
    });
    const post = async (token: string) => {
      const headers = { "content-type": "application/a2a+json", "x-a2a-notification-token": token };
      return (await fetch(receiver.url, { method: "POST", headers, body })).status;
    };
    try {
      expect([await post("t-1"), await post("t-2")]).toEqual([204, 401]);
    } finally {
      await receiver.stop();
    }
  });

  it("the gateway serves the agent of another server over each transport", async () => {
    const upstream = await project.startAgent("dist/on-node.js", 1);
    const variables = { UPSTREAM: upstream.url };
    const gateway = await project.startAgent("dist/gateway/start.js", 1, { variables });
    try {
      expect(await greetings(gateway.url)).toEqual({ jsonRpc: "Hello Ada", rest: "Hello Ada" });
    } finally {
      await gateway.stop();
      await upstream.stop();
    }
  });

  it("the orchestrator passes on the questions of other agents, and fails if an agent fails", async () => {
    const others = await startOthers();
    const variables = { AGENTS: others.urls.join() };
    const orchestrator = await project.startAgent("dist/orchestrator.js", 1, { variables });
    const client = await connect(orchestrator.url);
    const say = (text: string) => ({ messageId: randomUUID(), role: Role.User, parts: [{ text }] });
    try {
      const { task: asked } = await client.sendMessage({ message: say("Tea") });
      expect(asked?.status.state).toBe("TASK_STATE_INPUT_REQUIRED");
      expect(asked?.status.message?.parts).toEqual([{ text: "Asker asks: For whom?" }]);
      const { task: answered } = await client.sendMessage({
        message: { ...say("Ada"), taskId: asked?.id ?? "" },
      });
      expect(answered?.status.state).toBe("TASK_STATE_COMPLETED");
      const answers = answered?.artifacts?.[0]?.parts.map(({ text }) => text).join("");
      expect(answers).toBe("- Asker: For Ada\n- Helper: Tea\n");
      const { task: failed } = await client.sendMessage({ message: say("fail") });
      expect(failed?.status.state).toBe("TASK_STATE_FAILED");
      expect(failed?.artifacts).toBeUndefined();
      expect(failed?.status.message?.parts[0]?.text).toContain("Helper did not complete its task");
    } finally {
      client.close();
      await orchestrator.stop();
      others.stop();
    }
  });

  it("the examples call the agent with curl", async () => {
    const text =
      examples.find(({ language, text }) => language === "sh" && text.startsWith("curl "))?.text ??
      "";
    const address = /http:\S+/.exec(text)?.[0].replace(/^http:\/\/[^/]+/, agent?.url ?? "") ?? "";
    const headers = [...text.matchAll(/-H "([^:]+): ([^"]+)"/g)].map(
      ([, name = "", value = ""]): [string, string] => [name, value],
    );
    const body = /-d '([^']+)'/.exec(text)?.[1] ?? "";
    const response = await fetch(address, { method: "POST", headers, body });
    expect([response.status, await response.text()]).toEqual([
      200,
      expect.stringContaining("INPUT_REQUIRED") as string,
    ]);
  });

  it("the examples list generated files, and every file at the top of the output", () => {
    const tree = examples.find(({ flags }) => flags.includes("tree"))?.text ?? "";
    const [root = "", ...entries] = tree
      .split("\n")
      .map((line) => /^\s*(\S+)/.exec(line)?.[1] ?? "");
    const shown = entries
      .filter((name) => name !== "")
      .map((name) => (name.startsWith("src/") ? name : root + name));
    const written = readdirSync(join(project.folder, "src"), { recursive: true, encoding: "utf8" });
    const present = written.map((path) => `src/${path.replaceAll("\\", "/")}`);
    expect(shown.filter((path) => !present.includes(path.replace(/\/$/, "")))).toEqual([]);
    const topFiles = present.filter((path) => /^src\/a2a\/[^/]+\.ts$/.test(path));
    expect(topFiles.filter((path) => !shown.includes(path))).toEqual([]);
    const topFolders = present
      .filter((path) => /^src\/a2a\/[^/.]+$/.test(path))
      .map((path) => `${path.slice(8)}/`);
    expect(topFolders.filter((folder) => !tree.includes(folder))).toEqual([]);
  });
});
