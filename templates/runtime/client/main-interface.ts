import { isObject } from "../base/json.js";
import type { MainInterface } from "../protocol/operation.js";
import { openFirst, type OpenOptions } from "./connect.js";
import type { Transport, TransportFactory } from "../protocol/transport.js";

/**
 * Does what {@link openFirst} does for cards that name an interface outside of any list: that one comes first, and what
 * the list repeats counts once.
 */
export function openMainFirst(card: unknown, factories: readonly TransportFactory[], options: OpenOptions): Transport {
  const { protocol, discovery, url: base } = options;
  const { list, url = "url", binding = "binding", main, ...keys } = discovery.interfaces;
  const members: Readonly<Record<string, unknown>> = isObject(card) ? card : {};
  const named = main?.binding === undefined ? "" : members[main.binding];
  // The keys of a version belong to the list; the card itself speaks the one that it was read as.
  const spoken = keys.version === undefined ? {} : { [keys.version]: protocol.version };
  const first = main && { ...spoken, [url]: members[main.url], [binding]: isText(named) ? named : main.defaultBinding };
  const beside = first && main.beside && besideOf(first, main.beside, { url, binding });
  const listed = list === undefined ? undefined : members[list];
  const all: unknown[] = [
    ...(first ? [first] : []),
    ...(beside ? [beside] : []),
    ...(Array.isArray(listed) ? (listed as unknown[]) : []),
  ];
  const places = all.map((item) => isObject(item) && JSON.stringify([item[binding], hrefOf(item[url], base)]));
  const once = all.filter((_, index) => places.indexOf(places[index] ?? false) === index);
  const interfaces = { ...keys, list: "once", url, binding };
  return openFirst({ ...members, once }, factories, { ...options, discovery: { ...discovery, interfaces } });
}

/** Returns the interface that comes with another one. */
function besideOf(
  first: Readonly<Record<string, unknown>>,
  { binding, path }: NonNullable<MainInterface["beside"]>,
  keys: { readonly url: string; readonly binding: string },
): Readonly<Record<string, unknown>> | undefined {
  const url = first[keys.url];
  return isText(url) ? { ...first, [keys.url]: `${url}${path}`, [keys.binding]: binding } : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** The same string for the same URL; whatever is none stays as it is. */
function hrefOf(url: unknown, base: string | undefined): unknown {
  return typeof url === "string" && URL.canParse(url, base) ? new URL(url, base).href : url;
}
