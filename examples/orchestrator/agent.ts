import { createServer } from "node:http";
import { connect, createAgent, Role, type AgentCard } from "../../generated/1.0/index.js";
import { followTask } from "../../generated/1.0/kit/client/index.js";
import { all, artifact, completed, taskService, textOf, working } from "../../generated/1.0/kit/index.js";
import { nodeListener } from "../../generated/1.0/server/node.js";
import { startSpecialist } from "./specialists.js";

const { HOST: host = "127.0.0.1", PORT: port = "4000", PUBLIC_URL: url = `http://127.0.0.1:${port}` } = process.env;
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
  skills: [{ id: "ask", name: "Ask", description: "Asks several agents.", tags: ["team"] }],
};

/** Asks another agent. Yields its progress, and returns its answer. */
async function* ask(address: string, question: string, signal: AbortSignal) {
  const client = await connect(address, { signal });
  const name = client.card?.name ?? address;
  const message = { messageId: crypto.randomUUID(), role: Role.User, parts: [{ text: question }] };
  let id: string | undefined;
  let answer = "";
  try {
    for await (const { event, task } of followTask(client, { message }, { signal })) {
      id = task?.id;
      const progress = event.statusUpdate?.status.message;
      if (progress !== undefined) yield working(`${name}: ${textOf(progress)}`);
      answer = task?.artifacts?.map(textOf).join("\n") ?? "";
    }
  } finally {
    // The other agent's task continues after this client disconnects, unless it is canceled.
    if (signal.aborted && id !== undefined) await client.cancelTask({ id }).catch(() => undefined);
    client.close();
  }
  return `- ${name}: ${answer}\n`;
}

const service = taskService({
  async *run({ message, signal }) {
    const answers = yield* all(...agents.map((address) => ask(address, textOf(message), signal)));
    yield* artifact("answers.md", "text/markdown").from(answers);
    return completed();
  },
});

const agent = createAgent({ card, service });
createServer(nodeListener(agent)).listen(Number(port), host, () => console.log(`${card.name} listens on ${url}`));
