import fc from "../../../support/properties.js";
import type { MergePlan, ServiceMethod } from "../../../../generator/merge/merge.js";

/** The methods of a made-up service, in the order of its specification. */
export const names = ["open", "read", "list", "watch", "close", "sync"] as const;

const one = { shown: "Item", names: ["Item"], streams: false };

function methodOf(name: string): ServiceMethod {
  const needs = [
    { name: `${name}Request`, modules: ["models", "index"], isValue: false },
    { name: "Refusal", modules: ["errors", "index"], isValue: true },
  ];
  const text = [
    `/** Does "${name}". */\nasync ${name}(_request: `,
    0,
    "): Promise<void> {\n  throw new ",
    1,
    "();\n}\n",
  ];
  return {
    name,
    needs,
    request: { ...one, names: ["Item", `${name}Request`] },
    response: one,
    text,
  };
}

/** Data for a merge with the test service. */
export function planFor(known: readonly string[] | undefined): MergePlan {
  return {
    file: "agent.ts",
    service: {
      name: "Service",
      factory: { name: "serve", property: "service" },
      methods: names.map(methodOf),
      serviceFactories: ["makeService"],
    },
    known,
    modules: {
      moduleOf: (specifier) => /^\.\/out\/(.*)\.js$/.exec(specifier)?.[1],
      read: () => undefined,
    },
    specifierOf: (module) => `./out/${module}.js`,
  };
}

/** A file in a random layout, and its methods. */
export interface Layout {
  readonly text: string;
  readonly has: readonly string[];
}

interface Style {
  readonly eol: string;
  readonly unit: string;
  readonly quote: string;
  readonly end: string;
  readonly isClass: boolean;
  readonly hasLastComma: boolean;
  readonly imports: string;
  readonly braceComment: string;
  readonly header: string;
}

interface MemberLayout {
  readonly name: string;
  readonly form: "method" | "property" | "quoted" | "async";
  readonly blankLines: number;
  readonly comment: string;
  readonly decorator: boolean;
  readonly trailing: string;
  readonly isCompact: boolean;
}

const comments = [
  "",
  "// A note.",
  "/** Docs. */",
  "/*\n * A block,\n * with braces { }.\n */",
  "// one\n\n// two, apart",
];
const style: fc.Arbitrary<Style> = fc.record({
  eol: fc.constantFrom("\n", "\r\n"),
  unit: fc.constantFrom("  ", "    ", "\t"),
  quote: fc.constantFrom('"', "'"),
  end: fc.constantFrom(";", ""),
  isClass: fc.boolean(),
  hasLastComma: fc.boolean(),
  imports: fc.constantFrom(
    `import type { Service } from "./out/index.js"`,
    `import { type Service, Refusal } from "./out/index.js"`,
    `import {\n  type Service,\n  readRequest\n} from "./out/index.js" // ours`,
    `import type { Service } from "./out/server/service.js"`,
    `import type * as out from "./out/index.js"\ntype Service = out.Service`,
  ),
  braceComment: fc.constantFrom("", " // begins here"),
  header: fc.constantFrom("", "#!/usr/bin/env node\n", "/* License. */\n\n", '"use strict"\n'),
});

const member = (name: string): fc.Arbitrary<MemberLayout> =>
  fc.record({
    name: fc.constant(name),
    form: fc.constantFrom("method", "property", "quoted", "async"),
    blankLines: fc.nat(2),
    comment: fc.constantFrom(...comments),
    decorator: fc.boolean(),
    trailing: fc.constantFrom("", " // behind", " /* behind */"),
    isCompact: fc.boolean(),
  });

const members = fc
  .shuffledSubarray([...names, "helper", "state"])
  .chain((chosen) => fc.tuple(...chosen.map((name) => member(name))));

/** Files with any choice of members, in any order and any common manner of writing. */
export const layouts: fc.Arbitrary<Layout> = fc.tuple(style, members).map(([how, chosen]) => ({
  text: textOf(how, chosen),
  has: chosen.map(({ name }) => name),
}));

function textOf(how: Style, chosen: readonly MemberLayout[]) {
  const { isClass, unit, end, quote, eol, imports, braceComment, header } = how;
  const statements = imports.replace(
    /"( \/\/.*)?$/gm,
    (_, rest?: string) => `"${end}${rest ?? ""}`,
  );
  const head = isClass ? "class Agent implements Service {" : "const service: Service = {";
  const body = chosen
    .map((one, index) => memberText(one, how, index === chosen.length - 1))
    .join("");
  const tail = isClass ? "}" : `}${end}`;
  const inner = body.replaceAll(/^(?=.)/gm, unit);
  const text = `${header}${statements}\n\n${head}${braceComment}\n${inner}${tail}\n\n// The end.\n`;
  return text.replaceAll('"', quote).replaceAll("\n", eol);
}

function memberText(
  layout: MemberLayout,
  { isClass, unit, end, hasLastComma }: Style,
  isLast: boolean,
) {
  const { name, form, blankLines, comment, decorator, trailing, isCompact } = layout;
  const inner = isCompact ? "{ return }" : `{\n${unit}return${end}\n}`;
  const bodies = {
    method: `${name}() ${inner}`,
    async: `async ${name}() ${inner}`,
    quoted: `"${name}"() ${inner}`,
    property: isClass ? `${name} = () => ${inner}${end}` : `${name}: () => ${inner}`,
  };
  const separator = isClass || (isLast && !hasLastComma) ? "" : ",";
  const above = [
    ...(comment === "" ? [] : [comment]),
    ...(isClass && decorator && form !== "quoted" ? ["@logged"] : []),
  ];
  return `${"\n".repeat(blankLines)}${[...above, bodies[form] + separator + trailing].join("\n")}\n`;
}
