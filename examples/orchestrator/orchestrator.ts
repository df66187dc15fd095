import { createServer } from "node:http";
import { createAgent, type AgentCard } from "../../generated/1.0/index.js";
import { remoteAgent } from "../../generated/1.0/kit/client/index.js";
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
const addresses = process.env["AGENTS"]?.split(",") ?? [
  await startSpecialist("Historian", (question) => `${question} has a long history.`),
  await startSpecialist("Chemist", (question) => `${question} is mostly water.`),
];
const agents = new Map(addresses.map((address) => [address, remoteAgent(address)]));
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
async function* ask(chat: Chat, text: string, signal: AbortSignal) {
  const { address, answer, question } = chat;
  const remote = agents.get(address);
  if (answer !== undefined || remote === undefined) return chat;
  const name = (await remote.card())?.name ?? address;
  const asked = remote.ask(text, { taskId: question?.taskId, signal });
  for await (const update of asked)
    if (update.type === "progress") yield working(`${name}: ${textOf(update.message)}`);
  const outcome = await asked.result();
  const { state, said, task } = outcome;
  if (state === "TASK_STATE_INPUT_REQUIRED" && task !== undefined)
    return { address, question: { taskId: task.id, text: `${name} asks: ${said}` } };
  if (state !== "TASK_STATE_COMPLETED")
    throw new Error(`${name} did not complete its task (${state}): ${said}`);
  return { address, answer: `- ${name}: ${outcome.text}\n` };
}

const service = taskService<unknown, Chat[]>({
  async *run({ message, state = addresses.map((address) => ({ address })), signal }) {
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
createServer(nodeListener(agent)).listen(Number(port), host, () => {
  console.log(`${card.name} listens on ${url}`);
});
