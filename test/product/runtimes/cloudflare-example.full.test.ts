import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "jsonc-parser";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { remoteAgent } from "../../../generated/1.0/kit/client/index.js";
import { NewcomerProject } from "../docs/newcomer.js";
import { bundleWorker, type ObjectWorker, startObjects } from "./durable-objects.js";
import { runtimes } from "./runtimes.js";

/** The settings of the example that the test reads. */
interface Wrangler {
  readonly main: string;
  readonly durable_objects: { readonly bindings: readonly { readonly class_name: string }[] };
  readonly migrations: readonly { readonly new_sqlite_classes: readonly string[] }[];
  readonly vars: { readonly PUBLIC_URL: string; readonly TOKENS: Readonly<Record<string, string>> };
}

const workerd = runtimes.find(({ name }) => name === "workerd")?.program;

describe("the example cloudflare of init", () => {
  if (workerd === undefined) {
    it.skip(
      "nothing is tried: node_modules has no workerd that starts on this machine; see .ci/run",
    );
    return;
  }

  let worker: ObjectWorker;
  let settings: Wrangler;
  beforeAll(async () => {
    const project = new NewcomerProject("example-cloudflare");
    const { code, output } = await project.shell("npx a2a-codegen init --yes --example cloudflare");
    expect(code, output).toBe(0);
    const compiled = await project.shell("npx tsc --noEmit");
    expect(compiled.code, compiled.output).toBe(0);
    settings = parse(readFileSync(join(project.folder, "wrangler.jsonc"), "utf8")) as Wrangler;
    const className = settings.durable_objects.bindings[0]?.class_name ?? "";
    const vars = { ...settings.vars, TOKENS: { secret: "ada", other: "bob" } };
    worker = { folder: project.folder, entry: settings.main, className, vars };
    await bundleWorker(worker);
  }, 120_000);

  it("the database of the class is SQLite", () => {
    expect(settings.migrations.flatMap((each) => each.new_sqlite_classes)).toEqual([
      worker.className,
    ]);
  });

  it("an agent of its own reminds each owner, and other callers are refused", async () => {
    const app = await startObjects(workerd, worker);
    onTestFinished(() => app.stop());
    const { PUBLIC_URL } = settings.vars;
    const agentOf = (token: string) =>
      remoteAgent(PUBLIC_URL, {
        fetch: (url, init) => {
          const headers = new Headers(init.headers);
          headers.set("authorization", `Bearer ${token}`);
          const path = new URL(url).pathname;
          return fetch(new URL(path, app.url), { ...init, headers });
        },
      });
    const ada = agentOf("secret");
    const reminded = await ada.ask("1 tea").result();
    expect([reminded.state, reminded.said]).toEqual(["TASK_STATE_COMPLETED", "Time for: 1 tea"]);
    const taskId = reminded.task?.id ?? "";
    const again = await ada.follow(taskId).result();
    expect(again.task?.id).toBe(taskId);
    const listed = async (token: string) => {
      const response = await fetch(app.url, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          "a2a-version": "1.0",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ListTasks", params: {} }),
      });
      return { status: response.status, text: await response.text() };
    };
    expect((await listed("secret")).text).toContain(taskId);
    expect(await listed("other")).toMatchObject({ status: 200 });
    expect((await listed("other")).text).not.toContain(taskId);
    expect((await listed("wrong")).status).toBe(401);
    const card = await fetch(new URL(".well-known/agent-card.json", app.url));
    expect(await card.json()).toMatchObject({ name: "Reminders" });
  }, 120_000);
});
