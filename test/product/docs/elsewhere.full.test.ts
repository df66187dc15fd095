import { build } from "esbuild";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { describeInBrowser } from "../browser/chromium.js";
import { runtimes, type RunningApp } from "../runtimes/runtimes.js";
import { greetings } from "./greetings.js";
import { freePort } from "../../support/free-port.js";
import { NewcomerProject } from "./newcomer.js";
import { examples } from "./pages.js";

const greeting = { jsonRpc: "Hello Ada", rest: "Hello Ada" };

function textOf(file: string) {
  const found = examples.find((example) => example.file === file);
  if (found === undefined) throw new Error(`no page has the example ${file}`);
  return found.text;
}

/**
 * Creates a project with an output, and with examples of the pages. `extension` is the extension of
 * its imports.
 */
async function projectWith(name: string, files: readonly string[], extension = "js") {
  const project = new NewcomerProject(`docs-${name}`);
  const { code, output } = await project.shell(
    `npx a2a-codegen init --yes --import-extension ${extension}`,
  );
  expect(code, output).toBe(0);
  project.write("tsconfig.json", textOf("tsconfig.json"));
  project.write("src/agent.ts", "export {};\n"); // The pages replace the agent of `init`.
  for (const file of files) {
    const imports = { js: "$1.js", ts: "$1.ts", none: "$1" }[extension] ?? "";
    // Without extensions, the imports of a page already have none.
    project.write(
      join("src", file),
      textOf(file)
        .replaceAll(/("\.[^"]*)\.js(?=")/g, imports)
        .replaceAll('/index"', '"'),
    );
  }
  return project;
}

/** Starts the agent in a runtime, unless its program is not installed. */
type Start = (program: string) => Promise<RunningApp>;

const starts: Readonly<Record<string, Start>> = {
  async Deno(program) {
    const project = await projectWith("deno", ["greeter.ts", "on-deno.ts"], "ts");
    // Without these options, Deno may ask registries for packages. The page does without them.
    const limits = ["--no-lock", "--no-remote", "--cached-only", "--allow-net", "--allow-env"];
    const argsOf = (port: number) => [
      "serve",
      ...limits,
      "--host",
      "127.0.0.1",
      "--port",
      `${port}`,
      "src/on-deno.ts",
    ];
    return await project.startAgent(argsOf, 1, { program });
  },
  async Bun(program) {
    const project = await projectWith("bun", ["greeter.ts", "on-bun.ts"]);
    return await project.startAgent(() => ["run", "--no-install", "src/on-bun.ts"], 1, { program });
  },
  async workerd(program) {
    const project = await projectWith("workerd", ["greeter.ts", "on-workers.ts"]);
    const { start } = runtimes.find(({ name }) => name === "workerd") ?? {};
    if (start === undefined) throw new Error("the runtime workerd is unknown");
    return await start(program, join(project.folder, "src"), "on-workers.ts");
  },
};

describe.each(Object.entries(starts))("the page about %s", (name, start) => {
  const program = runtimes.find((runtime) => runtime.name === name)?.program;
  if (program === undefined) {
    it.skip(
      "nothing is tried: node_modules has no program of it that starts on this machine; see .ci/run",
    );
    return;
  }
  it("the example serves the agent over each transport", async () => {
    const app = await start(program);
    onTestFinished(() => app.stop());
    expect(await greetings(app.url)).toEqual(greeting);
  });
});

describe("the page about Next.js", () => {
  it("the handlers of the route serve the agent over each transport", async () => {
    const project = await projectWith("next", ["greeter.ts", "next-route.ts"], "none");
    const { code, output } = await project.shell(
      "npx tsc --noEmit --module esnext --moduleResolution bundler",
    );
    expect(code, output).toBe(0);
    const outfile = join(project.folder, "route.mjs");
    await build({
      entryPoints: [join(project.folder, "src", "next-route.ts")],
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      logLevel: "error",
    });
    const route = (await import(pathToFileURL(outfile).href)) as Record<
      string,
      (request: Request) => Promise<Response>
    >;
    const fetch = async (input: string | URL | Request, init?: RequestInit) => {
      const request = new Request(input, init);
      const handle = route[request.method];
      return handle === undefined ? new Response(null, { status: 405 }) : await handle(request);
    };
    expect(await greetings("http://localhost:3000/agent", fetch)).toEqual(greeting);
  });
});

describe("the page about containers", () => {
  const dockerfile = textOf("Dockerfile");

  it("the program responds to health checks, and ends when the container stops", async () => {
    const project = await projectWith("container", [
      "turns.ts",
      "tasks-card.ts",
      "in-container.ts",
    ]);
    const { code, output } = await project.shell("npx tsc");
    expect(code, output).toBe(0);
    const [port, healthPort] = [await freePort(), await freePort()];
    const env = { ...process.env, PORT: `${port}`, HEALTH_PORT: `${healthPort}`, TOKEN: "t" };
    const [command = "", ...args] = JSON.parse(
      /^CMD (.*)$/m.exec(dockerfile)?.[1] ?? "[]",
    ) as string[];
    expect(command).toBe("node");
    const child = spawn(process.execPath, args, {
      cwd: project.folder,
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child.stdout, "data");
    for (const path of ["livez", "readyz"]) {
      expect((await fetch(`http://127.0.0.1:${healthPort}/${path}`)).status).toBe(200);
    }
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  });

  it("the image exposes the ports of the program, and copies files that a project has", () => {
    expect(/^EXPOSE (.*)$/m.exec(dockerfile)?.[1]).toBe("4000 8081");
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(
      ([, files = ""]) => files.split(" "),
    );
    expect(copied).toEqual(["package.json", "package-lock.json", "tsconfig.json", "src"]);
  });
});

describeInBrowser("the page about browsers", (browser) => {
  it("the page displays the text that its agent returns", async () => {
    const project = await projectWith("page", ["page.ts", "page-server.ts"]);
    project.write("page.html", textOf("page.html"));
    const { code, output } = await project.shell("npx tsc");
    expect(code, output).toBe(0);
    const bundled = {
      bundle: true,
      format: "esm",
      outfile: join(project.folder, "dist", "public", "page.js"),
    } as const;
    await build({ entryPoints: [join(project.folder, "src", "page.ts")], ...bundled });
    const server = await project.startAgent("dist/page-server.js", 1);
    onTestFinished(() => server.stop());
    const page = await browser().newPage();
    onTestFinished(() => page.close());
    await page.goto(server.url);
    await page.getByLabel("Message").fill("Ada <b>");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Hello Ada <b>", { exact: true }).waitFor();
    expect(await page.locator("main p").allTextContents()).toEqual([
      "You: Ada <b>",
      "Hello Ada <b>",
    ]);
  });
});
