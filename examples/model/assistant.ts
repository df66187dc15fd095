import { createServer } from "node:http";
import {
  createAgent,
  type AgentCard,
  type Message,
  type Task,
} from "../../generated/1.0/index.js";
import {
  artifact,
  completed,
  taskService,
  textOf,
  working,
} from "../../generated/1.0/kit/index.js";
import { nodeListener } from "../../generated/1.0/server/node.js";
import { streamText, type ModelMessage, type ModelPart } from "./model.js";

const {
  HOST: host = "127.0.0.1",
  PORT: port = "4000",
  PUBLIC_URL: url = `http://127.0.0.1:${port}`,
} = process.env;
const card: AgentCard = {
  name: "Assistant",
  description: "Answers questions with a model.",
  version: "1.0.0",
  supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
  capabilities: { streaming: true },
  defaultInputModes: ["text/plain", "image/png"],
  defaultOutputModes: ["text/markdown", "text/plain"],
  skills: [
    { id: "ask", name: "Ask", description: "Answers a question.", tags: ["chat"] },
  ],
};

/** Converts a message to the form of the model. */
function toModel({ role, parts }: Message): ModelMessage {
  const content = parts.flatMap(
    ({ text, raw, mediaType = "text/plain" }): ModelPart[] => {
      if (text !== undefined) return [{ type: "text", text }];
      return raw === undefined ? [] : [{ type: "file", data: raw, mediaType }];
    },
  );
  return { role: role === "ROLE_USER" ? "user" : "assistant", content };
}

/** Converts a task to a question and an answer: its messages, and the text of its artifacts. */
function exchange({ history = [], artifacts = [] }: Task): ModelMessage[] {
  const questions = history.filter(({ role }) => role === "ROLE_USER").map(toModel);
  const text = artifacts.map(textOf).join("\n");
  return text === ""
    ? questions
    : [...questions, { role: "assistant", content: [{ type: "text", text }] }];
}

const service = taskService({
  async *run({ message, contextTasks, emit, signal }) {
    const earlier = [...(await contextTasks(20))].reverse(); // the other tasks of the conversation, oldest first
    const { fullStream } = streamText({
      messages: [...earlier.flatMap(exchange), toModel(message)],
      tools: {
        weather: {
          description: "Returns the weather in a city.",
          execute: ({ city }: { city: string }) =>
            Promise.resolve(city === "Oslo" ? "sunny" : "rainy"),
        },
        save: {
          description: "Gives the user a text file.",
          async execute({ name: filename, text }: { name: string; text: string }) {
            await emit(
              artifact(filename).finish([
                { raw: btoa(text), filename, mediaType: "text/plain" },
              ]),
            );
            return `I have saved ${filename}.`;
          },
        },
      },
      abortSignal: signal,
    });
    async function* answer() {
      for await (const part of fullStream) {
        if (part.type === "text-delta") yield part.text;
        if (part.type === "tool-call") yield working(`Calling ${part.toolName}`); // sent after the text before it
        if (part.type === "error") throw part.error; // fails the task
      }
    }
    yield* artifact("answer", "text/markdown").from(answer(), { everyMs: 50 });
    return completed();
  },
});

const agent = createAgent({ card, service });
createServer(nodeListener(agent)).listen(Number(port), host, () => {
  console.log(`${card.name} listens on ${url}`);
});
