import type { CardReport, Finding, SignatureStatus } from "../../agents/index.js";
import { textAt } from "../../agents/findings.js";
import { button, copyButton, field, fill, h, type Child } from "./dom.js";
import { exampleButton } from "./example.js";
import { credentialsView } from "./credentials-view.js";
import { interfacesView } from "./interfaces-view.js";
import type { Session } from "./session.js";
import { jsonView } from "./json-view.js";
import { brief, longText, toJson } from "./text.js";

/** Number of findings that are displayed before "Show all". */
const shownFindings = 8;

/** Number of skills that are displayed. A card can have any number. */
const shownSkills = 50;

/**
 * Creates the panel that displays the agent's card.
 *
 * @param tryExample - called with the example of a skill that the user has selected
 */
export function agentView(session: Session, tryExample: (text: string) => void): HTMLElement {
  const about = h("section", { class: "card", "aria-label": "Card" });
  const findings = h("section", { class: "card", "aria-label": "Findings" });
  const skills = h("section", { class: "card", "aria-label": "Skills" });
  const raw = h("section", { class: "card", "aria-label": "Card as JSON" });
  const parts = [about, findings, interfacesView(session), credentialsView(session), skills, raw];
  const element = h("div", { class: "agent-panel" }, ...parts);
  const signatures = h("div", { class: "signature" });
  session.report.watch((report) => {
    element.hidden = report === undefined;
    if (report === undefined) return;
    fill(about, ...aboutOf(report), signatures);
    fill(findings, ...findingsOf(report.findings));
    fill(skills, ...skillsOf(report, tryExample));
    fill(raw, rawView(report));
  });
  const verify = verifyView(session);
  session.signatures.watch((status) => {
    const canVerify =
      status !== undefined && status.state !== "absent" && status.state !== "verified";
    fill(
      signatures,
      status && h("p", { role: "status" }, signatureText(status)),
      canVerify && verify,
    );
  });
  return element;
}

/** Returns the form that verifies the signatures. A card cannot choose the trusted keys. */
function verifyView(session: Session): HTMLElement {
  const keys = h("textarea", {
    rows: 2,
    class: "code",
    placeholder: "https://…/jwks.json",
    spellcheck: "false",
  });
  const form = h(
    "form",
    { class: "bar" },
    field("Keys that you trust: a URL, or JSON", keys),
    button("Verify", () => form.requestSubmit()),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (keys.value.trim() !== "") void session.verify(keys.value.trim());
  });
  return form;
}

/**
 * Returns the element with the card as JSON. It is filled when the user opens it, because a card
 * can have megabytes.
 */
function rawView({ raw }: CardReport): HTMLElement {
  const details = h("details", {}, h("summary", {}, "Card as JSON"));
  const write = (): void =>
    details.append(
      copyButton("Copy JSON", () => toJson(raw)),
      jsonView(toJson(raw)),
    );
  details.addEventListener("toggle", write, { once: true });
  return details;
}

function aboutOf({ raw, card, version, url }: CardReport): Child[] {
  // Of a card that cannot be converted, display the members that are strings.
  const text = (key: string): string => textAt(card ?? raw, key) ?? "";
  const capabilities = Object.entries(card?.capabilities ?? {}).flatMap(([name, value]) =>
    value === true ? [name] : [],
  );
  return [
    h("h2", {}, brief(text("name") || "Agent without a name", 120)),
    text("description") !== "" && longText(text("description"), 400),
    h(
      "dl",
      {},
      entry("Version", brief(text("version"), 40)),
      entry("Format", `A2A ${brief(version, 20)}`),
      entry("Provider", brief(card?.provider?.organization ?? "", 80)),
      entry(
        "Capabilities",
        capabilities.map((name) => h("span", { class: "tag" }, words(name))),
      ),
      entry("Card", h("code", {}, brief(url ?? "", 300))),
    ),
  ];
}

/** Returns the words of a name in camel case. */
function words(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function entry(term: string, value: Child): Child {
  const isEmpty = value === "" || (Array.isArray(value) && value.length === 0);
  return isEmpty ? undefined : h("div", {}, h("dt", {}, term), h("dd", {}, value));
}

function findingsOf(findings: readonly Finding[]): Child[] {
  if (findings.length === 0)
    return [h("h3", {}, "Findings"), h("p", { class: "good" }, "The card is valid")];
  const counts = (["error", "warning", "note"] as const).flatMap((severity) => {
    const { length } = findings.filter((finding) => finding.severity === severity);
    const plural = length === 1 ? "" : "s";
    return length === 0 ? [] : [`${length} ${severity}${plural}`];
  });
  const items = findings.map(findingView);
  const rest = items.slice(shownFindings);
  return [
    h("h3", {}, "Findings"),
    h("p", {}, counts.join(", ")),
    h("ul", { class: "findings" }, ...items.slice(0, shownFindings)),
    rest.length > 0 &&
      h(
        "details",
        {},
        h("summary", {}, `Show ${rest.length} more`),
        h("ul", { class: "findings" }, ...rest),
      ),
  ];
}

function findingView({ severity, path, problem, hint }: Finding): HTMLElement {
  return h(
    "li",
    { class: severity },
    h("span", { class: "severity" }, severity),
    h("code", {}, brief(path === "" ? "/" : path, 200)),
    h("p", {}, brief(problem, 400), hint !== "" && h("small", {}, brief(hint, 400))),
  );
}

function skillsOf({ card }: CardReport, tryExample: (text: string) => void): Child[] {
  const skills = card?.skills ?? [];
  const items = skills.slice(0, shownSkills).map(({ name, description, tags, examples = [] }) =>
    h(
      "li",
      {},
      h("strong", {}, brief(name, 120)),
      longText(description, 300),
      tags.slice(0, 10).map((tag) => h("span", { class: "tag" }, brief(tag, 40))),
      examples.slice(0, 3).map((example) => exampleButton(example, tryExample)),
    ),
  );
  const rest = skills.length - shownSkills;
  return [
    h("h3", {}, skills.length === 1 ? "1 skill" : `${skills.length.toLocaleString("en")} skills`),
    h("ul", { class: "skills" }, ...items),
    rest > 0 && h("p", {}, `${rest.toLocaleString("en")} more skills are in the JSON`),
  ];
}

function signatureText({ state, signers, detail }: SignatureStatus): string {
  const by = signers.map(({ alg, kid }) => `${brief(kid, 60)} (${brief(alg, 20)})`).join(", ");
  switch (state) {
    case "absent":
      return "Not signed";
    case "unverified":
      return `Signed by ${by}, not verified`;
    case "verified":
      return `Verified: ${brief(detail, 60)}`;
    case "invalid":
      return `Invalid signature: ${brief(detail, 200)}`;
  }
}
