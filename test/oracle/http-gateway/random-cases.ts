import type { Random } from "../../support/random/random.js";
import { caseOf, type HttpCase } from "./cases.js";

const ids = ["1", "a-b", "a_b.c~", "%C3%A9", "a%20b", "x%25y", "100", "true", "POEM", "a:b", "a+b"];

/** Methods and paths in which `*` stands for an id, and `**` for several ids. */
const heads = [
  "GET /v1/shelves/*",
  "GET /v2/shelves/*",
  "GET /v2/shelves/*/POEM/rooms/*",
  "GET /v1/shelves/*/books",
  "GET /v1/shelves/*/books/*",
  "GET /v1/shelves/*/books/*/titles",
  "GET /v1/shelves/*/books/*:watch",
  "GET /v1/files/**",
  "GET /v1/**/item",
  "GET /v1/search",
  "SEARCH /v1/search",
  "POST /v1/shelves/*:open",
  "POST /v1/files/**:archive",
  "POST /v1/shelves/*/books",
  "PUT /v1/shelves/*/books/*",
  "PATCH /v1/shelves/*/books/*",
];

/** Query parameters, and members of a body, with valid values. */
const fields: Readonly<Record<string, readonly unknown[]>> = {
  count: [0, 1, -7, 2147483647],
  pageSize: [0, 5],
  size: ["0", "-9223372036854775808", "12"],
  total: ["18446744073709551615"],
  flag: [true, false],
  ratio: [0, 1.5, -2e-7, "NaN"],
  data: ["AQI=", "////", ""],
  tags: [["a"], ["b", "é & =", "c,d"]],
  numbers: [[1, 2, 3], [0]],
  kinds: [["NOVEL"], ["POEM", "KIND_UNSPECIFIED"]],
  beginTime: ["2026-01-02T03:04:05Z", "1969-12-31T23:59:59.999Z"],
  wait: ["1s", "-1.500s", "0s"],
  label: ["", "é"],
  limit: ["0", "7"],
  strict: [true, false],
  note: ["", "a b"],
};

/** Members of a book, which are valid in the query as members of `book`. */
const bookFields: typeof fields = {
  title: ["a", "", "50 % & more"],
  pages: [0, 300],
  kind: ["NOVEL", "POEM"],
  sold: [true, false],
  notes: [["a", "b"]],
  printed: ["2026-01-02T03:04:05.678901Z"],
};

/** Returns a random valid request. */
export function randomCase(random: Random): HttpCase {
  const id = (): string => random.pick(ids);
  const head = random
    .pick(heads)
    .replace(/\*\*|\*/g, (wildcard) =>
      wildcard === "*" ? id() : [id(), ...random.list(2, id)].join("/"),
    );
  if (/^(POST|PUT|PATCH)/.test(head) && !/^P[A-Z]+ \/v1\/(shelves\/[^/]+\/books)/.test(head))
    return caseOf([head, JSON.stringify(some(fields, random))]);
  if (head.startsWith("PUT")) {
    const book = some(bookFields, random);
    return caseOf([head, JSON.stringify({ ...some(fields, random), book })]);
  }
  if (/^(POST|PATCH)/.test(head))
    return caseOf([
      `${head}${queryOf(some(fields, random))}`,
      JSON.stringify(some(bookFields, random)),
    ]);
  const book = Object.entries(some(bookFields, random));
  const inBook = book.map(([name, value]) => [`book.${name}`, value] as const);
  return caseOf(`${head}${queryOf({ ...some(fields, random), ...Object.fromEntries(inBook) })}`);
}

/** Returns some members with values, in any order. */
function some(members: typeof fields, random: Random): Readonly<Record<string, unknown>> {
  const names = random.list(4, () => random.pick(Object.keys(members)));
  return Object.fromEntries(names.map((name) => [name, random.pick(members[name] ?? [])]));
}

function queryOf(members: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(members))
    for (const each of [value].flat()) query.append(name, String(each));
  return query.size === 0 ? "" : `?${query.toString()}`;
}
