import { describe, expect, it } from "vitest";
import { packageFolder } from "../../../../support/package-folder.js";
import { brokenSurfaces, compareProtocols } from "../../../../generator/diff/compare.js";
import { lineOf } from "../../../../generator/diff/report.js";
import type { Change } from "../../../../generator/diff/types.js";
import { specRegistry } from "../../../../generator/input/registry.js";
import { readSource } from "../input/proto/reading.js";
import { findSource } from "../../../support/output.js";
import { factsOf, plain, type Facts } from "./facts.js";

const versions = specRegistry(packageFolder)
  .list()
  .map(({ id }) => id);
const read = new Map(versions.map((version) => [version, readSource(findSource(version))]));

function changesOf(from: string, to: string) {
  const [before, now] = [read.get(from), read.get(to)];
  if (before === undefined || now === undefined)
    throw new Error(`Unknown version ${from} or ${to}`);
  return compareProtocols(before, now);
}

/** A line for each change, with the surfaces that it breaks. */
function linesOf(from: string, to: string) {
  return changesOf(from, to).map((change) => {
    const broken = brokenSurfaces(change).join(", ");
    return `${lineOf(change)}${broken === "" ? "" : ` [${broken}]`}`;
  });
}

const steps = [
  ["0.1.0", "0.2.1"],
  ["0.2.1", "0.2.6"],
  ["0.2.6", "0.3.0"],
  ["0.3.0", "0.4-draft"],
  ["0.3.0", "1.0"],
  ["0.4-draft", "1.0"],
  ["1.0", "0.3.0"],
  ["0.3.0", "0.2.6"],
  ["0.1.0", "1.0"],
] as const;

/** Differences between the texts of two versions, except for generated type names. */
function differing(from: Facts, to: Facts, changes: readonly Change[]) {
  const renamed = new Map(
    changes.flatMap(({ subject, action, name, to: now = "" }) =>
      subject === "type" && action === "renamed" ? [[name, now] as const] : [],
    ),
  );
  const present = (text: string) => text.replaceAll(/\w+/g, (word) => renamed.get(word) ?? word);
  const isSame = (name: string) => present(from.get(name) ?? "") === to.get(name);
  return [...new Set([...from.keys(), ...to.keys()])].filter((name) => !isSame(name));
}

describe("the comparison of two published versions", () => {
  it.each(steps)(
    "the comparison of %s and %s has a change for every name that differs or that only one version has",
    (from, to) => {
      const changes = changesOf(from, to);
      const named = new Set(
        changes.flatMap((change) => [change.name, ownerName(change)]).map(plain),
      );
      // A type that is removed or new, or has another shape or name, is told as a whole.
      const whole = new Set(
        changes
          .filter(({ subject, action, aspect }) => isWhole(subject, action, aspect))
          .flatMap(({ name, to: now = "", action }) =>
            action === "renamed" ? [name, now] : [name],
          )
          .map(plain),
      );
      const isTold = (name: string) =>
        named.has(name) ||
        whole.has(name.replace(/\..*/, "")) ||
        [...named].some((one) => one.startsWith(`${name}.`));
      const [before, now] = [findSource(from), findSource(to)];
      const leave = {
        types: (before.schema === undefined) !== (now.schema === undefined),
        protobuf: (before.proto === undefined) !== (now.proto === undefined),
      };
      const names = differing(factsOf(before, leave), factsOf(now, leave), changes);
      expect(names.length).toBeGreaterThan(0);
      expect(names.filter((name) => !isTold(name))).toEqual([]);
    },
  );
});

/** The name that a change has in the later version. */
function ownerName({ name, action, to = "" }: Change) {
  if (action === "moved") return to;
  return action === "renamed" && name.includes(".") ? `${name.replace(/\..*/, "")}.${to}` : name;
}

function isWhole(subject: string, action: string, aspect?: string) {
  return (
    (subject === "type" || subject === "message") && (action !== "changed" || aspect === "shape")
  );
}

describe("a change between two published versions", () => {
  it.each(steps)(
    "each change from %s to %s is reported once, with a plain reason for each surface that it breaks",
    (from, to) => {
      const changes = changesOf(from, to);
      const lines = changes.map(
        ({ subject, ...change }) => `${subject} ${lineOf({ subject, ...change })}`,
      );
      expect(lines.filter((line, index) => lines.indexOf(line) !== index)).toEqual([]);
      expect(
        changes
          .flatMap(({ breaks }) => Object.values(breaks))
          .filter((reason) => !/^[a-zA-Z].+[^.]$/.test(reason)),
      ).toEqual([]);
      expect(lines.filter((line) => /undefined|\[object|null →|→ $/.test(line))).toEqual([]);
    },
  );
});

/** One change of each kind that a comparison can find, between versions that have it. */
const kinds: readonly (readonly [from: string, to: string, lines: readonly string[]])[] = [
  [
    "0.1.0",
    "0.2.1",
    [
      "renamed sendTask → sendMessage [source]",
      "changed method of sendTask: tasks/send → message/send [json]",
      "added sendTask response: Message",
      "changed subscribeToTask request: TaskQueryParams → TaskIdParams [source, json]",
      "renamed TaskSendParams → MessageSendParams",
      "moved TaskSendParams.pushNotification → MessageSendConfiguration.pushNotificationConfig [source, json]",
      "removed AgentAuthentication [source]",
      "renamed Task.sessionId → contextId [source, json]",
      "added Message.messageId: required string [source, json]",
      'added TaskState.Rejected: "rejected"',
      "changed FilePart.file: FileContent → FileWithBytes or FileWithUri [source, json]",
      "changed AgentSkill.tags: optional → required [source, json]",
      "added ContentTypeNotSupportedError",
    ],
  ],
  [
    "0.2.1",
    "0.2.6",
    [
      "added proto package: a2a.v1",
      "added cancelTask rpc: /a2a.v1.A2AService/CancelTask",
      "added route of getTask: GET /v1/{name=tasks/*}",
      "added listTaskPushNotificationConfigs",
      "added getTaskPushNotificationConfig request: GetTaskPushNotificationConfigParams",
      "added member of GetTaskSuccessResponse.id: null",
      "changed MessageSendConfiguration.acceptedOutputModes: required → optional [source, json]",
      "added PushNotificationConfig.id: optional string",
      "added interfaces in the card: additionalInterfaces",
    ],
  ],
  [
    "0.2.6",
    "0.3.0",
    [
      "added method of getExtendedAgentCard: agent/getAuthenticatedExtendedCard",
      "added AgentCard.signatures: list of AgentCardSignature = 17",
      "added AgentSkill.security: optional list of map of list of string",
      "added member of SecurityScheme: MutualTLSSecurityScheme",
      "added TransportProtocol",
    ],
  ],
  [
    "0.3.0",
    "1.0",
    [
      "changed proto package: a2a.v1 → lf.a2a.v1 [protobuf]",
      "changed header of the extensions: X-A2A-Extensions → A2A-Extensions [json, protobuf]",
      "changed interfaces in the card: additionalInterfaces → supportedInterfaces [json]",
      "changed body of webhooks: Task → StreamResponse [json]",
      "added field of the tenant: tenant",
      "changed subscribeToTask rpc: /a2a.v1.A2AService/TaskSubscription → /lf.a2a.v1.A2AService/SubscribeToTask [protobuf]",
      "changed getExtendedAgentCard capability: supportsAuthenticatedExtendedCard → capabilities.extendedAgentCard [json]",
      "renamed AuthenticatedExtendedCardNotConfiguredError → ExtendedAgentCardNotConfiguredError",
      'changed TaskState.InputRequired: "input-required" → "TASK_STATE_INPUT_REQUIRED" [json]',
      "changed TaskStatus.timestamp: string → Timestamp [json]",
      "renamed MessageSendConfiguration.blocking → returnImmediately [source, json]",
      "moved AgentCard.supportsAuthenticatedExtendedCard → AgentCapabilities.extendedAgentCard [source, json]",
      "changed OAuthFlows.implicit: not deprecated → deprecated",
      "changed Message.parts: any number of elements → at least one element [json]",
      "changed Part shape: TextPart or FilePart or DataPart → object of text, raw, url, data, mediaType, filename, metadata [source, json]",
      "renamed Message.content → parts [json]",
      "changed Artifact.name: string = 3 → string = 2 [protobuf]",
      "removed GetTaskRequest.name: string = 1 [json, protobuf]",
      "renamed message Security → SecurityRequirement",
      "renamed TaskState.TASK_STATE_CANCELLED → TASK_STATE_CANCELED [json]",
    ],
  ],
  [
    "0.4-draft",
    "1.0",
    [
      "changed PushNotificationNotSupportedError reason: PUSH_NOTIFICATIONS_NOT_SUPPORTED → PUSH_NOTIFICATION_NOT_SUPPORTED [json, protobuf]",
      'removed Role.User other spelling: "user" [json]',
      "renamed Part.part → content [source]",
      "changed ListTasksRequest.page_size presence: absent means its default → absent differs from its default",
    ],
  ],
  [
    "1.0",
    "0.3.0",
    [
      "renamed SendMessageConfiguration.returnImmediately → blocking [source, json]",
      "renamed ExtendedAgentCardNotConfiguredError → AuthenticatedExtendedCardNotConfiguredError [source]",
      "removed listTasks [source, json, protobuf]",
    ],
  ],
  // A field that has moved, says a manifest, is not taken for one with a similar name.
  ["0.2.1", "1.0", ["moved AgentCard.url → AgentInterface.url [source, json]"]],
  // Ids of params are not mistaken for ids of JSON-RPC requests.
  ["0.1.0", "1.0", ["moved TaskSendParams.id → Message.taskId [source, json]"]],
  ["0.3.0", "0.4-draft", ["renamed TaskIdParams.id → name [source, json]"]],
];

describe("the changes between two published versions", () => {
  it.each(kinds)(
    "the changes from %s to %s name their kind and what they break",
    (from, to, lines) => {
      const found = new Set(linesOf(from, to));
      expect(lines.filter((line) => !found.has(line))).toEqual([]);
    },
  );

  it("the changes from 0.2.1 to 0.2.6 lose no value of a message field", () => {
    expect(linesOf("0.2.1", "0.2.6").filter((line) => line.startsWith("removed"))).toEqual([]);
  });

  it("the changes from 0.2.6 to 0.3.0 only break facts about the version and a key in HTTP+JSON", () => {
    expect(linesOf("0.2.6", "0.3.0").filter((line) => line.endsWith("]"))).toEqual([
      "changed version on the wire: 0.2 → 0.3 [json, protobuf]",
      "changed version of requests without one: 0.2 → 0.3 [json, protobuf]",
      "changed path of the agent card: /.well-known/agent.json → /.well-known/agent-card.json [json]",
      "changed SendMessageRequest.request JSON name: request → message [json]",
    ]);
  });

  it("a rename has the note of the manifest", () => {
    const change = changesOf("0.3.0", "1.0").find(
      ({ name }) => name === "MessageSendConfiguration.blocking",
    );
    expect(change).toMatchObject({ note: "Inverted meaning." });
  });

  it.each([
    ["0.2.6", "1.0", "SendMessageRequest"],
    ["0.3.0", "0.4-draft", "GetTaskRequest"],
  ])(
    "the changes from %s to %s do not mistake the id of a JSON-RPC request for a renamed property (%s)",
    (from, to, type) => {
      const moves = changesOf(from, to).filter(
        ({ name, action }) => name === `${type}.id` && action !== "removed",
      );
      expect(moves).toEqual([]);
    },
  );

  it("the change of a field that joins a oneof says that it excludes other fields, and the change of a field that leaves a oneof says the opposite", () => {
    const reasonOf = (from: string, to: string): unknown =>
      changesOf(from, to).find(
        ({ name, from: before = "", to: now = "" }) =>
          name === "OAuthFlows.implicit" && `${before} ${now}`.includes("in the oneof flow"),
      )?.breaks.json;
    expect(reasonOf("0.3.0", "1.0")).toBe("fields can no longer be set together with it");
    expect(reasonOf("1.0", "0.3.0")).toBe("other fields can be set together with it");
  });

  it.each(steps)(
    "the changes from %s to %s remove as many operations as the reverse changes add",
    (from, to) => {
      const count = (lines: readonly Change[], action: string) =>
        lines.filter(
          (change) =>
            change.subject === "operation" &&
            change.action === action &&
            change.aspect === undefined,
        ).length;
      expect(count(changesOf(to, from), "removed")).toBe(count(changesOf(from, to), "added"));
    },
  );
});
