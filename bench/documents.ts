import type { Message, SendMessageRequest, Task } from "../generated/1.0/index.js";

const taskId = "0b8d4c1e-6f0a-4d5b-9c53-7a0f3f1b2a61";
const contextId = "c2a7d8f4-11b3-4f0e-8d7a-5e6b9c0d1f23";

const sentences = [
  "Please compare the two quarterly reports and list what changed.",
  "I have read both documents. Revenue grew by 4.2 %, costs by 3.1 %.",
  "Which of the regions contributed most to that?",
  "The north did, with 61 % of the growth; details are in the table.",
];

function messageOf(index: number): Message {
  return {
    messageId: `5f3e9a70-0000-4000-8000-${String(index).padStart(12, "0")}`,
    role: index % 2 === 0 ? "ROLE_USER" : "ROLE_AGENT",
    parts:
      index % 3 === 2
        ? [
            { text: sentences[index % 4] ?? "" },
            {
              data: {
                region: "north",
                share: 0.61,
                months: [1, 2, 3],
                totals: { revenue: 1_250_000, cost: 981_000 },
              },
              mediaType: "application/json",
            },
          ]
        : [{ text: sentences[index % 4] ?? "" }],
    contextId,
    taskId,
    ...(index === 0 && {
      metadata: { locale: "en", trace: { id: "4bf92f3577b34da6", sampled: true } },
    }),
  };
}

/** A task as an agent stores it: ten messages and one artifact. */
export const task: Task = {
  id: taskId,
  contextId,
  status: {
    state: "TASK_STATE_COMPLETED",
    timestamp: "2026-03-14T15:09:26.535Z",
    message: messageOf(9),
  },
  artifacts: [
    {
      artifactId: "a-1",
      name: "comparison.md",
      description: "Differences between the two reports",
      parts: [
        { text: `# Changes\n\n${sentences.join("\n\n")}`, mediaType: "text/markdown" },
        {
          url: "https://example.org/files/table.csv",
          filename: "table.csv",
          mediaType: "text/csv",
        },
      ],
    },
  ],
  history: Array.from({ length: 9 }, (_, index) => messageOf(index)),
  metadata: { model: "large", tokens: 1234 },
};

/** A request that starts a task. */
export const sendRequest: SendMessageRequest = {
  message: {
    ...messageOf(2),
    extensions: ["https://example.org/extensions/trace"],
    metadata: { locale: "en" },
  },
  configuration: { acceptedOutputModes: ["text/plain", "application/json"], historyLength: 10 },
  metadata: { priority: "high" },
};

/**
 * The task with an invalid state, a message without parts, a message with a role of an earlier
 * version, and a number as id.
 */
export const invalidTask: unknown = {
  ...task,
  id: 17,
  status: { ...task.status, state: "completed" },
  history: task.history?.map((message, index) => {
    if (index === 4) return { ...message, parts: [] };
    return index === 8 ? { ...message, role: "user" } : message;
  }),
};

/** The request without a message id, with text and file in one part, and text as a number. */
export const invalidSendRequest: unknown = {
  ...sendRequest,
  message: { role: "ROLE_USER", parts: [{ text: "hi", url: "https://example.org/" }] },
  configuration: { ...sendRequest.configuration, historyLength: "10" },
};

/**
 * Returns a copy as a parser creates it, without the object shapes that the literals above share.
 */
export function fromWire(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
