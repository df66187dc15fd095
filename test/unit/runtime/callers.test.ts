import { describe, expect, it } from "vitest";
import { Callers } from "../../../templates/runtime/server/callers.js";

const headers = { get: () => undefined };
const peer = { address: "192.0.2.1" };

describe("the key of a caller", () => {
  it("the key is the name of the user, also if each call has a new object", () => {
    const callers = new Callers({});
    expect(callers.keyOf({ user: { id: "ada" }, peer, headers })).toBe("user ada");
    expect(callers.keyOf({ user: "ada", peer, headers })).toBe("user ada");
    const named = new Callers({ callerOf: (user) => (user as { sub: string }).sub });
    expect(named.keyOf({ user: { sub: "ada" }, peer, headers })).toBe("user ada");
  });

  it("the key of a user without a name is the address, and no name equals an address", () => {
    const callers = new Callers({});
    const address = callers.keyOf({ user: { sub: "ada" }, peer, headers });
    expect(address).toBe(callers.keyOf({ user: undefined, peer, headers }));
    expect(callers.keyOf({ user: String(address), peer, headers })).not.toBe(address);
    expect(callers.keyOf({ user: null, headers })).toBeUndefined();
  });
});
