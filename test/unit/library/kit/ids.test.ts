import { expect, it } from "vitest";
import { newId } from "../../../../library/kit/ids.js";

it("ids are different UUIDs of version 4", () => {
  const ids = Array.from({ length: 1_000 }, newId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids)
    expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
});

it("each other digit of ids has all values", () => {
  const ids = Array.from({ length: 2_000 }, newId);
  for (let at = 0; at < 36; at += 1) {
    const values = new Set(ids.map((id) => id.charAt(at)));
    const count = at === 14 || values.has("-") ? 1 : at === 19 ? 4 : 16;
    expect(values.size, `at position ${String(at)}`).toBe(count);
  }
});
