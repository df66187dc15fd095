import { describe, expect, it, vi } from "vitest";
import { message } from "../../../../support/kit.js";
import { nobodies } from "../../../../support/nobodies.js";
import { asking } from "../turns/rule-agents.js";

describe("scopes (13.1)", () => {
  it("the tasks of other owners and tenants are not found", async () => {
    const { agent } = asking({ owner: (user) => user.split("@")[1] ?? "" });
    const { id } = await agent.send("a", "ada@home");
    expect((await agent.get(id, "eva@home")).id).toBe(id);
    const { service, context } = agent;
    const strangers = [context("ada@work"), context("ada@home", { tenant: "other" })];
    for (const stranger of strangers) {
      const calls = [
        service.getTask({ id }, stranger),
        service.cancelTask({ id }, stranger),
        service.subscribeToTask({ id }, stranger),
        service.sendMessage(message("b", { taskId: id }), stranger),
      ];
      const refusal = { name: "TaskNotFoundError", metadata: { taskId: id } };
      for (const call of calls) await expect(call).rejects.toMatchObject(refusal);
      expect(await service.listTasks({}, stranger)).toMatchObject({ tasks: [], totalSize: 0 });
    }
  });

  it("an owner must be a string", async () => {
    const agent = asking({ owner: () => 7 as never }).agent;
    await expect(agent.send("a", "ada")).rejects.toThrow(
      "`owner` must return a string, got number",
    );
  });

  it("the scope of a user is never the scope of anonymous callers", async () => {
    const { agent } = asking({ owner: () => "" });
    await expect(agent.send("a", "ada")).rejects.toThrow(
      "The owner of a user's tasks must not be empty",
    );
    expect((await agent.send("a")).id).not.toBe("");
  });

  it("all values without a user share one scope, and the option owner is not called for them", async () => {
    const owner = vi.fn(() => "ada");
    const { agent } = asking({ owner });
    const { id } = await agent.send("a");
    for (const user of nobodies) expect((await agent.get(id, user as string)).id).toBe(id);
    expect(owner).not.toHaveBeenCalled();
  });

  it.each(["ada\0", "ada\ud800", "\udc00ada"])(
    "an owner that stores would save as another string is refused: %j",
    async (owner) => {
      await expect(asking({ owner: () => owner }).agent.send("a", "ada")).rejects.toThrow(
        "must not contain NUL or an unpaired surrogate",
      );
      const { service, context } = asking({}).agent;
      const list = async (tenant: string) =>
        await service.listTasks({}, context("ada", { tenant }));
      await expect(list(owner)).rejects.toMatchObject({ reason: "INVALID_PARAMS" });
    },
  );
});

describe("the tasks of anonymous callers", () => {
  it("an anonymous caller lists tasks by the id of their context only", async () => {
    for (const user of [...nobodies, "guest"]) {
      const { agent } = asking({ anonymousLists: false });
      const context = agent.context("", { user: user as string, isAnonymous: user === "guest" });
      const { task } = await agent.service.sendMessage(message("a"), context);
      const list = async (request: object) =>
        (await agent.service.listTasks(request, context)).tasks.map(({ id }) => id);
      expect(await list({ contextId: task?.contextId })).toEqual([task?.id]);
      for (const request of [
        {},
        { contextId: "" },
        { status: "TASK_STATE_INPUT_REQUIRED" },
        { pageSize: 100 },
      ])
        expect(await list(request)).toEqual([]);
    }
  });

  it("an anonymous caller gets an error for a page token, because lists without a context have no further pages", async () => {
    const { agent } = asking({ anonymousLists: false });
    await agent.send("a");
    for (const request of [{ pageToken: "nonsense" }, { contextId: "", pageToken: "0_a" }])
      await expect(agent.list(request)).rejects.toMatchObject({
        reason: "INVALID_PARAMS",
        message: "pageToken was not issued by this agent",
      });
    expect(await agent.list({ pageToken: "" })).toMatchObject({ tasks: [], nextPageToken: "" });
  });

  it("an anonymous caller lists all anonymous tasks if the option anonymousLists is set", async () => {
    const { agent } = asking({ anonymousLists: true });
    await agent.send("a");
    expect(await agent.list()).toMatchObject({ totalSize: 1 });
  });

  it("users do not see anonymous tasks, and anonymous callers do not see the tasks of users", async () => {
    const { agent } = asking({ anonymousLists: true });
    const [nobodys, adas] = [await agent.send("a"), await agent.send("a", "ada")];
    await expect(agent.get(nobodys.id, "ada")).rejects.toMatchObject({ name: "TaskNotFoundError" });
    await expect(agent.get(adas.id)).rejects.toMatchObject({ name: "TaskNotFoundError" });
    expect((await agent.list({}, "ada")).tasks.map(({ id }) => id)).toEqual([adas.id]);
  });
});
