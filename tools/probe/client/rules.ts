import { operations, protocol } from "../../../generated/1.0/operations.js";
import { check as checkType } from "a2a-codegen-runtime/internal/schema";
import { member, textAt } from "../../agents/findings.js";
import { short } from "../reply.js";
import { Inapplicable, type Level, type Outcome } from "../rule.js";
import {
  envelopeVersion,
  firstProblem,
  problemUnlessText,
  problemUnless,
} from "../rules/expect.js";
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
function requestsMatching(
  requests: readonly ClientRequest[],
  absence: string,
  matches: (request: ClientRequest) => boolean,
): readonly ClientRequest[] {
  const found = requests.filter(matches);
  if (found.length === 0) throw new Inapplicable(`the client sent ${absence}`);
  return found;
}

const callsIn = (requests: readonly ClientRequest[]): readonly ClientRequest[] =>
  requestsMatching(requests, "no call", ({ url }) => !url.startsWith(paths.card));
const cardRequestsIn = (requests: readonly ClientRequest[]): readonly ClientRequest[] =>
  requestsMatching(requests, "no request for the card", ({ url }) => url.startsWith(paths.card));
const jsonRpcCallsIn = (requests: readonly ClientRequest[]): readonly ClientRequest[] =>
  requestsMatching(
    requests,
    "no call over JSON-RPC",
    ({ binding }) => binding === protocol.bindings.jsonRpc,
  );
const messagesIn = (requests: readonly ClientRequest[]): readonly unknown[] =>
  requestsMatching(requests, "no message", ({ operation }) => operation.startsWith("Send")).map(
    ({ params }) => member(params, "message"),
  );

const versionOf = ({ headers, url }: ClientRequest): string =>
  headers["a2a-version"] ??
  new URL(url, "http://probe.example").searchParams.get(protocol.headers.version) ??
  "";
const areUnique = (values: readonly unknown[]): boolean => new Set(values).size === values.length;

/** Rules for clients. */
export const clientRules: readonly ClientRule[] = [
  {
    id: "client-version",
    level: "must",
    section: "3.6.1",
    title: "Each call specifies the protocol version 1.0",
    check: (requests) =>
      firstProblem(
        callsIn(requests).map((call) =>
          problemUnless(
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
      problemUnless(
        cardRequestsIn(requests).every((request) => versionOf(request) !== ""),
        () => "the header A2A-Version is missing",
      ),
  },
  {
    id: "client-interface",
    level: "should",
    section: "8.3.2",
    title: "The client calls the first interface in the card that it supports",
    check: (requests) => {
      const used = callsIn(requests).map(({ binding }) => binding);
      return problemUnless(
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
      firstProblem(
        requestsMatching(requests, "no body", ({ text: content }) => content !== "").map(
          ({ headers }) =>
            problemUnless(
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
      problemUnless(
        callsIn(requests).every((call) => call.text === "" || call.body !== undefined),
        () => "a body is not JSON",
      ),
  },
  {
    id: "client-rpc-version",
    level: "must",
    section: "9.1",
    title: "JSON-RPC requests have the version 2.0",
    check: (requests) =>
      problemUnless(
        jsonRpcCallsIn(requests).every(({ body }) => envelopeVersion(body) === "2.0"),
        () => "a request has another JSON-RPC version",
      ),
  },
  {
    id: "client-rpc-id",
    level: "must",
    section: "9.1",
    title: "Each JSON-RPC request has a unique id",
    check: (requests) => {
      const found = jsonRpcCallsIn(requests).map(({ body }) => member(body, "id"));
      const isId = (id: unknown): boolean => typeof id === "string" || typeof id === "number";
      return problemUnless(
        found.every(isId) && areUnique(found),
        () => `the ids are ${short(found)}`,
      );
    },
  },
  {
    id: "client-operation",
    level: "must",
    section: "5.3",
    title: "Each call is an operation of the specification",
    check: (requests) => {
      const wrong = callsIn(requests).find(({ operation }) => operation === "");
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
      firstProblem(
        callsIn(requests).map(({ operation, params, method }) => {
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
      firstProblem(
        messagesIn(requests).map((message) =>
          problemUnless(
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
      const found = messagesIn(requests).map((message) => member(message, "messageId"));
      return (
        firstProblem(found.map((id) => problemUnlessText(id, "messageId"))) ??
        problemUnless(areUnique(found), () => "two messages have the same id")
      );
    },
  },
  {
    id: "client-stream-accept",
    level: "should",
    section: "9.4.2",
    title: "Streaming calls accept text/event-stream",
    check: (requests) =>
      firstProblem(
        requestsMatching(
          requests,
          "no streaming call",
          ({ operation }) => operation === "SendStreamingMessage",
        ).map(({ headers }) =>
          problemUnless(
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
      requestsMatching(requests, "only one call", ({ operation }) => operation === "SendMessage");
      // A request with this id proves that the client has read the response.
      const later = requestsMatching(
        requests,
        "no call about the task of its message",
        ({ operation }) => operation === "GetTask" || operation === "CancelTask",
      );
      return problemUnless(
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
      const [, ...later] = cardRequestsIn(requests);
      if (later.length === 0) throw new Inapplicable("the client requested the card once");
      return problemUnless(
        later.every(({ headers }) => headers["if-none-match"] !== undefined),
        () => "the header If-None-Match is missing",
      );
    },
  },
];
