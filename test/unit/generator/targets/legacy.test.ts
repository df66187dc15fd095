import { describe, expect, it } from "vitest";
import { findSource, generateFrom, moduleText, sourceOf, textOf } from "../../../support/output.js";
import { head, problemsOf, readSource } from "../input/proto/reading.js";

it("legacy.ts contains the renames that the specification publishes", () => {
  const pairs = readSource(findSource("1.0")).legacy.map(({ old, now }) => [old, now]);
  expect(pairs.slice(0, 6)).toEqual([
    ["MessageSendParams", "SendMessageRequest"],
    ["SendMessageSuccessResponse", "SendMessageResponse"],
    ["SendStreamingMessageSuccessResponse", "StreamResponse"],
    ["SetTaskPushNotificationConfigRequest", "TaskPushNotificationConfig"],
    ["ListTaskPushNotificationConfigSuccessResponse", "ListTaskPushNotificationConfigsResponse"],
    ["GetAuthenticatedExtendedCardRequest", "GetExtendedAgentCardRequest"],
  ]);
});

describe("legacy.ts", () => {
  it("legacy.ts has no functions if no validators are generated", async () => {
    const text = textOf(
      await generateFrom(findSource("1.0"), { targets: ["models", "legacy"] }),
      "legacy.ts",
    );
    expect(text).not.toMatch(/validators|errors/);
  });
});

describe("old names of members", () => {
  const own = {
    file: "m.yaml",
    text: `legacy:
  keys: { TaskState.Cancelled: { now: TaskState.Canceled, since: 1.0.0, note: With one l. } }
  properties: { AgentProvider.site: { now: AgentProvider.url, since: 1.0.0, note: As it was. } }
`,
  };

  it("an old name of a member remains a key of its constant and refers to the current name", async () => {
    const source = findSource("1.0");
    const output = await generateFrom(
      { ...source, manifests: [...source.manifests, own] },
      { targets: ["models"] },
    );
    const text = moduleText(output, "models");
    expect(text).toContain(
      "  /** @deprecated Since 1.0.0: use `TaskState.Canceled`. With one l. */\n" +
        '  Cancelled: "TASK_STATE_CANCELED",\n} as const',
    );
    expect(text).toMatch(
      / Written `user`\n {3}\* before 1\.0\.0\.\n {3}\*\/\n {2}User: "ROLE_USER",/,
    );
    expect(text).toMatch(/ Called `site` before 1\.0\.0\. As it was\. \*\/\n {2}url: string;/);
  });
});

describe("a name of an earlier version", () => {
  const proto = `${head}message A { string now = 1; }`;
  const problems = (legacy: string) => problemsOf(sourceOf(proto, {}, `legacy: ${legacy}\n`));

  it.each([
    [
      "whose current name does not exist",
      "{ types: { Old: { now: Nope, since: 1.0.0 } } }",
      'manifest.yaml:1:25: "Old" is renamed to "Nope", which this version does not have. Correct it under legacy.types, or remove it.',
    ],
    [
      "that equals a current name",
      "{ types: { A: { now: A, since: 1.0.0 } } }",
      'manifest.yaml:1:23: "A" is listed as a name of an earlier version, but is a name of this version. Correct it under legacy.types, or remove it.',
    ],
    [
      "of an unknown property",
      "{ properties: { A.old: { now: A.nope, since: 1.0.0 } } }",
      'manifest.yaml:1:32: "A.old" is renamed to "A.nope", which this version does not have. Correct it under legacy.properties, or remove it.',
    ],
    [
      "whose value is in another type",
      "{ properties: { B.old: { now: A.now, since: 1.0.0, value: same } } }",
      'manifest.yaml:1:32: "B.old" is renamed to "A.now", which is a member of another type. Correct it under legacy.properties, or remove it.',
    ],
    [
      "that is removed but still exists",
      "{ removed: { properties: { A.*: { since: 1.0.0, note: Gone. } } } }",
      'manifest.yaml:1:41: "A.*" is listed as removed, but this version has "A.now". Correct it under legacy.removed.properties, or remove it.',
    ],
  ])("generation fails for a legacy name %s", (_, legacy, line) => {
    expect(problems(legacy).filter((problem) => !problem.includes("the manifest lacks"))).toEqual([
      line,
    ]);
  });

  it("generation fails for a legacy name of params that the method does not take", () => {
    const name = "old: { now: SendMessage, since: 1.0.0, params: { id: nope } }";
    const source = findSource("1.0");
    const own = { file: "m.yaml", text: `legacy: { methods: { ${name} } }` };
    expect(problemsOf({ ...source, manifests: [...source.manifests, own] })).toEqual([
      'm.yaml:1:27: a parameter of "old" is renamed to "nope", which "SendMessage" does not have. Correct it under legacy.methods, or remove it.',
    ]);
  });

  it("a legacy name of an extended manifest that no longer applies is omitted", () => {
    const source = findSource("1.0");
    const own = { file: "m.yaml", text: "names: { lf.a2a.v1.SendMessageRequest: SendRequest }" };
    const { legacy } = readSource({ ...source, manifests: [...source.manifests, own] });
    expect(legacy.map(({ old }) => old)).not.toContain("MessageSendParams");
    expect(legacy.map(({ old }) => old)).toContain("TaskQueryParams");
  });
});
