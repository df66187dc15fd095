import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { schemaOf } from "../../generator/protocol/json-schema/json-schema.js";
import type { JsonSchema } from "../../generator/protocol/json-schema/types.js";
import type { Protocol } from "../../generator/protocol/model/types.js";

/** Result of Ajv for values of one definition. */
export interface Judge {
  readonly accepts: (value: unknown) => boolean;
  /**
   * Path of every issue as a JSON Pointer. A missing value has the path at which it is required.
   */
  readonly places: (value: unknown) => ReadonlySet<string>;
}

/**
 * Compiles the definitions of a schema, each at its first use. Members that objects inherit do not
 * count.
 */
export function judgesOf(schema: Readonly<Record<string, unknown>>): (definition: string) => Judge {
  const section = "definitions" in schema ? "definitions" : "$defs";
  const [quick, thorough] = [false, true].map((allErrors) => {
    const ajv = new Ajv({ strict: false, logger: false, ownProperties: true, allErrors });
    ajv.addSchema(schema, "schema");
    return (definition: string): ValidateFunction => {
      const validate = ajv.getSchema(`schema#/${section}/${definition}`);
      if (validate === undefined) throw new Error(`Unknown definition ${definition}`);
      return validate;
    };
  }) as [(definition: string) => ValidateFunction, (definition: string) => ValidateFunction];
  return (definition) => {
    const validate = quick(definition);
    let all: ValidateFunction | undefined;
    return {
      accepts: (value) => validate(value),
      places: (value) => {
        all ??= thorough(definition);
        all(value);
        return new Set((all.errors ?? []).flatMap(placesOf));
      },
    };
  };
}

/** The derived schema of every type, as the target `schema` writes it. */
export function derivedSchema({ types }: Protocol): {
  readonly definitions: Readonly<Record<string, JsonSchema>>;
} {
  return { definitions: Object.fromEntries(types.map((type) => [type.name, schemaOf(type)])) };
}

function placesOf({ instancePath, params }: ErrorObject) {
  const { missingProperty, additionalProperty, propertyName } = params as Readonly<
    Record<string, string | undefined>
  >;
  const member = missingProperty ?? additionalProperty ?? propertyName;
  if (member === undefined) return [instancePath];
  return [instancePath, `${instancePath}/${member.replaceAll("~", "~0").replaceAll("/", "~1")}`];
}
