/** The part of the state that a link to the page contains. */
export interface Link {
  /** URL of the agent. */
  readonly url: string;
  /** Binding and version of the interface: `JSONRPC 1.0`. */
  readonly interface: string;
  /** Id of a task. */
  readonly task: string;
}

/** Reads the link from the fragment of the URL of the page. The fragment never reaches a server. */
export function readLink(hash: string): Link {
  const values = new URLSearchParams(hash.replace(/^#/, ""));
  const valueOf = (name: string): string => values.get(name) ?? "";
  return { url: valueOf("url"), interface: valueOf("interface"), task: valueOf("task") };
}

/** Returns the fragment of a link, without empty values. */
export function writeLink(link: Link): string {
  const entries = Object.entries(link).filter(([, value]) => value !== "");
  return `#${new URLSearchParams(entries as [string, string][]).toString()}`;
}
