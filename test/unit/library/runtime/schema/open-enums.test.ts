import { describe, expect, it } from "vitest";
import { TaskStateSchema as oldTaskState } from "../../../../../generated/0.3.0/validators.js";
import { TaskStateSchema as draftTaskState } from "../../../../../generated/0.4-draft/validators.js";
import { parse } from "../../../../../generated/1.0/index.js";
import type { Message } from "../../../../../generated/1.0/models.js";
import { decodeMessage, encodeMessage } from "../../../../../generated/1.0/protobuf.js";
import { isMessage, MessageSchema, parseMessage } from "../../../../../generated/1.0/validators.js";
import type { Type } from "../../../../../library/runtime/schema/schema.js";

/** A message in a role that this version does not know. */
const newer: unknown = { messageId: "m-1", role: 99, parts: [{ text: "hi" }] };
const bytes = encodeMessage(newer as Message);

describe("the number of an unknown enum value", () => {
  it("an unknown number is kept in a round trip through bytes if enums are open", () => {
    const message = parse(MessageSchema, newer, "open");
    expect(message).toEqual(newer);
    expect(encodeMessage(message)).toEqual(bytes);
    expect(decodeMessage(bytes)).toEqual(newer);
    expect(JSON.parse(JSON.stringify(message))).toEqual(newer);
  });

  it("an unknown number is invalid in all other checks", () => {
    expect(isMessage(newer)).toBe(false);
    expect(() => parseMessage(newer)).toThrow(
      "/role expected Role (ROLE_UNSPECIFIED, ROLE_USER, ROLE_AGENT), got 99",
    );
    for (const mode of ["strict", "json", "text"] as const)
      expect(() => parse(MessageSchema, newer, mode)).toThrow("/role");
  });

  it.each([2 ** 31, -(2 ** 31) - 1, 0.5, "99", "ROLE_NEWER", true])(
    "an unknown number has 32 bits, unlike %j",
    (role) => {
      expect(() => parse(MessageSchema, { ...(newer as Message), role }, "open")).toThrow("/role");
    },
  );

  it("a known number becomes a name", () => {
    expect(parse(MessageSchema, { ...(newer as Message), role: 1 }, "open").role).toBe("ROLE_USER");
  });

  it.each<[string, Type<unknown>, boolean]>([
    ["is allowed for an enum with names of earlier versions", draftTaskState, true],
    ["is refused for an enum of a JSON Schema, which has no numbers", oldTaskState, false],
  ])("an unknown number %s", (_, type, isThere) => {
    const read = () => parse(type, 99, "open");
    if (isThere) expect(read()).toBe(99);
    else expect(read).toThrow("TaskState (");
  });
});
