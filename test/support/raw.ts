/** HTTP response: status, headers, and body as text. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Sends a request with a JSON value or an unchanged string, and reads the whole response. */
export async function send(
  verb: string,
  url: string | URL,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<RawAnswer> {
  const content = typeof body === "string" ? body : JSON.stringify(body);
  const typed = body === undefined ? headers : { "content-type": "application/json", ...headers };
  const response = await fetch(url, {
    method: verb,
    headers: typed,
    ...(body === undefined ? {} : { body: content }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Sends a request of JSON-RPC, whose id is 1. */
export function call(
  url: string | URL,
  method: string,
  params?: unknown,
  headers?: Readonly<Record<string, string>>,
): Promise<RawAnswer> {
  return send(
    "POST",
    url,
    { jsonrpc: "2.0", id: 1, method, ...(params === undefined ? {} : { params }) },
    headers,
  );
}

/** The body of an answer, which is JSON. */
export function jsonOf({ text }: RawAnswer): unknown {
  return JSON.parse(text);
}

/** The events of an answer, which is a stream. */
export function eventsOf({ headers, text }: RawAnswer): unknown[] {
  if (headers.get("content-type") !== "text/event-stream") throw new Error(`Not a stream: ${text}`);
  const lines = text.split("\n").filter((line) => line.startsWith("data: "));
  return lines.map((line): unknown => JSON.parse(line.slice(6)));
}
