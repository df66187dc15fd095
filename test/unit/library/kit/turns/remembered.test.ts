import { describe, expect, it, vi } from "vitest";
import { memoryStore } from "../../../../../library/kit/memory/store.js";
import type { TaskServiceOptions } from "../../../../../library/kit/options.js";
import { completed, inputRequired, working } from "../../../../../library/kit/turns/updates.js";
import { kitAgent, message } from "../../../../support/kit.js";

interface Account {
  readonly id: string;
  readonly name: string;
  readonly token: string;
}

const ada: Account = { id: "ada", name: "Ada", token: "very secret" };

/**
 * Sends a message of a user to an agent, and returns what the turn got of the user, and all that
 * the store was given.
 */
async function remembered(user: unknown, settings: object = {}) {
  const users: unknown[] = [];
  const store = memoryStore();
  const calls = ["create", "post", "append"] as const;
  const spies = calls.map((name) => vi.spyOn(store, name));
  const options: TaskServiceOptions<string> = {
    ...settings,
    store,
    async *run(turn) {
      users.push(turn.user);
      yield working("Thinking");
      return turn.task.history?.length === 1 ? inputRequired("And?") : completed("Done");
    },
  };
  const { service, context, close } = kitAgent(options);
  const from = context("", { user: user as string });
  const { task } = await service.sendMessage(message("a"), from);
  await service.sendMessage(message("b", { taskId: task?.id ?? "" }), from);
  await close();
  return { users, stored: JSON.stringify(spies.flatMap(({ mock }) => mock.calls)) };
}

describe("the stored user of a message", () => {
  it("the id of a user object is stored and passed to all turns", async () => {
    const { users, stored } = await remembered(ada);
    expect(users).toEqual([{ id: "ada" }, { id: "ada" }]);
    expect(stored).toContain('"user":{"id":"ada"}');
    expect(stored).not.toContain("secret");
  });

  it("a user that is a string is stored", async () => {
    expect((await remembered("ada")).users).toEqual(["ada", "ada"]);
  });

  it("a user object without an id is not stored", async () => {
    const owner = ({ sub }: { sub: string }): string => sub;
    const { users, stored } = await remembered({ sub: "ada", token: "very secret" }, { owner });
    expect(users).toEqual([undefined, undefined]);
    expect(stored).not.toContain("secret");
  });

  it("the option remember selects what is stored", async () => {
    const remember = ({ id, name }: Account): object => ({ id, name });
    const { users, stored } = await remembered(ada, { remember });
    expect(users).toEqual([{ id: "ada", name: "Ada" }, { id: "ada", name: "Ada" }]); // prettier-ignore
    expect(stored).not.toContain("secret");
  });

  it("an anonymous caller is not stored, and the option remember is not called", async () => {
    const remember = vi.fn();
    expect((await remembered(null, { remember })).users).toEqual([null, null]);
    expect((await remembered({ id: "", token: "very secret" }, { remember })).users).toEqual([
      undefined,
      undefined,
    ]);
    expect(remember).not.toHaveBeenCalled();
  });
});
