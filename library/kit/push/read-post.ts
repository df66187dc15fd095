import { excessOf } from "../../runtime/http/body-values.js";
import {
  BodyError,
  hasMediaType,
  type HttpRequest,
  type HttpResponse,
} from "../../runtime/http/server.js";
import type { ReceiverFacts } from "../kit-facts.js";
import { type PushEvent, type PushReader, pushEventOf } from "./push-event.js";

/** Larger than the default limit for requests, because an event may contain a whole artifact. */
const defaultBodyBytes = 10 * 2 ** 20;

/** The reason why a post is refused, with its response. */
export class Refusal extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }

  get response(): HttpResponse {
    const headers = { "content-type": "text/plain; charset=utf-8", ...this.headers };
    return { status: this.status, headers, body: `${this.message}\n` };
  }
}

/** Returns the refusal of a post that the agent should repeat soon. */
export function busy(message: string): Refusal {
  return new Refusal(503, message, { "retry-after": "1" });
}

/** Options for {@link readPost}. */
export interface ReadPostOptions {
  /** Converts bodies of other versions before this version checks them. */
  readonly read?: PushReader | undefined;
  /** Maximum size of a body in bytes; 10 MiB by default. */
  readonly maxBodyBytes?: number | undefined;
}

/**
 * Reads the event in a post. Returns the event and the text of the body.
 * @throws A {@link Refusal} if the body is not an event.
 */
export async function readPost(
  request: HttpRequest,
  options: ReadPostOptions,
  facts: ReceiverFacts,
): Promise<{ readonly event: PushEvent; readonly text: string }> {
  const { accept } = facts.protocol.mediaTypes;
  if (!hasMediaType(request.headers, accept))
    throw new Refusal(415, `The webhook requires the content type ${accept.join(" or ")}`);
  const { body, text } = await bodyOf(request, options.maxBodyBytes ?? defaultBodyBytes);
  const event = pushEventOf(body, options.read, facts);
  if ("problem" in event) throw new Refusal(400, `The body is not an event: ${event.problem}`);
  return { event, text };
}

async function bodyOf(
  request: HttpRequest,
  maxBodyBytes: number,
): Promise<{ readonly body: unknown; readonly text: string }> {
  const { parsedBody } = request;
  if (parsedBody !== undefined) return { body: parsedBody, text: JSON.stringify(parsedBody) };
  const text = await textOf(request, maxBodyBytes);
  const excess = excessOf(text);
  if (excess !== undefined) throw new Refusal(413, `The body contains more than ${excess}`);
  try {
    return { body: JSON.parse(text), text };
  } catch (cause) {
    throw new Refusal(
      400,
      cause instanceof Error ? `The body is not JSON: ${cause.message}` : "The body is not JSON",
    );
  }
}

async function textOf(request: HttpRequest, maxBodyBytes: number): Promise<string> {
  try {
    if (Number(request.headers.get("content-length") ?? 0) > maxBodyBytes)
      throw new BodyError("too large");
    return await request.readBody(maxBodyBytes);
  } catch (thrown) {
    if (!(thrown instanceof BodyError)) throw thrown;
    throw thrown.reason === "too large"
      ? new Refusal(413, thrown.message, { connection: "close" })
      : new Refusal(400, thrown.message);
  }
}
