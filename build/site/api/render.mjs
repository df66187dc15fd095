import { ReflectionKind } from "typedoc";
import { SyntaxKind } from "typescript";
import { anchors } from "../slug.mjs";
import { codeOf, declarationsOf, symbolsIn } from "./declare.mjs";
import { targetOf } from "./read.mjs";
import { markdownOf, table } from "./text.mjs";

const { Class, Function: Callable, Variable } = ReflectionKind;

/**
 * Renders the pages of modules with their exports. `types` has the links to the types of the
 * version by their names, `guidesOf` returns links to the guides of a module, and `usesOf` the
 * number of guides that import a name from a module.
 */
export async function apiPages({ context, modules }, { types, guidesOf, usesOf }) {
  const checker = context.programs[0].getTypeChecker();
  /** Locations of exports. */
  const locations = new Map();
  const symbolOf = (reflection) => context.getSymbolFromReflection(reflection);
  const declared = (reflection) => declarationsOf(symbolOf(reflection), checker);
  const planned = modules.map((module) => plan(module));

  /** Divides the exports of a module into sections. */
  function plan(module) {
    const anchorOf = anchors();
    anchorOf(module.title);
    // Guides show first what is used most.
    const own = module.exports
      .filter((child) => !child.isReference())
      .map((child) => ({ child, uses: usesOf(child.name, module) }))
      .toSorted((one, other) => other.uses - one.uses)
      .map(({ child }) => child);
    const constants = own.filter(({ kind }) => kind === Variable);
    const bound = constants.filter((child) => !isVariable(declared(child)[0]));
    const bases = new Set(bound.map((child) => declared(child)[0].parent.symbol));
    const kindOf = (child) => {
      if (child.kind === Callable || bound.includes(child)) return "Functions";
      if (child.kind === Class) return "Classes";
      return child.kind === Variable ? "Constants" : "Types";
    };
    const sections = ["Functions", "Classes", "Constants", "Types"]
      .map((title) => ({
        title,
        members: own.filter((child) => kindOf(child) === title && !bases.has(symbolOf(child))),
      }))
      .filter(({ members }) => members.length > 0);
    for (const { title, members } of sections) {
      anchorOf(title);
      for (const member of members)
        locations.set(member, `${module.page}.md#${anchorOf(member.name)}`);
    }
    return { module, sections };
  }

  function linkOf(reflection, page, label = `\`${reflection.name}\``) {
    const location = locations.get(reflection);
    const target = location?.startsWith(`${page}.md#`) ? location.slice(page.length + 3) : location;
    return target === undefined ? undefined : `[${label}](${target})`;
  }

  function linkOfSymbol(symbol, page) {
    const reflection = context.getReflectionFromSymbol(symbol);
    const link = reflection === undefined ? undefined : linkOf(reflection, page);
    return link ?? types.get(symbol.name);
  }

  async function member(reflection, page) {
    const { name } = reflection;
    const nodes = declared(reflection);
    const text = (comment) => markdownOf(comment, (target, label) => linkOf(target, page, label));
    const signatures = isVariable(nodes[0]) ? [] : signaturesOf(reflection, nodes);
    const comment = (signatures.find((signature) => signature.hasComment()) ?? reflection).comment;
    const { summary, details, examples } = text(comment);
    const parameters = signatures
      .flatMap((signature) => signature.parameters ?? [])
      .filter((parameter) => parameter.hasComment())
      .map((parameter) => [named(parameter.name), text(parameter.comment).summary]);
    const own = symbolOf(reflection);
    const links = symbolsIn(nodes, checker)
      .filter((symbol) => symbol !== own)
      .map((symbol) => linkOfSymbol(symbol, page))
      .filter((link) => link !== undefined);
    return [
      `### ${name}`,
      fence(await codeOf(name, nodes, checker)),
      summary,
      table(["Parameter", "Description"], parameters),
      ...membersOf(reflection, page, text),
      ...details,
      ...examples,
      links.length === 0 ? "" : `See ${[...new Set(links)].join(", ")}`,
    ];
  }

  /** Signatures of a function, also of a function whose type is a method of an interface. */
  function signaturesOf(reflection, nodes) {
    if (reflection.signatures) return reflection.signatures;
    const method = context.getReflectionFromSymbol(nodes[0].symbol);
    return method?.signatures ?? [];
  }

  /** A table of the members with comments, and their examples. */
  function membersOf(reflection, page, text) {
    const children = (reflection.children ?? reflection.type?.declaration?.children ?? [])
      .map((child) => ({ child, described: describedBy(child) }))
      .filter(({ described }) => described !== undefined);
    const examples = [];
    const rows = children.map(({ child, described }) => {
      const found = text(described.comment);
      for (const example of found.examples) examples.push(`Example of \`${child.name}\`:`, example);
      return [named(child.name), [found.summary, ...found.details].join("\n\n")];
    });
    return [table(["Member", "Description"], rows), ...examples];
  }

  const pages = [];
  for (const { module, sections } of planned) {
    const { exports, page, specifier } = module;
    const values = sections.filter(({ title }) => title !== "Types" || sections.length === 1);
    const names = values.flatMap(({ members }) => members.map(({ name }) => name));
    const list = names.length > 3 ? `${names.slice(0, 3).join(", ")}, …` : names.join(", ");
    const others = exports
      .filter((child) => child.isReference())
      .map((child) => linkOf(targetOf(child), page, `\`${child.name}\``))
      .filter((link) => link !== undefined);
    const guides = guidesOf(module);
    const blocks = [
      `# ${module.title}`,
      `${module.about}. The module is \`${specifier}\`:`,
      fence(`import { ${list} } from "${specifier}";`),
      guides.length > 0 ? `Guides: ${guides.join(", ")}` : "",
    ];
    for (const { title, members } of sections) {
      blocks.push(`## ${title}`);
      for (const child of members) blocks.push(...(await member(child, page)));
    }
    if (others.length > 0) blocks.push("## Also exported", others.join(", "));
    pages.push([`${page}.md`, `${blocks.filter((block) => block !== "").join("\n\n")}\n`]);
  }
  const values = modules.flatMap(({ exports, specifier }) =>
    exports
      .map((child) => targetOf(child))
      .filter(({ kind }) => kind === Class || kind === Callable || kind === Variable)
      .map((target) => ({ name: target.name, specifier, location: locations.get(target) }))
      .filter(({ location }) => location !== undefined),
  );
  return { pages, values };
}

/** The reflection with the comment of a member: the member, or a signature of a method. */
function describedBy(child) {
  const candidates = [child, ...(child.signatures ?? []), child.getSignature];
  const functions = child.type?.declaration?.signatures ?? [];
  return [...candidates, ...functions].find((candidate) => candidate?.hasComment());
}

function isVariable(node) {
  return node.kind === SyntaxKind.VariableDeclaration;
}

function named(name) {
  return `\`${name}\``;
}

function fence(code) {
  return `\`\`\`ts\n${code}\n\`\`\``;
}
