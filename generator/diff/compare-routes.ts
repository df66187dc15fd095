import type { HttpRouteDef } from "../protocol/model/types.js";
import type { Change } from "./types.js";

/** Compares the routes of an operation; what a variable is called does not show on the wire. */
export function compareRoutes(name: string, from: readonly HttpRouteDef[], to: readonly HttpRouteDef[]): Change[] {
  const [before, now] = [from, to].map((routes) => new Set(routes.map(shapeOf)));
  const gone = from.filter((route) => now?.has(shapeOf(route)) === false);
  const added = to.filter((route) => before?.has(shapeOf(route)) === false);
  const breaks = { json: "requests to the route are not understood" };
  return [
    ...gone.map((route): Change => ({ subject: "route", action: "removed", name, from: textOf(route), breaks })),
    ...added.map((route): Change => ({ subject: "route", action: "added", name, to: textOf(route), breaks: {} })),
  ];
}

function textOf({ verb, path, body, responseBody }: HttpRouteDef): string {
  const request = body === undefined || body === "*" ? "" : ` with ${body} as its body`;
  return `${verb} ${path}${request}${responseBody === undefined ? "" : `, answered with ${responseBody}`}`;
}

function shapeOf(route: HttpRouteDef): string {
  const path = textOf(route).replaceAll(
    /\{[^{}=]+(?:=([^{}]*))?\}/g,
    (_, pattern: string | undefined) => pattern ?? "*",
  );
  return `${path} ${route.body === "*" ? "with a body" : ""}`;
}
