import { describe, expect, it } from "vitest";
import {
  createAgent,
  fetchHandler,
  type A2AService,
} from "../../../../../generated/0.4-draft/index.js";
import { respelled } from "../../../../../library/runtime/server/spellings.js";

const spellings = [
  { name: "id", field: ["name"], prefix: "tasks/" },
  { name: "after", field: ["time"], unit: "milliseconds" },
  { name: "url", field: ["hook", "url"] },
  { name: "headers", field: ["hook", "headers"] },
] as const;

describe("other spellings of the fields of a request", () => {
  it.each([
    ["a resource name as an id", { id: "7" }, { name: "tasks/7" }],
    ["a time before 1970", { after: -1 }, { time: "1969-12-31T23:59:59.999Z" }],
    ["a time in a query", { after: "1700000000000" }, { time: "2023-11-14T22:13:20Z" }],
    [
      "the field itself, which takes precedence",
      { id: "7", name: "tasks/8" },
      { id: "7", name: "tasks/8" },
    ],
    ["members of an object", { url: "u", headers: {} }, { hook: { url: "u", headers: {} } }],
    [
      "a member next to others",
      { url: "u", hook: { token: "t" } },
      { hook: { token: "t", url: "u" } },
    ],
    ["an unreadable value without a change", { id: 7, after: "soon" }, { id: 7, after: "soon" }],
    ["a time that no timestamp can represent without a change", { after: 1e300 }, { after: 1e300 }],
    ["a value that is not an object", null, null],
  ])("the server reads %s", (_, request, expected) => {
    expect(respelled(request, spellings, [])).toEqual(expected);
  });
});

describe("the draft of 0.4", () => {
  const seen: unknown[] = [];
  const see = (request: object): never => {
    seen.push(request);
    throw new Error("Seen");
  };
  const service: A2AService = { getTask: see, cancelTask: see, listTasks: see };
  const handler = fetchHandler(
    // Nothing here depends on the card.
    createAgent({ card: () => ({}), service, onError: () => undefined }),
  );
  const headers = { "content-type": "application/json", "a2a-version": "0.4" };
  const call = async (method: string, params: object) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    return (
      await handler(new Request("http://agent.test/", { method: "POST", headers, body }))
    ).json();
  };

  it("the draft accepts ids for resource names of its proto, and times in milliseconds", async () => {
    await call("tasks/get", { id: "t-1" });
    await call("tasks/cancel", { id: "t-2" });
    await call("tasks/list", { lastUpdatedAfter: 1_700_000_000_000 });
    await handler(
      new Request("http://agent.test/v1/tasks?lastUpdatedAfter=1700000000000", { headers }),
    );
    const lastUpdatedTime = "2023-11-14T22:13:20Z";
    expect(seen).toEqual([
      { name: "tasks/t-1" },
      { name: "tasks/t-2" },
      { lastUpdatedTime },
      { lastUpdatedTime },
    ]);
  });

  it("the draft refuses to cancel a task without a name", async () => {
    expect(await call("tasks/cancel", {})).toMatchObject({ error: { code: -32602 } });
  });
});
