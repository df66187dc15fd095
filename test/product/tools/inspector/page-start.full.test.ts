import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { build } from "esbuild";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { packageFolder } from "../../../../support/package-folder.js";
import { freePort } from "../../../support/free-port.js";
import { findBrowser, startBrowser } from "../../browser/chromium.js";
import { cli, Project } from "../../cli/command.js";
import { openPage, say, screenshot, untilOpen } from "./inspecting.js";

const program = findBrowser();

/** Returns what a process prints until a line matches, and ends the process after the test. */
async function untilPrinted(child: ChildProcess, pattern: RegExp) {
  onTestFinished(async () => {
    if (child.exitCode !== null) return;
    child.kill("SIGTERM");
    await once(child, "close");
  });
  let printed = "";
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    printed += chunk.toString();
    const [, found] = pattern.exec(printed) ?? [];
    if (found !== undefined) return found;
  }
  throw new Error(`The process has ended without ${String(pattern)}: ${printed}`);
}

if (program === undefined)
  it.skip("the page is not tried: no chromium, chromium-browser or google-chrome is in the PATH");
else
  it("a user gets from an empty folder to the first answer in less than a minute, with init, start and inspect", async () => {
    const started = performance.now();
    const project = new Project();
    expect((await project.spawn("init --yes")).code).toBe(0);
    // Compiles as `npx tsc` does, and resolves the packages that the project would install.
    const outfile = project.path("dist/agent.mjs");
    await build({
      entryPoints: [project.path("src/agent.ts")],
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
      nodePaths: [join(packageFolder, "node_modules")],
      logLevel: "error",
    });
    const port = await freePort();
    const agent = spawn(process.execPath, [outfile], {
      env: { ...process.env, PORT: String(port) },
    });
    await untilPrinted(agent, /(listens on)/);
    const command = spawn(process.execPath, [cli, "inspect", `localhost:${port}`, "--no-open"], {
      cwd: project.folder,
    });
    const url = await untilPrinted(command, /^Inspector: (http:\S+)$/m);
    const browser = await startBrowser(program);
    onTestFinished(() => browser.close());
    const { page, problems } = await openPage(browser, url);
    await untilOpen(page);
    await screenshot(page, "start-1-card");
    await say(page, "Hello");
    await page.getByText("You said: Hello").first().waitFor();
    await screenshot(page, "start-2-answer");
    const seconds = (performance.now() - started) / 1_000;
    console.log(`From an empty folder to the first answer: ${seconds.toFixed(1)} s`);
    // The limit is part of what the inspector promises, and more than ten times what the steps
    // take.
    expect(seconds).toBeLessThan(60);
    expect(problems).toEqual([]);
    command.kill("SIGINT");
    const [code] = (await once(command, "close")) as [number | null];
    expect(code).toBe(0);
  });
