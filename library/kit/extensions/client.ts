import { isObject, type JsonObject } from "../../runtime/base/json.js";
import { memberAt } from "../../runtime/protocol/requirements.js";
import type { Call, Interceptor } from "../../runtime/protocol/transport.js";
import type { AgentCard, Message } from "../model.js";
import type { ExtensionFacts } from "../kit-facts.js";
import type { ClientExtension } from "./extension.js";

/** Options for {@link withExtensions}. */
export interface ExtensionsOptions {
  /**
   * The agent card, for a client that has not fetched it. A card that `connect` fetches replaces
   * it.
   */
  readonly card?: AgentCard;
}

/** Implements {@link ClientFunctions.withExtensions} with facts about a version. */
export function withExtensions(
  extensions: readonly ClientExtension[],
  { card }: ExtensionsOptions,
  facts: ExtensionFacts,
): Interceptor {
  const { discovery, protocol } = facts;
  const header = protocol.headers.extensions.toLowerCase();
  let currentCard: object | undefined = card;
  const requesting = (call: Call): Call => {
    const headers: Readonly<Record<string, string | undefined>> = call.headers;
    const given = headers[header]?.split(",").map((uri) => uri.trim()) ?? [];
    const uris = [...new Set([...given, ...extensions.map(({ uri }) => uri)])];
    return { ...call, extensions: uris, headers: { ...call.headers, [header]: uris.join(",") } };
  };
  const prepared = async (call: Call): Promise<Call> => {
    const { request } = call;
    if (!isObject(request) || !isObject<Message>(request["message"])) return call;
    // The types of the client's methods ensure that the request matches its operation.
    let message = request["message"] as unknown as Message;
    for (const extension of extensions) {
      const declared =
        currentCard === undefined ? unknownEntry : declarationOf(extension.uri, currentCard, facts);
      if (!extension.prepares || declared === undefined) continue;
      message = await extension.prepare({ message, params: declared.params });
    }
    return { ...call, request: { ...request, message } };
  };
  return {
    checkCard(given) {
      currentCard = given;
    },
    async unary(call, next) {
      if (call.operation.name === `GET ${discovery.path}`) {
        const response = await next(requesting(call));
        if (isObject(response)) currentCard = response;
        return response;
      }
      return next(await prepared(requesting(call)));
    },
    async *stream(call, next) {
      yield* next(await prepared(requesting(call)));
    },
  };
}

/** Entry to use if the agent card is unknown. Every extension then counts as declared. */
const unknownEntry = { params: undefined };

/**
 * Returns the entry in a card that declares an extension; `undefined` if the card does not declare
 * the extension.
 */
function declarationOf(
  uri: string,
  card: object,
  { discovery: { extensions: keys } }: ExtensionFacts,
): { readonly params: JsonObject | undefined } | undefined {
  const list = keys === undefined ? [] : memberAt(card, keys.list);
  const entries: readonly unknown[] = Array.isArray(list) ? list : [];
  const found = entries.find(
    (entry) => isObject(entry) && keys !== undefined && entry[keys.uri] === uri,
  );
  if (!isObject(found)) return undefined;
  const { params } = found;
  return { params: isObject(params) ? (params as JsonObject) : undefined };
}
