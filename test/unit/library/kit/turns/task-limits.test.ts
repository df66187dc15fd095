import { describe, expect, it } from "vitest";
import type { AgentCard, Part } from "../../../../../generated/1.1-draft/models.js";
import { artifact } from "../../../../../library/kit/turns/artifact.js";
import { InputModes } from "../../../../../library/kit/calls/media-types.js";
import { memoryStore } from "../../../../../library/kit/memory/store.js";
import {
  isLongerThan,
  sizeOf,
  sizeOfEvent,
  TaskTooLargeError,
} from "../../../../../library/kit/limits/size.js";
import type { Expected } from "../../../../../library/kit/store.js";
import type { Turn } from "../../../../../library/kit/turns/turn.js";
import {
  completed,
  inputRequired,
  type Update,
  working,
} from "../../../../../library/kit/turns/updates.js";
import { card, kitAgent, message } from "../../../../support/kit.js";
import { expectLinearTime } from "../../../../support/linear-time.js";

const kB = (count: number): string => "x".repeat(count * 1_000);

/** A store in memory that notes what it gets. */
function noting() {
  const batches: number[] = [];
  const expected: (Expected | undefined)[] = [];
  const store = memoryStore();
  const [create, append, post] = [
    store.create.bind(store),
    store.append.bind(store),
    store.post.bind(store),
  ];
  store.create = (task, options) => {
    batches.push(JSON.stringify(options.entries ?? []).length);
    return create(task, options);
  };
  store.append = (lease, entries, options) => {
    batches.push(JSON.stringify(entries).length);
    return append(lease, entries, options);
  };
  store.post = (...args) => {
    expected.push(args[4]);
    return post(...args);
  };
  return { store, batches, expected };
}

describe("a task that exceeds the size limit", () => {
  type Run = (
    turn: Turn<string>,
  ) => AsyncGenerator<Update, ReturnType<typeof completed>, undefined>;
  const out = () => artifact("out");
  const ways: readonly (readonly [what: string, run: Run])[] = [
    [
      "by chunks of an artifact",
      async function* () {
        for (const writer = out(); ;) yield await Promise.resolve(writer.text(kB(10)));
      },
    ],
    [
      "by messages",
      async function* () {
        for (;;) yield await Promise.resolve(working(kB(10)));
      },
    ],
    [
      "by data",
      async function* () {
        for (const writer = out(); ;)
          yield await Promise.resolve(writer.data({ rows: [kB(5), kB(5)] }));
      },
    ],
    [
      "by metadata",
      async function* () {
        for (;;) yield await Promise.resolve(working("x", { metadata: { text: kB(10) } }));
      },
    ],
    [
      "by callbacks that never wait",
      async function* ({ emit, signal }) {
        yield await Promise.resolve(working());
        for (let count = 0; count < 1_000; count += 1) void emit(out().finish(kB(10)));
        await new Promise((resolve) => {
          signal.addEventListener("abort", resolve);
        });
        return completed();
      },
    ],
    [
      "at its end",
      async function* () {
        yield await Promise.resolve(working());
        return completed(kB(200));
      },
    ],
  ];

  it.each(ways)(
    "a task that becomes too large %s fails with a reason and is never written as a whole",
    async (_, run) => {
      const { store, batches } = noting();
      const agent = kitAgent({
        store,
        run,
        limits: { maxTaskBytes: 100_000, maxQueue: 1_000_000 },
      });
      const { id, status } = await agent.send("a");
      expect(status.state).toBe("TASK_STATE_FAILED");
      expect(status.message?.parts[0]?.text).toContain("100000 bytes");
      // Callbacks that continue are also reported.
      expect(agent.errors.filter((error) => error instanceof TaskTooLargeError)).toHaveLength(1);
      expect(JSON.stringify(await agent.get(id)).length).toBeLessThan(110_000);
      expect(Math.max(...batches)).toBeLessThan(4_500_000);
    },
  );
});

it("a turn may replace an artifact any number of times", async () => {
  const agent = kitAgent({
    limits: { maxTaskBytes: 100_000 },
    async *run() {
      for (let count = 0; count < 50; count += 1) {
        yield await Promise.resolve(artifact("a").finish(kB(40)));
        yield artifact("b").finish(kB(40));
      }
      return completed();
    },
  });
  expect((await agent.send("a")).status.state).toBe("TASK_STATE_COMPLETED");
});

it("a turn waits for the store while a few megabytes wait to be written", async () => {
  const { store, batches } = noting();
  const agent = kitAgent({
    store,
    async *run() {
      for (let count = 0; count < 40; count += 1)
        yield await Promise.resolve(artifact("a").finish(kB(1_000)));
      return completed();
    },
  });
  expect((await agent.send("a")).status.state).toBe("TASK_STATE_COMPLETED");
  expect(Math.max(...batches)).toBeLessThan(6_000_000);
});

it("a message that exceeds the size limit of a task is refused, and no task is created", async () => {
  const agent = kitAgent({ limits: { maxTaskBytes: 10_000 }, run: () => asking() });
  const sent = agent.send(message("a", { parts: [{ text: kB(11) }] }));
  await expect(sent).rejects.toThrow(/limits\.maxTaskBytes is 10000/);
  expect((await agent.list()).totalSize).toBe(0);
});

it("metadata and output modes of a request count towards the size of its message", async () => {
  const agent = kitAgent({ limits: { maxTaskBytes: 10_000 }, run: () => asking() });
  await expect(agent.send({ ...message("a"), metadata: { text: kB(11) } })).rejects.toThrow(
    /maxTaskBytes is 10000/,
  );
  const configuration = { acceptedOutputModes: [kB(11)] };
  await expect(agent.send({ ...message("a"), configuration })).rejects.toThrow(
    /maxTaskBytes is 10000/,
  );
  expect((await agent.list()).totalSize).toBe(0);
});

it.each([
  [
    "during the turn",
    ({ checkpoint }: Turn<string>) => checkpoint({ text: kB(200) }).catch(() => undefined),
    undefined,
  ],
  ["at its end", () => Promise.resolve(), { state: { text: kB(200) } }],
])("a checkpoint that makes the task too large fails the task: %s", async (_, keep, rest) => {
  const agent = kitAgent({
    limits: { maxTaskBytes: 100_000 },
    async *run(turn) {
      yield working();
      await keep(turn);
      return inputRequired("And?", rest);
    },
  });
  const { status } = await agent.send("a");
  expect(status.state).toBe("TASK_STATE_FAILED");
  expect(status.message?.parts[0]?.text).toContain("100000 bytes");
});

it("an artifact of an earlier turn that is replaced counts once", async () => {
  const agent = kitAgent({
    limits: { maxTaskBytes: 100_000 },
    async *run() {
      yield await Promise.resolve(artifact("a").finish(kB(60)));
      return inputRequired("And?");
    },
  });
  const { id: taskId } = await agent.send("a");
  expect((await agent.send(message("b", { taskId }))).status.state).toBe(
    "TASK_STATE_INPUT_REQUIRED",
  );
});

it("the store is asked to refuse messages if a task or its inbox has no room for them", async () => {
  const { store, expected } = noting();
  const agent = kitAgent({ store, run: () => asking() });
  const { id: taskId } = await agent.send("a");
  await agent.send(message("b", { taskId }));
  expect(expected).toMatchObject([
    { maxInbox: 100, maxInboxBytes: 8 * 2 ** 20, maxBytes: 16 * 2 ** 20 },
  ]);
});

it.each([
  ["tooLarge" as const, /limits\.maxTaskBytes is 16777216; start another task/],
  ["full" as const, /limits\.maxInboxBytes is 8388608/],
])("the error for a message that the store finds %s contains a hint", async (outcome, text) => {
  const inner = memoryStore();
  const agent = kitAgent({ store: inner, run: () => asking() });
  const { id: taskId } = await agent.send("a");
  inner.post = () =>
    Promise.resolve({ outcome, state: "TASK_STATE_INPUT_REQUIRED", generation: 2 });
  await expect(agent.send(message("b", { taskId }))).rejects.toThrow(text);
});

describe("a message of a caller", () => {
  const long = "é".repeat(400);
  it.each([
    ["message.messageId", { messageId: long }],
    ["message.contextId", { contextId: long }],
    ["message.taskId", { taskId: long }],
    ["message.referenceTaskIds", { referenceTaskIds: ["a", long] }],
    ["message.referenceTaskIds", { referenceTaskIds: Array.from({ length: 1_001 }, () => "a") }],
    ["message.parts", { parts: Array.from({ length: 1_001 }, () => ({ text: "" })) }],
    ["message.role", { role: "ROLE_AGENT" as const }],
  ])(
    "a message with an invalid %s is refused, and the error names the field",
    async (field, rest) => {
      const agent = kitAgent({ run: () => asking() });
      await expect(agent.send(message("a", rest))).rejects.toMatchObject({
        name: "InvalidParamsError",
        details: [{ fieldViolations: [{ field }] }],
      });
    },
  );

  it("a message is refused if its tenant or owner cannot be indexed by stores", async () => {
    const agent = kitAgent({ run: () => asking() });
    await expect(agent.send("a", long)).rejects.toThrow("owner must have at most 768 bytes");
    const { service, context } = agent;
    await expect(service.getTask({ id: "a" }, context("ada", { tenant: long }))).rejects.toThrow(
      "tenant must have at most 768 bytes",
    );
  });

  it("the ids of a message may be as long as the limit", async () => {
    const agent = kitAgent({ limits: { maxTextBytes: 800 }, run: () => asking() });
    expect((await agent.send(message("a", { contextId: long }))).contextId).toBe(long);
  });
});

describe("the modes of a card", () => {
  const skill = (inputModes: string[]) => ({
    id: "s",
    name: "s",
    description: "s",
    tags: ["s"],
    inputModes,
  });
  const skills = Array.from({ length: 20 }, (_, at) =>
    skill(Array.from({ length: 5 }, (__, mode) => `application/x-${String(at)}-${String(mode)}`)),
  );
  const wide: AgentCard = { ...card, defaultInputModes: ["text/html"], skills };

  it("the modes are compared with hundreds of thousands of parts in linear time", async () => {
    const partsOf = (count: number): Part[] =>
      Array.from({ length: count }, (_, at) => ({
        text: "x",
        mediaType: `application/x-19-${String(at % 5)}; v=${String(at)}`,
      }));
    const modes = new InputModes();
    await expectLinearTime(250_000, partsOf, (parts) => modes.check({ parts } as never, wide));
  });

  it.each([
    ["text/plain", "text/plain", true],
    ["text/*", "text/plain", true],
    ["text", "text/plain", true],
    ["*/*", "image/png", true],
    ["*", "image/png", true],
    ["Text/Plain; charset=utf-8", "text/plain; x=1", true],
    ["text/plain", "text/html", false],
    ["tex", "text/plain", false],
    ["", "text/plain", false],
    ["image/*", "image", false],
  ])("the modes %j accept parts of %j: %j", (mode, mediaType, takes) => {
    const given = { ...card, defaultInputModes: [mode] };
    const check = () => {
      new InputModes().check({ parts: [{ text: "x", mediaType }] } as never, given);
    };
    if (takes) check();
    else expect(check).toThrow("The agent does not accept");
  });

  it("the modes are read again for another card", () => {
    const modes = new InputModes();
    const html = { parts: [{ text: "x", mediaType: "text/html" }] } as never;
    modes.check(html, wide);
    expect(() => {
      modes.check(html, card);
    }).toThrow("The agent does not accept text/html");
  });
});

describe("the size of a value", () => {
  it.each<[unknown]>([
    [{ text: "Hello", mediaType: "text/plain" }],
    [[1, true, null, "x".repeat(1_000), { a: [] }]],
    [Array.from({ length: 500 }, (_, at) => ({ [`key${String(at)}`]: "value" }))],
  ])("the size is approximately the length of the JSON: %#", (value) => {
    const { length } = JSON.stringify(value);
    expect(sizeOf(value)).toBeGreaterThanOrEqual(length * 0.8);
    expect(sizeOf(value)).toBeLessThanOrEqual(length * 2 + 64);
  });

  it("the size includes everything that events contain", () => {
    const event = {
      taskId: "t",
      contextId: "c",
      artifact: { artifactId: "a", parts: [{ text: kB(1) }] },
    };
    expect(sizeOfEvent({ artifactUpdate: event })).toBeGreaterThan(1_000);
    const status = { state: "TASK_STATE_WORKING" as const };
    expect(sizeOfEvent({ statusUpdate: { taskId: "t", contextId: "c", status } })).toBeLessThan(
      1_000,
    );
  });

  it.each([
    ["abc", 3, false],
    ["abcd", 3, true],
    ["é", 1, true],
    ["é", 2, false],
    ["€", 3, false],
    ["😀", 3, true],
    ["😀", 4, false],
  ])("isLongerThan of %j and %i bytes returns %j", (text, bytes, isLonger) => {
    expect(isLongerThan(text, bytes)).toBe(isLonger);
  });
});

async function* asking() {
  yield await Promise.resolve(working());
  return inputRequired("And?");
}
