import { expect, it } from "vitest";
import { resumeDataIn } from "../../../../library/bridges/mastra/questions.js";
import { type Part, Role } from "../../../../library/kit/model.js";

const suspension = { type: "data", toolCallId: "c", toolName: "paint", input: {} } as const;

it.each<[string, Part, unknown]>([
  [
    "the data with the id of the call",
    { data: { toolCallId: "c", n: 1 } },
    { toolCallId: "c", n: 1 },
  ],
  ["the member `resumeData`", { data: { toolCallId: "c", resumeData: [1] } }, [1]],
  [
    "the member `resumeData`, also if it is null",
    { data: { toolCallId: "c", resumeData: null } },
    null,
  ],
  ["data without an id", { data: 5 }, 5],
])("a suspended tool gets %s", (_name, part, expected) => {
  const message = { messageId: "m", role: Role.User, parts: [part] };
  expect(resumeDataIn(message, suspension, true)).toEqual(expected);
});
