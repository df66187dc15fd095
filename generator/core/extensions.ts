import { Diagnostics } from "../../support/diagnostics.js";
import type { ExtensionSource, SpecSource } from "../input/source.js";
import { extensionFile } from "../targets/extensions/extension.js";
import { relocated } from "../emit/relocate.js";
import { models } from "../targets/models/models.js";
import { validators } from "../targets/validators/validators.js";
import { filesOf, planTargets, type FilePlan } from "../emit/plan.js";
import type { Omission } from "../protocol/model/types.js";
import { readProtocol } from "./read.js";

/** Output of an extension: its types, validators and value. */
export interface ExtensionOutput {
  readonly source: SpecSource;
  readonly sourceFiles: readonly FilePlan[];
  /** Parts of the schema that the output does not check, and slow patterns. */
  readonly omissions: readonly Omission[];
}

/**
 * Returns the files of extensions. `modules` are the modules of the output, which must contain the
 * task kit.
 *
 * @throws InputError if an extension is invalid, if two extensions have the same URI or folder, or
 *   if the output has no task kit
 */
export async function extensionOutputs(
  extensions: readonly ExtensionSource[],
  modules: ReadonlySet<string>,
): Promise<ExtensionOutput[]> {
  const kit = ["kit/index", "kit/client/index"].find((module) => modules.has(module));
  checkExtensions(extensions, kit);
  const outputs: ExtensionOutput[] = [];
  for (const extension of extensions) outputs.push(await extensionOutput(extension, kit ?? ""));
  return outputs;
}

async function extensionOutput(extension: ExtensionSource, kit: string): Promise<ExtensionOutput> {
  const { source, folder } = extension;
  const path = `extensions/${folder}`;
  const protocol = readProtocol(source);
  const files = filesOf(await planTargets([models, validators], protocol));
  return {
    source,
    sourceFiles: [
      ...files.map((file) => relocated(file, path)),
      extensionFile(extension, protocol, { folder: path, kit }),
    ],
    omissions: protocol.omissions.filter(({ target }) => target === validators.name),
  };
}

function checkExtensions(extensions: readonly ExtensionSource[], kit: string | undefined): void {
  const diagnostics = new Diagnostics();
  if (kit === undefined && extensions.length > 0)
    diagnostics.add(
      undefined,
      "extensions require the task kit, which the output does not contain",
      "Use A2A 1.0 or later, and add client or tasks to the targets",
    );
  reportShared(extensions, diagnostics, {
    valueOf: ({ uri }) => `the URI ${uri}`,
    hint: "Remove one of them",
  });
  reportShared(extensions, diagnostics, {
    valueOf: ({ folder }) => `the name ${folder}`,
    hint: "Give one of them another `title`",
  });
  diagnostics.throwIfAny();
}

/** Reports extensions with a value that an earlier extension also has. */
function reportShared(
  extensions: readonly ExtensionSource[],
  diagnostics: Diagnostics,
  { valueOf, hint }: { valueOf: (extension: ExtensionSource) => string; hint: string },
): void {
  const owners = new Map<string, string>();
  for (const extension of extensions) {
    const { title } = extension.source;
    const value = valueOf(extension);
    const owner = owners.get(value);
    if (owner !== undefined)
      diagnostics.add(
        { file: title },
        `the extensions ${owner} and ${title} both have ${value}`,
        hint,
      );
    owners.set(value, title);
  }
}
