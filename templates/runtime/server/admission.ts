import type { A2AError } from "../protocol/error.js";
import { isObject } from "../base/json.js";
import type { Core } from "./core.js";
import type { Call } from "./context.js";
import { memberAt } from "./demands.js";

/**
 * Decides whether a call may go on: who calls, in which version, with which extensions, and whether the agent card
 * offers the operation. Throws an {@link A2AError} where it may not. Gives a promise only where it has to wait.
 */
export function admit(call: Call, core: Core): Promise<void> | undefined {
  const user = core.options.authenticate?.(call);
  if (isThenable(user)) return admitLater(call, core, user);
  call.user = user;
  return admitCall(call, core);
}

async function admitLater(call: Call, core: Core, user: PromiseLike<unknown>): Promise<void> {
  call.user = await user;
  await admitCall(call, core);
}

function admitCall(call: Call, core: Core): Promise<void> | undefined {
  checkVersion(call, core);
  const card = core.card(call);
  if (card instanceof Promise)
    return card.then((made) => {
      checkCard(call, core, made);
    });
  checkCard(call, core, card);
  return undefined;
}

/** Brings the version of the call to `Major.Minor`, and refuses one that is not served. */
function checkVersion(call: Call, { protocol, errors, options }: Core): void {
  const asked = call.version === "" ? (options.assumeVersion ?? protocol.assumedVersion) : call.version;
  if (asked === protocol.version) {
    call.version = asked;
    return;
  }
  const isUnnamed = call.version === "";
  const version = /^\d+\.\d+(?=$|[.\-+])/.exec(asked)?.[0] ?? asked;
  call.version = version;
  const served = [protocol.version, ...(options.versions ?? [])];
  const isRead = served.includes(version) || call.legacy?.reads(version) === true;
  if (errors.versionNotSupported === undefined || isRead) return;
  const unnamed = isUnnamed ? `; the call has no ${protocol.headers.version}, which means ${version}` : "";
  throw new errors.versionNotSupported(
    `The agent does not serve version ${shorten(version)}, but ${served.join(", ")}${unnamed}`,
    { metadata: { requestedVersion: shorten(version), supportedVersions: served.join(",") } },
  );
}

/**
 * Refuses a call that lacks an extension, or that needs what the agent card does not declare, and notes which fields of
 * its request would.
 */
function checkCard(call: Call, { discovery, errors }: Core, card: object): void {
  for (const name of errors.extensionRequired === undefined ? [] : requiredExtensions(card, discovery)) {
    if (!call.extensions.includes(name)) throw missingExtension(name, errors);
  }
  const { requires, fieldRequires } = call.operation;
  if (fieldRequires !== undefined)
    call.lacks = fieldRequires.filter(({ capability }) => memberAt(card, capability) !== true);
  if (requires !== undefined && memberAt(card, requires.capability) !== true) {
    throw new requires.error(undefined, { metadata: { operation: call.operation.name } });
  }
}

/** The URIs of the extensions that the agent card insists on. */
function requiredExtensions(card: object, { extensions: keys }: Core["discovery"]): string[] {
  if (keys === undefined) return [];
  const extensions = memberAt(card, keys.list);
  if (!Array.isArray(extensions)) return [];
  return extensions.flatMap((extension: unknown) => {
    const uri = isObject(extension) && extension[keys.required] === true ? extension[keys.uri] : undefined;
    return typeof uri === "string" ? [uri] : [];
  });
}

function missingExtension(name: string, { extensionRequired, invalidRequest }: Core["errors"]): A2AError {
  const ExtensionRequired = extensionRequired ?? invalidRequest;
  return new ExtensionRequired(`The agent needs its callers to support the extension ${name}`, {
    metadata: { extension: name },
  });
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return isObject(value) && typeof value["then"] === "function";
}

function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}
