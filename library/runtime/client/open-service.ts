import type { CallerFacts } from "../protocol/operation.js";
import type { HttpOptions } from "../protocol/http-options.js";
import type { Transport, TransportFactory } from "../protocol/transport.js";

/** Options for a transport to a service. */
export interface OpenServiceOptions extends HttpOptions {
  /** The transport; `usual` by default. */
  readonly transport?: TransportFactory | undefined;
}

/** A service, and how clients reach it by default. */
export interface ServiceTarget extends Pick<CallerFacts, "bindings"> {
  /** The full name, such as `shop.v1.Orders`. */
  readonly name: string;
  /** The transport over HTTP that clients use by default. */
  readonly usual: TransportFactory;
}

/**
 * Returns a transport to a service of the server at a URL. The endpoint of JSON-RPC is the name of
 * the service below this URL.
 *
 * @throws A `TypeError` if the URL has no scheme, except for gRPC.
 */
export function openService(
  { name, usual, bindings: { jsonRpc } }: ServiceTarget,
  url: string | URL,
  options: OpenServiceOptions,
): Transport {
  const { transport: factory = usual, fetch, maxEventBytes, maxResponseBytes, maxValues } = options;
  const { binding } = factory;
  const text = String(url);
  const isHttp = binding === jsonRpc || binding === usual.binding;
  if (isHttp && !/^https?:\/\//i.test(text))
    throw new TypeError(
      `The URL of ${name} must begin with https:// or http://, got ${JSON.stringify(text)}`,
    );
  const base = text.replace(/\/+$/, "");
  return factory.open({
    url: binding === jsonRpc ? `${base}/${name}` : text,
    binding,
    version: "",
    tenant: undefined,
    http: { fetch, maxEventBytes, maxResponseBytes, maxValues },
  });
}
