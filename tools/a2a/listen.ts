import { createServer } from "node:http";
import {
  pushReader,
  pushReceiver,
  type RefusedNotification,
} from "../../generated/1.0/kit/index.js";
import { pushListener } from "../../generated/1.0/kit/node.js";
import { mapping } from "../../generated/1.0/versions/0.3/mapping.js";
import type { ValuesOf } from "../terminal/program.js";
import type { listenOptions } from "./options.js";
import type { Environment, Settings } from "./settings.js";
import type { Output } from "./output.js";
import { opened } from "./port.js";
import { Renderer } from "./render.js";
import { secretOf } from "./secrets.js";

/** Options of `a2a listen`. */
export type ListenArguments = ValuesOf<typeof listenOptions>;

/** Settings and output of `a2a listen`, which does not call an agent. */
export interface ListenRun {
  readonly settings: Settings;
  readonly output: Output;
  readonly environment: Environment;
}

/**
 * Runs `a2a listen`: receives push notifications on the loopback address, and prints them. Events
 * are only accepted with the token, because web pages can also send requests to this address.
 */
export async function listenCommand(
  { settings, output, environment }: ListenRun,
  { port = 0, token, count = Infinity }: ListenArguments,
): Promise<void> {
  const secret =
    token === undefined ? crypto.randomUUID() : await secretOf("token", token, environment);
  const renderer = new Renderer(output, settings);
  const path = `/${crypto.randomUUID()}`;
  const onRefused = ({ status, reason }: RefusedNotification): void =>
    output.note(`Refused: ${status} ${reason}`);
  const receiver = pushReceiver({ token: secret, path, read: pushReader(mapping), onRefused });
  const server = createServer(pushListener(receiver));
  const url = `http://127.0.0.1:${await opened(server, port)}${path}`;
  const close = (): void => receiver.close();
  environment.signal.addEventListener("abort", close, { once: true });
  try {
    output.note(`Listening at ${url}`);
    output.note(
      `Register it: ${output.program} task push-config create <task> --url ${url} --token ` +
        secret,
    );
    output.note("Ctrl-C ends");
    let received = 0;
    if (!environment.signal.aborted && count > 0)
      for await (const { event } of receiver.events) {
        await (output.isJson ? output.json(event) : renderer.event(event));
        received += 1;
        if (received >= count) break;
      }
  } finally {
    environment.signal.removeEventListener("abort", close);
    receiver.close();
    server.close();
    server.closeIdleConnections();
    await output.close();
  }
}
