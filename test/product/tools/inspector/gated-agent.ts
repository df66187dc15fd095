import { createAgent } from "../../../../generated/1.0/index.js";
import {
  artifact,
  completed,
  failed,
  inputRequired,
  taskService,
  textOf,
  working,
} from "../../../../generated/1.0/kit/index.js";
import { nodeListener } from "../../../../generated/1.0/server/node.js";
import { aCard } from "../../../support/cards.js";
import { openPorts } from "../../../support/ports.js";

/** The question of a task that begins with `ask`. */
export const question = "Which color should the wall have?";

/** Starts an agent whose tasks continue when the test calls `release`. */
export async function gatedAgent() {
  const { url, http } = await openPorts();
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const service = taskService<string, "asked">({
    async *run({ message, state, signal }) {
      const text = textOf(message);
      const gate = Promise.race([
        released,
        new Promise((_resolve, reject) => signal.addEventListener("abort", reject)),
      ]);
      gate.catch(() => undefined);
      if (state === "asked") {
        yield working(`Painting in ${text}`);
        await gate;
        return completed();
      }
      if (text === "ask") return inputRequired(question, { state: "asked" });
      if (text === "fail") return failed("The printer is out of paper");
      if (text === "fail silently") return failed();
      const tea = artifact("report");
      yield tea.text("Tea ");
      await gate;
      yield tea.finish("and cake");
      return completed();
    },
  });
  const capabilities = { streaming: true, pushNotifications: true };
  const card = aCard(url, { capabilities });
  const agent = createAgent({ card, service, authenticate: () => "everybody" });
  http.on("request", nodeListener(agent));
  return { url, release };
}
