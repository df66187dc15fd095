import { connect, Role, type Message, type Part } from "../../generated/1.0/index.js";
import { followTask } from "../../generated/1.0/kit/client/index.js";

const client = await connect(process.argv[2] ?? "http://127.0.0.1:4000");
const contextId = crypto.randomUUID(); // one conversation

/** Sends a message of the conversation, and prints what the agent does until the task ends. */
async function ask(...parts: Part[]): Promise<void> {
  const message: Message = {
    messageId: crypto.randomUUID(),
    role: Role.User,
    contextId,
    parts,
  };
  for await (const { event, task } of followTask(client, { message })) {
    const { statusUpdate, artifactUpdate } = event;
    const progress = statusUpdate?.status.message?.parts[0]?.text;
    if (progress !== undefined) console.log("…", progress);
    const file = artifactUpdate?.artifact.parts.find(
      ({ filename }) => filename !== undefined,
    );
    if (file !== undefined) console.log("File:", file.filename, atob(file.raw ?? ""));
    const isEnded = statusUpdate?.status.state === "TASK_STATE_COMPLETED";
    const answer = task?.artifacts?.find(({ name }) => name === "answer");
    if (isEnded) console.log(answer?.parts.map(({ text }) => text).join(""));
    if (statusUpdate?.status.state === "TASK_STATE_FAILED") console.log("Failed");
  }
}

await ask({ text: "Hello" });
await ask({ text: "What do you remember?" });
await ask({ text: "How is the weather?" });
await ask({ text: "Write that into a file" });
await ask({ text: "Read this:" }, { raw: btoa("one,two"), mediaType: "text/plain" });
await ask({ text: "Cause an error" });

const message: Message = {
  messageId: crypto.randomUUID(),
  role: Role.User,
  contextId,
  parts: [{ text: "Count" }],
};
for await (const { event, task } of followTask(client, { message })) {
  if (event.artifactUpdate !== undefined && task?.artifacts?.[0]?.parts.length === 1) {
    await client.cancelTask({ id: task.id });
  }
  if (event.statusUpdate?.status.state === "TASK_STATE_CANCELED") console.log("Canceled");
}
client.close();
