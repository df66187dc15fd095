import * as sdk from "@a2a-js/sdk";
import type { ZodType } from "zod";
import { readResponse, type Expected } from "../../library/runtime/protocol/response.js";
import { getTask, sendMessage } from "../../generated/1.0/client/calls.js";
import { errors } from "../../generated/1.0/errors.js";
import {
  isSendMessageRequest,
  isTask,
  parseSendMessageRequest,
  parseTask,
  validateSendMessageRequest,
  validateTask,
} from "../../generated/1.0/validators.js";
import type { Validation } from "../../library/runtime/schema/schema.js";
import { standalone, type Standalone } from "../ajv-standalone.js";
import { rates, thorough, type Effort } from "../clock.js";
import { fromWire, invalidSendRequest, invalidTask, sendRequest, task } from "../documents.js";
import { rate, type Result } from "../result.js";
import * as zod from "../zod-schemas.js";

/** A type of document, and all validators for it. */
interface Subject {
  readonly name: string;
  readonly valid: unknown;
  readonly invalid: unknown;
  readonly is: (value: unknown) => boolean;
  readonly validate: (value: unknown) => Validation<unknown>;
  readonly parse: (value: unknown) => unknown;
  /** A response of the same size, which contains the valid document or its message. */
  readonly response: Response;
  /** Ajv, stopping at the first error. */
  readonly first: Standalone;
  /** Like `first`, but also checks values without constraints. */
  readonly json: Standalone;
  /** Ajv, collecting all errors. */
  readonly all: Standalone;
  readonly zod: ZodType;
  /** The reader of the SDK. It does not validate: invalid values become defaults or text. */
  readonly fromJson: (value: unknown) => unknown;
}

/** A response to a client. */
interface Response {
  readonly name: string;
  readonly value: unknown;
  readonly expected: Expected;
  /** The reader of the SDK, which does not validate. */
  readonly fromJson: (value: unknown) => unknown;
}

/**
 * Measures validators on documents as `JSON.parse` returns them. Ajv does not check the content of
 * `metadata` and `data`, unless the name of the measurement includes them, nor if the day of a
 * timestamp exists. Zod copies the values that it accepts.
 */
export async function* measure(effort: Effort = thorough): AsyncGenerator<Result> {
  const names = ["Task", "SendMessageRequest"] as const;
  const first = await standalone(names);
  const all = await standalone(names, { allErrors: true });
  const json = await standalone(names, { checksJson: true });
  const subjects: readonly Subject[] = [
    {
      name: "task with ten messages",
      valid: fromWire(task),
      invalid: fromWire(invalidTask),
      is: isTask,
      validate: validateTask,
      parse: parseTask,
      response: {
        name: "a task with ten messages",
        value: fromWire(task),
        expected: getTask,
        fromJson: (value) => sdk.Task.fromJSON(value),
      },
      first: first.Task,
      json: json.Task,
      all: all.Task,
      zod: zod.Task,
      fromJson: (value) => sdk.Task.fromJSON(value),
    },
    {
      name: "send request",
      valid: fromWire(sendRequest),
      invalid: fromWire(invalidSendRequest),
      is: isSendMessageRequest,
      validate: validateSendMessageRequest,
      parse: parseSendMessageRequest,
      response: {
        name: "a message",
        value: fromWire({ message: sendRequest.message }),
        expected: sendMessage,
        fromJson: (value) => sdk.SendMessageResponse.fromJSON(value),
      },
      first: first.SendMessageRequest,
      json: json.SendMessageRequest,
      all: all.SendMessageRequest,
      zod: zod.SendMessageRequest,
      fromJson: (value) => sdk.SendMessageRequest.fromJSON(value),
    },
  ];
  for (const subject of subjects) agree(subject);
  for (const subject of subjects) yield* ofValid(subject, effort);
  for (const subject of subjects) yield* ofResponse(subject, effort);
  for (const subject of subjects) yield* ofInvalid(subject, effort);
}

async function* ofValid(subject: Subject, effort: Effort): AsyncGenerator<Result> {
  const { name, valid } = subject;
  const found = await rates(
    {
      is: () => subject.is(valid),
      validate: () => subject.validate(valid),
      parse: () => subject.parse(valid),
      first: () => subject.first(valid),
      json: () => subject.json(valid),
      all: () => subject.all(valid),
      zod: () => subject.zod.safeParse(valid),
      sdk: () => subject.fromJson(valid),
    },
    effort,
  );
  yield rate(`check a ${name}`, found.is, "Ajv standalone", found.first);
  yield rate(`check a ${name}, metadata and data included`, found.is, "Ajv standalone", found.json);
  yield rate(`validate a ${name}`, found.validate, "Ajv standalone, allErrors", found.all);
  yield rate(`validate a ${name}`, found.validate, "Zod 4", found.zod);
  yield rate(
    `validate a ${name}, where the SDK converts unchecked`,
    found.validate,
    "SDK fromJSON",
    found.sdk,
  );
  yield rate(`parse a ${name} leniently`, found.parse, "Zod 4, with a copy", found.zod);
  yield rate(
    `parse a ${name} leniently, where the SDK converts unchecked`,
    found.parse,
    "SDK fromJSON",
    found.sdk,
  );
}

async function* ofResponse({ response }: Subject, effort: Effort): AsyncGenerator<Result> {
  const { name, value, expected, fromJson } = response;
  const found = await rates(
    { read: () => readResponse(expected, value, errors), sdk: () => fromJson(value) },
    effort,
  );
  yield rate(
    `read ${name} as a client does, where the SDK converts unchecked`,
    found.read,
    "SDK fromJSON",
    found.sdk,
  );
}

async function* ofInvalid(subject: Subject, effort: Effort): AsyncGenerator<Result> {
  const { name, invalid } = subject;
  const found = await rates(
    {
      is: () => subject.is(invalid),
      validate: () => subject.validate(invalid),
      first: () => subject.first(invalid),
      all: () => {
        subject.all(invalid);
        return subject.all.errors;
      },
      zod: () => subject.zod.safeParse(invalid),
    },
    effort,
  );
  yield rate(`check an invalid ${name}`, found.is, "Ajv standalone", found.first);
  yield rate(
    `all issues of an invalid ${name}`,
    found.validate,
    "Ajv standalone, allErrors",
    found.all,
  );
  yield rate(`all issues of an invalid ${name}`, found.validate, "Zod 4", found.zod);
}

/** Throws if the validators disagree about a document, because they would not do the same work. */
function agree({ name, valid, invalid, response, ...of }: Subject): void {
  const verdicts = [valid, invalid].map((value) => [
    of.is(value),
    of.validate(value).issues === undefined,
    of.first(value),
    of.json(value),
    of.all(value),
    of.zod.safeParse(value).success,
  ]);
  if (response.value !== readResponse(response.expected, response.value, errors))
    throw new Error(`A client does not return ${response.name} unchanged`);
  const right =
    verdicts[0]?.every((accepts) => accepts) === true &&
    verdicts[1]?.every((accepts) => !accepts) === true;
  if (!right) throw new Error(`Not all agree about a ${name}: ${JSON.stringify(verdicts)}`);
}
