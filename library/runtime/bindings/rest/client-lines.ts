import type { Fetch } from "../../protocol/http-options.js";

/**
 * Returns a `fetch` that also accepts streams of lines with the media type `lines` instead of
 * server-sent events, which have precedence because their comments keep an idle stream open. Each
 * line becomes an event, so that the same code reads both. By default, calls the `fetch` of the
 * platform.
 */
export function readingLines(lines: string, given?: Fetch): Fetch {
  return async (url, init) => {
    const headers = init.headers as Readonly<Record<string, string>>;
    const accept = headers["accept"]?.replace(/\/event-stream/, `$&, ${lines};q=0.9`) ?? "";
    const send = given ?? fetch;
    const response = await send(url, { ...init, headers: { ...headers, accept } });
    const type = response.headers.get("content-type") ?? "";
    if (!type.toLowerCase().startsWith(lines)) return response;
    // Few servers send lines if they are asked for events.
    const { toEvents } = await import("./lines.js");
    return toEvents(response);
  };
}
