import { connect, Role } from "../../generated/1.0/index.js";
import { followTask } from "../../generated/1.0/kit/client/index.js";

// Without `await`: the form below works while the page still connects.
const connecting = connect(location.origin);
const contextId = crypto.randomUUID(); // one conversation for each visit

/** Adds a line to the page. Text of an agent is only inserted as text, never as HTML. */
function addLine(text: string): HTMLElement {
  const line = document.createElement("p");
  line.textContent = text;
  document.querySelector("main")?.append(line);
  return line;
}

async function send(text: string): Promise<void> {
  addLine(`You: ${text}`);
  const line = addLine("…");
  const message = {
    messageId: crypto.randomUUID(),
    role: Role.User,
    contextId,
    parts: [{ text }],
  };
  try {
    const client = await connecting;
    for await (const { task } of followTask(client, { message })) {
      const parts = task?.artifacts?.[0]?.parts ?? task?.status.message?.parts;
      if (parts !== undefined) line.textContent = parts.map((part) => part.text).join("");
    }
  } catch (error) {
    line.textContent = error instanceof Error ? error.message : String(error);
  }
}

document.querySelector("form")?.addEventListener("submit", (event) => {
  event.preventDefault();
  const input = document.querySelector("input");
  if (input === null || input.value === "") return;
  void send(input.value);
  input.value = "";
});
