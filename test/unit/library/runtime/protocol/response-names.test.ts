import { expect, it } from "vitest";
import { isCanonical } from "../../../../../library/runtime/protocol/response.js";

it("a response with a name of the proto is not canonical, so that the lenient reader reads it", () => {
  const accepts = (response: unknown): response is unknown => response !== undefined;
  expect(isCanonical({ accepts }, { task: { contextId: "c", history: [{ parts: [] }] } })).toBe(
    true,
  );
  expect(isCanonical({ accepts }, { task: { context_id: "c" } })).toBe(false);
  expect(isCanonical({ accepts }, { task: { history: [{ message_id: "m" }] } })).toBe(false);
});
