import type { Departure } from "../departures.js";
import { at, type Json } from "../json.js";
import {
  activating,
  all,
  answering,
  canceling,
  client,
  http,
  limitedRead,
  limitedSend,
  otherCard,
  protobuf,
  refusals,
  refusing,
  rest,
  server,
  storing,
  storingPaths,
  subscribing,
  textAbout,
  unlisted,
} from "./evidence.js";

const rawPaths = {
  does: "The client does not escape ids in paths. It rejects ids that make an invalid URL, and drops everything after `?` or `#`.",
  says: "RFC 3986 section 2.2: reserved characters in data are percent-encoded.",
};
const paths = {
  ...rawPaths,
  does: "The client does not escape ids in paths: everything after `?` or `#` is dropped, and a `/` changes the path.",
};
const unreported = {
  over: http,
  does: "The SDK has no API for an agent to report activated extensions.",
};
const extensionsOf10 = "docs/topics/extensions.md: the response lists the active extensions.";
const extensionsOf03 = `0.3.0 section 4.2.1 and ${extensionsOf10}`;
const headers = {
  over: all,
  does: "A header that lists several extensions is read as a single name.",
  at: { "an agent activates an extension": ["what the server is asked"] },
};
const wholeHistory = {
  over: all,
  does: "The server ignores configuration.historyLength and returns the whole history.",
  at: limitedSend,
};
const unreadable = {
  does: "The client cannot read a file with binary content, nor the response that contains it.",
  says: "0.3.0, a2a.proto: FilePart.file_with_bytes is bytes.",
  at: {
    "the agent responds with a message": ["the answer"],
    "the agent responds with a stream of one message": ["the events"],
    "data contains null": ["the answer"],
    "a message starts a task that completes": ["what goes wrong"],
    "a stream starts a task that completes": ["the events"],
    "an agent activates an extension": ["what goes wrong"],
  },
};
const listAndDelete = "0.3.0 sections 7.7 and 7.8: tasks/pushNotificationConfig/list and delete.";

/** Departures of the SDKs for 1.0. */
const departuresOf10: readonly Departure[] = [
  {
    by: [client.python],
    over: rest,
    ...paths,
    at: {
      ...refusing(
        textAbout("getting an unknown task"),
        ...refusals.slice(1, 3).flatMap((what) => [what, textAbout(what)]),
      ),
      ...storingPaths,
    },
  },
  {
    by: [server.python],
    over: all,
    does: "The stream starts with a status update, because agents cannot send a task twice.",
    says: "1.0 section 3.1.2: the stream starts with the task.",
    at: {
      "a task asks for input and gets a streamed reply": {
        "the events": (events) => {
          const { id: taskId, contextId, status } = at(events, 0, "task") as Json;
          return [
            { statusUpdate: { taskId, contextId, status } },
            ...(events as readonly unknown[]).slice(1),
          ];
        },
      },
    },
  },
  {
    by: [server.python, server.rust],
    ...unreported,
    says: extensionsOf10,
    at: { "an agent activates an extension": { "the extensions in use": () => null } },
  },
  {
    by: [client.go],
    over: ["JSONRPC"],
    does: "The client only sees an error sent as a stream event. Other SDKs cannot read the class of an error sent this way.",
    says: "1.0 section 9.4.2 does not define how to send an error before the first event.",
    at: refusing(
      ...refusals.slice(2, 5).filter((what) => what !== "a message to an unknown task"),
      ...["subscribing to an unknown task", "a stream with an unknown task"].map(textAbout),
      "subscribing to what has ended",
    ),
  },
  {
    by: [client.go],
    over: rest,
    ...rawPaths,
    at: {
      ...refusing(...refusals.slice(0, 3).flatMap((what) => [what, textAbout(what)])),
      ...storingPaths,
    },
  },
  {
    by: [server.go],
    ...wholeHistory,
    says: "1.0 section 3.2.4: historyLength limits the history in the response.",
  },
  {
    by: [server.go],
    over: all,
    does: "For an ended task, the server rejects a message with InvalidParamsError and a subscription with TaskNotFoundError.",
    says: "1.0 sections 3.1.1 and 3.1.6: UnsupportedOperationError.",
    at: refusing("a message to what has ended", "subscribing to what has ended"),
  },
  {
    by: [server.go],
    over: all,
    does: "For a missing push configuration, the error is not an A2A error.",
    says: "1.0 sections 3.1.7 and 3.1.8: TaskNotFoundError.",
    at: storing("reading what is gone"),
  },
  {
    by: [server.go],
    ...headers,
    says: "1.0 section 3.2.6: A2A-Extensions is a comma-separated list.",
  },
  {
    by: [server.go],
    over: http,
    does: "The response does not list the active extensions.",
    says: extensionsOf10,
    at: activating,
  },
  {
    by: [client.rust],
    over: rest,
    ...paths,
    at: {
      ...refusing(
        textAbout("getting an unknown task"),
        "canceling an unknown task",
        ...refusals.slice(1, 3).map(textAbout),
      ),
      ...storingPaths,
    },
  },
  {
    by: [server.rust],
    over: rest,
    does: "The server rejects an empty page token in the query.",
    says: "protobuf, field presence: an empty string means that the field is absent.",
    at: { "a client lists tasks": ["all, page by page"] },
  },
  {
    by: [server.rust],
    over: all,
    does: "The server does not check that the task of a push configuration exists.",
    says: "1.0 section 3.1.7: TaskNotFoundError.",
    at: storing("an unknown task"),
  },
];

/** Departures of the SDKs for 0.3, and of those for 1.0 that speak 0.3. */
const departuresOf03: readonly Departure[] = [
  { by: [client.oldPython, client.pythonForOld], over: protobuf, ...unreadable },
  { by: [client.oldGo], over: ["GRPC"], ...unreadable },
  {
    by: [server.oldPython, server.pythonForOld, server.oldGo],
    over: protobuf,
    does: "The server cannot read a file with binary content, nor the request that contains it.",
    says: unreadable.says,
    at: {
      "the agent responds with a message": ["what the server is asked", "the answer"],
      "a message starts a task that completes": ["what the server is asked", "what goes wrong"],
      "a stream starts a task that completes": ["what the server is asked", "what goes wrong"],
    },
  },
  {
    by: [client.oldPython],
    over: all,
    does: "The client has no methods to list and to delete push configurations.",
    says: listAndDelete,
    at: unlisted,
  },
  {
    by: [client.pythonForOld],
    over: rest,
    does: "The client cannot list or delete push configurations.",
    says: listAndDelete,
    at: unlisted,
  },
  {
    by: [client.oldPython],
    over: ["JSONRPC", "GRPC"],
    does: "Because the client cannot delete a push configuration, it still exists afterwards.",
    says: "0.3.0 section 7.8: tasks/pushNotificationConfig/delete.",
    at: storing("reading what is gone"),
  },
  {
    by: [client.oldPython],
    over: protobuf,
    does: "The client reports only the HTTP or gRPC status of an error, and ignores its body and details.",
    says: "0.3.0 section 3.2.3: HTTP+JSON and gRPC carry the same errors as JSON-RPC.",
    at: { ...refusing(...refusals), ...storing("an unknown task") },
  },
  { by: [client.oldPython], over: rest, ...paths, at: storing("what is read") },
  {
    by: [client.pythonForOld],
    over: rest,
    ...paths,
    at: { ...refusing(...refusals.slice(1, 3)), ...storing("what is read") },
  },
  {
    by: [client.oldGo],
    over: rest,
    ...rawPaths,
    at: { ...refusing(...refusals.slice(0, 3)), ...storingPaths },
  },
  {
    by: [client.oldPython],
    over: rest,
    does: "The client parses the extended card as another type: its security schemes lose their kind.",
    says: "0.3.0 section 5.5: the card is always the JSON of AgentCard.",
    at: { "a client reads the extended card": ["the card"] },
  },
  {
    by: [server.oldPython],
    over: all,
    does: "Subscribers are not notified of a cancellation and wait forever.",
    says: "0.3.0 section 7.2.2: the stream ends with an event that is final.",
    at: canceling,
  },
  {
    by: [server.oldPython, server.java],
    over: all,
    does: "A resumed stream starts with the next event, not with the task.",
    says: "0.3.0 section 7.9 does not define the first event.",
    at: subscribing,
  },
  {
    by: [server.oldPython],
    over: all,
    does: "The server always returns the first push configuration of a task, whichever id the request has.",
    says: "0.3.0 section 7.6: pushNotificationConfigId selects the configuration.",
    at: storing("what is read", "reading what is gone"),
  },
  {
    by: [server.oldPython],
    over: rest,
    does: "An error in a stream breaks the connection. Most other errors arrive as an unknown exception or as a status without a class.",
    says: "0.3.0 section 8: the code identifies the error.",
    at: refusing(...refusals.slice(2)),
  },
  {
    by: [server.oldPython],
    over: protobuf,
    does: "The server has no methods to list and to delete push configurations.",
    says: "0.3.0, a2a.proto: ListTaskPushNotificationConfig and DeleteTaskPushNotificationConfig.",
    at: unlisted,
  },
  {
    by: [server.oldPython],
    over: rest,
    does: "Only JSON-RPC responses list the active extensions.",
    says: extensionsOf03,
    at: activating,
  },
  {
    by: [server.oldPython, server.java],
    over: ["GRPC"],
    does: "GetAgentCard returns the public card.",
    says: "0.3.0 section 7.10: the call returns the authenticated extended card.",
    at: otherCard,
  },
  {
    by: [server.pythonForOld],
    over: all,
    does: "The stream starts with a status update, because agents cannot send a task twice.",
    says: "0.3.0 section 7.2 does not define the first event.",
    at: answering,
  },
  {
    by: [server.pythonForOld],
    over: rest,
    does: "An error before the first event of a stream breaks the connection.",
    says: "0.3.0 section 8.2: TaskNotFoundError.",
    at: refusing("subscribing to an unknown task", "a stream with an unknown task"),
  },
  {
    by: [server.pythonForOld],
    over: rest,
    does: "The server has no route to delete a push configuration.",
    says: "0.3.0 section 7.8: tasks/pushNotificationConfig/delete.",
    at: storing(
      "what the server is asked",
      "the result is empty",
      "the list after that",
      "reading what is gone",
    ),
  },
  { by: [server.pythonForOld], ...unreported, says: extensionsOf03, at: activating },
  {
    by: [server.oldGo, server.java],
    ...wholeHistory,
    says: "0.3.0 section 7.1.2: historyLength is the number of recent messages to retrieve in the response.",
  },
  {
    by: [server.oldGo],
    ...headers,
    says: "0.3.0 section 4.2.1 and docs/topics/extensions.md: the header is a comma-separated list.",
  },
  {
    by: [server.oldGo, server.java],
    over: http,
    does: "The response does not list the active extensions.",
    says: extensionsOf03,
    at: activating,
  },
  {
    by: [client.java],
    over: rest,
    does: "A one-digit history length is sent with a leading space in the query, so the URL is invalid.",
    says: "RFC 3986 section 3.4: a query has no spaces.",
    at: {
      "a call returns before its task ends": ["what goes wrong"],
      ...limitedRead,
      "a client leaves a stream": ["the task, which continues"],
    },
  },
  {
    by: [client.java],
    over: rest,
    does: "The client does not escape ids in paths, and only reads errors in a non-standard format.",
    says: "RFC 3986 section 2.2, and 0.3.0 section 8: the code identifies the error.",
    at: {
      ...refusing(...refusals),
      ...storing(
        "what the server is asked",
        "what is read",
        "the result is empty",
        "the list after that",
        "an unknown task",
      ),
    },
  },
  {
    by: [client.java],
    over: protobuf,
    does: "The client returns its cached card and does not request the extended card.",
    says: "0.3.0 section 7.10: the call returns the authenticated extended card.",
    at: otherCard,
  },
  {
    by: [server.java],
    over: all,
    does: "Subscribers may not be notified of a cancellation.",
    says: "0.3.0 section 7.2.2: the stream ends with an event that is final.",
    isRace: true,
    at: canceling,
  },
  {
    by: [server.java],
    over: all,
    does: "A message to an unknown task creates a task with that id.",
    says: "0.3.0 section 8.2: TaskNotFoundError.",
    at: refusing("a message to an unknown task", "a stream with an unknown task"),
  },
  {
    by: [server.java],
    over: all,
    does: "For a missing push configuration, the server returns another configuration of the task.",
    says: "0.3.0 section 7.6: pushNotificationConfigId selects the configuration.",
    at: storing("reading what is gone"),
  },
  {
    by: [server.java],
    over: rest,
    does: "The server reads history_length from the query instead of historyLength.",
    says: "0.3.0 section 7.3: the query has historyLength.",
    at: limitedRead,
  },
  {
    by: [server.java],
    over: protobuf,
    does: "The server rejects a message with null in data.",
    says: "google/protobuf/struct.proto: null is NullValue.NULL_VALUE.",
    at: { "data contains null": ["the answer"] },
  },
];

/**
 * Departures of the SDKs of other languages. When an SDK is mended, `npm run interop` fails and the
 * SDK can go from the row.
 */
export const departures: readonly Departure[] = [...departuresOf10, ...departuresOf03];
