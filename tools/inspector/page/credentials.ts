import { Signal } from "./signal.js";

/** A credential that a scheme of the card declares. */
export interface Scheme {
  /** The name of the scheme in the card. */
  readonly name: string;
  readonly kind: "apiKey" | "bearer" | "basic" | "oauth" | "mtls";
  /** The part of a request that contains the API key: `header`, `query` or `cookie`. */
  readonly location: string;
  /** The name of the header, query parameter or cookie of an API key. */
  readonly parameter: string;
  /** URL at which a client gets a token, if the card contains it. */
  readonly tokenUrl: string;
  readonly description: string;
  /** Scopes that the card requires. */
  readonly scopes: readonly string[];
  /** The scheme as the card declares it. */
  readonly declared: object;
}

type Json = Readonly<Record<string, unknown>>;

function objectOf(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Maximum number of schemes to display. */
const maxSchemes = 20;

/** Reads the schemes of a card of any version, even if the card is invalid. */
export function schemesOf(card: unknown): Scheme[] {
  const declared = Object.entries(objectOf(objectOf(card)["securitySchemes"])).slice(0, maxSchemes);
  return declared.map(([name, value]) => schemeOf(name, objectOf(value), scopesOf(card, name)));
}

/** Returns the scopes of a scheme in the first requirement that contains it. */
function scopesOf(card: unknown, name: string): string[] {
  const { securityRequirements, security } = objectOf(card);
  const requirements = [securityRequirements, security].flatMap((listed): unknown[] =>
    Array.isArray(listed) ? listed : [],
  );
  const lists = requirements.map((requirement): unknown => {
    // Before 1.0, the requirement itself is the map of schemes, and the scopes are its values.
    const { schemes = requirement } = objectOf(requirement);
    const found = objectOf(schemes)[name];
    return Array.isArray(found) ? (found as unknown[]) : objectOf(found)["list"];
  });
  const list = lists.find((value) => Array.isArray(value)) as unknown;
  return Array.isArray(list) ? list.filter((scope) => typeof scope === "string").slice(0, 50) : [];
}

function schemeOf(name: string, declared: Json, scopes: readonly string[]): Scheme {
  // Since 1.0, the kind is the key of a member. Before, it was the value of `type`, as in OpenAPI.
  const [key = "", inner = declared] =
    Object.entries(declared).find(([member]) => member.endsWith("SecurityScheme")) ?? [];
  const scheme = objectOf(inner);
  const type = (textOf(scheme["type"]) || key).toLowerCase();
  const flows = Object.values(objectOf(scheme["flows"])).map(objectOf);
  const common = {
    name,
    scopes,
    declared,
    location: textOf(scheme["location"]) || textOf(scheme["in"]) || "header",
    parameter: textOf(scheme["name"]),
    tokenUrl:
      flows.map((flow) => textOf(flow["tokenUrl"])).find((url) => url !== "") ??
      textOf(scheme["openIdConnectUrl"]),
    description: textOf(scheme["description"]),
  };
  if (type.startsWith("apikey")) return { ...common, kind: "apiKey" };
  if (type.startsWith("http"))
    return { ...common, kind: /^basic$/i.test(textOf(scheme["scheme"])) ? "basic" : "bearer" };
  return { ...common, kind: type.startsWith("m") ? "mtls" : "oauth" };
}

/** The credentials that the user has entered. They stay in the memory of the page. */
export class Credentials {
  /** The values by the names of the schemes. */
  readonly values = new Signal<ReadonlyMap<string, string>>(new Map());
  /** Additional headers, one per line. */
  readonly headers = new Signal("");
  /** Whether interfaces at origins other than the agent's origin receive the credentials. */
  readonly everywhere = new Signal(false);

  /** Whether the user has entered any credentials or headers. */
  get areSet(): boolean {
    return this.headerNames.length > 0 || [...this.values.value.values()].some(Boolean);
  }

  enter(scheme: string, value: string): void {
    this.values.set(new Map(this.values.value).set(scheme, value));
  }

  /** Returns the headers for the schemes of a card. */
  headersFor(schemes: readonly Scheme[]): Record<string, string> {
    const cookies: string[] = [];
    const result: Record<string, string> = {};
    for (const scheme of schemes) {
      const value = this.values.value.get(scheme.name) ?? "";
      if (value === "") continue;
      if (scheme.kind === "basic") result["authorization"] = `Basic ${base64(value)}`;
      else if (scheme.kind !== "apiKey") result["authorization"] = `Bearer ${value}`;
      else if (scheme.location === "header") result[scheme.parameter.toLowerCase()] = value;
      else if (scheme.location === "cookie") cookies.push(`${scheme.parameter}=${value}`);
    }
    if (cookies.length > 0) result["cookie"] = cookies.join("; ");
    return { ...result, ...Object.fromEntries(this.#ownHeaders()) };
  }

  /** The names of the additional headers. */
  get headerNames(): readonly string[] {
    return this.#ownHeaders().map(([name]) => name);
  }

  #ownHeaders(): (readonly [name: string, value: string])[] {
    return this.headers.value.split("\n").flatMap((line) => {
      const [, name, value = ""] = /^\s*([^\s:]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
      return name === undefined ? [] : [[name.toLowerCase(), value] as const];
    });
  }

  /** Returns the query parameters for the schemes of a card. */
  queryFor(schemes: readonly Scheme[]): [string, string][] {
    const inQuery = schemes.filter(
      ({ kind, location }) => kind === "apiKey" && location === "query",
    );
    const pairs = inQuery.map(({ name, parameter }): [string, string] => [
      parameter,
      this.values.value.get(name) ?? "",
    ]);
    return pairs.filter(([, value]) => value !== "");
  }
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
