import { parseArgs } from "node:util";
import {
  A2AError,
  connect,
  jsonRpc,
  rest,
  Role,
  type A2AClient,
  type Message,
} from "../../generated/0.3.0/index.js";
import { grpc } from "../../generated/0.3.0/client/grpc.js";
import { describe, describeError, describeTask } from "./describe.js";

const transports = { jsonrpc: jsonRpc(), rest: rest(), grpc: grpc() };

/** Sends a text and prints the responses. Cancels the task when `signal` aborts. */
async function talk(
  client: A2AClient,
  text: string,
  taskId: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const task = taskId === undefined ? {} : { taskId };
  const message: Message = {
    kind: "message",
    messageId: crypto.randomUUID(),
    role: Role.User,
    parts: [{ kind: "text", text }],
    ...task,
  };
  let running: string | undefined;
  try {
    for await (const event of client.sendStreamingMessage({ message }, { signal })) {
      if (event.kind === "task") {
        running = event.id;
        console.log(`task id: ${event.id}`);
      }
      console.log(describe(event));
    }
  } catch (error) {
    if (!signal.aborted || running === undefined) throw error;
    console.log(describeTask(await client.cancelTask({ id: running })));
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    transport: { type: "string" },
    task: { type: "string" },
    token: { type: "string" },
    origin: { type: "string", multiple: true },
  },
});
const [url, ...words] = positionals;
const chosen = Object.entries(transports).filter(([name]) => (values.transport ?? name) === name);
if (url === undefined || words.length === 0 || chosen.length === 0) {
  console.error(
    "Usage: main.js URL TEXT… [--transport jsonrpc|rest|grpc] [--task ID] [--token TOKEN] " +
      "[--origin ORIGIN]",
  );
  process.exit(2);
}

const stop = new AbortController();
process.once("SIGINT", () => stop.abort());
const headers: Record<string, string> = values.token
  ? { authorization: `Bearer ${values.token}` }
  : {};
try {
  const client = await connect(url, {
    transports: chosen.map(([, transport]) => transport),
    headers,
    trustedOrigins: values.origin ?? [],
    signal: stop.signal,
  });
  await talk(client, words.join(" "), values.task, stop.signal).finally(() => client.close());
} catch (error) {
  // A protocol error is a response of the agent. Any other error means that no response arrived.
  console.error(describeError(error));
  process.exitCode = error instanceof A2AError ? 1 : 2;
}
