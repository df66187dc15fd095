import { createServer } from "node:http";
import {
  connect,
  createAgent,
  Role,
  type AgentCard,
  type Message,
  type Task,
} from "../../generated/1.0/index.js";
import { followTask } from "../../generated/1.0/kit/client/index.js";
import {
  all,
  artifact,
  completed,
  inputRequired,
  taskService,
  textOf,
  working,
} from "../../generated/1.0/kit/index.js";
import { nodeListener } from "../../generated/1.0/server/node.js";
import { startSpecialist } from "./specialists.js";

const {
  HOST: host = "127.0.0.1",
  PORT: port = "4000",
  PUBLIC_URL: url = `http://127.0.0.1:${port}`,
} = process.env;
const agents = process.env["AGENTS"]?.split(",") ?? [
  await startSpecialist("Historian", (question) => `${question} has a long history.`),
  await startSpecialist("Chemist", (question) => `${question} is mostly water.`),
];
const card: AgentCard = {
  name: "Orchestrator",
  description: "Asks other agents and joins their answers.",
  version: "1.0.0",
  supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
  capabilities: { streaming: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/markdown"],
  skills: [
    { id: "ask", name: "Ask", description: "Asks several agents.", tags: ["team"] },
  ],
};

/**
 * Conversation with another agent: its address, and its answer or the task in which it asked a
 * question.
 */
interface Chat {
  readonly address: string;
  readonly answer?: string;
  readonly question?: { readonly taskId: string; readonly text: string };
}

/** Sends a text to another agent. Yields its progress, and returns its answer or its question. */
async function* ask(
  { address, answer, question }: Chat,
  text: string,
  signal: AbortSignal,
) {
  if (answer !== undefined) return { address, answer };
  const client = await connect(address, { signal });
  const name = client.card?.name ?? address;
  const message: Message = {
    messageId: crypto.randomUUID(),
    role: Role.User,
    parts: [{ text }],
  };
  if (question !== undefined) message.taskId = question.taskId;
  let task: Task | undefined;
  try {
    for await (const followed of followTask(client, { message }, { signal })) {
      if (followed.message !== undefined)
        return { address, answer: `- ${name}: ${textOf(followed.message)}\n` };
      task = followed.task;
      const progress = followed.event.statusUpdate?.status;
      if (progress?.state === "TASK_STATE_WORKING" && progress.message !== undefined)
        yield working(`${name}: ${textOf(progress.message)}`);
    }
    const said = task?.status.message === undefined ? "" : textOf(task.status.message);
    if (task?.status.state === "TASK_STATE_INPUT_REQUIRED")
      return { address, question: { taskId: task.id, text: `${name} asks: ${said}` } };
    if (task?.status.state !== "TASK_STATE_COMPLETED")
      throw new Error(
        `${name} did not complete its task (${task?.status.state ?? "no task"}): ${said}`,
      );
    return {
      address,
      answer: `- ${name}: ${task.artifacts?.map(textOf).join("\n") ?? said}\n`,
    };
  } finally {
    // The other agent's task continues after this client disconnects, unless it is canceled.
    if (signal.aborted && task !== undefined)
      await client.cancelTask({ id: task.id }).catch(() => undefined);
    client.close();
  }
}

const service = taskService<unknown, Chat[]>({
  async *run({ message, state = agents.map((address) => ({ address })), signal }) {
    const chats: Chat[] = yield* all(
      ...state.map((chat) => ask(chat, textOf(message), signal)),
    );
    const questions = chats.flatMap(({ question }) => question?.text ?? []);
    if (questions.length > 0)
      return inputRequired(questions.join("\n"), { state: chats });
    yield* artifact("answers.md", "text/markdown").from(
      chats.flatMap(({ answer }) => answer ?? []),
    );
    return completed();
  },
  onFailure: (error) =>
    error instanceof Error ? error.message : "An agent could not be asked.",
});

const agent = createAgent({ card, service });
createServer(nodeListener(agent)).listen(Number(port), host, () =>
  console.log(`${card.name} listens on ${url}`),
);
