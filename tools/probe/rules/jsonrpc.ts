import { isObject, member } from "../../agents/findings.js";
import { outline, short, type Reply } from "../reply.js";
import type { Outcome, Rule } from "../rule.js";
import { unknownId, type Session } from "../session.js";
import {
  envelopeVersion,
  problemUnlessEqual,
  problemUnlessError,
  problemUnlessText,
  problemUnless,
} from "./expect.js";

/** Returns a request for an unknown task. */
function requestFor(session: Session, more: object = {}): object {
  return { id: 1, method: session.jsonRpcName("GetTask"), params: { id: unknownId }, ...more };
}

const callUnknownTask = (session: Session): Promise<Reply> => session.rpc(requestFor(session));

async function problemUnlessIdReturned(session: Session, id: string | number): Promise<Outcome> {
  return problemUnlessEqual(
    member((await session.rpc(requestFor(session, { id }))).body, "id"),
    id,
  );
}

function problemUnlessCode({ body }: Reply, ...codes: readonly number[]): Outcome {
  const code = member(member(body, "error"), "code");
  return problemUnless(
    typeof code === "number" && codes.includes(code),
    () => `expected the code ${codes.join(" or ")}, got ${short(body)}`,
  );
}

const needs = { binding: "JSONRPC" } as const;

/** Rules for the JSON-RPC binding. */
export const jsonRpcRules: readonly Rule[] = [
  {
    id: "rpc-version",
    level: "must",
    section: "9.1",
    earlier: "6.11.2",
    title: "A JSON-RPC response has the version 2.0",
    needs,
    check: async (session) =>
      problemUnlessEqual(envelopeVersion((await callUnknownTask(session)).body), "2.0"),
  },
  {
    id: "rpc-id-number",
    level: "must",
    section: "9.1",
    earlier: "6.11.2",
    title: "A response to a request with a number as id has the same id",
    needs,
    check: (session) => problemUnlessIdReturned(session, 42),
  },
  {
    id: "rpc-id-text",
    level: "must",
    section: "9.1",
    earlier: "6.11.2",
    title: "A response to a request with a string as id has the same id",
    needs,
    check: (session) => problemUnlessIdReturned(session, "probe-id"),
  },
  {
    id: "rpc-id-zero",
    level: "must",
    section: "9.1",
    earlier: "6.11.2",
    title: "A response to the request with the id 0 has the id 0",
    needs,
    check: (session) => problemUnlessIdReturned(session, 0),
  },
  {
    id: "rpc-exclusive",
    level: "must",
    section: "9.1",
    earlier: "6.11.2",
    title: "A response has either a result or an error",
    needs,
    check: async (session) => {
      const { body } = await callUnknownTask(session);
      const count = ["result", "error"].filter(
        (name) => isObject(body) && Object.hasOwn(body, name),
      ).length;
      return problemUnless(count === 1, () => `expected result or error, got ${short(body)}`);
    },
  },
  {
    id: "rpc-status",
    level: "may",
    section: "9.1",
    earlier: "3.2.1",
    title: "A JSON-RPC error has the HTTP status 200",
    needs,
    check: async (session) => problemUnlessEqual((await callUnknownTask(session)).status, 200),
  },
  {
    id: "rpc-content-type",
    level: "must",
    section: "9.1",
    earlier: "3.2.1",
    title: "A JSON-RPC response has the media type application/json",
    needs,
    check: async (session) => {
      const found = (await callUnknownTask(session)).headers["content-type"];
      return problemUnless(
        /^application\/json\b/i.test(found ?? ""),
        () => `Content-Type is ${short(found)}`,
      );
    },
  },
  {
    id: "rpc-error-code",
    level: "must",
    section: "9.5",
    earlier: "6.11.2",
    title: "The code of an error is an integer",
    needs,
    check: async (session) => {
      const code = member(member((await callUnknownTask(session)).body, "error"), "code");
      return problemUnless(Number.isInteger(code), () => `expected an integer, got ${short(code)}`);
    },
  },
  {
    id: "rpc-error-message",
    level: "must",
    section: "9.5",
    earlier: "6.11.2",
    title: "The message of an error is a string",
    needs,
    check: async (session) =>
      problemUnlessText(
        member(member((await callUnknownTask(session)).body, "error"), "message"),
        "error.message",
      ),
  },
  {
    id: "rpc-parse-error",
    level: "must",
    section: "9.5",
    earlier: "8.1",
    title: "Invalid JSON fails with -32700",
    needs,
    check: async (session) => problemUnlessCode(await session.rpc("{ not JSON"), -32700),
  },
  {
    id: "rpc-parse-id",
    level: "must",
    section: "9.1",
    earlier: "6.11.2",
    title: "The response to invalid JSON has the id null",
    needs,
    check: async (session) =>
      problemUnlessEqual(member((await session.rpc("{ not JSON")).body, "id"), null),
  },
  {
    id: "rpc-no-method",
    level: "must",
    section: "9.5",
    earlier: "8.1",
    title: "A request without a method fails with -32600",
    needs,
    check: async (session) => problemUnlessCode(await session.rpc({ id: 1, params: {} }), -32600),
  },
  {
    id: "rpc-old-version",
    level: "must",
    section: "9.5",
    earlier: "6.11.1",
    title: "A request with another JSON-RPC version fails with -32600",
    needs,
    check: async (session) =>
      problemUnlessCode(await session.rpc(requestFor(session, { jsonrpc: "1.0" })), -32600),
  },
  {
    id: "rpc-method-type",
    level: "must",
    section: "9.5",
    earlier: "8.1",
    title: "A request whose method is not a string fails with -32600",
    needs,
    check: async (session) =>
      problemUnlessCode(await session.rpc(requestFor(session, { method: 7 })), -32600),
  },
  {
    id: "rpc-unknown-method",
    level: "must",
    section: "9.5",
    earlier: "8.1",
    title: "An unknown method fails with -32601",
    needs,
    check: async (session) =>
      problemUnlessCode(
        await session.rpc(requestFor(session, { method: "ProbeUnknownMethod" })),
        -32601,
      ),
  },
  {
    id: "rpc-no-id",
    level: "must",
    section: "9.5",
    earlier: "8.1",
    title: "GetTask without a task id fails with -32602",
    needs,
    check: async (session) =>
      problemUnlessCode(await session.rpc(requestFor(session, { params: {} })), -32602),
  },
  {
    id: "rpc-param-type",
    level: "must",
    section: "9.5",
    earlier: "8.1",
    title: "GetTask with a string as historyLength fails with -32602",
    needs: { ...needs, sends: true },
    check: async (session) => {
      // A task that exists: for an unknown task, TaskNotFoundError would also be right.
      const { id } = await session.task();
      return problemUnlessCode(
        await session.rpc(requestFor(session, { params: { id, historyLength: "many" } })),
        -32602,
      );
    },
  },
  {
    id: "rpc-empty-id",
    level: "must",
    section: "3.3.2",
    title: "GetTask with an empty id fails with -32602",
    needs,
    check: async (session) =>
      problemUnlessCode(await session.rpc(requestFor(session, { params: { id: "" } })), -32602),
  },
  {
    id: "rpc-params-list",
    level: "must",
    section: "9.5",
    earlier: "8.1",
    title: "A list of parameters fails with -32602 or -32600",
    needs,
    check: async (session) =>
      problemUnlessCode(
        await session.rpc(requestFor(session, { params: [unknownId] })),
        -32602,
        -32600,
      ),
  },
  {
    id: "rpc-unknown-param",
    level: "should",
    section: "5.7",
    title: "The agent ignores an unknown parameter",
    needs,
    check: async (session) =>
      problemUnlessError(
        await session.rpc(
          requestFor(session, { params: { id: unknownId, probeUnknown: { value: 1 } } }),
        ),
        "TaskNotFoundError",
      ),
  },
  {
    id: "rpc-unknown-member",
    level: "may",
    section: "5.7",
    title: "The agent ignores an unknown member of the request",
    needs,
    check: async (session) =>
      problemUnlessError(
        await session.rpc(requestFor(session, { probeUnknown: true })),
        "TaskNotFoundError",
      ),
  },
  {
    id: "rpc-charset",
    level: "must",
    section: "9.1",
    earlier: "3.2.1",
    title: "The Content-Type of a request may contain the character set",
    needs,
    check: async (session) => {
      const headers = { "content-type": "application/json; charset=utf-8" };
      return problemUnlessError(
        await session.rpc(requestFor(session), { headers }),
        "TaskNotFoundError",
      );
    },
  },
  {
    id: "rpc-get",
    level: "may",
    section: "9.1",
    title: "The endpoint refuses GET with status 404 or 405",
    needs,
    check: async (session) => {
      const reply = await session.getUrl();
      return problemUnless(
        [404, 405].includes(reply.status ?? 0),
        () => `expected status 404 or 405, got ${reply.status ?? outline(reply)}`,
      );
    },
  },
];
