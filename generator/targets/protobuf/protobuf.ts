import type { Protocol, WireDef, WireMessageDef } from "../../protocol/model/types.js";
import { withoutProto } from "../errors/errors.js";
import { planParts } from "../../emit/parts.js";
import { emptyPlan, type FilePlan, type Target } from "../../emit/plan.js";
import { runtime, runtimeNamespaces } from "../../emit/runtime-modules.js";
import { schemas } from "../validators/validators.js";
import type { CodecFile } from "./codec-file.js";
import { enumPart, usedEnums, type EnumView } from "./enums.js";
import { keepsUnknown, messagePart, type MessageView } from "./messages.js";
import { Models } from "./model.js";
import { codecImports, CodecNames } from "./names.js";
import { holdsAny, registryPart, type RegistryView } from "./registry.js";

/** Target of the protobuf codec: converts between the JSON model and bytes in one step. */
export const protobuf: Target = {
  name: "protobuf",
  summary: "encodeX and decodeX for every message (protobuf.ts)",
  needs: ["models", "validators"],
  plan: (protocol, targets) => {
    const { wire } = protocol;
    if (wire === undefined) return withoutProto("protobuf", "the protobuf messages");
    // The codec of an adapter only exports functions for messages that are requests or responses,
    // because users do not call it.
    const isForAdapter = targets.has(schemas.name) && !holdsAny(wire);
    const isExported = isForAdapter ? isCalledIn(protocol) : () => true;
    return { ...emptyPlan, files: codecFiles(protocol, wire, isExported) };
  },
};

/** View of one part of the file. */
type CodecView = EnumView | MessageView | RegistryView;

/** Plans the codec: all functions of messages, then the tables that they use. */
function codecFiles(
  protocol: Protocol,
  wire: WireDef,
  isExported: (message: WireMessageDef) => boolean,
): FilePlan[] {
  const imports = codecImports("protobuf.ts", wire);
  // Claims the name of the namespace before messages and enums claim names.
  imports.namespace(runtimeNamespaces.wire);
  const models = new Models(protocol, wire, imports);
  const file: CodecFile = { imports, names: new CodecNames(imports), models, wire, protocol };
  const messages = wire.messages.map((message) =>
    messagePart(message, file, { isExported: isExported(message) }),
  );
  const enums = usedEnums(wire).map((type) => enumPart(type, file));
  const registry = holdsAny(wire) ? [registryPart(file)] : [];
  const keeps = wire.messages.some((message) => keepsUnknown(message, file));
  const unknown = keeps ? [runtime.UnknownFields, runtime.unknownFields] : [];
  return planParts<CodecView>({
    module: "protobuf",
    template: "protobuf/protobuf",
    parts: [...messages, ...enums, ...registry],
    compose: composed,
    reexports: [runtime.DecodeError, runtime.EncodeError, ...unknown],
  });
}

/** Returns the view of a file that consists of parts. */
function composed(views: readonly CodecView[]): object {
  const messages = views.filter((view) => view.kind === "message");
  return {
    messages,
    exported: messages.filter((message) => message.isExported),
    enums: views.filter((view) => view.kind === "enum"),
    registry: views.find((view) => view.kind === "registry") ?? false,
  };
}

/** Returns a predicate that accepts messages that are the request or the response of an rpc. */
function isCalledIn({ operations }: Protocol): (message: WireMessageDef) => boolean {
  const called = new Set(operations.flatMap(({ rpc }) => [rpc?.request, rpc?.response]));
  return ({ name }) => called.has(name);
}
