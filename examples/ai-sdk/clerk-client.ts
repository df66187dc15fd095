import { remoteAgent } from "../../generated/1.0/kit/client/index.js";

const clerk = remoteAgent(process.argv[2] ?? "http://127.0.0.1:4000");
console.log((await clerk.ask("Hi").result()).text);

const asked = await clerk.ask("Send a mail to Ada").result();
console.log(asked.state, asked.said);
const { text } = await clerk.ask("yes", { taskId: asked.task?.id }).result();
console.log(text);
await clerk.close();
