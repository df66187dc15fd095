import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import {
  createAgent,
  UnauthenticatedError,
  type AgentCard,
} from "../../generated/1.0/index.js";
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

const {
  HOST: host = "127.0.0.1",
  PORT: port = "4000",
  PUBLIC_URL: url = `http://127.0.0.1:${port}`,
} = process.env;
export const card: AgentCard = {
  name: "Researcher",
  description: "Writes a report on a topic.",
  version: "1.0.0",
  supportedInterfaces: [
    { url, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
    { url, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
  ],
  capabilities: { streaming: true, pushNotifications: true },
  securitySchemes: { token: { httpAuthSecurityScheme: { scheme: "Bearer" } } },
  securityRequirements: [{ schemes: { token: { list: [] } } }],
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/markdown"],
  skills: [
    {
      id: "report",
      name: "Report",
      description: "Looks into a topic.",
      tags: ["research"],
    },
  ],
};
const users = new Map(Object.entries({ "Bearer secret": "ada", "Bearer other": "bob" }));

async function* search(place: string, topic: string, signal: AbortSignal) {
  yield working(`Searching ${place}`);
  await pause(100, undefined, { signal });
  return `What ${place} says about ${topic}.`;
}

const service = taskService<string, { topic: string }>({
  async *run({ message, state, signal }) {
    if (!state)
      return inputRequired("For whom is the report?", {
        state: { topic: textOf(message) },
      });
    const { topic } = state;
    const found = yield* all(
      search("the web", topic, signal),
      search("the news", topic, signal),
    );
    yield* artifact("report.md", "text/markdown").from([
      `# ${topic}, for ${textOf(message)}\n`,
      ...found,
    ]);
    return completed("Here is the report");
  },
});

export const agent = createAgent({
  card,
  authenticate: ({ headers }) => {
    const user = users.get(headers.get("authorization") ?? "");
    if (user === undefined) throw new UnauthenticatedError();
    return user;
  },
  service,
});
createServer(nodeListener(agent)).listen(Number(port), host, () => {
  console.log(`${card.name} listens on ${url}`);
});
