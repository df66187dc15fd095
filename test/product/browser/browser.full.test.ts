import { once } from "node:events";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { packageFolder } from "../../../support/package-folder.js";
import { UnauthenticatedError, type Task } from "../../../generated/1.0/index.js";
import { protocol } from "../../../generated/1.0/operations.js";
import type { HttpHandlerOptions } from "../../../generated/1.0/server/http.js";
import { nodeListener } from "../../../generated/1.0/server/node.js";
import { openPorts } from "../../support/ports.js";
import { agentAt, expected } from "../runtimes/app.js";
import { describeInBrowser, pageListener } from "./chromium.js";

const bindings = [protocol.bindings.jsonRpc, protocol.bindings.http];
const task: Task = { id: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" } };
/** Starts an agent, and gives its URL. */
async function startAgent(
  cors: HttpHandlerOptions["cors"],
  options?: Parameters<typeof agentAt>[1],
) {
  const { url, http } = await openPorts();
  http.on("request", nodeListener(agentAt(url, options), { ...(cors && { cors }) }));
  return url;
}

describeInBrowser("a page of another origin", (browser) => {
  /** Opens the page. Gives its origin, and a function that calls one of its script. */
  async function open() {
    const { url, http } = await openPorts();
    http.on(
      "request",
      await pageListener(join(packageFolder, "test", "product", "browser", "page.ts")),
    );
    const page = await browser().newPage();
    onTestFinished(() => page.close());
    await page.goto(url);
    const call = (name: string, ...args: readonly unknown[]) =>
      page.evaluate(`module.${name}(...${JSON.stringify(args)})`);
    return { origin: new URL(url).origin, call };
  }

  it.each(bindings)(
    "the page finds an agent that admits it, and calls it with Authorization over %s",
    async (binding) => {
      const seen = new Set<unknown>();
      const { origin, call } = await open();
      const url = await startAgent(
        { origins: [origin] },
        {
          authenticate({ headers }) {
            seen.add(headers.get("origin"));
            if (headers.get("authorization") !== "Bearer secret") throw new UnauthenticatedError();
            return "reader";
          },
        },
      );
      expect(await call("play", url, binding, { Authorization: "Bearer secret" })).toEqual(
        expected,
      );
      expect(await call("refusal", url, binding)).toBe("UnauthenticatedError");
      expect([...seen]).toEqual([origin]);
    },
  );

  it.each(bindings)(
    "the page reads events over %s as they arrive, and ends the stream if it leaves",
    async (binding) => {
      let left = (): void => undefined;
      const hasLeft = new Promise<void>((resolve) => (left = resolve));
      const url = await startAgent(true, {
        service: {
          async *subscribeToTask(_request, { signal }) {
            yield { task };
            await once(signal, "abort");
            left();
          },
        },
      });
      const { call } = await open();
      expect(await call("leave", url, binding)).toEqual({ task });
      await hasLeft;
    },
  );

  it.each([
    ["without the option `cors`", undefined],
    ["that only admits pages of other origins", { origins: ["https://app.example"] }],
  ])("the browser does not let the page read responses of an agent %s", async (_title, cors) => {
    const url = await startAgent(cors);
    const { call } = await open();
    expect(await call("refusal", url, protocol.bindings.jsonRpc)).toBe("TransportError");
  });
});
