import { remoteAgent } from "../../generated/1.0/kit/client/index.js";

const travel = remoteAgent(process.argv[2] ?? "http://127.0.0.1:4000");
const asked = await travel.ask("Oslo").result();
console.log(asked.state, asked.said);
const { text } = await travel.ask("yes", { taskId: asked.task?.id }).result();
console.log(text);
await travel.close();
