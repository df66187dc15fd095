import { expect, it } from "vitest";
import { bodiesOf, headersOf } from "../../../../../library/kit/push/notification.js";
import type { EventEntry, Stored, WebhookLease } from "../../../../../library/kit/store.js";
import { protocol } from "../../../../../generated/1.1-draft/operations.js";
import { scope } from "../../../../support/push.js";

const [taskId, contextId] = ["t", "c"];
const said = (
  generation: number,
  state: "TASK_STATE_WORKING" | "TASK_STATE_COMPLETED",
): EventEntry => ({
  generation,
  event: { statusUpdate: { taskId, contextId, status: { state } } },
});
const piece = {
  generation: 3,
  event: {
    artifactUpdate: { taskId, contextId, artifact: { artifactId: "a", parts: [{ text: "word" }] } },
  },
} satisfies EventEntry;
const events = [said(2, "TASK_STATE_WORKING"), piece, said(4, "TASK_STATE_COMPLETED")];

/** A webhook of a version that posts tasks, whose task has ended by now. */
const form = { type: "Task", contentType: "application/json", bodyOf: (value: unknown) => value };
const task = { id: taskId, contextId, status: { state: "TASK_STATE_COMPLETED" } };
const read = () => Promise.resolve({ task, generation: 4 } as unknown as Stored);

it("the sender posts an ended task with the status after each update", async () => {
  const webhook = {
    taskId,
    id: "w",
    config: { url: "https://a.example" },
    version: "0.3",
    after: 1,
  };
  const lease: WebhookLease = { webhook, scope, holder: "one", epoch: 1, events, failures: 0 };
  const bodyOf = bodiesOf({ webhookForm: () => form }, { read }, protocol);
  const states = async (own: WebhookLease): Promise<unknown[]> => {
    const bodies = await Promise.all(own.events.map(async (entry) => bodyOf(own, entry)));
    return bodies.map(({ body }) => (JSON.parse(body) as typeof task).status.state);
  };
  expect(await states(lease)).toEqual([
    "TASK_STATE_WORKING",
    "TASK_STATE_WORKING",
    "TASK_STATE_COMPLETED",
  ]);
  // Delivered changes are not repeated: a task whose artifacts change is working.
  expect(await states({ ...lease, events: events.slice(1) })).toEqual([
    "TASK_STATE_WORKING",
    "TASK_STATE_COMPLETED",
  ]);
});

it("the key of an event stays the same if the task has changed when the event is posted again", async () => {
  const webhook = {
    taskId,
    id: "w",
    config: { url: "https://a.example" },
    version: "0.3",
    after: 1,
  };
  const lease = { webhook, scope, holder: "one", epoch: 1, failures: 0 };
  const postOf = async (batch: readonly EventEntry[], entry: EventEntry, stored: object) => {
    const store = { read: () => Promise.resolve(stored as Stored) };
    const body = await bodiesOf(
      { webhookForm: () => form },
      store,
      protocol,
    )({ ...lease, events: batch }, entry);
    const { "idempotency-key": key } = await headersOf(webhook, entry.generation, body, protocol);
    return { text: body.body, key };
  };
  const working = {
    state: "TASK_STATE_WORKING",
    timestamp: "2026-01-01T00:00:00Z",
  };
  const first = await postOf(events.slice(0, 2), piece, {
    task: { ...task, status: working },
    generation: 3,
  });
  const again = await postOf(events.slice(1), piece, { task, generation: 4 });
  const other = await postOf(
    [piece],
    { ...piece, event: { artifactUpdate: { ...piece.event.artifactUpdate, lastChunk: true } } },
    { task: { ...task, status: working }, generation: 3 },
  );
  expect(again.text).not.toBe(first.text);
  expect(again.key).toBe(first.key);
  expect(other.text).toBe(first.text);
  expect(other.key).not.toBe(first.key);
});

it.each([
  ["of the webhook", form, "0.3", "application/json"],
  [
    "of the agent if the version of the webhook is no longer served",
    undefined,
    "1.1",
    "application/a2a+json",
  ],
])(
  "the sender uses the version %s for a webhook, in the headers and in the body",
  async (_, webhookForm, version, contentType) => {
    const webhook = {
      taskId,
      id: "w",
      config: { url: "https://a.example" },
      version: "0.3",
      after: 1,
    };
    const lease: WebhookLease = { webhook, scope, holder: "one", epoch: 1, events, failures: 0 };
    const body = await bodiesOf(
      { webhookForm: () => webhookForm },
      { read },
      protocol,
    )(lease, piece);
    expect(await headersOf(webhook, 3, body, protocol)).toMatchObject({
      "content-type": contentType,
      "a2a-version": version,
    });
    expect(Object.keys(JSON.parse(body.body) as object)).toContain(
      webhookForm === undefined ? "artifactUpdate" : "status",
    );
  },
);
