import { describe, expect, it } from "vitest";
import { textExamples } from "../support/tolerances/examples.js";
import { resulted, sent, type Reader } from "../support/tolerances/peers.js";

/**
 * The texts with examples, and the readers of their versions. Outputs and adapters of 0.2.5 are
 * those of 0.2.6.
 */
const texts: readonly (readonly [
  text: string,
  key: "kind" | "type",
  readers: readonly Reader[],
])[] = [
  ["0.2.1", "type", ["0.2.1", "1.0 through 0.2"]],
  ["0.2.5 and 0.2.6", "kind", ["0.2.6", "1.0 through 0.2"]],
  ["0.3.0", "kind", ["0.3.0", "1.0 through 0.3"]],
];

const cases = texts.flatMap(([text, key, readers]) =>
  readers.flatMap((reader) =>
    textExamples(key).map(
      (example) => [`${text}, ${example.section}, ${reader}`, reader, example] as const,
    ),
  ),
);

describe("the examples in the texts of versions before 1.0", () => {
  it.each(cases)("an agent accepts the request: %s", async (_, reader, { params, method }) => {
    expect(await sent(reader, params, method)({})).toMatchObject({
      message: { messageId: expect.any(String) as string },
    });
  });

  it.each(cases)(
    "a client reads the response, if it is complete: %s",
    async (_, reader, example) => {
      const { method, results, unread } = example;
      const call = method === "message/send" ? "sendMessage" : "sendStreamingMessage";
      const reading = resulted(reader, call, ...results)({});
      const isRead =
        unread === undefined || (unread.by === "adapters" && !reader.includes("through"));
      if (isRead) expect(JSON.stringify(await reading)).toContain('"task-1"');
      else await expect(reading).rejects.toThrow(`${unread.path} expected`);
    },
  );
});
