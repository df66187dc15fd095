/** A request as an example of a text has it, and the response that follows it. */
export interface TextExample {
  readonly section: string;
  readonly method: "message/send" | "message/stream";
  readonly params: object;
  /** The result, or the events of the stream. */
  readonly results: readonly object[];
  /**
   * The member that is missing if a client refuses the response, and the clients that refuse it.
   */
  readonly unread?: { readonly path: string; readonly by: "all" | "adapters" };
}

const ids = { id: "task-1", contextId: "context-1" };
const refs = { taskId: "task-1", contextId: "context-1" };
const image = { name: "cat.png", mimeType: "image/png", bytes: "iVBORw0KGgo=" };

/**
 * Returns requests and responses with the members that the examples in section 9 of the texts 0.2.1
 * to 0.3.0 have, and with other values. `key` is the member with the kind of a part, which is
 * `type` in the text of 0.2.1.
 */
export function textExamples(key: "kind" | "type"): readonly TextExample[] {
  const text = (content: string, more: object = {}): object => ({
    [key]: "text",
    text: content,
    ...more,
  });
  const file = (content: object): object => ({ [key]: "file", file: content });
  const user = (id: string, ...parts: object[]) => ({ role: "user", parts, messageId: id });
  const upload = file({ mimeType: "image/png", data: "iVBORw0KGgo=" });
  const ask = user("m-1", text("name a color"));
  const plan = { role: "user", parts: [text("plan a trip")] };
  const detail = { ...user("m-2", text("to Rome in May")), ...refs };
  const question = { role: "agent", parts: [text("where to?")], messageId: "m-3", ...refs };
  const answer = (artifact: object) => ({ artifactId: "artifact-1", ...artifact });
  const chunk = (content: string, more: object) => ({
    ...refs,
    artifact: answer({ parts: [text(content)] }),
    ...more,
    kind: "artifact-update",
  });
  return [
    {
      section: "9.2, a task",
      method: "message/send",
      params: { message: ask, metadata: {} },
      results: [
        {
          ...ids,
          status: { state: "completed" },
          artifacts: [answer({ name: "color", parts: [text("blue")] })],
          history: [{ ...ask, ...refs }],
          kind: "task",
          metadata: {},
        },
      ],
    },
    {
      section: "9.2, a message",
      method: "message/send",
      params: { message: ask, metadata: {} },
      results: [
        {
          messageId: "m-4",
          contextId: "context-1",
          parts: [text("blue")],
          kind: "message",
          metadata: {},
        },
      ],
      unread: { path: "/role", by: "all" },
    },
    {
      section: "9.3",
      method: "message/stream",
      params: { message: user("m-1", text("describe the picture"), upload), metadata: {} },
      results: [
        {
          ...ids,
          status: { state: "submitted", timestamp: "2025-06-01T10:20:30.331844" },
          history: [{ ...user("m-1", text("describe the picture"), upload), ...refs }],
          kind: "task",
          metadata: {},
        },
        chunk("first", { append: false, lastChunk: false }),
        chunk("second", { append: true, lastChunk: true }),
        {
          ...refs,
          status: { state: "completed", timestamp: "2025-06-01T10:20:40.331844" },
          final: true,
          kind: "status-update",
        },
      ],
      unread: { path: "/task/history/0/parts/1", by: "adapters" },
    },
    {
      section: "9.4, the first message",
      method: "message/send",
      params: { message: plan, messageId: "m-5" },
      results: [
        {
          ...ids,
          status: { state: "input-required", message: question, timestamp: "2024-03-15T10:10:00Z" },
          history: [{ ...plan, messageId: "m-5", ...refs }],
          kind: "task",
        },
      ],
    },
    {
      section: "9.4, the second message",
      method: "message/send",
      params: { message: detail, configuration: { blocking: true } },
      results: [
        {
          ...ids,
          status: { state: "completed", message: { role: "agent", parts: [text("planned")] } },
          artifacts: [
            answer({ name: "plan.json", parts: [{ [key]: "data", data: { city: "Rome" } }] }),
          ],
          history: [{ ...plan, messageId: "m-5", ...refs }, question, detail],
          kind: "task",
          metadata: {},
        },
      ],
    },
    {
      section: "9.5",
      method: "message/send",
      params: {
        message: user("m-6", text("write the report")),
        configuration: {
          pushNotificationConfig: {
            url: "https://client.example.com/hook",
            token: "token-1",
            authentication: { schemes: ["Bearer"] },
          },
        },
      },
      results: [{ ...ids, status: { state: "submitted", timestamp: "2024-03-15T11:00:00Z" } }],
    },
    {
      section: "9.6",
      method: "message/send",
      params: { message: user("m-7", text("find the cat"), file(image)) },
      results: [
        {
          ...ids,
          status: { state: "completed", timestamp: "2024-03-15T12:05:00Z" },
          artifacts: [
            answer({
              name: "cat",
              parts: [
                file({
                  name: "cat.png",
                  mimeType: "image/png",
                  uri: "https://files.example.com/cat.png",
                }),
              ],
            }),
          ],
          kind: "task",
        },
      ],
    },
    {
      section: "9.7",
      method: "message/send",
      params: {
        message: user(
          "m-8",
          text("list the tickets", { metadata: { mimeType: "application/json", schema: {} } }),
        ),
        metadata: {},
      },
      results: [
        {
          ...ids,
          status: { state: "completed", timestamp: "2025-06-01T10:20:30.680794" },
          artifacts: [answer({ parts: [text("[]")] })],
          kind: "task",
        },
      ],
    },
  ];
}
