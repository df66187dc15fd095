import { describe, expect, it, vi } from "vitest";
import { fixedEnvironment } from "../../support/environment.js";
import { all, opened, refusal } from "../../support/everywhere.js";
import {
  artifactsOf,
  begin,
  editions,
  idOf,
  onEveryBinding,
  outline,
  read,
  saidIn,
  send,
  stateOf,
  stream,
  subscribe,
  userMessage,
} from "./editions.js";

describe.each(editions)("$version over every binding", (edition) => {
  it("the agent continues a task that asked a question, and remembers all messages", async () => {
    const [asked, done] = await onEveryBinding(edition, async (side) => {
      const first = await send(side, "ask Which color?");
      return [first, await send(side, "green", { taskId: idOf(first) })] as const;
    });
    expect([stateOf(asked), stateOf(done)]).toEqual(["input-required", "completed"]);
    expect(done).toMatchObject({ id: asked["id"], contextId: asked["contextId"] });
    expect(artifactsOf(done)).toEqual([["green"]]);
    expect(saidIn(done)).toEqual(["ask Which color?", "Which color?", "green"]);
  });

  it("the agent processes messages that arrive during its work in order, and equal messages twice", async () => {
    const done = await onEveryBinding(edition, async ({ binding }) => {
      let goOn: () => void = () => undefined;
      const gate = new Promise<void>((resolve) => (goOn = resolve));
      const side = await edition.open(binding, { environment: fixedEnvironment(() => gate) });
      const id = idOf(await begin(side, "slow 1 first"));
      const both = Promise.all([1, 2].map(() => send(side, "again", { taskId: id })));
      await vi.waitFor(async () => expect(saidIn(await read(side, id))).toHaveLength(3));
      goOn();
      const [second] = await both;
      side.client.close();
      await side.agent.close();
      return second;
    });
    expect(artifactsOf(done)).toEqual([["first"], ["again"], ["again"]]);
    expect(saidIn(done)).toEqual(["slow 1 first", "again", "again"]);
  });

  it("the agent keeps the context that the caller names", async () => {
    const [one, two] = await onEveryBinding(
      edition,
      async (side) =>
        [
          await send(side, "a", { contextId: "talk" }),
          await send(side, "b", { contextId: "talk" }),
        ] as const,
    );
    expect([one["contextId"], two["contextId"]]).toEqual(["talk", "talk"]);
    expect(one["id"]).not.toBe(two["id"]);
  });

  it.each([
    ["an unknown task", "none", {}, "TaskNotFoundError"],
    ["a task of another context", "id-1", { contextId: "other" }, "InvalidParamsError"],
    ["a task that has ended", "id-1", { contextId: "talk" }, "UnsupportedOperationError"],
  ])("the agent refuses a message to %s", async (_what, taskId, more, name) => {
    const refused = await onEveryBinding(edition, async (side) => {
      await send(side, name === "UnsupportedOperationError" ? "done" : "ask", {
        contextId: "talk",
      });
      return refusal(send(side, "more", { taskId, ...more }));
    });
    expect(refused.name).toBe(name);
  });

  it.each([
    [undefined, ["ask a?", "a?", "b"]],
    [2, ["a?", "b"]],
    [10, ["ask a?", "a?", "b"]],
  ])(
    "the agent returns the requested number of the latest messages of a task: %s",
    async (historyLength, expected) => {
      const length = historyLength === undefined ? {} : { historyLength };
      const tasks = await onEveryBinding(edition, async (side) => {
        const id = idOf(await send(side, "ask a?"));
        return [
          await send(side, "b", { taskId: id }, { configuration: length }),
          await read(side, id, length),
        ];
      });
      expect(tasks.map(saidIn)).toEqual([expected, expected]);
    },
  );

  it("the agent returns no messages of a task if the caller requests none and the transport can represent that", async () => {
    const hasNone = await onEveryBinding(edition, async (side) => {
      const task = await read(side, idOf(await send(side, "hi")), { historyLength: 0 });
      // The proto of 0.3 has no way to tell 0 from absent here.
      const isTold = edition.version !== "0.3.0" || side.binding !== "GRPC";
      return isTold ? task["history"] === undefined : saidIn(task).length === 1;
    });
    expect(hasNone).toBe(true);
  });

  it("the agent aborts the work on a canceled task and notifies its subscribers", async () => {
    const [canceled, events] = await onEveryBinding(edition, async (side) => {
      const id = idOf(await begin(side, "slow 60000 never"));
      const watching = await opened(subscribe(side, id));
      return [await side.client.call("cancelTask", { id }), await watching.rest()] as const;
    });
    expect(stateOf(canceled)).toBe("canceled");
    expect(outline(events)).toEqual(["task working", "status canceled"]);
  });

  it("the agent cancels a task that waits for its user, but only once", async () => {
    const [canceled, refused] = await onEveryBinding(edition, async (side) => {
      const id = idOf(await send(side, "ask"));
      const cancel = () => side.client.call("cancelTask", { id });
      return [await cancel(), await refusal(cancel())] as const;
    });
    expect(stateOf(canceled)).toBe("canceled");
    expect(refused.name).toBe("TaskNotCancelableError");
  });

  it("the agent streams the current task to a subscriber, and then its changes until it ends", async () => {
    const events = await onEveryBinding(edition, async (side) => {
      const id = idOf(await send(side, "ask"));
      const watching = await opened(subscribe(side, id));
      await send(side, "blue", { taskId: id });
      return (await watching.rest()).map(edition.parseEvent);
    });
    expect(outline(events)).toEqual([
      "task input-required",
      "status working",
      'artifact ["blue"]',
      "status completed",
    ]);
  });

  it("the agent refuses a subscription to an unknown or ended task", async () => {
    const refused = await onEveryBinding(edition, async (side) => {
      const id = idOf(await send(side, "hi"));
      return [await refusal(all(subscribe(side, "none"))), await refusal(all(subscribe(side, id)))];
    });
    expect(refused.map(({ name }) => name)).toEqual([
      "TaskNotFoundError",
      "UnsupportedOperationError",
    ]);
  });

  it("the agent streams the same updates in the same order to all subscribers of a task", async () => {
    const [sent, ...others] = await onEveryBinding(edition, async (side) => {
      const id = idOf(await send(side, "ask"));
      const watching = await Promise.all([1, 2].map(() => opened(subscribe(side, id))));
      const streams = await Promise.all([
        all(stream(side, userMessage("slow 5 a b c", { taskId: id }))),
        ...watching.map((one) => one.rest()),
      ]);
      return streams.map((events) => outline(events).slice(1));
    });
    expect(sent).toEqual([
      "status working",
      'artifact ["a "]',
      'artifact ["b "]',
      'artifact ["c"]',
      "status completed",
    ]);
    expect(others).toEqual([sent, sent]);
  });

  it("one of several subscribers can leave without harm to the task and the other subscribers", async () => {
    const lines = await onEveryBinding(edition, async (side) => {
      const id = idOf(await send(side, "ask"));
      const stays = await opened(subscribe(side, id));
      for await (const event of subscribe(side, id)) if (event !== undefined) break;
      const leaving = new AbortController();
      const left = await opened(subscribe(side, id, { signal: leaving.signal }));
      leaving.abort(new Error("gone"));
      await expect(left.rest()).rejects.toThrow("gone");
      await send(side, "blue", { taskId: id });
      return outline(await stays.rest());
    });
    expect(lines.slice(1)).toEqual(["status working", 'artifact ["blue"]', "status completed"]);
  });

  it("a task continues if its caller disconnects", async () => {
    const state = await onEveryBinding(edition, async (side) => {
      const leaving = new AbortController();
      const call = send(side, "slow 60000 never", {}, { signal: leaving.signal });
      await vi.waitFor(() => read(side, "id-1"));
      leaving.abort(new Error("gone"));
      await expect(call).rejects.toThrow("gone");
      return stateOf(await read(side, "id-1"));
    });
    expect(state).toBe("working");
  });
});

describe("a stream of a task that pauses again", () => {
  it.each([
    ["1.0", ["working", "input-required", "working", "completed"]],
    ["0.3.0", ["working", "input-required"]],
  ])("the stream ends in %s with the last event of %j", async (version, expected) => {
    const edition = editions.find((one) => one.version === version);
    if (edition === undefined) throw new Error(`Missing echo agent of ${version}`);
    const lines = await onEveryBinding(edition, async (side) => {
      const id = idOf(await send(side, "ask one?"));
      const watching = await opened(subscribe(side, id));
      for (const text of ["ask two?", "done"]) await send(side, text, { taskId: id });
      return outline(await watching.rest());
    });
    expect(lines.flatMap((line) => /^status (.*)/.exec(line)?.[1] ?? [])).toEqual(expected);
  });
});
