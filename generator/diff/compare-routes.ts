import type { HttpRouteDef, OperationDef } from "../protocol/model/types.js";
import type { Change } from "./types.js";

/**
 * Compares the routes of an operation. Names of variables are ignored, because they are not on the
 * wire.
 */
export function compareRoutes(
  name: string,
  from: readonly HttpRouteDef[],
  to: readonly HttpRouteDef[],
): Change[] {
  const [before, now] = [from, to].map((routes) => new Set(routes.map(shapeOf)));
  const removed = from.filter((route) => now?.has(shapeOf(route)) === false);
  const added = to.filter((route) => before?.has(shapeOf(route)) === false);
  const breaks = { json: "requests to the route are not found" };
  return [
    ...removed.map((route): Change => ({
      subject: "route",
      action: "removed",
      name,
      from: describeRoute(route),
      breaks,
    })),
    ...added.map((route): Change => ({
      subject: "route",
      action: "added",
      name,
      to: describeRoute(route),
      breaks: {},
    })),
  ];
}

/** Returns whether two operations have the same routes, and at least one. */
export function hasSameRoutes(from: OperationDef, to: OperationDef): boolean {
  return from.http.length > 0 && compareRoutes("", from.http, to.http).length === 0;
}

function describeRoute({ httpMethod, path, body, responseBody }: HttpRouteDef): string {
  const request = body === undefined || body === "*" ? "" : ` with ${body} as the request body`;
  const response = responseBody === undefined ? "" : `, with ${responseBody} as the response body`;
  return `${httpMethod} ${path}${request}${response}`;
}

function shapeOf(route: HttpRouteDef): string {
  const path = describeRoute(route).replaceAll(
    /\{[^{}=]+(?:=([^{}]*))?\}/g,
    (_, pattern: string | undefined) => pattern ?? "*",
  );
  return `${path} ${route.body === "*" ? "with a body" : ""}`;
}
