import fc from "../../support/properties.js";
import { sized } from "../../support/size.js";
import protojson from "protobufjs/ext/protojson.js";
import { beforeAll, describe, expect, it } from "vitest";
import { emit, readVersion, reflect, subjects, type Emitted } from "./versions.js";

describe.each(subjects)("what the bindings of $name carry", ({ source }) => {
  const { messages, values, filled, expected, proto, wire } = readVersion(source);
  const root = reflect(proto);
  const names = messages.map(({ name, fullName, model }) => ({ name, fullName, model }));
  let emitted: Emitted;

  beforeAll(async () => {
    emitted = await emit(source);
  });

  it("is compared for every message that carries something", () => {
    expect(names.length).toBeGreaterThan(0);
    expect(wire.messages.length - names.length).toBeLessThan(2);
  });

  it.each(names)("is all of $name over gRPC, but for what the report names", ({ name, model }) => {
    const property = fc.property(values(model), (value) => {
      const arrived = emitted.decode(name, emitted.encode(name, value));
      expect(arrived).toEqual(expected(model, value, "grpc"));
      if ("name" in model) expect(emitted.is(model.name, arrived)).toBe(true);
    });
    fc.assert(property, { numRuns: sized(40, 200) });
  });

  it.each(names)("is all of $name over HTTP+JSON, but for what the report names", ({ name, model }) => {
    const property = fc.property(values(model), (value) => {
      const json: unknown = JSON.parse(JSON.stringify(emitted.toProtoJson(name, value)));
      const arrived = emitted.fromProtoJson(name, json);
      expect(arrived).toEqual(expected(model, value, "rest"));
      if ("name" in model) expect(emitted.is(model.name, arrived)).toBe(true);
    });
    fc.assert(property, { numRuns: sized(40, 200) });
  });

  it.each(names)("is the same $name to protobufjs as bytes and as ProtoJSON", ({ name, fullName, model }) => {
    const type = root.lookupType(fullName);
    const property = fc.property(values(model), (value) => {
      const fromBytes = type.decode(emitted.encode(name, value));
      const fromJson = protojson.fromJson(type, emitted.toProtoJson(name, value));
      expect(protojson.toJson(type, fromJson)).toEqual(protojson.toJson(type, fromBytes));
      const again = type.encode(fromJson).finish();
      expect(emitted.decode(name, again)).toEqual(expected(model, value, "grpc"));
    });
    fc.assert(property, { numRuns: sized(20, 100) });
  });

  it.each(names)("reads the ProtoJSON of $name that protobufjs writes", ({ name, fullName, model }) => {
    const type = root.lookupType(fullName);
    const property = fc.property(filled(model), (value) => {
      const json: unknown = protojson.toJson(type, type.decode(emitted.encode(name, value)));
      expect(emitted.fromProtoJson(name, json)).toEqual(expected(model, value, "grpc"));
    });
    fc.assert(property, { numRuns: sized(20, 100) });
  });
});
