import { isObject, member } from "../../agents/findings.js";
import { outline, short, type Reply } from "../reply.js";
import type { Outcome, Rule } from "../rule.js";
import { unknownId } from "../session.js";
import { problemUnlessEqual, firstProblem, problemUnlessError, problemUnless } from "./expect.js";

const needs = { binding: "HTTP+JSON" } as const;

function problemUnlessStatus(reply: Reply, ...codes: readonly number[]): Outcome {
  return problemUnless(
    codes.includes(reply.status ?? 0),
    () => `expected status ${codes.join(" or ")}, got ${reply.status ?? outline(reply)}`,
  );
}

/** Rules for the HTTP+JSON binding. */
export const httpRules: readonly Rule[] = [
  {
    id: "http-not-found",
    level: "must",
    section: "5.4",
    earlier: "3.2.3",
    title: "A request for an unknown task gets status 404",
    needs,
    check: async (session) => problemUnlessStatus(await session.getUnknownTask(), 404),
  },
  {
    id: "http-error-object",
    level: "must",
    section: "11.6",
    title: "The body of an error response has an object error",
    needs,
    check: async (session) => {
      const { body } = await session.getUnknownTask();
      return problemUnless(
        isObject(member(body, "error")),
        () => `expected an object error, got ${short(body)}`,
      );
    },
  },
  {
    id: "http-error-code",
    level: "must",
    section: "11.6",
    title: "The code of an error is its HTTP status",
    needs,
    check: async (session) => {
      const { body, status } = await session.getUnknownTask();
      return problemUnlessEqual(member(member(body, "error"), "code"), status);
    },
  },
  {
    id: "http-error-status",
    level: "should",
    section: "11.6",
    title: "The status of an error is the name of its gRPC status",
    needs,
    check: async (session) =>
      problemUnlessEqual(
        member(member((await session.getUnknownTask()).body, "error"), "status"),
        "NOT_FOUND",
      ),
  },
  {
    id: "http-error-type",
    level: "must",
    section: "11.1",
    title: "An error response has a JSON media type",
    needs,
    check: async (session) => {
      const found = (await session.getUnknownTask()).headers["content-type"];
      return problemUnless(
        /^application\/(?:[\w.-]+\+)?json\b/i.test(found ?? ""),
        () => `Content-Type is ${short(found)}`,
      );
    },
  },
  {
    id: "http-content-type",
    level: "should",
    section: "11.1",
    title: "A response has the media type application/a2a+json or application/json",
    needs,
    check: async (session) => {
      const reply = await session.call("ListTasks", { pageSize: 2 });
      const found = reply.headers["content-type"];
      return problemUnless(
        /^application\/(?:a2a\+)?json\b/i.test(found ?? ""),
        () => `Content-Type is ${short(found)}`,
      );
    },
  },
  {
    id: "http-takes-json",
    level: "should",
    section: "11.1",
    title: "A request may have the media type application/json",
    needs,
    check: async (session) => {
      const headers = { "content-type": "application/json" };
      return problemUnlessError(
        await session.http("POST", `/tasks/${unknownId}:cancel`, { body: "{}", headers }),
        "TaskNotFoundError",
      );
    },
  },
  {
    id: "http-unknown-path",
    level: "must",
    section: "3.3.2",
    earlier: "3.2.3",
    title: "A request for an unknown path gets status 404",
    needs,
    check: async (session) =>
      problemUnlessStatus(await session.http("GET", "/probe-unknown-path"), 404),
  },
  {
    id: "http-wrong-method",
    level: "should",
    section: "11.3",
    title: "A request with another HTTP method gets status 404 or 405",
    needs,
    check: async (session) =>
      problemUnlessStatus(await session.http("DELETE", `/tasks/${unknownId}`), 404, 405),
  },
  {
    id: "http-malformed",
    level: "must",
    section: "3.3.2",
    title: "A request whose body is not JSON gets status 400",
    needs,
    check: async (session) =>
      problemUnlessStatus(await session.http("POST", "/message:send", { body: "{ not JSON" }), 400),
  },
  {
    id: "http-query-number",
    level: "must",
    section: "3.3.2",
    title: "A request with a string instead of a number in its query gets status 400",
    needs,
    check: async (session) =>
      problemUnlessStatus(
        await session.http("GET", "/tasks", { query: { pageSize: "many" } }),
        400,
      ),
  },
  {
    id: "http-query-unknown",
    level: "should",
    section: "5.7",
    title: "The agent ignores an unknown query parameter",
    needs,
    check: async (session) =>
      problemUnlessError(
        await session.http("GET", `/tasks/${unknownId}`, { query: { probeUnknown: "1" } }),
        "TaskNotFoundError",
      ),
  },
  {
    id: "http-body-unknown",
    level: "should",
    section: "5.7",
    title: "The agent ignores an unknown member of the body",
    needs,
    check: async (session) => {
      const body = JSON.stringify({ probeUnknown: { value: 1 } });
      return problemUnlessError(
        await session.http("POST", `/tasks/${unknownId}:cancel`, { body }),
        "TaskNotFoundError",
      );
    },
  },
  {
    id: "http-escaped-id",
    level: "may",
    section: "11.3.2",
    title: "An escaped slash is part of the task id",
    needs,
    check: async (session) =>
      problemUnlessError(await session.http("GET", "/tasks/probe%2Funknown"), "TaskNotFoundError"),
  },
  {
    id: "http-subscribe-get",
    level: "should",
    section: "11.3.2",
    title: "SubscribeToTask accepts GET or POST",
    follows: ["subscribe-unknown"],
    needs: { ...needs, capability: "streaming" },
    check: async (session) => {
      const path = `/tasks/${unknownId}:subscribe`;
      const outcomes = [
        problemUnlessError(await session.http("GET", path), "TaskNotFoundError"),
        problemUnlessError(await session.http("POST", path, { body: "{}" }), "TaskNotFoundError"),
      ];
      return outcomes.includes(undefined) ? undefined : firstProblem(outcomes);
    },
  },
];
