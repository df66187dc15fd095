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
  const mainBinding = main.binding === undefined ? "" : card[main.binding];
  // Only interfaces in the list have a version. The main interface has the version of the card.
  const versionMember = keys.version === undefined ? {} : { [keys.version]: protocol.version };
  const first = {
    ...versionMember,
    [url]: card[main.url],
    [binding]: isText(mainBinding) ? mainBinding : main.defaultBinding,
  };
  const all: unknown[] = [first];
  const beside = main.beside && besideOf(first, main.beside, { url, binding });
  if (beside !== undefined) all.push(beside);
  const listed = list === undefined ? undefined : card[list];
  if (Array.isArray(listed)) for (const item of listed as unknown[]) all.push(item);
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
  if (!isText(url)) return undefined;
  return { ...first, [keys.url]: url + path, [keys.binding]: binding };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
