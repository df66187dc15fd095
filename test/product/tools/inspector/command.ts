import { type RequestListener } from "node:http";
import { Readable } from "node:stream";
import { expect, onTestFinished } from "vitest";
import { startEchoAgent, type EchoAgentOptions } from "../../../../examples/echo-agent/server.js";
import { startEchoAgent as startEarlier } from "../../../../examples/echo-agent-0.3/server.js";
import { run } from "../../../../tools/a2a/run.js";
import { freePort } from "../../../support/free-port.js";
import { captured, wordsOf, type Run, type Words } from "../../cli/in-process.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";
import { aCard } from "../../../support/cards.js";
import { listen } from "../../../support/http.js";

/** Options of a run of `a2a`. */
interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly program?: string;
  /** Lines of standard input, for a chat. */
  readonly lines?: readonly string[];
}

/** Runs `a2a` in this process, with an environment of its own. */
export async function a2a(words: Words, options: RunOptions = {}): Promise<Run> {
  const {
    cwd = temporaryFolder(),
    env = {},
    signal = new AbortController().signal,
    program,
    lines,
  } = options;
  const stdin = lines && Readable.from(lines.map((line) => `${line}\n`));
  // Without a home of its own, a run would read the settings of the user.
  return await captured(() =>
    run(wordsOf(words), { cwd, env: { HOME: cwd, ...env }, signal, program, stdin }),
  );
}

/** Runs `a2a` with `-o json`, and returns the document that it prints. */
export async function a2aJson(
  words: Words,
  options?: RunOptions,
): Promise<{ code: number | null; json: Json }> {
  const { code, stdout } = await a2a([...wordsOf(words), "-o", "json"], options);
  return { code, json: JSON.parse(stdout) as Json };
}

/** A document, as far as the tests look at it. */
export interface Json {
  readonly task?: {
    readonly id: string;
    readonly contextId: string;
    readonly status: { readonly state: string };
  };
  readonly message?: { readonly messageId: string };
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly hint: string | null;
    readonly a2aCode: unknown;
  };
  readonly [member: string]: unknown;
}

/** Starts the echo agent of 1.0 for one test, and returns its URL. */
export async function echoAgent(options: EchoAgentOptions = {}): Promise<string> {
  const agent = await startEchoAgent({ onError: () => undefined, ...options });
  onTestFinished(() => agent.close());
  return agent.url;
}

/** Starts the echo agent of 0.3 for one test, and returns its URL. */
export async function earlierAgent(): Promise<string> {
  const agent = await startEarlier({ onError: () => undefined });
  onTestFinished(() => agent.close());
  return agent.url;
}

/** Returns the card of an agent with one JSON-RPC interface. */
export function cardOf(url: string, more: object = {}): object {
  return aCard(url, more);
}

/**
 * Starts an agent for one test that serves a card, and passes all other requests to a function.
 * `card` changes members of the card.
 */
export async function agentWith(call: RequestListener, card: object = {}): Promise<string> {
  let url = "";
  url = await listen((request, response) => {
    if (request.url?.startsWith("/.well-known/") === true)
      response.end(JSON.stringify(cardOf(`${url}/rpc`, card)));
    else call(request, response);
  });
  return url;
}

/** Runs `a2a demo-server` for one test, and returns its URL. */
export async function demoServer(): Promise<string> {
  const controller = new AbortController();
  const port = await freePort();
  const running = a2a(`demo-server --port ${port}`, { signal: controller.signal });
  onTestFinished(async () => {
    controller.abort();
    await running;
  });
  const url = `http://127.0.0.1:${port}/`;
  const status = () =>
    fetch(url).then(
      (response) => response.status,
      () => 0,
    );
  await expect.poll(status).not.toBe(0);
  return url;
}
