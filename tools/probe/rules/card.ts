import { isObject, listAt, member, textAt } from "../../agents/findings.js";
import { short } from "../reply.js";
import type { CardRule, Outcome } from "../rule.js";
import { each, first, text, unless } from "./expect.js";

const mediaType = /^[\w.+*-]+\/[\w.+*-]+(?:\s*;.*)?$/;

/** Expects a list of media types with at least one entry. */
function modes(value: unknown, name: string): Outcome {
  const list = Array.isArray(value) ? (value as unknown[]) : [];
  return (
    unless(list.length > 0, () => `${name} must be a list with at least one media type`) ??
    each(list, name, mode)
  );
}

function mode(value: unknown, name: string): Outcome {
  return unless(
    typeof value === "string" && mediaType.test(value),
    () => `${name} must be a media type, got ${short(value)}`,
  );
}

/** Expects an absolute URL of HTTP. */
function link(value: unknown, name: string): Outcome {
  const isLink = typeof value === "string" && /^https?:\/\//i.test(value) && URL.canParse(value);
  return unless(
    value === undefined || isLink,
    () => `${name} must be an absolute URL, got ${short(value)}`,
  );
}

/** Returns every name of a member in a JSON value, without the names in free maps. */
function* namesIn(value: unknown): Generator<string> {
  if (Array.isArray(value)) for (const entry of value as unknown[]) yield* namesIn(entry);
  if (!isObject(value)) return;
  for (const [name, content] of Object.entries(value)) {
    yield name;
    if (!["params", "securitySchemes", "schemes", "scopes", "header", "metadata"].includes(name))
      yield* namesIn(content);
  }
}

const skill =
  (key: string) =>
  (value: unknown, name: string): Outcome =>
    text(member(value, key), `${name}.${key}`);

/** Rules for the public agent card and its parts. */
export const cardRules: readonly CardRule[] = [
  {
    id: "card-name",
    level: "must",
    section: "4.4.1",
    earlier: "5.5",
    title: "The card has a name",
    check: ({ raw }) => text(member(raw, "name"), "name"),
  },
  {
    id: "card-description",
    level: "must",
    section: "4.4.1",
    earlier: "5.5",
    title: "The card has a description",
    check: ({ raw }) => text(member(raw, "description"), "description"),
  },
  {
    id: "card-version",
    level: "must",
    section: "4.4.1",
    earlier: "5.5",
    title: "The card contains the version of the agent",
    check: ({ raw }) => text(member(raw, "version"), "version"),
  },
  {
    id: "card-capabilities",
    level: "must",
    section: "4.4.1",
    earlier: "5.5",
    title: "The card has capabilities",
    check: ({ raw }) =>
      unless(
        isObject(member(raw, "capabilities")),
        () => `capabilities must be an object, got ${short(member(raw, "capabilities"))}`,
      ),
  },
  {
    id: "card-capability-types",
    level: "must",
    section: "4.4.3",
    earlier: "5.5.2",
    title: "Capabilities are true or false",
    check: ({ raw }) => {
      const names = [
        "streaming",
        "pushNotifications",
        "extendedAgentCard",
        "stateTransitionHistory",
      ];
      const values = names.map(
        (name) => [name, member(member(raw, "capabilities"), name)] as const,
      );
      const wrong = values.find(([, value]) => value !== undefined && typeof value !== "boolean");
      return wrong === undefined
        ? undefined
        : `capabilities.${wrong[0]} must be true or false, got ${short(wrong[1])}`;
    },
  },
  {
    id: "card-input-modes",
    level: "must",
    section: "4.4.1",
    earlier: "5.5",
    title: "The card lists the input media types",
    check: ({ raw }) => modes(member(raw, "defaultInputModes"), "defaultInputModes"),
  },
  {
    id: "card-output-modes",
    level: "must",
    section: "4.4.1",
    earlier: "5.5",
    title: "The card lists the output media types",
    check: ({ raw }) => modes(member(raw, "defaultOutputModes"), "defaultOutputModes"),
  },
  {
    id: "card-skills",
    level: "must",
    section: "4.4.1",
    earlier: "5.5",
    title: "The card has a list of skills",
    check: ({ raw }) =>
      unless(
        Array.isArray(member(raw, "skills")),
        () => `skills must be a list, got ${short(member(raw, "skills"))}`,
      ),
  },
  {
    id: "card-skill-id",
    level: "must",
    section: "4.4.5",
    earlier: "5.5.4",
    title: "Each skill has an id",
    check: (card) => each(card.list("skills"), "skills", skill("id")),
  },
  {
    id: "card-skill-name",
    level: "must",
    section: "4.4.5",
    earlier: "5.5.4",
    title: "Each skill has a name",
    check: (card) => each(card.list("skills"), "skills", skill("name")),
  },
  {
    id: "card-skill-description",
    level: "must",
    section: "4.4.5",
    earlier: "5.5.4",
    title: "Each skill has a description",
    check: (card) => each(card.list("skills"), "skills", skill("description")),
  },
  {
    id: "card-skill-tags",
    level: "must",
    section: "4.4.5",
    earlier: "5.5.4",
    title: "Each skill has tags",
    check: (card) =>
      each(card.list("skills"), "skills", (value, name) =>
        unless(
          listAt(value, "tags").length > 0,
          () => `${name}.tags must be a list with at least one tag`,
        ),
      ),
  },
  {
    id: "card-skill-unique",
    level: "must",
    section: "4.4.5",
    earlier: "5.5.4",
    title: "Skill ids are unique",
    check: (card) => {
      const ids = card.list("skills").map((value) => textAt(value, "id"));
      return unless(new Set(ids).size === ids.length, () => "two skills have the same id");
    },
  },
  {
    id: "card-skill-modes",
    level: "must",
    section: "4.4.5",
    earlier: "5.5.4",
    title: "The modes of a skill are media types",
    check: (card) =>
      each(card.list("skills"), "skills", (value, name) =>
        first(
          ["inputModes", "outputModes"].map((key) =>
            each(listAt(value, key), `${name}.${key}`, mode),
          ),
        ),
      ),
  },
  {
    id: "card-provider",
    level: "must",
    section: "4.4.2",
    earlier: "5.5.1",
    title: "A provider has a name and a URL",
    check: ({ raw }) => {
      const provider = member(raw, "provider");
      if (provider === undefined) return undefined;
      const [name, url] = [member(provider, "organization"), member(provider, "url")];
      return first([
        text(name, "provider.organization"),
        text(url, "provider.url"),
        link(url, "provider.url"),
      ]);
    },
  },
  {
    id: "card-documentation-url",
    level: "must",
    section: "4.4.1",
    earlier: "5.5",
    title: "The documentation URL is absolute",
    check: ({ raw }) => link(member(raw, "documentationUrl"), "documentationUrl"),
  },
  {
    id: "card-icon-url",
    level: "must",
    section: "4.4.1",
    earlier: "5.5",
    title: "The icon URL is absolute",
    check: ({ raw }) => {
      const icon = textAt(raw, "iconUrl");
      return icon?.startsWith("data:image/") === true
        ? undefined
        : link(member(raw, "iconUrl"), "iconUrl");
    },
  },
  {
    id: "card-camel-case",
    level: "must",
    section: "5.5",
    title: "Member names in the card are in camelCase",
    check: ({ raw }) => {
      const wrong = [...namesIn(raw)].find((name) => /[a-z]_[a-z]/.test(name));
      return wrong === undefined ? undefined : `the card contains the name ${short(wrong)}`;
    },
  },
  {
    id: "card-extensions",
    level: "must",
    section: "4.4.4",
    earlier: "5.5.2.1",
    title: "Each extension has a URI",
    check: ({ raw }) =>
      each(listAt(member(raw, "capabilities"), "extensions"), "extensions", (value, name) => {
        const uri = textAt(value, "uri") ?? "";
        return unless(
          /^[a-z][a-z\d+.-]*:\S+$/i.test(uri),
          () => `${name}.uri must be a URI, got ${short(uri)}`,
        );
      }),
  },
];

/** The rule for the card as a whole. It runs after the rules for its parts. */
export const cardTypeRules: readonly CardRule[] = [
  {
    id: "card-schema",
    level: "must",
    section: "5.7",
    earlier: "5.5",
    title: "The card matches its type",
    follows: [
      ...[
        "card-interfaces",
        "card-description",
        "card-version",
        "card-capabilities",
        "card-capability-types",
      ],
      ...[
        "card-input-modes",
        "card-output-modes",
        "card-skills",
        "card-skill-name",
        "card-skill-tags",
        "card-provider",
      ],
      ...["card-scheme-kind", "card-scheme-http", "card-scheme-oauth"],
    ],
    check: ({ report }) => {
      const found = report.findings.find(
        ({ severity, problem }) => severity === "error" && problem.startsWith("expected "),
      );
      return found === undefined ? undefined : `${found.path || "/"}: ${found.problem}`;
    },
  },
];
