import { describe, expect, it } from "vitest";
import { TaskNotFoundError, UnauthenticatedError } from "../../../../generated/1.0/errors.js";
import { TransportError } from "../../../../tools/agents/index.js";
import { problemOf } from "../../../../tools/inspector/page/problems.js";

const url = "https://agent.example/a2a";

/** Returns the error of a request without a response, for a code of Node or OpenSSL. */
function unanswered(code: string, message = "connect") {
  const cause = new TypeError("fetch failed", {
    cause: Object.assign(new Error(message), { code }),
  });
  return new TransportError(`No response from ${url}: ${message}`, { url, cause });
}

describe("problemOf", () => {
  it.each([
    ["ECONNREFUSED", "No program listens at agent.example"],
    ["ENOTFOUND", "The host name of agent.example is unknown"],
    ["EAI_AGAIN", "The host name of agent.example is unknown"],
    ["ETIMEDOUT", "agent.example does not respond"],
    ["EHOSTUNREACH", "agent.example does not respond"],
    ["ECONNRESET", "agent.example closed the connection without a response in HTTP"],
    ["HPE_INVALID_CONSTANT", "agent.example closed the connection without a response in HTTP"],
    [
      "DEPTH_ZERO_SELF_SIGNED_CERT",
      "The certificate of agent.example is from an unknown authority",
    ],
    ["CERT_HAS_EXPIRED", "The certificate of agent.example is expired or for another host"],
    [
      "ERR_TLS_CERT_ALTNAME_INVALID",
      "The certificate of agent.example is expired or for another host",
    ],
    ["ERR_SSL_WRONG_VERSION_NUMBER", "The port of agent.example does not use TLS"],
    ["ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", "agent.example refused the TLS connection"],
    ["OTHER", "No response from agent.example"],
  ])("a connection that fails with %s is described as: %s", (code, headline) => {
    const problem = problemOf(unanswered(code), { isCard: true });
    expect(problem).toMatchObject({ headline, canRetry: true });
    expect(problem.hint).not.toBe("");
    expect(`${problem.headline} ${problem.hint}`).not.toMatch(/TransportError|ECONN|ENOTFOUND/);
    expect(problem.details).toContain(`TransportError: No response from ${url}`);
  });

  it("the reason of OpenSSL is recognized in the words of an older Node", () => {
    const line =
      "write EPROTO 80EC:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:";
    expect(problemOf(unanswered("EPROTO", line)).headline).toBe(
      "The port of agent.example does not use TLS",
    );
  });

  it("an address from the card is described as such", () => {
    expect(problemOf(unanswered("ECONNREFUSED")).hint).toContain("PUBLIC_URL");
    expect(problemOf(new TransportError("Not found", { url, status: 404 })).hint).toContain(
      "PUBLIC_URL",
    );
    const ofCard = problemOf(unanswered("ECONNREFUSED"), { isCard: true });
    expect(ofCard.hint).not.toContain("PUBLIC_URL");
  });

  it.each([400, 413])("status %s does not blame the path of the interface", (status) => {
    const problem = problemOf(new TransportError("No", { url, status }));
    expect(problem).toMatchObject({
      headline: `agent.example sent something other than a response in A2A (HTTP status ${status})`,
      hint: "The response is under Calls",
    });
    expect(problemOf(new TransportError("No", { url, status: 405 })).headline).toBe(
      "agent.example has no interface at this path (HTTP status 405)",
    );
  });

  it("a refusal of the credentials tells whether the user has sent any", () => {
    for (const error of [
      new UnauthenticatedError(),
      new TransportError("No", { url, status: 403 }),
    ]) {
      expect(problemOf(error)).toMatchObject({
        headline: "The agent requires credentials",
        needsCredentials: true,
      });
      expect(problemOf(error, { hasCredentials: true }).headline).toBe(
        "The agent rejected the credentials",
      );
    }
  });

  it("an error of the protocol keeps the words of the agent, its name, and its delay", () => {
    expect(problemOf(new TaskNotFoundError("No task t"))).toMatchObject({
      headline: "No task t",
      details: "TaskNotFoundError",
      canRetry: false,
    });
    const busy = new TaskNotFoundError("Busy", { httpStatus: 503, retryAfterSeconds: 7 });
    expect(problemOf(busy)).toMatchObject({ hint: "Retry after 7 seconds", canRetry: true });
  });

  it("any other value is a problem, too", () => {
    expect(problemOf(new Error("Broken")).headline).toBe("Broken");
    expect(problemOf("Broken").headline).toBe("Broken");
  });
});
