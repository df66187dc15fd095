import { createAgent } from "../../../../generated/1.0/index.js";
import {
  artifact,
  completed,
  inputRequired,
  taskService,
  textOf,
  working,
} from "../../../../generated/1.0/kit/index.js";
import { nodeListener } from "../../../../generated/1.0/server/node.js";
import { aCard } from "../../../support/cards.js";
import { openPorts } from "../../../support/ports.js";

/** Number of lines, and of progress messages, of a task with many events. */
const lineCount = 2_400;

/**
 * Starts an agent that asks a question. After the answer it reports its tools, waits until the test
 * calls `release`, and writes a report in chunks.
 */
export async function storiedAgent() {
  const { url, http } = await openPorts();
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const service = taskService<string, "asked">({
    push: { allowPrivateAddresses: true },
    async *run({ message, state, signal }) {
      if (textOf(message) === "many") {
        const lines = artifact("lines.txt");
        for (let line = 1; line <= lineCount; line += 1) {
          yield working(`Line ${line}`);
          yield lines.text(`Line ${line}\n`);
        }
        return completed();
      }
      if (state === undefined) return inputRequired("For whom?", { state: "asked" });
      yield working("Searching the web");
      yield working("Reading 3 pages about tea");
      await Promise.race([
        released,
        new Promise((_resolve, reject) => signal.addEventListener("abort", reject)),
      ]);
      const report = artifact("report.md");
      for (const word of ["# Tea, ", "for ", "Ada ", "and ", "her ", "guests"])
        yield report.text(word);
      yield report.finish(".");
      yield artifact("sources.json").data({ pages: 3 });
      return completed("The report is ready");
    },
  });
  const capabilities = { streaming: true, pushNotifications: true };
  const card = aCard(url, { capabilities });
  const agent = createAgent({ card, service, authenticate: () => "everybody" });
  http.on("request", nodeListener(agent));
  return { url, release };
}
