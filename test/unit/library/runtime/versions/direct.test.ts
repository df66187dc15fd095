import { afterEach, describe, expect, it } from "vitest";
import { convertedDirectly } from "../../../../../library/runtime/versions/direct.js";
import { direct } from "../../../../../generated/1.0/versions/0.3/direct.js";

const name = "MessageSendParams~SendMessageRequest";
const part = { kind: "text", text: "hi" };
const message = { kind: "message", messageId: "1", role: "user", parts: [part] };
const converted = (given: unknown) => convertedDirectly(direct.own, name, given, {});

afterEach(() => {
  Reflect.deleteProperty(Object.prototype, "metadata");
});

describe("a direct conversion", () => {
  it("an ordinary message is converted", () => {
    const own = { messageId: "1", parts: [{ text: "hi" }], role: "ROLE_USER" };
    expect(converted({ message })).toStrictEqual({ message: own });
  });

  it.each([
    ["has an unknown enum value", { ...message, role: "nobody" }],
    ["has an unknown alternative", { ...message, parts: [{ kind: "unknown" }] }],
    ["has a value of another type", { ...message, parts: "hi" }],
    ["has an empty element", { ...message, parts: [part, null] }],
    ["inherits members", Object.create(message)],
    ["is a list", [message]],
  ])("a message that %s is left to the tables", (_, given: unknown) => {
    expect(converted({ message: given })).toBeUndefined();
  });

  it("all messages are left to the tables while objects inherit members of a changed Object.prototype", () => {
    Reflect.set(Object.prototype, "metadata", {});
    expect(converted({ message })).toBeUndefined();
  });

  it("a type without a direct conversion is left to the tables", () => {
    expect(convertedDirectly(direct.own, "toString", { message }, {})).toBeUndefined();
  });
});
