import type { Scheme } from "./credentials.js";
import { button, field, fill, h } from "./dom.js";
import type { Session } from "./session.js";
import { signInView } from "./sign-in-view.js";
import { brief } from "./text.js";

/**
 * Creates the form for credentials, with a field for each scheme in the card and a field for other
 * headers.
 */
export function credentialsView(session: Session): HTMLElement {
  const { credentials } = session;
  const fields = h("div", { class: "fields" });
  const everywhere = h("input", { type: "checkbox" });
  everywhere.addEventListener("change", () => credentials.everywhere.set(everywhere.checked));
  const apply = button("Read the card again", () => void session.open(session.url));
  const summary = h("summary", {}, "Credentials and headers");
  const element = h(
    "details",
    {},
    summary,
    fields,
    headersField(session),
    h("label", { class: "check" }, everywhere, " Send them to interfaces of other origins, too"),
    apply,
  );
  session.report.watch((report) => {
    if (report === undefined) return;
    fill(fields, ...session.schemes.map((scheme) => schemeField(scheme, session)));
    const count = session.schemes.length;
    const schemes = count === 1 ? "1 scheme" : `${count} schemes`;
    summary.textContent = count === 0 ? "Headers" : `Credentials (${schemes})`;
    if (count > 0) element.open = true;
  });
  // Do not use a form element, because the browser would offer to store the credentials.
  return h("section", { class: "card", "aria-label": "Credentials" }, element);
}

/** Creates the field for headers of the user. */
export function headersField({ credentials: { headers } }: Session): HTMLElement {
  const text = h("textarea", {
    rows: 2,
    class: "code",
    spellcheck: "false",
    placeholder: "authorization: Bearer …",
  });
  text.addEventListener("input", () => headers.set(text.value));
  headers.watch((value) => {
    if (text.value !== value) text.value = value;
  });
  return field("Headers", text, "One header per line, sent with each call");
}

function schemeField(scheme: Scheme, session: Session): HTMLElement {
  const { name, kind, description, tokenUrl } = scheme;
  if (kind === "mtls")
    return h("p", {}, `${brief(name, 60)}: mutual TLS, which the inspector does not support`);
  const input = h("input", { type: "password", autocomplete: "off", spellcheck: "false" });
  input.value = session.credentials.values.value.get(name) ?? "";
  input.addEventListener("input", () => session.credentials.enter(name, input.value));
  const hints = [
    brief(description, 200),
    tokenUrl !== "" && `Get a token from ${brief(tokenUrl, 120)}`,
  ];
  const tokenField = field(
    `${brief(name, 60)}: ${kindText(scheme)}`,
    input,
    hints.filter(Boolean).join(". "),
  );
  // An agent that serves the page itself has no command that could call the issuer.
  if (session.command.config.isAgent === true || kind === "basic" || kind === "apiKey")
    return tokenField;
  const enter = (token: string): void => {
    input.value = token;
    session.credentials.enter(name, token);
  };
  return h("div", {}, tokenField, signInView(scheme, session, enter));
}

function kindText({ kind, location, parameter }: Scheme): string {
  switch (kind) {
    case "apiKey":
      return `API key (${brief(location, 20)} ${brief(parameter, 40)})`;
    case "basic":
      return "user:password";
    case "oauth":
      return "access token";
    default:
      return "bearer token";
  }
}
