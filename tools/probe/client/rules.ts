import { operations, protocol } from "../../../generated/1.0/operations.js";
import { check as checkType } from "a2a-codegen-runtime/internal/schema";
import { member, textAt } from "../../agents/findings.js";
import { short } from "../reply.js";
import { Inapplicable, type Level, type Outcome } from "../rule.js";
import { envelopeVersion, first, text, unless } from "../rules/expect.js";
import { paths, taskId, type ClientRequest } from "./agent.js";

/** Rule for the requests of a client. */
export interface ClientRule {
  readonly id: string;
  readonly level: Level;
  /** Section of A2A 1.0.1. */
  readonly section: string;
  readonly title: string;
  readonly check: (requests: readonly ClientRequest[]) => Outcome;
}

/**
 * Returns the matching requests. Throws {@link Inapplicable} if no request matches, because the
 * rule then does not apply.
 */
function those(
  requests: readonly ClientRequest[],
  what: string,
  matches: (request: ClientRequest) => boolean,
): readonly ClientRequest[] {
  const found = requests.filter(matches);
  if (found.length === 0) throw new Inapplicable(`the client sent ${what}`);
  return found;
}

const calls = (requests: readonly ClientRequest[]): readonly ClientRequest[] =>
  those(requests, "no call", ({ url }) => !url.startsWith(paths.card));
const cards = (requests: readonly ClientRequest[]): readonly ClientRequest[] =>
  those(requests, "no request for the card", ({ url }) => url.startsWith(paths.card));
const rpcs = (requests: readonly ClientRequest[]): readonly ClientRequest[] =>
  those(requests, "no call over JSON-RPC", ({ binding }) => binding === protocol.bindings.jsonRpc);
const messages = (requests: readonly ClientRequest[]): readonly unknown[] =>
  those(requests, "no message", ({ operation }) => operation.startsWith("Send")).map(({ params }) =>
    member(params, "message"),
  );

const versionOf = ({ headers, url }: ClientRequest): string =>
  headers["a2a-version"] ??
  new URL(url, "http://probe.example").searchParams.get(protocol.headers.version) ??
  "";
const unique = (values: readonly unknown[]): boolean => new Set(values).size === values.length;

/** Rules for clients. */
export const clientRules: readonly ClientRule[] = [
  {
    id: "client-version",
    level: "must",
    section: "3.6.1",
    title: "Each call specifies the protocol version 1.0",
    check: (requests) =>
      first(
        calls(requests).map((call) =>
          unless(
            /^1\.0$/.test(versionOf(call)),
            () => `a call has the version ${short(versionOf(call))}`,
          ),
        ),
      ),
  },
  {
    id: "client-card-version",
    level: "should",
    section: "3.6.1",
    title: "The request for the card specifies the protocol version",
    check: (requests) =>
      unless(
        cards(requests).every((request) => versionOf(request) !== ""),
        () => "the header A2A-Version is missing",
      ),
  },
  {
    id: "client-interface",
    level: "should",
    section: "8.3.2",
    title: "The client calls the first interface in the card that it supports",
    check: (requests) => {
      const used = calls(requests).map(({ binding }) => binding);
      return unless(
        unique([...new Set(used)].slice(0, 1)) &&
          used.every((binding) => binding === used[0] && binding !== ""),
        () => `the calls are over ${short([...new Set(used)])}`,
      );
    },
  },
  {
    id: "client-content-type",
    level: "must",
    section: "9.1",
    title: "A request with a body has a JSON media type",
    check: (requests) =>
      first(
        those(requests, "no body", ({ text: content }) => content !== "").map(({ headers }) =>
          unless(
            /^application\/(?:a2a\+)?json\b/i.test(headers["content-type"] ?? ""),
            () => `Content-Type is ${short(headers["content-type"])}`,
          ),
        ),
      ),
  },
  {
    id: "client-json",
    level: "must",
    section: "9.1",
    title: "Request bodies are JSON",
    check: (requests) =>
      unless(
        calls(requests).every((call) => call.text === "" || call.body !== undefined),
        () => "a body is not JSON",
      ),
  },
  {
    id: "client-rpc-version",
    level: "must",
    section: "9.1",
    title: "JSON-RPC requests have the version 2.0",
    check: (requests) =>
      unless(
        rpcs(requests).every(({ body }) => envelopeVersion(body) === "2.0"),
        () => "a request has another JSON-RPC version",
      ),
  },
  {
    id: "client-rpc-id",
    level: "must",
    section: "9.1",
    title: "Each JSON-RPC request has a unique id",
    check: (requests) => {
      const found = rpcs(requests).map(({ body }) => member(body, "id"));
      const isId = (id: unknown): boolean => typeof id === "string" || typeof id === "number";
      return unless(found.every(isId) && unique(found), () => `the ids are ${short(found)}`);
    },
  },
  {
    id: "client-operation",
    level: "must",
    section: "5.3",
    title: "Each call is an operation of the specification",
    check: (requests) => {
      const wrong = calls(requests).find(({ operation }) => operation === "");
      return wrong === undefined
        ? undefined
        : `unknown: ${wrong.method} ${wrong.url} ${short(member(wrong.body, "method"))}`;
    },
  },
  {
    id: "client-request-type",
    level: "must",
    section: "5.7",
    title: "The parameters of each call match their type",
    check: (requests) =>
      first(
        calls(requests).map(({ operation, params, method }) => {
          const type = operations.find(({ name }) => name === operation)?.request;
          // Values in a query are strings.
          if (type === undefined || method === "GET") return undefined;
          const [issue] = checkType(type, params, "json").issues ?? [];
          return issue === undefined
            ? undefined
            : `${operation}: ${issue.path.join(".")}: expected ${issue.expected}, got ` +
                issue.found;
        }),
      ),
  },
  {
    id: "client-message-role",
    level: "must",
    section: "4.1.4",
    title: "Messages from a client have the role of the user",
    check: (requests) =>
      first(
        messages(requests).map((message) =>
          unless(
            member(message, "role") === "ROLE_USER",
            () => `a message has the role ${short(member(message, "role"))}`,
          ),
        ),
      ),
  },
  {
    id: "client-message-id",
    level: "must",
    section: "4.1.4",
    title: "Each message has a unique id",
    check: (requests) => {
      const found = messages(requests).map((message) => member(message, "messageId"));
      return (
        first(found.map((id) => text(id, "messageId"))) ??
        unless(unique(found), () => "two messages have the same id")
      );
    },
  },
  {
    id: "client-stream-accept",
    level: "should",
    section: "9.4.2",
    title: "Streaming calls accept text/event-stream",
    check: (requests) =>
      first(
        those(
          requests,
          "no streaming call",
          ({ operation }) => operation === "SendStreamingMessage",
        ).map(({ headers }) =>
          unless(
            /text\/event-stream|\*\/\*/.test(headers["accept"] ?? ""),
            () => `Accept is ${short(headers["accept"])}`,
          ),
        ),
      ),
  },
  {
    id: "client-unknown-members",
    level: "must",
    section: "5.7",
    title: "The client reads a task with unknown members",
    check: (requests) => {
      those(requests, "only one call", ({ operation }) => operation === "SendMessage");
      // A request with this id proves that the client has read the response.
      const later = those(
        requests,
        "no call about the task of its message",
        ({ operation }) => operation === "GetTask" || operation === "CancelTask",
      );
      return unless(
        later.some(({ params }) => textAt(params, "id") === taskId),
        () => `the client called with the id ${short(textAt(later[0]?.params, "id"))}`,
      );
    },
  },
  {
    id: "client-card-etag",
    level: "should",
    section: "8.6.2",
    title: "A second request for the card has an If-None-Match header",
    check: (requests) => {
      const [, ...later] = cards(requests);
      if (later.length === 0) throw new Inapplicable("the client requested the card once");
      return unless(
        later.every(({ headers }) => headers["if-none-match"] !== undefined),
        () => "the header If-None-Match is missing",
      );
    },
  },
];
