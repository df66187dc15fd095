import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { literal } from "../../../../../tools/agents/conversation/literal.js";
import fc from "../../../../support/properties.js";

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("__proto__", "`${x}`", "*/", "\\", "\u2028", "\u202E", "</script>", "\uD800"),
);
const json = fc.letrec((tie) => ({
  value: fc.oneof(text, fc.boolean(), fc.constant(null), fc.integer(), tie("list"), tie("object")),
  list: fc.array(tie("value"), { maxLength: 4 }),
  object: fc
    .array(fc.tuple(text, tie("value")), { maxLength: 4 })
    .map((members) => Object.fromEntries(members) as unknown),
})).value;

it("a literal evaluates to its value, and has no characters that change the code around it", () => {
  fc.assert(
    fc.property(json, (value) => {
      const code = literal(value);
      expect(JSON.stringify(runInNewContext(`(${code})`))).toBe(JSON.stringify(value));
      expect(code).not.toMatch(/[^\P{Cc}\n]|[\p{Cf}\u2028\u2029]/u);
    }),
  );
});
