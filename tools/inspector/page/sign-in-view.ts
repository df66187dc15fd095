import type { Scheme } from "./credentials.js";
import { announce, button, field, fill, h } from "./dom.js";
import type { Session } from "./session.js";
import { brief } from "./text.js";

/**
 * Creates the form that obtains an access token for a scheme. The user enters the issuer, because a
 * card is not trusted.
 */
export function signInView(
  { name, scopes, declared }: Scheme,
  session: Session,
  done: (token: string) => void,
): HTMLElement {
  const text = (placeholder = ""): HTMLInputElement =>
    h("input", { type: "text", autocomplete: "off", spellcheck: "false", placeholder });
  const issuer = text("https://login.example");
  const clientId = text();
  const scope = text();
  const secret = h("input", { type: "password", autocomplete: "off", spellcheck: "false" });
  scope.value = brief(scopes.join(" "), 500);
  const status = h("p", { class: "note", role: "status" });
  let running: AbortController | undefined;
  const begin = async (flow: "code" | "device"): Promise<void> => {
    running?.abort();
    const { signal } = (running = new AbortController());
    fill(status, "Waiting for the issuer");
    const request = {
      issuer: issuer.value.trim().replace(/\/$/, ""),
      clientId: clientId.value.trim(),
      clientSecret: secret.value,
      scopes: scope.value.split(/\s+/).filter(Boolean),
      flow,
      scheme: declared,
    };
    try {
      for await (const step of session.command.signIn(request, signal)) {
        if ("error" in step) fill(status, brief(step.error, 400));
        else if ("token" in step) {
          done(step.token);
          fill(status, `Signed in${expiry(step.expiresAt)}`);
          announce("Signed in");
        } else fill(status, ...prompt(step));
      }
    } catch (error) {
      if (!signal.aborted)
        fill(status, error instanceof Error ? brief(error.message, 400) : "The sign-in failed");
    }
  };
  return h(
    "details",
    {},
    h("summary", {}, `Sign in for ${brief(name, 60)}`),
    field("Issuer", issuer, "The server that may receive your sign-in"),
    field("Client id", clientId),
    field("Client secret", secret, "Only for clients that have one"),
    field("Scopes", scope),
    button("Sign in with a browser", () => void begin("code")),
    button("Sign in on another device", () => void begin("device")),
    status,
  );
}

function expiry(at: number | undefined): string {
  return at === undefined ? "" : `, until ${new Date(at).toLocaleTimeString()}`;
}

/**
 * Returns instructions for the user. The command only passes on HTTPS addresses, or addresses of
 * this machine.
 */
function prompt({
  url,
  userCode,
}: {
  readonly url: string;
  readonly userCode?: string;
}): (HTMLElement | string)[] {
  if (!/^https?:\/\//.test(url))
    return ["The issuer has returned an address that is not a web page"];
  const link = h(
    "a",
    { href: url, target: "_blank", rel: "noopener noreferrer" },
    `Open ${new URL(url).host}`,
  );
  return userCode === undefined
    ? [link]
    : [link, " and enter ", h("code", {}, brief(userCode, 40))];
}
