import { isAsyncIterable } from "../runtime/base/async.js";
import { isObject } from "../runtime/base/json.js";
import type { ClientVersion } from "../runtime/client/versions.js";
import type { Call, Transport, TransportFactory } from "../runtime/protocol/transport.js";
import type { BindingFacts } from "../kit/kit-facts.js";

/**
 * Returns a version adapter for agents that encode files twice. In 0.3, over HTTP+JSON and gRPC, some SDKs encode the
 * base64 text of a file as if the text were the file. With this adapter, files in responses are decoded twice, and
 * files in requests are encoded twice. Only use it for such agents. Calls over JSON-RPC do not change.
 *
 * @example
 * const client = await connect(url, { versions: [withDoubleEncodedFiles(v0_3)] });
 */
export function withDoubleEncodedFiles(version: ClientVersion, facts: BindingFacts): ClientVersion {
  const twice = (factory: TransportFactory): TransportFactory => doubleEncodedFactory(factory, facts);
  return { ...version, transports: (options) => version.transports(options).map(twice) };
}

function doubleEncodedFactory(factory: TransportFactory, { protocol }: BindingFacts): TransportFactory {
  if (factory.binding === protocol.bindings.jsonRpc) return factory;
  return { ...factory, open: (target) => new TwiceEncoded(factory.open(target)) };
}

class TwiceEncoded implements Transport {
  readonly #inner: Transport;
  readonly version?: string;

  constructor(inner: Transport) {
    this.#inner = inner;
    if (inner.version !== undefined) this.version = inner.version;
  }

  get binding(): string {
    return this.#inner.binding;
  }

  carries(operation: Call["operation"]): boolean {
    return this.#inner.carries?.(operation) ?? true;
  }

  async unary(call: Call): Promise<unknown> {
    return withFiles(await this.#inner.unary(encoded(call)), decodedOnce);
  }

  async *stream(call: Call): AsyncGenerator<unknown, void, undefined> {
    for await (const event of this.#inner.stream(encoded(call))) yield withFiles(event, decodedOnce);
  }

  close(): void {
    this.#inner.close?.();
  }
}

function encoded(call: Call): Call {
  return isAsyncIterable(call.request) ? call : { ...call, request: withFiles(call.request, btoa) };
}

const base64 = /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/;

/** Decodes base64 text whose content is also base64. A file that was encoded once is returned unchanged. */
function decodedOnce(raw: string): string {
  const decoded = base64.test(raw) ? atob(raw) : "";
  return decoded !== "" && base64.test(decoded) ? decoded : raw;
}

/** Returns a value with the files of all its parts changed. */
function withFiles(value: unknown, change: (raw: string) => string, isPart = false): unknown {
  if (!isObject(value)) return value;
  const changed: Record<string, unknown> = { ...value };
  for (const [key, member] of Object.entries(value)) {
    if (isPart && key === "raw" && typeof member === "string") changed[key] = change(member);
    // `data` and `metadata` contain data of users, even if the data resembles parts.
    else if (key === "data" || key === "metadata") continue;
    else if (Array.isArray(member)) changed[key] = member.map((each) => withFiles(each, change, key === "parts"));
    else changed[key] = withFiles(member, change);
  }
  return changed;
}
