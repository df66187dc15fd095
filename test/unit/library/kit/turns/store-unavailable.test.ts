import { expect, it, onTestFinished } from "vitest";
import { memoryStore } from "../../../../../library/kit/memory/store.js";
import type { TaskStore } from "../../../../../library/kit/store.js";
import { completed, inputRequired, working } from "../../../../../library/kit/turns/updates.js";
import { kitAgent, message } from "../../../../support/kit.js";

const away = new Error("connect ECONNREFUSED /run/postgres.sock");

/** An agent whose database is away while `isAway` is set. */
async function agentWithOutage() {
  const inner = memoryStore();
  const outage = { isAway: false };
  const store = new Proxy<TaskStore>(inner, {
    get(_, name) {
      const own: unknown = Reflect.get(inner, name);
      if (typeof own !== "function") return own;
      return (...given: unknown[]): unknown =>
        outage.isAway && name !== "watch" ? Promise.reject(away) : Reflect.apply(own, inner, given);
    },
  });
  const agent = kitAgent({
    store,
    *run({ message: { parts } }) {
      yield working();
      return parts[0]?.text === "ask" ? inputRequired("Which one?") : completed();
    },
  });
  onTestFinished(() => {
    outage.isAway = false;
    return agent.close();
  });
  const { id } = await agent.send("ask", "ada");
  return { agent, id, outage };
}

it.each([
  ["GetTask", (agent, id) => agent.get(id, "ada")],
  ["ListTasks", (agent) => agent.list({}, "ada")],
  ["CancelTask", (agent, id) => agent.cancel(id, "ada")],
  ["SendMessage for a new task", (agent) => agent.send("new", "ada")],
  [
    "SendMessage for a known task",
    (agent, id) => agent.send(message("more", { taskId: id }), "ada"),
  ],
  ["SendStreamingMessage", (agent, id) => agent.stream(message("more", { taskId: id }), "ada")],
  ["SubscribeToTask", (agent, id) => agent.subscribe(id, "ada")],
] as [string, (agent: ReturnType<typeof kitAgent>, id: string) => Promise<unknown>][])(
  "%s responds that the service is unavailable, and when to retry, while the database is away",
  async (_, call) => {
    const { agent, id, outage } = await agentWithOutage();
    outage.isAway = true;
    const error: unknown = await call(agent, id).catch((thrown: unknown) => thrown);
    const codes = { httpStatus: 503, grpcStatus: "UNAVAILABLE", retryAfterSeconds: 5 };
    expect(error).toMatchObject({ name: "InternalError", ...codes, cause: away });
    expect(String(error)).not.toContain("postgres");
    expect(agent.errors).toContain(away);
    outage.isAway = false;
    expect((await agent.get(id, "ada")).id).toBe(id);
  },
);

it("errors that callers cause are sent unchanged", async () => {
  const { agent } = await agentWithOutage();
  await expect(agent.get("unknown", "ada")).rejects.toMatchObject({ name: "TaskNotFoundError" });
  await expect(agent.list({ pageToken: "other" }, "ada")).rejects.toMatchObject({
    name: "InvalidParamsError",
  });
  expect(agent.errors).toEqual([]);
});
