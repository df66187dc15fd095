import { emptyPlan, type FilePlan, type Target } from "../../emit/plan.js";
import { subjectOf } from "../../protocol/build/subjects.js";
import type { BindingDef, Protocol } from "../../protocol/model/types.js";
import { summaryOf } from "../documents/words.js";
import { Anchors, blocks, code, inline, table } from "./markdown.js";
import { operationsPage } from "./operations-page.js";
import { typesPage } from "./types-page.js";

/**
 * Target of a reference in Markdown, which describes the types, operations and errors of a
 * specification.
 */
export const docs: Target = {
  name: "docs",
  summary: "a reference of the types, operations and errors as Markdown (docs/)",
  optIn: true,
  needs: [],
  plan: (protocol) => {
    const { binding, operations, types } = protocol;
    const anchors = new Anchors([`Types of ${protocol.title}`, ...types.map(({ name }) => name)]);
    const files = [
      page("README", indexPage(protocol, anchors), protocol),
      page("types", typesPage(protocol, anchors), protocol),
      ...(operations.length === 0
        ? []
        : [page("operations", operationsPage(protocol, anchors), protocol)]),
      ...(binding === undefined ? [] : [page("errors", errorsPage(protocol, binding), protocol)]),
    ];
    return { ...emptyPlan, files };
  },
};

function page(name: string, lines: readonly string[], { title }: Protocol): FilePlan {
  // The title may be a file path, which must not be able to end the comment.
  const view = {
    lines,
    title: title.replaceAll("--", "- -").replaceAll(/[<>\p{Cc}\u2028\u2029]/gu, "?"),
  };
  return { path: `docs/${name}.md`, template: "docs/page", view, imports: [], exports: [] };
}

/** Returns the lines of the page that links to all other pages. */
function indexPage(protocol: Protocol, types: Anchors): string[] {
  const { title, operations, binding } = protocol;
  const anchors = new Anchors([`Operations of ${title}`, ...operations.map(({ name }) => name)]);
  const rows = operations.map(({ name, docs: text }) => [
    anchors.link(name, "operations.md"),
    inline(summaryOf(text)),
  ]);
  const subjects = [...new Set(protocol.types.map(({ name }) => subjectOf(protocol, name)))];
  const lists = subjects.map((subject) => {
    const names = protocol.types.filter(({ name }) => subjectOf(protocol, name) === subject);
    return `- ${subject}: ${names.map(({ name }) => types.link(name, "types.md")).join(", ")}`;
  });
  return blocks(
    [`# Reference of ${inline(title)}`],
    rows.length === 0 ? [] : ["## Operations"],
    rows.length === 0 ? [] : table(["Operation", "Description"], rows),
    ["## Types"],
    lists,
    binding === undefined ? [] : ["## Errors"],
    binding === undefined
      ? []
      : ["[Errors](errors.md) lists the errors with their codes on each transport."],
  );
}

/** Returns the lines of the page with all errors. */
function errorsPage({ title }: Protocol, { errors }: BindingDef): string[] {
  const rows = errors.map(({ name, reason, jsonRpc, http, grpc, docs: text }) => [
    code(name),
    jsonRpc === undefined ? "" : String(jsonRpc),
    String(http),
    code(grpc),
    code(reason),
    inline(text),
  ]);
  return blocks(
    [`# Errors of ${inline(title)}`],
    table(["Error", "JSON-RPC", "HTTP", "gRPC", "Reason", "Description"], rows),
  );
}
