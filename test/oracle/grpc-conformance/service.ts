import { setTimeout as delay } from "node:timers/promises";
import protobuf from "protobufjs/minimal.js";
import {
  type SentMetadata,
  type WireCall,
  WireError,
  type WireMethod,
  type WireMethods,
} from "../../../library/runtime/bindings/http2/server-call.js";
import { timeoutOf } from "../../../library/runtime/bindings/http2/server-metadata.js";
import { grpcStatus } from "../../../library/runtime/protocol/error.js";
import type { Any, Definition, Header, Messages, Request } from "./messages.js";

const packageName = "connectrpc.conformance.v1";

/** Returns the methods of the service that the suite calls, on the wire of our server. */
export function conformanceService(messages: Messages): WireMethods {
  const method = (name: string, kind: Kind): [string, WireMethod] => {
    const handle = (call: WireCall): void => {
      const handling = new Handling(call, name, messages);
      void handling.respond(kind).catch((error: unknown) => {
        const isRefused = error instanceof WireError;
        const code = grpcStatus[isRefused ? error.status : "UNKNOWN"];
        call.fail({ code, details: isRefused ? error.message : String(error) });
      });
    };
    return [`/${packageName}.ConformanceService/${name}`, { name, ...kind, handle }];
  };
  return new Map([
    method("Unary", { requestStream: false, responseStream: false }),
    method("IdempotentUnary", { requestStream: false, responseStream: false }),
    method("ServerStream", { requestStream: false, responseStream: true }),
    method("ClientStream", { requestStream: true, responseStream: false }),
    method("BidiStream", { requestStream: true, responseStream: true }),
  ]);
}

type Kind = Pick<WireMethod, "requestStream" | "responseStream">;

/** Responds to one call as its first request defines. */
class Handling {
  readonly #call: WireCall;
  readonly #name: string;
  readonly #messages: Messages;
  #definition: Definition | undefined;
  /** The requests that no response has repeated yet. */
  #received: Any[] = [];
  #responses = 0;

  constructor(call: WireCall, name: string, messages: Messages) {
    this.#call = call;
    this.#name = name;
    this.#messages = messages;
  }

  async respond({ requestStream, responseStream }: Kind) {
    if (requestStream) await this.#readAll();
    else this.#take(await this.#call.one());
    await (responseStream ? this.#stream() : this.#unary());
  }

  /** Reads all requests. In full duplex, responds to each of them. */
  async #readAll() {
    let isFullDuplex = false;
    let isFirst = true;
    for await (const bytes of this.#call.all()) {
      const { fullDuplex } = this.#take(bytes);
      if (isFirst) isFullDuplex = fullDuplex === true;
      isFirst = false;
      if (!isFullDuplex) continue;
      this.#start();
      if (this.#responses >= this.#data.length) return;
      await this.#next();
    }
  }

  #take(bytes: Uint8Array): Request {
    const type_url = `type.googleapis.com/${packageName}.${this.#name}Request`;
    this.#received.push({ type_url, value: bytes });
    const request = this.#messages.decode(`${this.#name}Request`, bytes) as Request;
    this.#definition ??= request.responseDefinition ?? undefined;
    return request;
  }

  get #data(): readonly Uint8Array[] {
    const data = this.#definition?.responseData ?? [];
    return data instanceof Uint8Array ? [data] : data;
  }

  #isStarted = false;

  #start() {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#call.start(metadataOf(this.#definition?.responseHeaders ?? []));
  }

  get #trailers(): SentMetadata {
    return metadataOf(this.#definition?.responseTrailers ?? []);
  }

  async #stream() {
    if (this.#definition !== undefined) this.#start();
    while (this.#responses < this.#data.length) await this.#next();
    if (this.#definition?.error) this.#fail(this.#definition.error);
    else this.#call.end(this.#trailers);
  }

  async #next() {
    const data = this.#data[this.#responses];
    const isFirst = this.#responses === 0;
    await delay(this.#definition?.responseDelayMs ?? 0);
    const requestInfo = isFirst ? this.#info() : this.#isRepeated();
    const payload = { data, ...(requestInfo && { requestInfo }) };
    this.#responses += 1;
    if (!this.#call.write(this.#encode(payload))) await this.#call.drained();
  }

  /** Later responses only contain requests that arrived after the last response. */
  #isRepeated() {
    const requests = this.#received.splice(0);
    return requests.length === 0 ? undefined : { requests };
  }

  async #unary() {
    if (this.#definition !== undefined) this.#start();
    await delay(this.#definition?.responseDelayMs ?? 0);
    if (this.#definition?.error) this.#fail(this.#definition.error);
    else {
      const payload = { data: this.#data[0], requestInfo: this.#info() };
      this.#call.respond(this.#encode(payload), this.#trailers);
    }
  }

  #encode(payload: object): Uint8Array {
    return this.#messages.encode(`${this.#name}Response`, { payload });
  }

  #info() {
    const timeout = this.#call.headers.get("grpc-timeout");
    const requestHeaders = [...this.#call.metadata()].map(([name, values]) => ({
      name,
      value: values.map((value) =>
        typeof value === "string" ? value : Buffer.from(value).toString("base64"),
      ),
    }));
    const timeoutMs = timeout === undefined ? undefined : Math.floor(timeoutOf(timeout) ?? 0);
    const requests = this.#received.splice(0);
    return { requestHeaders, requests, ...(timeoutMs !== undefined && { timeoutMs }) };
  }

  #fail({ code, message = "", details }: NonNullable<Definition["error"]>) {
    const info = this.#responses === 0 ? [this.#packedInfo()] : [];
    const status = encodeStatus(code, message, [...details, ...info]);
    const metadata = { ...this.#trailers, "grpc-status-details-bin": status };
    this.#call.fail({ code, details: message, metadata });
  }

  #packedInfo(): Any {
    const name = "ConformancePayload.RequestInfo";
    const value = this.#messages.encode(name, this.#info());
    return { type_url: `type.googleapis.com/${packageName}.${name}`, value };
  }
}

/** Encodes a `google.rpc.Status`. */
function encodeStatus(code: number, message: string, details: readonly Any[]): Uint8Array {
  const writer = protobuf.Writer.create().uint32(8).int32(code).uint32(18).string(message);
  for (const { type_url: url, value } of details)
    writer.uint32(26).fork().uint32(10).string(url).uint32(18).bytes(value).ldelim();
  return writer.finish();
}

function metadataOf(headers: readonly Header[]): SentMetadata {
  return Object.fromEntries(
    headers.map(({ name, value }) => [
      name.toLowerCase(),
      name.toLowerCase().endsWith("-bin")
        ? value.map((each) => Buffer.from(each, "base64"))
        : [...value],
    ]),
  );
}
