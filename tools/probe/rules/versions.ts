import { errorInfoOf } from "../errors.js";
import { member, textAt } from "../../agents/findings.js";
import { outline } from "../reply.js";
import { Inapplicable, type Rule } from "../rule.js";
import { unknownId } from "../session.js";
import { problemUnlessError, problemUnlessSuccess, problemUnless } from "./expect.js";

const header = "A2A-Version";
const extension = "https://a2a.example/extensions/unknown";

/** Rules for versions and extensions. */
export const versionRules: readonly Rule[] = [
  {
    id: "interface-responds",
    level: "must",
    section: "5.2",
    earlier: "3.4.2",
    title: "The interface responds with its protocol",
    check: async (session) => {
      const reply = await session.getUnknownTask();
      const isResponse = reply.error !== undefined || reply.result !== undefined;
      return problemUnless(
        reply.failure === undefined && isResponse,
        () => `expected a response of the protocol, got ${outline(reply)}`,
      );
    },
  },
  {
    id: "version-unknown",
    level: "must",
    section: "3.6.2",
    title: "A call with an unsupported version fails with VersionNotSupportedError",
    check: async (session) =>
      problemUnlessError(
        await session.call("GetTask", { id: unknownId }, { headers: { [header]: "99.0" } }),
        "VersionNotSupportedError",
      ),
  },
  {
    id: "version-malformed",
    level: "must",
    section: "3.6.2",
    title: "A call with a malformed version fails",
    follows: ["version-unknown"],
    needs: { http: true },
    check: async (session) => {
      const reply = await session.call(
        "GetTask",
        { id: unknownId },
        { headers: { [header]: "latest" } },
      );
      return problemUnless(
        reply.error !== undefined && reply.error.name !== "TaskNotFoundError",
        () => `expected an error for the version, got ${outline(reply)}`,
      );
    },
  },
  {
    id: "version-missing",
    level: "must",
    section: "3.6.2",
    title: "The agent treats a call without a version as a 0.3 call",
    follows: ["version-unknown"],
    needs: { binding: "JSONRPC" },
    check: async (session) => {
      const reply = await session.call("GetTask", { id: unknownId }, { headers: { [header]: "" } });
      return problemUnless(
        reply.error !== undefined && reply.error.name !== "TaskNotFoundError",
        () => `the agent served the call as a 1.0 call: ${outline(reply)}`,
      );
    },
  },
  {
    id: "version-query",
    level: "should",
    section: "3.6.1",
    title: "The version may be a query parameter",
    needs: { binding: "HTTP+JSON" },
    check: async (session) => {
      const query = { [header]: session.lane.version };
      return problemUnlessError(
        await session.http("GET", `/tasks/${unknownId}`, { query, headers: { [header]: "" } }),
        "TaskNotFoundError",
      );
    },
  },
  {
    id: "version-error-info",
    level: "should",
    section: "9.5",
    over: { "HTTP+JSON": { section: "11.6", level: "must" } },
    title: "VersionNotSupportedError has the reason VERSION_NOT_SUPPORTED",
    follows: ["version-unknown"],
    needs: { http: true },
    check: async (session) => {
      const { error } = await session.call(
        "GetTask",
        { id: unknownId },
        { headers: { [header]: "99.0" } },
      );
      const reason = textAt(errorInfoOf(error?.details), "reason");
      return problemUnless(
        reason === "VERSION_NOT_SUPPORTED",
        () => `the reason is ${reason ?? "missing"}`,
      );
    },
  },
  {
    id: "extension-unknown",
    level: "should",
    section: "4.6.3",
    title: "A call that requests an unknown extension is served",
    check: async (session) =>
      problemUnlessError(
        await session.call(
          "GetTask",
          { id: unknownId },
          { headers: { "A2A-Extensions": extension } },
        ),
        "TaskNotFoundError",
        "ExtensionSupportRequiredError",
      ),
  },
  {
    id: "extension-required",
    level: "must",
    section: "3.3.4",
    title: "A call without a required extension fails with ExtensionSupportRequiredError",
    check: async (session) => {
      if (!session.requiresExtension) throw new Inapplicable("the card requires no extension");
      return problemUnlessError(
        await session.call("GetTask", { id: unknownId }),
        "ExtensionSupportRequiredError",
      );
    },
  },
  {
    id: "extended-card-undeclared",
    level: "must",
    section: "3.3.4",
    title: "GetExtendedAgentCard without its capability fails with UnsupportedOperationError",
    needs: { without: "extendedAgentCard" },
    check: async (session) =>
      problemUnlessError(await session.call("GetExtendedAgentCard"), "UnsupportedOperationError"),
  },
  {
    id: "extended-card-anonymous",
    level: "must",
    section: "13.3",
    earlier: "7.10",
    title: "GetExtendedAgentCard refuses callers without credentials",
    needs: { capability: "extendedAgentCard" },
    check: async (session) => {
      if (!session.hasSchemes) throw new Inapplicable("the card declares no security scheme");
      const reply = await session.call("GetExtendedAgentCard", {}, { isAnonymous: true });
      return problemUnless(reply.error !== undefined, () => `the agent returned ${outline(reply)}`);
    },
  },
  {
    id: "extended-card-served",
    level: "must",
    section: "3.1.11",
    earlier: "7.10",
    title: "GetExtendedAgentCard returns a card",
    needs: { capability: "extendedAgentCard" },
    check: async (session) => {
      if (session.hasSchemes && !session.options.hasCredentials)
        throw new Inapplicable("the probe has no credentials");
      const reply = await session.call("GetExtendedAgentCard");
      if (reply.error?.name === "UnauthenticatedError")
        throw new Inapplicable("the agent requires credentials");
      return (
        problemUnlessSuccess(reply) ??
        problemUnless(
          typeof member(reply.result, "name") === "string",
          () => `expected a card, got ${outline(reply)}`,
        )
      );
    },
  },
];
