import { setTimeout as delay } from "node:timers/promises";
import { timeoutOf } from "../../../library/runtime/bindings/http2/server-metadata.js";
import type { CallContext } from "../../../library/runtime/server/context.js";
import {
  type AnyJson,
  type Definition,
  type ErrorDefinition,
  type Header,
  type Messages,
  packageName,
  type Request,
  type Response,
} from "./messages.js";
import type { ConformanceService, Output } from "./output.js";

/** Returns the service that the suite calls, for the server of the output. */
export function conformanceService(output: Output, messages: Messages): ConformanceService {
  const unary = (name: string) => async (request: Request, context: CallContext) => {
    const call = new Handled(name, context, output, messages);
    call.take(request);
    return call.one();
  };
  return {
    unary: unary("Unary"),
    idempotentUnary: unary("IdempotentUnary"),
    async *serverStream(request, context) {
      const call = new Handled("ServerStream", context, output, messages);
      call.take(request);
      yield* call.rest();
    },
    async clientStream(requests, context) {
      const call = new Handled("ClientStream", context, output, messages);
      for await (const request of requests) call.take(request);
      return call.one();
    },
    async *bidiStream(requests, context) {
      const call = new Handled("BidiStream", context, output, messages);
      for await (const request of requests) {
        call.take(request);
        if (!call.isFullDuplex) continue;
        if (call.isComplete) break;
        yield await call.next();
      }
      yield* call.rest();
    },
  };
}

/** A call that is answered as its first request defines. */
class Handled {
  readonly #name: string;
  readonly #context: CallContext;
  readonly #output: Output;
  readonly #messages: Messages;
  #first: Request | undefined;
  /** The requests that no response has repeated yet. */
  #received: AnyJson[] = [];
  #responses = 0;

  constructor(name: string, context: CallContext, output: Output, messages: Messages) {
    this.#name = name;
    this.#context = context;
    this.#output = output;
    this.#messages = messages;
  }

  /** Receives a request. The first request defines the headers and trailers. */
  take(request: Request): void {
    this.#received.push({ "@type": urlOf(`${this.#name}Request`), ...request });
    if (this.#first !== undefined) return;
    this.#first = request;
    const { responseHeaders, responseTrailers } = this.#definition;
    add(responseHeaders, this.#context.responseHeaders);
    add(responseTrailers, this.#context.responseTrailers);
  }

  get isFullDuplex(): boolean {
    return this.#first?.fullDuplex === true;
  }

  /** Whether all responses of a stream have been sent. */
  get isComplete(): boolean {
    return this.#responses >= this.#data.length;
  }

  get #definition(): Definition {
    return this.#first?.responseDefinition ?? {};
  }

  get #data(): readonly string[] {
    const { responseData = [] } = this.#definition;
    return typeof responseData === "string" ? [responseData] : responseData;
  }

  /** Returns the only response. */
  async one(): Promise<Response> {
    await delay(this.#definition.responseDelayMs);
    this.#throwError();
    const [data] = this.#data;
    return { payload: { ...(data !== undefined && { data }), requestInfo: this.#info() } };
  }

  /** Returns the next response of a stream. */
  async next(): Promise<Response> {
    const isFirst = this.#responses === 0;
    await delay(this.#definition.responseDelayMs);
    const data = this.#data[this.#responses] ?? "";
    this.#responses += 1;
    if (isFirst) return { payload: { data, requestInfo: this.#info() } };
    // Later responses only contain the requests that arrived after the last response.
    const requests = this.#received.splice(0);
    return { payload: { data, ...(requests.length > 0 && { requestInfo: { requests } }) } };
  }

  /** Returns the responses that are left, and throws the error after them. */
  async *rest(): AsyncGenerator<Response, void> {
    while (!this.isComplete) yield await this.next();
    this.#throwError();
  }

  #info() {
    const timeout = this.#context.headers.get("grpc-timeout");
    const requestHeaders = [...this.#context.headers.entries()].map(([name, value]) => ({
      name,
      value: [value],
    }));
    const timeoutMs = timeout && String(Math.floor(timeoutOf(timeout) ?? 0));
    return { requestHeaders, requests: this.#received.splice(0), ...(timeoutMs && { timeoutMs }) };
  }

  #throwError(): void {
    const { error } = this.#definition;
    if (error === undefined) return;
    const info = { "@type": urlOf("ConformancePayload.RequestInfo"), ...this.#info() };
    // An error contains the information that a response would have contained.
    throw this.#errorOf(error, this.#responses === 0 ? [info] : []);
  }

  #errorOf({ code = "", message, details = [] }: ErrorDefinition, more: readonly AnyJson[]): Error {
    const name = code.replace(/^CODE_/, "").replace("CANCELED", "CANCELLED");
    const found = this.#output.clientErrors.classes.find((each) => new each().grpcStatus === name);
    if (found === undefined) throw new Error(`No class of errors has the code ${code}`);
    const packed = [...details, ...more].map((detail) => {
      const { type_url: type, value } = this.#messages.pack(detail);
      return { "@type": type, value: Buffer.from(value).toString("base64") };
    });
    return new found(message ?? "", { details: packed });
  }
}

function urlOf(name: string): string {
  return `type.googleapis.com/${packageName}.${name}`;
}

function add(headers: readonly Header[] = [], to: Headers): void {
  for (const { name = "", value = [] } of headers) for (const each of value) to.append(name, each);
}
