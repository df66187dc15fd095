import { discovery, protocol } from "../../generated/1.0/operations.js";
import { discovery as discovery0_3 } from "../../generated/1.0/versions/0.3/operations.js";
import { isLocal } from "./addresses.js";
import { minorOf, versions } from "./clients.js";
import { error, listAt, note, quoted, textAt, warning, type Finding } from "./findings.js";

/** An interface in a card, with its location and the keys of its members. */
interface Entry {
  readonly path: readonly (string | number)[];
  readonly holder: unknown;
  readonly url: string | undefined;
  readonly binding: string | undefined;
  /** The keys of the members. */
  readonly keys: { readonly url: string; readonly binding: string; readonly version: string };
  readonly version: string | undefined;
}

/** Returns the findings about the interfaces of a card. `cardUrl` is the URL of the card. */
export function lintInterfaces(card: unknown, cardUrl: string | undefined): Finding[] {
  const entries = [...currentEntries(card), ...earlierEntries(card)];
  return [
    ...entries.flatMap((entry) => [
      ...lintBinding(entry),
      ...lintVersion(entry),
      ...lintUrl(entry, cardUrl),
    ]),
    ...lintDuplicates(entries),
  ];
}

function currentEntries(card: unknown): Entry[] {
  const { list = "", url = "", binding = "", version = "" } = discovery.interfaces;
  return listAt(card, list).map((holder, at) => ({
    path: [list, at],
    holder,
    keys: { url, binding, version },
    url: textAt(holder, url),
    binding: textAt(holder, binding),
    version: textAt(holder, version),
  }));
}

/** Returns the interfaces of a card before 1.0: the main interface, and a list of others. */
function earlierEntries(card: unknown): Entry[] {
  const { list = "", url = "", binding = "", main } = discovery0_3.interfaces;
  if (main === undefined || textAt(card, main.url) === undefined) return [];
  const version = textAt(card, "protocolVersion");
  const first: Entry = {
    path: [],
    holder: card,
    keys: { url: main.url, binding: main.binding ?? "", version: "protocolVersion" },
    url: textAt(card, main.url),
    binding: textAt(card, main.binding ?? "") ?? main.defaultBinding,
    version,
  };
  const others = listAt(card, list).map((holder, at): Entry => {
    return {
      path: [list, at],
      holder,
      keys: { url, binding, version: "" },
      url: textAt(holder, url),
      binding: textAt(holder, binding),
      version: minorOf(version ?? ""),
    };
  });
  // The 0.3 specification recommends listing the main interface again.
  return [
    first,
    ...others.filter((target) => target.url !== first.url || target.binding !== first.binding),
  ];
}

function lintBinding({ path, binding, keys }: Entry): Finding[] {
  const known: readonly string[] = Object.values(protocol.bindings);
  if (binding === undefined || known.includes(binding)) return [];
  const letters = (name: string): string => name.replace(/[^a-z\d]/gi, "").toLowerCase();
  // The checks that agents run at startup also report bindings with a different spelling, so do not
  // report them here.
  if (known.some((name) => letters(name) === letters(binding))) return [];
  const at = [...path, keys.binding];
  if (URL.canParse(binding))
    return [
      note(at, `${quoted(binding)} is a custom binding`, "clients require a transport for it"),
    ];
  return [
    warning(
      at,
      `unknown binding ${quoted(binding)}`,
      `use ${known.join(", ")}, or the URI of a custom binding`,
    ),
  ];
}

function lintVersion({ path, version, keys }: Entry): Finding[] {
  if (version === undefined || version === "" || keys.version === "") return [];
  const at = [...path, keys.version];
  // Before 1.0, the card itself has the version, with its patch number.
  const isEarlier = path.length === 0;
  if (!/^\d+\.\d+(?:\.\d+)?$/.test(version))
    return [
      error(
        at,
        `${quoted(version)} is not a protocol version`,
        `write a version such as "${protocol.version}"`,
      ),
    ];
  if (!versions.includes(minorOf(version)))
    return [
      note(
        at,
        `unknown protocol version ${quoted(version)}`,
        `this tool knows ${versions.join(", ")}`,
      ),
    ];
  if (isEarlier || minorOf(version) === version) return [];
  return [warning(at, `${quoted(version)} has a patch number`, `write "${minorOf(version)}"`)];
}

function lintUrl({ path, url, binding, keys }: Entry, cardUrl: string | undefined): Finding[] {
  if (url === undefined || binding === protocol.bindings.grpc) return [];
  const at = [...path, keys.url];
  if (/^[/.]/.test(url))
    return [warning(at, `${quoted(url)} is a relative URL`, "write an absolute URL")];
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return [];
  const { protocol: scheme, hostname, username } = new URL(url);
  const findings: Finding[] = [];
  if (scheme === "http:" && !isLocal(hostname))
    findings.push(warning(at, "the URL is not encrypted on a public host", "use https://"));
  if (username !== "")
    findings.push(error(at, "the URL contains credentials", "remove them: cards are public"));
  const isPublicCard =
    cardUrl !== undefined && URL.canParse(cardUrl) && !isLocal(new URL(cardUrl).hostname);
  if (isPublicCard && isLocal(hostname))
    findings.push(
      error(
        at,
        `only the agent's own network reaches ${hostname}`,
        "write the public URL of the agent",
      ),
    );
  return findings;
}

function lintDuplicates(entries: readonly Entry[]): Finding[] {
  const seen = new Map<string, Entry>();
  return entries.flatMap((entry) => {
    const key = JSON.stringify([
      entry.url,
      entry.binding,
      entry.version,
      textAt(entry.holder, "tenant"),
    ]);
    if (seen.has(key))
      return [warning(entry.path, "the interface is listed twice", "remove the second entry")];
    seen.set(key, entry);
    return [];
  });
}
