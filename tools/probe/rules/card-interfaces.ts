import { isLocal } from "../../agents/index.js";
import { member, textAt } from "../../agents/findings.js";
import { outline, short } from "../reply.js";
import type { CardRule } from "../rule.js";
import {
  firstProblemIn,
  problemUnlessEqual,
  firstProblem,
  problemUnlessText,
  problemUnless,
} from "./expect.js";

/** Rules for the interfaces of a card, and for its delivery over HTTP. */
export const cardInterfaceRules: readonly CardRule[] = [
  {
    id: "card-served",
    level: "must",
    section: "8.2",
    earlier: "5.3",
    title: "The card is served with status 200",
    check: async (card) => {
      const reply = await card.get();
      return problemUnless(
        reply.status === 200,
        () => `expected status 200, got ${reply.status ?? outline(reply)}`,
      );
    },
  },
  {
    id: "card-content-type",
    level: "must",
    section: "8.2",
    earlier: "5.3",
    title: "The card has a JSON media type",
    check: async (card) => {
      const found = (await card.get()).headers["content-type"];
      return problemUnless(
        /^application\/(?:[\w.-]+\+)?json\b/i.test(found ?? ""),
        () => `Content-Type is ${short(found)}`,
      );
    },
  },
  {
    id: "card-interfaces",
    level: "must",
    section: "4.4.1",
    earlier: "5.6",
    title: "The card lists at least one interface",
    check: ({ report }) =>
      problemUnless(report.interfaces.length > 0, () => "the card lists no interface"),
  },
  {
    id: "card-interface-url",
    level: "must",
    section: "4.4.6",
    earlier: "5.6.1",
    title: "Each interface has an absolute URL",
    check: (card) => {
      const urls = [...card.list("supportedInterfaces"), ...card.list("additionalInterfaces")];
      return firstProblemIn(urls, "interface", (value, name) => {
        const url = textAt(value, "url") ?? "";
        const isAddress = /^[a-z][a-z\d+.-]*:\/\/\S+$/i.test(url) || /^[\w.-]+:\d+$/.test(url);
        return problemUnless(
          isAddress,
          () => `the URL of ${name} must be absolute, got ${short(url)}`,
        );
      });
    },
  },
  {
    id: "card-interface-binding",
    level: "must",
    section: "5.3",
    earlier: "5.6.1",
    title: "Each interface has a binding from the specification, or a URI",
    check: ({ report }) =>
      firstProblemIn(report.interfaces, "interface", (value, name) => {
        const binding = textAt(value, "binding") ?? "";
        const isKnown =
          ["JSONRPC", "GRPC", "HTTP+JSON"].includes(binding) ||
          /^[a-z][a-z\d+.-]*:\S+$/i.test(binding);
        return problemUnless(isKnown, () => `the binding of ${name} is unknown: ${short(binding)}`);
      }),
  },
  {
    id: "card-interface-version",
    level: "must",
    section: "3.6",
    earlier: "5.5",
    title: "Each interface has a protocol version",
    check: (card) => {
      const versions = card.isEarlier
        ? [member(card.raw, "protocolVersion")]
        : card.list("supportedInterfaces").map((value) => member(value, "protocolVersion"));
      const isVersion = (value: unknown): boolean =>
        typeof value === "string" && /^\d+\.\d+/.test(value);
      return firstProblemIn(versions, "version", (value) =>
        problemUnless(isVersion(value), () => `${short(value)} is not a version`),
      );
    },
  },
  {
    id: "card-interface-patch",
    level: "should",
    section: "3.6",
    title: "The version of an interface has no patch number",
    check: (card) =>
      firstProblemIn(card.list("supportedInterfaces"), "supportedInterfaces", (value, name) => {
        const version = textAt(value, "protocolVersion") ?? "";
        return problemUnless(
          !/^\d+\.\d+\.\d/.test(version),
          () => `${name}.protocolVersion is ${short(version)}`,
        );
      }),
  },
  {
    id: "card-interface-unique",
    level: "may",
    section: "8.3.1",
    title: "The card lists each interface only once",
    check: (card) => {
      const keys = card.list("supportedInterfaces").map((value) => JSON.stringify(value));
      return problemUnless(
        new Set(keys).size === keys.length,
        () => "supportedInterfaces contains the same interface twice",
      );
    },
  },
  {
    id: "card-interface-tls",
    level: "must",
    section: "7.1",
    earlier: "4.1",
    title: "Interfaces outside the local network use TLS",
    check: ({ report }) =>
      firstProblemIn(report.interfaces, "interface", (value, name) => {
        const url = textAt(value, "url") ?? "";
        const isPlain =
          /^(?:http|grpc):\/\//i.test(url) &&
          URL.canParse(url) &&
          !isLocal(new URL(url.replace(/^grpc/i, "http")).hostname);
        return problemUnless(!isPlain, () => `${name} does not use TLS: ${short(url)}`);
      }),
  },
  {
    id: "card-main-url",
    level: "must",
    earlier: "5.6.1",
    title: "A 0.3 card has a main URL with its transport",
    check: (card) => {
      const { raw } = card;
      return firstProblem([
        problemUnlessText(member(raw, "url"), "url"),
        problemUnlessText(member(raw, "preferredTransport"), "preferredTransport"),
      ]);
    },
  },
  {
    id: "card-public",
    level: "should",
    section: "8.6",
    earlier: "5.3",
    title: "Two requests for the card return the same card",
    check: async (card) =>
      problemUnlessEqual((await card.get({}, "again")).body, (await card.get()).body),
  },
  {
    id: "card-cache-control",
    level: "should",
    section: "8.6.1",
    title: "The response with the card has a valid Cache-Control header",
    check: async (card) => {
      const found = (await card.get()).headers["cache-control"];
      return problemUnless(
        /\b(?:max-age=\d|no-store|no-cache)/i.test(found ?? ""),
        () => `Cache-Control is ${short(found)}`,
      );
    },
  },
  {
    id: "card-etag",
    level: "should",
    section: "8.6.1",
    title: "The response with the card has an ETag",
    check: async (card) => {
      const found = (await card.get()).headers["etag"];
      return problemUnless(/^(?:W\/)?".*"$/.test(found ?? ""), () => `ETag is ${short(found)}`);
    },
  },
  {
    id: "card-etag-stable",
    level: "should",
    section: "8.6.1",
    title: "The ETag does not change while the card does not change",
    check: async (card) =>
      problemUnlessEqual(
        (await card.get({}, "again")).headers["etag"],
        (await card.get()).headers["etag"],
      ),
  },
  {
    id: "card-not-modified",
    level: "should",
    section: "8.6",
    title: "A request with the current ETag gets status 304",
    follows: ["card-etag", "card-etag-stable"],
    check: async (card) => {
      const { etag } = (await card.get()).headers;
      if (etag === undefined) return undefined;
      const { status } = await card.get({ "if-none-match": etag });
      return problemUnless(
        status === 304,
        () => `expected status 304, got ${status ?? "no response"}`,
      );
    },
  },
];
