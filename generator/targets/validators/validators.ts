import { commonSubject, subjectOf } from "../../protocol/build/subjects.js";
import { isElsewhere } from "../../protocol/model/elsewhere.js";
import type { Protocol, TypeDef } from "../../protocol/model/types.js";
import { articleOf } from "../../../support/names.js";
import { layout, layoutOf, type Expression } from "../../emit/expressions.js";
import { GuardBodies } from "./guard-bodies.js";
import { GuardWriter } from "./guards.js";
import type { Helper } from "./guard-helpers.js";
import { Imports } from "../../emit/imports.js";
import { runtime } from "../../emit/runtime-modules.js";
import { exportedValidators, guardSubject, ValidatorNames } from "./names.js";
import { SchemaWriter, type AnyTypes } from "./schemas.js";
import { print } from "../../emit/layout.js";
import { withHead, enclose } from "../../emit/text.js";
import { partedPlan, type Part } from "../../emit/parts.js";
import { emptyPlan, type Target, type TargetPlan } from "../../emit/plan.js";

/** Target of the validators: type guards, assertions, parsers and schemas for every type. */
export const validators: Target = {
  name: "validators",
  summary: "isX, assertX, validateX, parseX and XSchema for every type (validators.ts)",
  needs: ["models"],
  plan: (protocol) =>
    planWith("validators/validators", protocol, (writer, type) => writer.parts(type)),
};

/**
 * Target of the schemas alone, at the path of the validators. Adapters use the schemas to read
 * values of another version.
 */
export const schemas: Target = {
  name: "schemas",
  summary: "XSchema for every type (validators.ts)",
  needs: ["models"],
  plan: (protocol) =>
    planWith("validators/schemas", protocol, (writer, type) => [writer.schemaPart(type)]),
};

function planWith(
  template: string,
  protocol: Protocol,
  partsOf: (writer: ViewWriter, type: TypeDef) => readonly Part<View>[],
): TargetPlan {
  const imports = new Imports("validators.ts", exportedValidators(protocol.types));
  const writer = new ViewWriter(protocol, imports);
  const types = protocol.types.flatMap((type) => partsOf(writer, type));
  const reads = protocol.wire?.isProtoJson === true ? "as ProtoJSON parsers do" : "leniently";
  const compose = (views: readonly View[]): object => ({
    reads,
    guards: views.filter((view) => "guard" in view),
    types: views.filter((view) => "schema" in view),
    anyTypes: views.find((view) => "entries" in view) ?? false,
  });
  const parts = [...types, ...writer.anyTypes()];
  return {
    ...emptyPlan,
    parted: [partedPlan({ module: "validators", template, parts, compose })],
    exports: ["validators"],
  };
}

/**
 * View of one part of the file: a type, or the function that returns the messages that an Any may
 * contain.
 */
type View = SchemaView | GuardView | TypeView | (AnyTypes & { readonly keyword: string });

interface SchemaView {
  readonly name: string;
  /** Lines that declare the schema. */
  readonly schema: readonly string[];
  /** Lines of the functions and constants that the schema and the guard use. */
  readonly helpers: readonly (readonly string[])[];
}

interface GuardView extends Pick<SchemaView, "name" | "helpers"> {
  /** Name of the type with its article, for doc comments. */
  readonly a: string;
  /** First lines of the guard, and of its variant with a depth parameter. */
  readonly heads: Readonly<Record<"is" | "isAt", readonly string[]>>;
  /**
   * Body of the guard. `at` is the name of the guard's variant with a depth parameter, or `false`
   * if the guard does not depend on the depth.
   */
  readonly guard: { readonly lines: readonly string[]; readonly at: string | false };
}

interface TypeView extends SchemaView {
  /** Name of the type with its article, for doc comments. */
  readonly a: string;
  /**
   * Lines that throw an error with the issues in a value, and lines that return the value or its
   * issues.
   */
  readonly refuse: readonly string[];
  readonly validated: readonly string[];
  /** First lines of each function. */
  readonly heads: Readonly<Record<"assert" | "validate" | "parse", readonly string[]>>;
  /** Call that parses a value leniently. */
  readonly parsed: string;
}

/** Creates the views of all types of a protocol. */
class ViewWriter {
  readonly #protocol: Protocol;
  readonly #imports: Imports;
  readonly #names: ValidatorNames;
  readonly #guards: GuardWriter;
  readonly #schemas: SchemaWriter;
  readonly #bodies: GuardBodies;

  constructor(protocol: Protocol, imports: Imports) {
    const { types } = protocol;
    this.#protocol = protocol;
    this.#imports = imports;
    this.#names = new ValidatorNames(types, imports);
    this.#guards = new GuardWriter(types, this.#names, imports);
    this.#schemas = new SchemaWriter(types, this.#names, this.#guards, imports);
    this.#bodies = new GuardBodies(types, this.#names, this.#guards);
  }

  /**
   * Returns the part with the function that returns the messages that an Any may contain, if a type
   * has an Any.
   */
  anyTypes(): Part<View>[] {
    const uses = this.#imports.startPart();
    const found = this.#schemas.anyTypes();
    if (found === undefined) return [];
    const view = (isShared: IsShared): View => ({
      ...found,
      keyword: keywordOf(found.name, isShared),
    });
    return [{ subject: commonSubject, exports: [], declares: [found.name], uses, view }];
  }

  /** Returns the view of a type's schema. */
  schemaPart(type: TypeDef): Part<SchemaView> {
    const { name } = type;
    const uses = this.#imports.startPart();
    const schema = isElsewhere(this.#protocol, type) ? [] : this.#schemas.declare(type);
    const helpers = this.#guards.helpers.take();
    return {
      subject: subjectOf(this.#protocol, name),
      of: { type: type.fullName, role: "schema" },
      exports: [{ name: `${name}Schema`, typeOnly: false }],
      declares: helpers.map(({ name }) => name),
      uses,
      view: (isShared) => ({
        name,
        schema,
        helpers: helpers.map((helper) => helperLines(helper, isShared)),
      }),
    };
  }

  /**
   * Returns the guard of a type, and its schema with the functions that use both. If the types have
   * several subjects, guards get files without schemas, because clients load schemas later.
   */
  parts(type: TypeDef): Part<View>[] {
    return [this.#guardPart(type), this.#checksPart(type)];
  }

  #guardPart(type: TypeDef): Part<GuardView> {
    const { name } = type;
    const uses = this.#imports.startPart();
    const lines = isElsewhere(this.#protocol, type) ? [] : this.#bodies.lines(type);
    const isDeep = type.kind !== "enum" && this.#guards.isDeep({ kind: type.kind, name });
    const helpers = this.#guards.helpers.take();
    const guard = { lines, at: isDeep && this.#names.isAt(name) };
    const result = `value is ${this.#names.type(name)}`;
    const view = (isShared: IsShared): GuardView => ({
      name,
      a: articleOf(name),
      guard,
      heads: {
        is: exported(`is${name}`, result),
        isAt: guard.at === false ? [] : guardHead(name, guard.at, result, isShared),
      },
      helpers: helpers.map((helper) => helperLines(helper, isShared)),
    });
    return {
      subject: guardSubject(this.#protocol, name),
      of: { type: type.fullName, role: "guard" },
      exports: [{ name: `is${name}`, typeOnly: false }],
      declares: [
        ...(guard.at === false ? [] : [guard.at]),
        ...helpers.map((helper) => helper.name),
      ],
      uses,
      view,
    };
  }

  #checksPart(type: TypeDef): Part<TypeView> {
    const { name } = type;
    const part = this.schemaPart(type);
    const known = { a: articleOf(name), ...this.#calls(name), heads: this.#heads(name) };
    const names = exportedValidators([type]).filter((exported) => exported !== `is${name}`);
    return {
      ...part,
      exports: names.map((exported) => ({ name: exported, typeOnly: false })),
      view: (isShared): TypeView => ({ ...part.view(isShared), ...known }),
    };
  }

  /** Returns the lines of the exported functions that call the runtime. */
  #calls(name: string): Pick<TypeView, "validated" | "parsed" | "refuse"> {
    const args = [this.#names.schema(name), "value"];
    const found = { call: this.#imports.value(runtime.issuesOf), args };
    const thrown = { call: this.#imports.value(runtime.errorOf), args };
    return {
      refuse: print(
        withHead(`if (!${this.#names.is(name)}(value))`, ["throw ", layoutOf(thrown), ";"]),
        2,
      ),
      validated: this.#validated(name, { object: { issues: found } }),
      parsed: `${this.#imports.value(runtime.parse)}(${this.#names.schema(name)}, value)`,
    };
  }

  /** Returns the lines that return a value, or an object with its issues. */
  #validated(name: string, issues: Expression): readonly string[] {
    const guard = `${this.#names.is(name)}(value)`;
    const line = layout(`return ${guard} ? { value } : `, issues, ";", 2);
    return line.length === 1
      ? line
      : [`if (${guard}) return { value };`, ...layout("return ", issues, ";", 2)];
  }

  #heads(name: string): TypeView["heads"] {
    const type = this.#names.type(name);
    const validation = this.#imports.type(runtime.Validation);
    return {
      assert: exported(`assert${name}`, `asserts value is ${type}`),
      validate: exported(`validate${name}`, `${validation}<${type}>`),
      parse: exported(`parse${name}`, type),
    };
  }
}

/** Returns the first lines of an exported function. */
function exported(helper: string, result: string): readonly string[] {
  return enclose(`export function ${helper}(`, ["value: unknown"], `): ${result} {`);
}

/** Returns whether another file imports a name. */
type IsShared = (name: string) => boolean;

/** Returns `export ` if another file imports a name, otherwise an empty string. */
function keywordOf(name: string, isShared: IsShared): string {
  return isShared(name) ? "export " : "";
}

function helperLines(
  { name, lines: [first = "", ...rest] }: Helper,
  isShared: IsShared,
): readonly string[] {
  return [keywordOf(name, isShared) + first, ...rest];
}

function guardHead(
  type: string,
  name: string,
  result: string,
  isShared: IsShared,
): readonly string[] {
  const comment = `/** Like \`is${type}\`, for a value at a depth of nesting. */`;
  const head = `${keywordOf(name, isShared)}function ${name}(`;
  return [
    ...(isShared(name) ? [comment] : []),
    ...enclose(head, ["value: unknown", "depth: number"], `): ${result} {`),
  ];
}
