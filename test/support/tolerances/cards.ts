import * as old from "../../../generated/0.3.0/index.js";
import * as present from "../../../generated/1.0/index.js";
import type { Output } from "../scripted.js";
import type { Read, ToleranceRow } from "./row.js";

const origin = "http://127.0.0.1:4000";
const outputs = { "0.3": old as unknown as Output, "1.0": present as unknown as Output };

const skill = { id: "a", name: "Answer", description: "Answers.", tags: ["answer"] };
const common = {
  name: "Peer",
  description: "Answers.",
  version: "1.0.0",
  skills: [skill],
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  capabilities: { streaming: true },
};
const oldCard = { ...common, url: `${origin}/` };
const plain = { url: `${origin}/`, protocolBinding: "JSONRPC" };
const card = { ...common, supportedInterfaces: [{ ...plain, protocolVersion: "1.0" }] };

/** An agent serves a card. Returns the card that the client reads and the version that it calls. */
function carded(version: keyof typeof outputs, body: object): Read {
  return async (options) => {
    const fetch = (): Promise<Response> => Promise.resolve(Response.json(body));
    const client = await outputs[version].connect(origin, { fetch, ...options });
    return { card: client.card, version: Reflect.get(client, "version") as unknown };
  };
}

/** Tolerances for agent cards. */
export const cardTolerances: readonly ToleranceRow[] = [
  {
    id: "cards without a version",
    accepts:
      "A card of an earlier version without `protocolVersion` has the version of the client.",
    peers: ["agents before 0.2.5, and agents written by hand"],
    section: "0.3.0 section 5.5: protocolVersion is required",
    versions: ["0.2", "0.3"],
    responses: {
      "a card": {
        form: carded("0.3", oldCard),
        reading: { card: { ...oldCard, protocolVersion: "0.3.0" }, version: "0.3" },
        neighbours: {
          "a version that is a number": carded("0.3", { ...oldCard, protocolVersion: 0.3 }),
          "no URL": carded("0.3", common),
        },
      },
    },
  },
  {
    id: "interfaces without a version",
    accepts: "An interface without `protocolVersion` has the `protocolVersion` of the card.",
    peers: ["Java SDK 1.0.0.Alpha"],
    section: "1.0 section 4.4.6: protocolVersion is required",
    versions: ["1.0"],
    responses: {
      "a card": {
        form: carded("1.0", { ...card, protocolVersion: "1.0", supportedInterfaces: [plain] }),
        reading: { card: { ...card, supportedInterfaces: [plain] }, version: "1.0" },
        neighbours: {
          "no version at all": carded("1.0", { ...card, supportedInterfaces: [plain] }),
          "another version of the card": carded("1.0", {
            ...card,
            protocolVersion: "0.3.0",
            supportedInterfaces: [plain],
          }),
          "another version of the interface": carded("1.0", {
            ...card,
            protocolVersion: "1.0",
            supportedInterfaces: [{ ...plain, protocolVersion: "0.3" }],
          }),
        },
      },
    },
  },
  {
    id: "invalid members that no call needs",
    accepts: "An optional member of a card that is invalid is left out, unless calls depend on it.",
    peers: ["agents written by hand"],
    section: "1.0 section 4.4: types of the members of a card",
    versions: ["0.2", "0.3", "1.0"],
    responses: {
      "a provider without an organization": {
        form: carded("1.0", { ...card, provider: { name: "Peer" } }),
        reading: { card, version: "1.0" },
        neighbours: {
          "a name that is a number": carded("1.0", { ...card, name: 1 }),
          "skills that are strings": carded("1.0", { ...card, skills: ["answer"] }),
          "capabilities that are a list": carded("1.0", { ...card, capabilities: ["streaming"] }),
          "security schemes that are a list": carded("1.0", {
            ...card,
            securitySchemes: ["bearer"],
          }),
          "too many invalid members": carded("1.0", {
            ...card,
            skills: Array.from({ length: 30 }, () => ({ ...skill, examples: [{}] })),
          }),
        },
      },
      "examples that are objects": {
        form: carded("1.0", { ...card, skills: [{ ...skill, examples: [{ input: "a" }, "b"] }] }),
        reading: { card, version: "1.0" },
        neighbours: {
          "an id that is an object": carded("1.0", { ...card, skills: [{ ...skill, id: {} }] }),
        },
      },
      "a provider of 0.3": {
        form: carded("0.3", { ...oldCard, protocolVersion: "0.3.0", provider: "Peer" }),
        reading: { card: { ...oldCard, protocolVersion: "0.3.0" }, version: "0.3" },
        neighbours: {
          "a URL that is a list": carded("0.3", { ...oldCard, protocolVersion: "0.3.0", url: [] }),
        },
      },
    },
  },
];
