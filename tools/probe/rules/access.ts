import { outline } from "../reply.js";
import { Inapplicable, type Rule } from "../rule.js";
import { unknownId, type Session } from "../session.js";
import { problemUnless } from "./expect.js";

const callWithoutCredentials = (
  session: Session,
  headers: Readonly<Record<string, string>> = {},
) => {
  if (!session.requiresCredentials) throw new Inapplicable("the card requires no credentials");
  return session.call("GetTask", { id: unknownId }, { headers, isAnonymous: true });
};

/** Rules for authentication. */
export const accessRules: readonly Rule[] = [
  {
    id: "auth-required",
    level: "must",
    section: "7.4",
    earlier: "4.4",
    title: "The agent refuses calls without the required credentials",
    check: async (session) => {
      const reply = await callWithoutCredentials(session);
      const isRefused =
        reply.status === 401 ||
        reply.status === 403 ||
        reply.error?.name === "UnauthenticatedError" ||
        reply.error?.name === "PermissionDeniedError";
      return problemUnless(isRefused, () => `expected a refusal, got ${outline(reply)}`);
    },
  },
  {
    id: "auth-challenge",
    level: "should",
    section: "7.4",
    earlier: "4.4",
    title: "A refusal lists the security scheme in WWW-Authenticate",
    needs: { http: true },
    check: async (session) => {
      const { status, headers } = await callWithoutCredentials(session);
      if (status !== 401) throw new Inapplicable("the agent did not respond with status 401");
      return problemUnless(
        headers["www-authenticate"] !== undefined,
        () => "the header WWW-Authenticate is missing",
      );
    },
  },
  {
    id: "auth-invalid",
    level: "must",
    section: "7.4",
    earlier: "4.4",
    title: "The agent refuses calls with unknown credentials",
    check: async (session) => {
      const reply = await callWithoutCredentials(session, {
        authorization: "Bearer a2a-probe-unknown-token",
      });
      return problemUnless(
        reply.error !== undefined && reply.error.name !== "TaskNotFoundError",
        () => `expected a refusal, got ${outline(reply)}`,
      );
    },
  },
];
