import { describe, expect, it } from "vitest";
import { connect, UnauthenticatedError } from "../../../generated/1.1-draft/index.js";
import { withCredentials } from "../../../generated/1.1-draft/kit/client/index.js";
import type { SecurityScheme } from "../../../generated/1.1-draft/models.js";
import { json, listen } from "../../support/http.js";
import { cardAt, protectedAgent } from "./agent.js";

describe("a key in the query", () => {
  const queryKey: SecurityScheme = { apiKeySecurityScheme: { location: "query", name: "a key" } };

  it("the client sends a key in the query over JSON-RPC and HTTP+JSON", async () => {
    const agent = await protectedAgent((key) => (key === "se&cret+ä" ? "ada" : undefined), {
      scheme: queryKey,
      scopes: [],
    });
    for (const protocolBinding of ["JSONRPC", "HTTP+JSON"]) {
      const card = {
        ...agent.card,
        supportedInterfaces: agent.card.supportedInterfaces.filter(
          (each) => each.protocolBinding === protocolBinding,
        ),
      };
      const client = await connect(card, {
        interceptors: [withCredentials({ login: () => "se&cret+ä" }, { card })],
      });
      expect((await client.getTask({ id: "t", historyLength: 1 })).id).toBe("t");
    }
    expect(agent.reached).toHaveLength(4);
  });

  it("errors of a call do not contain the key", async () => {
    const card = { ...cardAt("http://127.0.0.1:1/"), securitySchemes: { login: queryKey } };
    const interceptors = [withCredentials({ login: () => "top-secret" }, { card })];
    const error: unknown = await (
      await connect(card, { interceptors })
    )
      .getTask({ id: "t" })
      .catch((thrown: unknown) => thrown);
    expect(JSON.stringify(error, ["message", "url", "cause"]) + String(error)).not.toContain(
      "top-secret",
    );
  });

  it("the client sends no key in the query to another origin, nor after a redirect", async () => {
    const seen: string[] = [];
    const other = await listen((request, response) => {
      seen.push(request.url ?? "");
      json(response, {}, 401);
    });
    const card = { ...cardAt(`${other}/rpc`), securitySchemes: { login: queryKey } };
    const first = await listen((request, response) => {
      seen.push(request.url ?? "");
      if (request.url?.includes("private"))
        response.writeHead(302, { location: `${other}/card` }).end();
      else json(response, card);
    });
    const options = {
      interceptors: [withCredentials({ login: () => "secret" }, { forCard: { login: queryKey } })],
    };
    const client = await connect(first, options);
    await expect(client.getTask({ id: "t" })).rejects.toBeInstanceOf(UnauthenticatedError);
    await expect(connect(`${first}/private.json`, options)).rejects.toThrow();
    expect(seen.map((path) => path.replace(/.*(?=\?)/, ""))).toEqual([
      "?a+key=secret",
      "/rpc",
      "?a+key=secret",
      "/card",
    ]);
  });
});
