import { connect, Role } from "../../generated/1.0/index.js";
import { followTask } from "../../generated/1.0/kit/client/index.js";

const client = await connect(process.argv[2] ?? "http://127.0.0.1:4000");
const message = {
  messageId: crypto.randomUUID(),
  role: Role.User,
  parts: [{ text: "Tea" }],
};
const { task } = await followTask(client, { message }).result();
console.log(task?.artifacts?.[0]?.parts.map(({ text }) => text).join(""));
client.close();
