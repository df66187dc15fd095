import { describe, expect, it } from "vitest";
import { adaptedOutput } from "../../support/adapted.js";
import { listen } from "../../support/http.js";
import { card as plain } from "../../support/kit.js";

describe("the challenge of an error", () => {
  it.each(["0.3", "1.0"])("the challenge reaches callers of %s", async (version) => {
    const { own, adapters } = await adaptedOutput();
    const { served } = adapters["0.3"] ?? {};
    const supportedInterfaces = [
      { url: "http://localhost", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
    ];
    const agent = own.createAgent({
      card: { ...plain, supportedInterfaces },
      versions: served === undefined ? [] : [served],
      authenticate() {
        throw Object.assign(new own.UnauthenticatedError(), {
          challenge: 'Bearer error="invalid_token"',
        });
      },
      service: {},
    });
    const url = await listen(own.nodeListener(agent));
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "message/send", params: {} });
    const headers = { "content-type": "application/json", "a2a-version": version };
    const response = await fetch(url, { method: "POST", headers, body });
    expect([response.status, response.headers.get("www-authenticate")]).toEqual([
      401,
      'Bearer error="invalid_token"',
    ]);
  });
});
