import { connect, Role, TaskNotFoundError } from "../../generated/1.0/index.js";

const headers = { authorization: "Bearer secret" };
const client = await connect(process.argv[2] ?? "http://127.0.0.1:4000", { headers });
const say = (text: string) => ({
  messageId: crypto.randomUUID(),
  role: Role.User,
  parts: [{ text }],
});

const { task } = await client.sendMessage({ message: say("Tea") });
console.log(task?.status.message?.parts[0]?.text);

const message = { ...say("Ada"), ...(task && { taskId: task.id }) };
for await (const { statusUpdate, artifactUpdate } of client.sendStreamingMessage({
  message,
})) {
  if (artifactUpdate !== undefined)
    console.log("+", artifactUpdate.artifact.parts[0]?.text);
  if (statusUpdate !== undefined)
    console.log(statusUpdate.status.state, statusUpdate.status.message?.parts[0]?.text);
}

try {
  await client.getTask({ id: "nowhere" });
} catch (error) {
  if (!(error instanceof TaskNotFoundError)) throw error;
  console.log(error.name, error.message, error.metadata);
}
client.close();
