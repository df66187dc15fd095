import { setTimeout as delay } from "node:timers/promises";
import { credentials } from "@grpc/grpc-js";
import { grpcStatus } from "../../../library/runtime/protocol/error.js";
import type { CallOptions } from "../../../library/runtime/protocol/transport.js";
import { frames, write } from "./frames.js";
import {
  type Any,
  type AnyJson,
  type Header,
  Messages,
  packageName,
  type Payload,
  type Request,
  type Response,
} from "./messages.js";
import type { ConformanceClient, Output } from "./output.js";

/** A call that the suite requires of the client. */
interface ClientRequest {
  readonly testName: string;
  readonly compression: number;
  readonly host: string;
  readonly port: number;
  readonly serverTlsCert: Uint8Array;
  readonly clientTlsCreds?: { readonly cert: Uint8Array; readonly key: Uint8Array } | null;
  readonly messageReceiveLimit: number;
  readonly method: keyof typeof methods;
  readonly streamType: number;
  readonly requestHeaders: readonly { readonly name: string; readonly value: string[] }[];
  readonly requestMessages: readonly Any[];
  readonly timeoutMs?: number;
  readonly requestDelayMs: number;
  readonly cancel?: {
    readonly cancelTiming: "beforeCloseSend" | "afterCloseSendMs" | "afterNumResponses";
    readonly afterCloseSendMs: number;
    readonly afterNumResponses: number;
  } | null;
}

/** The result of a call. */
interface Result {
  payloads: object[];
  responseHeaders: Header[];
  responseTrailers: Header[];
  error?: object;
  numUnsentRequests: number;
}

const fullDuplex = 5;
const timedOut = { code: grpcStatus.DEADLINE_EXCEEDED, message: "The call took too long" };
const canceled = { code: grpcStatus.CANCELLED, message: "The call was aborted" };

const methods = {
  Unary: "unary",
  IdempotentUnary: "idempotentUnary",
  Unimplemented: "unimplemented",
  ServerStream: "serverStream",
  ClientStream: "clientStream",
  BidiStream: "bidiStream",
} as const;

// The client of the suite: it reads calls from stdin, and writes the results to stdout.
// Its arguments are the folder with the protos, and the path of the output.

const [, , protos = "", path = ""] = process.argv;
const messages = new Messages(protos);
const output = (await import(path)) as Output;
async function respond(request: ClientRequest): Promise<void> {
  const { testName } = request;
  const client = output.connectConformance(urlOf(request), { transport: transportOf(request) });
  try {
    const response = await new RequiredCall(client, request).run();
    write(messages.encode("ClientCompatResponse", { testName, response }));
  } catch (error) {
    const message = error instanceof Error ? String(error.stack) : String(error);
    write(messages.encode("ClientCompatResponse", { testName, error: { message } }));
  } finally {
    client.close();
  }
}

function urlOf({ host, port, serverTlsCert }: ClientRequest): string {
  return `${serverTlsCert.length > 0 ? "https" : "http"}://${host}:${String(port)}`;
}

function transportOf(request: ClientRequest) {
  const { serverTlsCert, clientTlsCreds, compression, messageReceiveLimit } = request;
  const [cert, key] = [clientTlsCreds?.cert, clientTlsCreds?.key].map((bytes) =>
    bytes === undefined ? null : Buffer.from(bytes),
  );
  // The algorithms of the suite and of grpc-js have different numbers.
  const algorithms: Record<number, number> = { 2: 2, 5: 1 };
  return output.grpc({
    ...(serverTlsCert.length > 0 && {
      credentials: credentials.createSsl(Buffer.from(serverTlsCert), key, cert),
    }),
    channelOptions: {
      "grpc.default_compression_algorithm": algorithms[compression],
      ...(messageReceiveLimit > 0 && { "grpc.max_receive_message_length": messageReceiveLimit }),
    },
  });
}

/** A call as the suite requires it. */
class RequiredCall {
  readonly #client: ConformanceClient;
  readonly #request: ClientRequest;
  readonly #controller = new AbortController();
  readonly #result: Result = {
    payloads: [],
    responseHeaders: [],
    responseTrailers: [],
    numUnsentRequests: 0,
  };
  #responded: () => void = () => undefined;

  constructor(client: ConformanceClient, request: ClientRequest) {
    this.#client = client;
    this.#request = request;
  }

  async run(): Promise<Result> {
    const { requestHeaders, timeoutMs } = this.#request;
    const headers = Object.fromEntries(
      requestHeaders.map(({ name, value }) => [name, value.join(", ")]),
    );
    const options: CallOptions = {
      headers,
      signal: this.#controller.signal,
      ...(timeoutMs !== undefined && timeoutMs > 0 && { timeoutMs }),
      onHeaders: (found) => (this.#result.responseHeaders = listOf(found)),
      onTrailers: (found) => (this.#result.responseTrailers = listOf(found)),
    };
    try {
      await this.#send(options);
    } catch (error) {
      this.#result.error = errorOf(error);
    }
    return this.#result;
  }

  async #send(options: CallOptions): Promise<void> {
    const client = this.#client;
    const name = methods[this.#request.method];
    switch (name) {
      case "unary":
      case "idempotentUnary":
      case "unimplemented":
        this.#watchEnd();
        this.#take(await client[name](this.#only, options));
        return;
      case "serverStream":
        this.#watchEnd();
        await this.#takeAll(client.serverStream(this.#only, options));
        return;
      case "clientStream":
        this.#take(await client.clientStream(this.#sent(), options));
        return;
      case "bidiStream":
        await this.#takeAll(client.bidiStream(this.#sent(), options));
    }
  }

  get #requests(): readonly Request[] {
    const { requestMessages, method } = this.#request;
    return requestMessages.map(({ value }) => messages.decodeJson(`${method}Request`, value));
  }

  get #only(): Request {
    const [request] = this.#requests;
    if (request === undefined) throw new Error("The call has no request");
    return request;
  }

  async *#sent(): AsyncGenerator<Request, void> {
    const { requestDelayMs, streamType, cancel } = this.#request;
    let left = this.#requests.length;
    try {
      for (const request of this.#requests) {
        await delay(requestDelayMs);
        const responded = new Promise<void>((resolve) => (this.#responded = resolve));
        yield request;
        left -= 1;
        if (streamType === fullDuplex) await responded;
      }
    } finally {
      this.#result.numUnsentRequests = left;
    }
    if (cancel?.cancelTiming === "beforeCloseSend") this.#controller.abort();
    this.#watchEnd();
  }

  /** Cancels the call some time after its last request, if the suite requires this. */
  #watchEnd(): void {
    const { cancel } = this.#request;
    if (cancel?.cancelTiming !== "afterCloseSendMs") return;
    setTimeout(() => {
      this.#controller.abort();
    }, cancel.afterCloseSendMs);
  }

  async #takeAll(responses: AsyncIterable<Response>): Promise<void> {
    try {
      for await (const response of responses) this.#take(response);
    } finally {
      this.#responded();
    }
  }

  #take({ payload }: Response): void {
    const { cancel } = this.#request;
    this.#result.payloads.push(packed(payload));
    this.#responded();
    const isLast = this.#result.payloads.length === cancel?.afterNumResponses;
    if (cancel?.cancelTiming === "afterNumResponses" && isLast) this.#controller.abort();
  }
}

function packed(payload: Payload = {}): object {
  const type = `type.googleapis.com/${packageName}.ConformancePayload`;
  const { value } = messages.pack({ "@type": type, ...payload });
  return messages.decode("ConformancePayload", value) as object;
}

function listOf(headers: Headers): Header[] {
  return [...headers].map(([name, value]) => ({ name, value: [value] }));
}

function errorOf(error: unknown): object {
  if (error instanceof output.RpcError) {
    const details = error.details.map((detail) => messages.pack(detail as AnyJson));
    return { code: grpcStatus[error.grpcStatus], message: error.message, details };
  }
  if (!(error instanceof Error)) throw error;
  if (error.name === "TransportError")
    return {
      code: codeOf(error.cause),
      message: `${error.message} ${JSON.stringify(error.cause)}`,
    };
  if (error.name === "TimeoutError") return timedOut;
  if (error.name === "AbortError") return canceled;
  throw error;
}

/** Returns the code for the cause of a response that is not a response of gRPC. */
function codeOf(cause: unknown): number {
  if (!(cause instanceof Error)) return grpcStatus.UNIMPLEMENTED;
  const code = "code" in cause ? cause.code : undefined;
  return typeof code === "number" ? code : grpcStatus.INTERNAL;
}

const running = new Set<Promise<void>>();
for await (const bytes of frames(process.stdin)) {
  const request = messages.decode("ClientCompatRequest", bytes) as ClientRequest;
  const call = respond(request).finally(() => running.delete(call));
  running.add(call);
  // More calls at once would exceed the deadlines of the suite on a slow machine.
  if (running.size >= 4) await Promise.race(running);
}
await Promise.all(running);
