import { describe, expect, it, onTestFinished } from "vitest";
import { bindings } from "../../support/scripted.js";
import { extension as uri } from "../interop/card.js";
import { startSdk } from "../interop/sdk-1.0.js";
import { connectSdk } from "../interop/sdk-1.0-client.js";
import { outputs, start } from "./agent.js";
import { aMessage } from "../../support/messages.js";

const output = outputs.copies;
const { completed, connect, extension, taskService, textOf, withExtensions, working } = output;

/** Value of the extension: a level. */
interface Level {
  readonly level: number;
}

describe.each(bindings)("an extension between the official SDK and ours, over %s", (binding) => {
  it("A client of the SDK requests an extension of our agent, and reads its value", async () => {
    const level = extension<Level>({
      uri,
      required: true,
      params: { level: 1 },
      respond: ({ value }) => ({ level: (value?.level ?? 0) + 1 }),
    });
    const service = taskService({
      async *run({ message }) {
        yield working();
        return completed(textOf(message));
      },
    });
    const agent = await start(output, { service, extensions: [level] });
    const caller = await connectSdk(agent.url, binding);
    const message = aMessage("Hi", { metadata: { [uri]: { level: 4 } }, extensions: [uri] });
    const result = await caller.call("sendMessage", { message }, { extensions: [uri] });
    expect(result).toMatchObject({
      task: { status: { message: { extensions: [uri], metadata: { [uri]: { level: 5 } } } } },
    });
    const name = "a2a-extensions";
    expect(caller.headers()?.get(name)).toBe(caller.headers() && uri);
    await expect(caller.call("sendMessage", { message })).rejects.toThrow(
      `requires the extension ${uri}`,
    );
  });

  it("Our client requests an extension of an agent of the SDK, with the parameters of its card", async () => {
    const host = await startSdk({});
    onTestFinished(() => host.close());
    const level = extension<Level>({
      uri,
      activate: ({ params }) => ({ level: Number(params?.["level"]) + 1 }),
    });
    const transports = { JSONRPC: output.jsonRpc, "HTTP+JSON": output.rest, GRPC: output.grpc };
    const client = await connect(host.url, {
      transports: [transports[binding]()],
      interceptors: [withExtensions([level])],
    });
    onTestFinished(() => client.close());
    await client.sendMessage({ message: aMessage("work") });
    expect(host.asked.at(-1)).toMatchObject({
      method: "sendMessage",
      extensions: [uri],
      request: { message: { extensions: [uri], metadata: { [uri]: { level: 2 } } } },
    });
  });
});
