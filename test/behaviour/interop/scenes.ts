import {
  Role,
  TaskState,
  type Message,
  type Part,
  type StreamResponse,
  type Task,
  type TaskStatus,
} from "../../../generated/1.0/index.js";
import { at, isObject } from "./json.js";

/** Input of a scene: the ids that the server has assigned, and the received message. */
export interface Stage {
  readonly taskId: string;
  readonly contextId: string;
  /** The message of the user, with the ids of the task. */
  readonly message: Message;
}

/**
 * Step of an agent: it sends an event, or waits until the test continues or the task is canceled.
 */
export type Step = StreamResponse | "wait";

/** Steps of an agent for a message that starts with the name of the scene, in the JSON of 1.0. */
export type Scene = (stage: Stage) => readonly Step[];

/** The time of everything that happens. It has milliseconds, which every transport carries. */
export const timestamp = "2026-01-02T03:04:05.678Z";

/** One part of each kind, in what all transports of all versions carry. */
export const parts: readonly Part[] = [
  { text: 'Grüße, 世界 🙂\n"quoted" \\ </script>' },
  {
    raw: Buffer.from([0, 1, 62, 63, 251, 252, 253, 254, 255]).toString("base64"),
    mediaType: "application/octet-stream",
  },
  { url: "https://example.org/a%20file.pdf?x=1&y=%C3%BC", mediaType: "application/pdf" },
  {
    data: {
      nested: { list: [1, -2.5, true, "text", {}, []] },
      "": "empty name",
      big: 9007199254740991,
    },
  },
];

/** The metadata of all objects that have metadata. */
export const metadata = {
  "https://example.org/trace": { id: "t-1", hops: [1, 2] },
  flag: false,
  empty: "",
};

/** A message of the agent. */
export function said(stage: Stage, messageId: string, more: Partial<Message> = {}): Message {
  const { taskId, contextId } = stage;
  return {
    messageId,
    role: Role.Agent,
    taskId,
    contextId,
    parts: [{ text: `This is ${messageId}` }],
    ...more,
  };
}

function status(stage: Stage, state: TaskState, message?: Message): StreamResponse {
  const { taskId, contextId } = stage;
  return {
    statusUpdate: { taskId, contextId, status: { state, timestamp, ...(message && { message }) } },
  };
}

/**
 * First event of every scene about a task. The first event of a task carries the message of the
 * user.
 */
function begun(
  { taskId: id, contextId, message }: Stage,
  more: Partial<Task> = {},
): StreamResponse {
  const first: TaskStatus = { state: TaskState.Submitted, timestamp };
  return { task: { id, contextId, status: first, history: [message], ...more } };
}

function chunk(
  { taskId, contextId }: Stage,
  artifactId: string,
  content: readonly Part[],
  more: { append?: true; lastChunk?: true } = {},
): StreamResponse {
  return {
    artifactUpdate: { taskId, contextId, artifact: { artifactId, parts: [...content] }, ...more },
  };
}

function answer({ contextId }: Stage): StreamResponse {
  const message = { messageId: "answer", role: Role.Agent, contextId, parts: [...parts], metadata };
  return { message: { ...message, extensions: ["https://example.org/ext/one"] } };
}

function work(stage: Stage): Step[] {
  const { taskId, contextId } = stage;
  const note = said(stage, "working", { parts: [...parts], metadata });
  const report = { artifactId: "report", name: "Report", description: "In three chunks", metadata };
  return [
    begun(stage, { metadata }),
    {
      statusUpdate: {
        taskId,
        contextId,
        status: { state: TaskState.Working, timestamp, message: note },
        metadata,
      },
    },
    {
      artifactUpdate: {
        taskId,
        contextId,
        artifact: { ...report, parts: [{ text: "one" }] },
        metadata,
      },
    },
    chunk(stage, "report", [{ text: " two" }], { append: true }),
    chunk(stage, "report", [{ text: " three" }], { append: true, lastChunk: true }),
    chunk(stage, "files", parts.slice(1), { lastChunk: true }),
    status(stage, TaskState.Completed, said(stage, "completed")),
  ];
}

function hold(stage: Stage): Step[] {
  return [
    begun(stage),
    status(stage, TaskState.Working),
    chunk(stage, "held", [{ text: "before" }]),
    "wait",
    chunk(stage, "held", [{ text: "after" }], { append: true, lastChunk: true }),
    status(stage, TaskState.Completed),
  ];
}

function remember(stage: Stage): Step[] {
  const earlier = Array.from({ length: 40 }, (_, index) => said(stage, `earlier-${index}`));
  return [
    begun(stage, { history: [stage.message, ...earlier] }),
    status(stage, TaskState.Completed),
  ];
}

/** Continues a task. The server remembers its history. */
function resume(stage: Stage): Step[] {
  const working: TaskStatus = { state: TaskState.Working, timestamp };
  const { taskId: id, contextId } = stage;
  return [
    { task: { id, contextId, status: working } },
    chunk(stage, "resumed", [{ text: "Thank you" }], { lastChunk: true }),
    status(stage, TaskState.Completed),
  ];
}

/** Values that some transports of 0.3 cannot carry: see "What is lost where" in docs/a2a-0.3.md. */
function rich(stage: Stage): Step[] {
  const named = parts.map((part) => ({
    ...part,
    metadata,
    ...(part.raw && { filename: "ü.bin" }),
  }));
  return [
    begun(stage),
    chunk(stage, "rich", named, { lastChunk: true }),
    status(stage, TaskState.Completed, said(stage, "rich", { referenceTaskIds: [stage.taskId] })),
  ];
}

function ending(state: TaskState): Scene {
  return (stage) => [
    begun(stage),
    status(stage, TaskState.Working),
    status(stage, state, said(stage, "reason")),
  ];
}

/** The scenes of the agents of all servers. */
export const scenes = {
  answer: (stage: Stage) => [answer(stage)],
  work,
  hold,
  remember,
  resume,
  rich,
  ask: ending(TaskState.InputRequired),
  auth: ending(TaskState.AuthRequired),
  fail: ending(TaskState.Failed),
  reject: ending(TaskState.Rejected),
} satisfies Readonly<Record<string, Scene>>;

export type SceneName = keyof typeof scenes;

/** Finds the scene of a text by its first word. Throws if the scene does not exist. */
export function sceneOf(text: unknown): Scene {
  const name = typeof text === "string" ? (text.split(" ")[0] ?? "") : "";
  // A probe also sends messages without a text.
  return Object.entries(scenes).find(([key]) => key === name)?.[1] ?? scenes.work;
}

/** The ids of the messages that come with a status. */
const ofStatus = ["working", "completed", "reason", "rich"];

/**
 * Returns a value without the messages of histories that came with a status: when these are added
 * is up to a server.
 */
export function withoutStatusMessages(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutStatusMessages);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, item]) => {
    const isHistory = name === "history" && Array.isArray(item);
    return [
      name,
      isHistory ? item.filter((one) => !ofStatus.includes(String(at(one, "messageId")))) : item,
    ] as const;
  });
  return Object.fromEntries(entries.map(([name, item]) => [name, withoutStatusMessages(item)]));
}

/** The events that an agent sends if its task is canceled. */
export function canceled({ taskId, contextId }: Omit<Stage, "message">): StreamResponse {
  return { statusUpdate: { taskId, contextId, status: { state: TaskState.Canceled, timestamp } } };
}

/** Returns a task after these events, as a server that follows the specification stores it. */
export function folded(events: readonly Step[]): Task {
  let task: Task | undefined;
  for (const event of events) if (event !== "wait") task = fold(task, event);
  if (task === undefined) throw new Error("The events are not about a task");
  return task;
}

function fold(
  task: Task | undefined,
  { task: next, statusUpdate, artifactUpdate }: StreamResponse,
) {
  if (next !== undefined) return task === undefined ? next : { ...task, ...next };
  if (task === undefined) return undefined;
  if (statusUpdate !== undefined) {
    const { status: now, metadata: more } = statusUpdate;
    const history = [...(task.history ?? []), ...(now.message ? [now.message] : [])];
    return {
      ...task,
      status: now,
      history,
      ...(more && { metadata: { ...task.metadata, ...more } }),
    };
  }
  if (artifactUpdate === undefined) return task;
  const { artifact, append, metadata: more } = artifactUpdate;
  const all = task.artifacts ?? [];
  const index = all.findIndex(({ artifactId }) => artifactId === artifact.artifactId);
  const earlier = all[index];
  const whole =
    append && earlier ? { ...earlier, parts: [...earlier.parts, ...artifact.parts] } : artifact;
  const artifacts = earlier === undefined ? [...all, artifact] : all.with(index, whole);
  return { ...task, artifacts, ...(more && { metadata: { ...task.metadata, ...more } }) };
}
