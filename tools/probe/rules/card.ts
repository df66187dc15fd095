import { isObject, listAt, member, textAt } from "../../agents/findings.js";
import { short } from "../reply.js";
import type { CardRule, Outcome } from "../rule.js";
import { firstProblemIn, firstProblem, problemUnlessText, problemUnless } from "./expect.js";

const mediaType = /^[\w.+*-]+\/[\w.+*-]+(?:\s*;.*)?$/;

/** Expects a list of media types with at least one entry. */
function problemInModes(value: unknown, name: string): Outcome {
  const list = Array.isArray(value) ? (value as unknown[]) : [];
  return (
    problemUnless(list.length > 0, () => `${name} must be a list with at least one media type`) ??
    firstProblemIn(list, name, problemInMode)
  );
}

function problemInMode(value: unknown, name: string): Outcome {
  return problemUnless(
    typeof value === "string" && mediaType.test(value),
    () => `${name} must be a media type, got ${short(value)}`,
  );
}

/** Expects an absolute URL of HTTP. */
function problemInLink(value: unknown, name: string): Outcome {
  const isLink = typeof value === "string" && /^https?:\/\//i.test(value) && URL.canParse(value);
  return problemUnless(
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

const problemUnlessSkillHas =
  (key: string) =>
  (value: unknown, name: string): Outcome =>
    problemUnlessText(member(value, key), `${name}.${key}`);

/** Rules for the public agent card and its parts. */
export const cardRules: readonly CardRule[] = [
  {
    id: "card-name",
    level: "must",
    section: "4.4.1",
    earlier: "5.5",
    title: "The card has a name",
    check: ({ raw }) => problemUnlessText(member(raw, "name"), "name"),
  },
  {
    id: "card-description",
    level: "must",
    section: "4.4.1",
    earlier: "5.5",
    title: "The card has a description",
    check: ({ raw }) => problemUnlessText(member(raw, "description"), "description"),
  },
  {
    id: "card-version",
    level: "must",
    section: "4.4.1",
    earlier: "5.5",
    title: "The card contains the version of the agent",
    check: ({ raw }) => problemUnlessText(member(raw, "version"), "version"),
  },
  {
    id: "card-capabilities",
    level: "must",
    section: "4.4.1",
    earlier: "5.5",
    title: "The card has capabilities",
    check: ({ raw }) =>
      problemUnless(
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
      return firstProblem(
        names.map((name) => {
          const value = member(member(raw, "capabilities"), name);
          return problemUnless(
            value === undefined || typeof value === "boolean",
            () => `capabilities.${name} must be true or false, got ${short(value)}`,
          );
        }),
      );
    },
  },
  {
    id: "card-input-modes",
    level: "must",
    section: "4.4.1",
    earlier: "5.5",
    title: "The card lists the input media types",
    check: ({ raw }) => problemInModes(member(raw, "defaultInputModes"), "defaultInputModes"),
  },
  {
    id: "card-output-modes",
    level: "must",
    section: "4.4.1",
    earlier: "5.5",
    title: "The card lists the output media types",
    check: ({ raw }) => problemInModes(member(raw, "defaultOutputModes"), "defaultOutputModes"),
  },
  {
    id: "card-skills",
    level: "must",
    section: "4.4.1",
    earlier: "5.5",
    title: "The card has a list of skills",
    check: ({ raw }) =>
      problemUnless(
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
    check: (card) => firstProblemIn(card.list("skills"), "skills", problemUnlessSkillHas("id")),
  },
  {
    id: "card-skill-name",
    level: "must",
    section: "4.4.5",
    earlier: "5.5.4",
    title: "Each skill has a name",
    check: (card) => firstProblemIn(card.list("skills"), "skills", problemUnlessSkillHas("name")),
  },
  {
    id: "card-skill-description",
    level: "must",
    section: "4.4.5",
    earlier: "5.5.4",
    title: "Each skill has a description",
    check: (card) =>
      firstProblemIn(card.list("skills"), "skills", problemUnlessSkillHas("description")),
  },
  {
    id: "card-skill-tags",
    level: "must",
    section: "4.4.5",
    earlier: "5.5.4",
    title: "Each skill has tags",
    check: (card) =>
      firstProblemIn(card.list("skills"), "skills", (value, name) =>
        problemUnless(
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
      return problemUnless(new Set(ids).size === ids.length, () => "two skills have the same id");
    },
  },
  {
    id: "card-skill-modes",
    level: "must",
    section: "4.4.5",
    earlier: "5.5.4",
    title: "The modes of a skill are media types",
    check: (card) =>
      firstProblemIn(card.list("skills"), "skills", (value, name) =>
        firstProblem(
          ["inputModes", "outputModes"].map((key) =>
            firstProblemIn(listAt(value, key), `${name}.${key}`, problemInMode),
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
      const name = member(provider, "organization");
      const url = member(provider, "url");
      return firstProblem([
        problemUnlessText(name, "provider.organization"),
        problemUnlessText(url, "provider.url"),
        problemInLink(url, "provider.url"),
      ]);
    },
  },
  {
    id: "card-documentation-url",
    level: "must",
    section: "4.4.1",
    earlier: "5.5",
    title: "The documentation URL is absolute",
    check: ({ raw }) => problemInLink(member(raw, "documentationUrl"), "documentationUrl"),
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
        : problemInLink(member(raw, "iconUrl"), "iconUrl");
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
      firstProblemIn(
        listAt(member(raw, "capabilities"), "extensions"),
        "extensions",
        (value, name) => {
          const uri = textAt(value, "uri") ?? "";
          return problemUnless(
            /^[a-z][a-z\d+.-]*:\S+$/i.test(uri),
            () => `${name}.uri must be a URI, got ${short(uri)}`,
          );
        },
      ),
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
