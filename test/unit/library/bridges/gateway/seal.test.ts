import { describe, expect, it } from "vitest";
import { sealerFor } from "../../../../../library/bridges/gateway/seal.js";

const secret = "s".repeat(32);
const audience = "https://gateway.test/webhooks/";

describe("a sealer", () => {
  it("a sealed value fits into a URL, and opens with the same secret", async () => {
    const value = { url: "https://caller.test/hook", text: "grüße" };
    const sealed = await sealerFor(secret, audience).seal(value);
    expect(sealed).toMatch(/^[\w-]+$/);
    expect(sealed).not.toContain("caller");
    expect(await sealerFor(secret, audience).open(sealed)).toEqual(value);
  });

  it("the same value has another seal each time", async () => {
    const sealer = sealerFor(secret, audience);
    expect(await sealer.seal(1)).not.toBe(await sealer.seal(1));
  });

  it("a changed, shortened or foreign seal does not open", async () => {
    const sealer = sealerFor(secret, audience);
    const sealed = await sealer.seal({ url: "https://caller.test" });
    const changed = sealed.startsWith("A") ? `B${sealed.slice(1)}` : `A${sealed.slice(1)}`;
    const foreign = await sealerFor("f".repeat(32), audience).seal(1);
    const elsewhere = await sealerFor(secret, "https://other.test/webhooks/").seal(1);
    for (const text of [changed, sealed.slice(0, -4), sealed.slice(0, 8), "", "%%", "A".repeat(99)])
      expect(await sealer.open(text)).toBeUndefined();
    expect(await sealer.open(foreign)).toBeUndefined();
    expect(await sealer.open(elsewhere)).toBeUndefined();
  });

  it("an old secret opens seals, and the first secret seals", async () => {
    const before = sealerFor("o".repeat(32), audience);
    const rotated = sealerFor([secret, "o".repeat(32)], audience);
    expect(await rotated.open(await before.seal(1))).toBe(1);
    expect(await before.open(await rotated.seal(2))).toBeUndefined();
    expect(await sealerFor(secret, audience).open(await rotated.seal(2))).toBe(2);
  });

  it.each([["short"], [[]], [[secret, "short"]]])("the secret %j is refused", (given) => {
    expect(() => sealerFor(given, audience)).toThrow(
      "push.secret must have at least 32 characters: create one with `openssl rand -hex 32`",
    );
  });
});
