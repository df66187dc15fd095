import { isObject } from "../base/json.js";
import type { MainInterface } from "../protocol/operation.js";
import type { Transport, TransportFactory } from "../protocol/transport.js";
import { listedInterfaces, openFirst, type OpenOptions } from "./connect.js";
import type { InterfaceReader } from "./versions.js";

/** Opens a transport like {@link openFirst}, but tries the card's main interface first. */
export function openMainFirst(
  card: unknown,
  factories: readonly TransportFactory[],
  options: OpenOptions,
): Promise<Transport> {
  return openFirst(card, factories, { ...options, interfaces: mainInterfaces });
}

/** Reads the main interface of a card, and its list of other interfaces. */
export const mainInterfaces: InterfaceReader = (card, { protocol, discovery }, base) => {
  const { list, url = "url", binding = "binding", main, ...keys } = discovery.interfaces;
  if (!isObject(card) || main === undefined || !isText(card[main.url])) return [];
  const named = main.binding === undefined ? "" : card[main.binding];
  // Only interfaces in the list have a version. The main interface has the version of the card.
  const spoken = keys.version === undefined ? {} : { [keys.version]: protocol.version };
  const first = {
    ...spoken,
    [url]: card[main.url],
    [binding]: isText(named) ? named : main.defaultBinding,
  };
  const beside = main.beside && besideOf(first, main.beside, { url, binding });
  const listed = list === undefined ? undefined : card[list];
  const all: unknown[] = [
    first,
    ...(beside ? [beside] : []),
    ...(Array.isArray(listed) ? (listed as unknown[]) : []),
  ];
  const interfaces = { ...keys, list: "all", url, binding };
  return listedInterfaces({ all }, { protocol, discovery: { ...discovery, interfaces } }, base);
};

/**
 * Returns the second interface that follows from the main interface, with its own binding and path.
 */
function besideOf(
  first: Readonly<Record<string, unknown>>,
  { binding, path }: NonNullable<MainInterface["beside"]>,
  keys: { readonly url: string; readonly binding: string },
): Readonly<Record<string, unknown>> | undefined {
  const url = first[keys.url];
  return isText(url)
    ? { ...first, [keys.url]: `${url}${path}`, [keys.binding]: binding }
    : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
