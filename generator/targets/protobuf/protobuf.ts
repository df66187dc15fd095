import { isElsewhere } from "../../protocol/model/elsewhere.js";
import type { Protocol, WireDef, WireMessageDef } from "../../protocol/model/types.js";
import { withoutProto } from "../errors/errors.js";
import { partedPlan, type PartedPlan } from "../../emit/parts.js";
import { emptyPlan, type Target } from "../../emit/plan.js";
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
    return { ...emptyPlan, parted: [codecFile(protocol, wire, isExported)] };
  },
};

/** View of one part of the file. */
type CodecView = EnumView | MessageView | RegistryView;

/** Plans the codec: all functions of messages, then the tables that they use. */
function codecFile(
  protocol: Protocol,
  wire: WireDef,
  isExported: (message: WireMessageDef) => boolean,
): PartedPlan {
  const imports = codecImports("protobuf.ts", wire);
  // Claims the name of the namespace before messages and enums claim names.
  imports.namespace(runtimeNamespaces.wire);
  const models = new Models(protocol, wire, imports);
  const file: CodecFile = { imports, names: new CodecNames(imports), models, wire, protocol };
  const messages = wire.messages.map((message) =>
    messagePart(message, file, { isExported: isExported(message) }),
  );
  const own = wire.messages.filter((message) => !isElsewhere(protocol, message));
  const used = usedEnums({ ...wire, messages: own });
  // Messages of other outputs may use an enum that no message of this output uses.
  const unused = wire.enums.filter(
    (type) =>
      protocol.elsewhere !== undefined && !used.includes(type) && !isElsewhere(protocol, type),
  );
  const enums = [
    ...used.map((type) => enumPart(type, file)),
    ...unused.map((type) => ({ ...enumPart(type, file), isOptional: true })),
  ];
  const registry = holdsAny({ ...wire, messages: own }) ? [registryPart(file)] : [];
  const keeps = wire.messages.some((message) => keepsUnknown(message, file));
  const unknown = keeps ? [runtime.UnknownFields, runtime.unknownFields] : [];
  return partedPlan<CodecView>({
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
