// Clients only load this module for a stream of lines. It imports no values, because bundlers would
// move them out of the file that every client loads.

/**
 * Returns a response whose body consists of lines as a response with server-sent events. An empty
 * line becomes an event without data, which readers of events ignore.
 */
export function toEvents({ body, headers, status }: Response): Response {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const events = new TransformStream<Uint8Array, Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode("data: "));
    },
    transform(chunk, controller) {
      const text = decoder.decode(chunk, { stream: true });
      controller.enqueue(encoder.encode(text.replaceAll("\n", "\n\ndata: ")));
    },
  });
  const changed = new Headers(headers);
  changed.set("content-type", "text/event-stream");
  return new Response(body?.pipeThrough(events), { status, headers: changed });
}
