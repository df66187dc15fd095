import type { IncomingHttpHeaders } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Fetch } from "../../../../tools/agents/index.js";
import { isFailure, type Result } from "../../../../tools/probe/result.js";
import { listen } from "../../../support/http.js";
import { agents, probe } from "./mutants/subjects.js";
import { mutated, on, put, type AgentKind, type Change } from "./mutants/mutant.js";

async function subject(kind: AgentKind = "full") {
  const started = await agents[kind]();
  onTestFinished(() => started.close());
  return started;
}

const failed = (results: readonly Result[]) => results.filter(isFailure).map(({ id }) => id);

/**
 * Probes an agent over JSON-RPC whose responses a function changes, and returns the ids of the
 * rules that fail.
 */
async function failures(change: Change, kind: AgentKind = "full") {
  const fetch = mutated(
    change,
    ({ method, url }) => method === "POST" && !url.pathname.startsWith("/.well-known/"),
  );
  return failed(await probe(await subject(kind), { fetch, lanes: ["JSONRPC 1.0"] }));
}

describe("the probe reports one finding for one fault", () => {
  it("a malformed message that an agent accepts and lists is one finding on each interface", async () => {
    const stored: unknown[] = [];
    const change: Change = ({ body }, sent) => {
      const text = JSON.stringify(sent.body);
      const message = text.includes('"parts":[{}]')
        ? { messageId: "m", role: "ROLE_USER", parts: [{}] }
        : undefined;
      const status = { state: "TASK_STATE_COMPLETED", timestamp: "2030-01-01T00:00:00Z" };
      const task = { id: "malformed", contextId: "c", status, history: [message] };
      if (message !== undefined) {
        stored.push(task);
        put(body, "error", undefined);
        if (sent.body["method"] === undefined) put(body, "task", task);
        else put(body, "result", { task });
      }
      if (text.includes('"ListTasks"')) {
        const { result } = body as { readonly result?: { readonly tasks: unknown[] } };
        result?.tasks.push(...stored);
      }
    };
    const fetch = mutated(
      (wire, sent) => {
        if (JSON.stringify(sent.body).includes('"parts":[{}]')) wire.status = 200;
        change(wire, sent);
      },
      ({ method }) => method === "POST",
    );
    const results = await probe(await subject(), {
      fetch,
      lanes: ["JSONRPC 1.0", "HTTP+JSON 1.0"],
    });
    expect(failed(results)).toEqual(["send-empty-part", "send-empty-part"]);
  });

  it("the probe ignores malformed messages that an agent has stored from an earlier probe", async () => {
    const started = await subject();
    const malformed = {
      id: "malformed",
      status: { state: "TASK_STATE_COMPLETED" },
      history: [{ parts: [{}] }],
    };
    const withOld: Change = ({ body }, sent) => {
      const { result } = body as { readonly result?: { readonly tasks: unknown[] } };
      if (Object.keys(sent.body["params"] as object).length === 0) result?.tasks.push(malformed);
    };
    const fetch = mutated(on("ListTasks", withOld), ({ method }) => method === "POST");
    expect(failed(await probe(started, { fetch, lanes: ["JSONRPC 1.0"] }))).toEqual([]);
  });

  it("an agent that ignores the version of a call breaks one rule", async () => {
    const send: Fetch = (url, init) =>
      fetch(url, {
        ...init,
        headers: { ...(init.headers as Record<string, string>), "a2a-version": "1.0" },
      });
    const results = await probe(await subject(), { fetch: send, lanes: ["JSONRPC 1.0"] });
    expect(failed(results)).toEqual(["version-unknown"]);
    expect(results.find(({ id }) => id === "version-missing")).toMatchObject({
      state: "skip",
      reason: expect.stringMatching(/^version-unknown reports the same fault: /) as string,
    });
  });

  it("a list that cannot be read is one finding", async () => {
    expect(await failures(on("ListTasks", ({ body }) => put(body, "result", {})))).toEqual([
      "list-served",
    ]);
  });

  it("members with default values are the same as absent members", async () => {
    const withDefaults: Change = ({ body }) => {
      const { result } = body as { readonly result?: { readonly tasks?: object[] } };
      for (const task of result?.tasks ?? []) {
        put(task, "artifacts.0.description", "");
        put(task, "artifacts.0.parts.0.filename", "");
        put(task, "metadata", null);
      }
    };
    expect(await failures(on("ListTasks", withDefaults))).toEqual([]);
  });

  it("an agent may send a snapshot of the task at the end of a stream", async () => {
    const change: Change = (wire) => {
      const state = (event: unknown): unknown =>
        JSON.stringify(event).includes("TASK_STATE_COMPLETED");
      const last = wire.events?.at(-1) as
        { result?: { statusUpdate?: { taskId: string } & object } } | undefined;
      const { taskId: id, ...update } = last?.result?.statusUpdate ?? { taskId: "" };
      if (state(last)) wire.events?.push({ ...last, result: { task: { ...update, id } } });
    };
    expect(await failures(on("SendStreamingMessage", change))).toEqual([]);
  });

  it("the chapter on a binding determines the level and the section of a rule", async () => {
    const results = await probe(await subject(), {
      only: ["error-info"],
      lanes: ["JSONRPC 1.0", "HTTP+JSON 1.0", "GRPC 1.0"],
    });
    expect(results.map(({ lane, level, section }) => [lane, level, section])).toEqual([
      ["JSONRPC 1.0", "should", "9.5"],
      ["HTTP+JSON 1.0", "must", "11.6"],
      ["GRPC 1.0", "must", "10.6"],
    ]);
  });

  it("a call with an invalid parameter is about a task that exists", async () => {
    const params: unknown[] = [];
    const note: Change = (_wire, sent) => {
      const { historyLength, id } = (sent.body["params"] ?? {}) as Readonly<
        Record<string, unknown>
      >;
      if (sent.body["method"] === "GetTask" && [-1, "many"].includes(historyLength as string))
        params.push(id);
    };
    await failures(note);
    expect(params).toHaveLength(2);
    expect(params).not.toContain("00000000-0000-4000-8000-000000000000");
  });

  it("no other request contains the id of a message to an unknown task, which an agent may store", async () => {
    const requests: string[] = [];
    await failures((_wire, sent) => void requests.push(JSON.stringify(sent.body)));
    const [, id = ""] =
      requests
        .map((text) => /-unknown-task".*"taskId":"([\w-]+)"/.exec(text))
        .find((match) => match !== null) ?? [];
    expect(id).toMatch(/^[\da-f-]{36}$/);
    expect(requests.filter((text) => text.includes(id))).toHaveLength(1);
  });
});

describe("the probe and its requests", () => {
  it("the card is requested as a cache does it, and the report shows the headers that the agent received", async () => {
    const seen: IncomingHttpHeaders[] = [];
    const url = await listen((request, response) => {
      seen.push(request.headers);
      const isFresh =
        request.headers["if-none-match"] === '"1"' &&
        request.headers["cache-control"]?.includes("no-cache") !== true;
      response.writeHead(isFresh ? 304 : 200, { etag: '"1"', "content-type": "application/json" });
      response.end(isFresh ? undefined : JSON.stringify({ name: "Agent" }));
    });
    const results = await probe(
      { url, options: {}, close: async () => undefined },
      { only: ["card-not-modified", "card-name", "card-cache-control"] },
    );
    expect(results.find(({ id }) => id === "card-not-modified")).toMatchObject({ state: "pass" });
    const shown =
      results.find(({ id }) => id === "card-cache-control")?.replies[0]?.exchange?.request
        .headers ?? {};
    const own = ["connection", "host", "sec-fetch-mode"];
    const received = seen.find(
      (headers) =>
        headers["user-agent"] === shown["user-agent"] && headers["if-none-match"] === undefined,
    );
    expect(
      Object.entries(received ?? {})
        .filter(([name]) => !own.includes(name))
        .sort(),
    ).toEqual(Object.entries(shown).sort());
  });

  it("the endpoint is requested at the URL of the card", async () => {
    const paths: string[] = [];
    const send: Fetch = (url, init) => {
      if (init.method === "GET") paths.push(url);
      return fetch(url, init);
    };
    const { url, ...rest } = await subject();
    const card = (await (await fetch(new URL("/.well-known/agent-card.json", url))).json()) as {
      supportedInterfaces: { url: string }[];
    };
    await probe({ url, ...rest }, { fetch: send, only: ["rpc-get"], lanes: ["JSONRPC 1.0"] });
    expect(paths).toContain(card.supportedInterfaces[0]?.url);
  });

  it("tasks that still run are canceled at the end", async () => {
    const { url, options } = await subject("asking");
    await probe(
      { url, options, close: async () => undefined },
      { lanes: ["JSONRPC 1.0", "GRPC 1.0"] },
    );
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "ListTasks",
      params: { status: "TASK_STATE_INPUT_REQUIRED" },
    });
    const headers = { "content-type": "application/json", "a2a-version": "1.0" };
    const response = await fetch(url, { method: "POST", headers, body });
    expect(await response.json()).toMatchObject({ result: { tasks: [], totalSize: 0 } });
  });

  it("a check that is skipped because of the text of the message names the option", async () => {
    for (const kind of ["asking", "replying"] as const) {
      const results = await probe(await subject(kind), {
        only: ["cancel-ended"],
        lanes: ["JSONRPC 1.0"],
      });
      expect(results).toMatchObject([
        { state: "skip", reason: expect.stringContaining("--message") as string },
      ]);
    }
  });
});
