import { transform } from "esbuild";
import { describe, expect, it } from "vitest";
import * as old from "../../../generated/0.3.0/index.js";
import * as present from "../../../generated/1.0/index.js";
import { followTask } from "../../../generated/1.0/kit/client/index.js";
import { adaptedOutput } from "../../support/adapted.js";
import { all, failureOf } from "../../support/everywhere.js";
import { json, serve } from "../../support/http.js";
import { codeBlocks, readDocument } from "../../product/docs/markdown.js";
import { jsonOf, send } from "../../support/raw.js";
import { scriptedFor } from "../../support/scripted.js";
import type { ReadingOptions } from "../../support/tolerances/row.js";
import { tolerances, type ToleranceName } from "./tolerances.js";

const task = { id: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" } };
const message: present.Message = {
  messageId: "m",
  role: present.Role.User,
  parts: [{ text: "hi" }],
};
const sse = { "content-type": "text/event-stream" };
const written = (...events: object[]) =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

/** Returns a client of 1.0 over HTTP+JSON to a peer that responds as a function says. */
async function restClient(listener: Parameters<typeof serve>[0], options: ReadingOptions = {}) {
  const { url, requests } = await serve(listener);
  return {
    client: new present.A2AClient({ transport: present.restTransport(url), ...options }),
    requests,
  };
}

/** Starts an agent of 1.0 that serves 0.3, too. */
async function agent(options: ReadingOptions = {}) {
  const { own, adapters } = await adaptedOutput();
  const scripted = await scriptedFor("1.0", {
    output: own,
    versions: Object.values(adapters).map(({ served }) => served),
    ...options,
  });
  const ask = (verb: string, path: string, headers: Record<string, string>, body?: unknown) =>
    send(verb, new URL(path, scripted.url), body, headers);
  return { scripted, ask, own };
}

/** Runs the example for double-encoded files in docs/versions.md, and returns its interceptor. */
async function documentedInterceptor() {
  const { text } =
    codeBlocks(readDocument("docs/versions.md")).find(
      ({ file }) => file === "both/double-encoded.ts",
    ) ?? expect.unreachable();
  const { code } = await transform(text, { loader: "ts" });
  const url = `data:text/javascript,${encodeURIComponent(code)}`;
  const { doubleEncodedFiles } = (await import(url)) as { doubleEncodedFiles: present.Interceptor };
  return doubleEncodedFiles;
}

/** How clients and servers handle each deviation, which a plain server or request imitates. */
const imitations: Readonly<Record<ToleranceName, () => Promise<void>>> = {
  async "media types of requests"() {
    const { client, requests } = await restClient(({ headers }, response) => {
      if (headers["content-type"] === "application/json") json(response, { task });
      else response.writeHead(415).end();
    });
    expect(await client.sendMessage({ message })).toEqual({ task });
    expect(await client.sendMessage({ message })).toEqual({ task });
    expect(requests).toHaveLength(3);
  },
  async "media types of responses"() {
    const { scripted, ask, own } = await agent();
    scripted.response = new own.TaskNotFoundError();
    for (const accept of ["application/json", "text/event-stream"]) {
      const { headers, status } = await ask("GET", "tasks/t", { "a2a-version": "1.0", accept });
      expect([status, headers.get("content-type")]).toEqual([404, "application/json"]);
    }
  },
  async "errors without an id"() {
    const { url } = await serve((_, response) => {
      response
        .writeHead(200, sse)
        .end(written({ jsonrpc: "2.0", error: { code: -32001, message: "gone" } }));
    });
    const client = new present.A2AClient({ transport: present.jsonRpcTransport(url) });
    expect(await failureOf(all(client.subscribeToTask({ id: "t" })))).toBeInstanceOf(
      present.TaskNotFoundError,
    );
  },
  async "refused subscriptions"() {
    const done = { ...task, status: { state: "TASK_STATE_COMPLETED" } };
    const { client } = await restClient(({ url = "" }, response) => {
      const error = { code: 404, status: "NOT_FOUND", message: "gone" };
      if (url.includes("subscribe")) json(response, { error }, 404);
      else json(response, done);
    });
    const following = followTask(client, { id: "t" }, { delayMs: () => 0 });
    expect((await following.result()).task).toEqual(done);
  },
  async "repeated pieces"() {
    const artifact = (text: string) => ({ artifactId: "a", parts: [{ text }] });
    const ids = { taskId: "t", contextId: "c" };
    const status = { state: "TASK_STATE_COMPLETED" };
    const { client } = await restClient(({ url = "" }, response) => {
      if (!url.includes("subscribe"))
        return json(response, { ...task, status, artifacts: [artifact("ab")] });
      const again = { artifactUpdate: { ...ids, artifact: artifact("b"), append: true } };
      const events = [
        { task: { ...task, artifacts: [artifact("ab")] } },
        again,
        { statusUpdate: { ...ids, status } },
      ];
      return response.writeHead(200, sse).end(written(...events));
    });
    const following = followTask(client, { id: "t" }, { delayMs: () => 0 });
    expect((await following.result()).task.artifacts).toEqual([artifact("ab")]);
  },
  async "absent defaults"() {
    const deviations: unknown[] = [];
    const reading = { onDeviation: (found: readonly unknown[]) => deviations.push(...found) };
    const { client } = await restClient((_, response) => json(response, { pageSize: 1 }), reading);
    expect(await client.listTasks()).toEqual({
      tasks: [],
      nextPageToken: "",
      pageSize: 1,
      totalSize: 0,
    });
    expect(deviations).not.toEqual([]);
    const strict = await restClient((_, response) => json(response, { pageSize: 1 }), {
      strict: true,
    });
    await expect(strict.client.listTasks()).rejects.toThrow("/totalSize expected");
  },
  async "the filter of ListTasks"() {
    const filtered = async (options: ReadingOptions) => {
      const { scripted, ask } = await agent(options);
      scripted.response = { tasks: [], nextPageToken: "", pageSize: 1, totalSize: 0 };
      await ask("GET", "tasks?lastUpdatedAfter=2026-01-02T03:04:05Z", { "a2a-version": "1.0" });
      return scripted.request;
    };
    const deviations: unknown[] = [];
    const reading = { onDeviation: (found: readonly unknown[]) => deviations.push(...found) };
    expect(await filtered(reading)).toEqual({ statusTimestampAfter: "2026-01-02T03:04:05Z" });
    expect(deviations).not.toEqual([]);
    expect(await filtered({ strict: true })).not.toHaveProperty("statusTimestampAfter");
  },
  async "errors of 0.3 over HTTP+JSON"() {
    const { scripted, ask, own } = await agent();
    scripted.response = new own.TaskNotFoundError("gone");
    const answer = await ask("GET", "v1/tasks/t", { "a2a-version": "0.3" });
    expect(jsonOf(answer)).toMatchObject({
      code: -32001,
      message: "gone",
      type: "TaskNotFoundError",
      error: {
        code: 404,
        status: "NOT_FOUND",
        message: "gone",
        details: [{ reason: "TASK_NOT_FOUND" }],
      },
    });
  },
  async "error events of 0.3 over HTTP+JSON"() {
    const error = { code: 404, status: "NOT_FOUND", message: "gone" };
    const { url } = await serve((_, response) =>
      response.writeHead(200, sse).end(written({ error })),
    );
    const client = new old.A2AClient({ transport: old.restTransport(url) });
    expect(await failureOf(all(client.subscribeToTask({ id: "t" })))).toBeInstanceOf(
      old.TaskNotFoundError,
    );
  },
  async "the main interface of a card of 0.3"() {
    const { ask } = await agent();
    const card = jsonOf(await ask("GET", ".well-known/agent-card.json", { "a2a-version": "0.3" }));
    const {
      url,
      preferredTransport: transport,
      additionalInterfaces,
    } = card as Record<string, unknown>;
    expect(additionalInterfaces).toContainEqual({ url, transport });
  },
  async "ids of requests over JSON-RPC"() {
    const { ask } = await agent();
    const answer = await ask(
      "POST",
      ".",
      { "a2a-version": "0.3" },
      { jsonrpc: "2.0", method: "nowhere" },
    );
    expect(jsonOf(answer)).toMatchObject({ id: null, error: { code: -32601 } });
    const invalid = { jsonrpc: "2.0", id: { bad: "type" }, method: "message/send", params: {} };
    const refused = await ask("POST", ".", { "a2a-version": "0.3" }, invalid);
    expect(jsonOf(refused)).toMatchObject({ id: null, error: { code: -32600 } });
  },
  async "files of 0.3 over HTTP+JSON and gRPC"() {
    const twice = (text: string) => btoa(btoa(text));
    const { url, requests } = await serve((_, response) => {
      const parts = [
        { file: { fileWithBytes: twice("answer") } },
        { file: { fileWithBytes: btoa("\u00ff\u00fe") } },
      ];
      json(response, { message: { messageId: "a", role: "ROLE_AGENT", content: parts } });
    });
    const { own, adapters } = await adaptedOutput();
    const doubleEncodedFiles = await documentedInterceptor();
    const spoken = adapters["0.3"]?.spoken ?? expect.unreachable("no adapter for 0.3");
    const ask = async (binding: string): Promise<unknown> => {
      const factory = spoken.transports({}).find((each) => each.binding === binding);
      const transport = factory?.open({ url, binding, version: "0.3", tenant: undefined });
      const client = new own.A2AClient({
        transport: transport ?? expect.unreachable("no transport"),
        interceptors: [doubleEncodedFiles],
      });
      const parts = [{ raw: btoa("question") }, { data: { parts: [{ raw: "stays" }] } }];
      const { message: answer } = await client.sendMessage({ message: { ...message, parts } });
      return answer?.parts.map(({ raw }) => raw);
    };
    expect(await ask("HTTP+JSON")).toEqual([btoa("answer"), btoa("\u00ff\u00fe")]);
    const body = JSON.parse(requests[0]?.body ?? "") as unknown;
    expect(body).toMatchObject({
      message: { content: [{ file: { fileWithBytes: twice("question") } }, {}] },
    });
    expect(JSON.stringify(body)).toContain('"raw":"stays"');
  },
};

describe("a tolerance", () => {
  it.each(Object.entries(imitations))("the tolerance holds for %s", async (_, imitation) => {
    await imitation();
  });

  it("the tolerance is a row of TOLERANCES.md", () => {
    const rows = readDocument("test/behaviour/interop/TOLERANCES.md").replace(/ +/g, " ");
    for (const { peers, does, says, answer } of Object.values(tolerances))
      expect(rows).toContain(`| ${peers.join(", ")} | ${does} | ${says} | ${answer} |`);
  });
});
