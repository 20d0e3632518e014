import fc, { type Arbitrary } from 'fast-check';

/** The part of JSON Schema that the document uses for requests. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly example?: unknown;
}
export type Resolve = (schema: Schema) => Schema;

/** Texts that were trouble somewhere, once. */
export const NASTY = [
  '',
  ' ',
  '0',
  '-1',
  '1e3',
  'null',
  'true',
  '\0',
  '\ud800',
  '\u202e',
  '\ufeff',
  'ß.test',
  'xn--',
  '..',
  '/',
  '%',
  '__proto__',
  'constructor',
  "' or 1=1 --",
  '{{7*7}}',
  '<script>',
  'http://127.0.0.1/',
  'a@b',
  '😀'.repeat(40),
  'available.test',
  'throttled.test',
  'timeout.test',
  'unreachable.test',
  'garbage.test',
  'lifecycle-12s.test',
];
const STRAY = fc.constantFrom(...NASTY);

/** Values that obey a schema. */
export function obeying(schema: Schema, resolve: Resolve): Arbitrary<unknown> {
  const { type, enum: values, example, anyOf, oneOf, allOf, ...rest } = resolve(schema);
  const choices = anyOf ?? oneOf ?? (allOf?.length === 1 ? allOf : undefined);
  if (choices) return fc.oneof(...choices.map((one) => obeying(one, resolve)));
  if (values) return fc.constantFrom(...values);
  const kinds = [type ?? 'string'].flat().map((kind) => ofType(kind, rest, resolve));
  return fc.oneof(...kinds, ...(example === undefined ? [] : [fc.constant(example)]));
}

function ofType(type: string, schema: Schema, resolve: Resolve): Arbitrary<unknown> {
  const { minimum = -(2 ** 31), maximum = 2 ** 31, minItems = 0, maxItems = 5, items = {} } = schema;
  switch (type) {
    case 'integer':
      return fc.integer({ min: minimum, max: maximum });
    case 'number':
      return fc.double({ min: minimum, max: maximum, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(obeying(items, resolve), { minLength: minItems, maxLength: Math.min(maxItems, minItems + 5) });
    case 'object':
      return objects(schema, resolve);
    default:
      return texts(schema);
  }
}

function texts({ pattern, format, minLength = 0, maxLength = 80 }: Schema): Arbitrary<string> {
  if (format === 'date-time') return dates();
  if (format === 'date') return days().filter((day) => new RegExp(pattern ?? '').test(day)); // of real days only
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern, 'u'));
  const length = { minLength, maxLength: Math.max(minLength, Math.min(maxLength, 80)) };
  const fits = (text: string) => [...text].length >= minLength && [...text].length <= maxLength;
  return fc.oneof(fc.string({ ...length, unit: 'binary' }), fc.string(length), STRAY.filter(fits));
}

function days(): Arbitrary<string> {
  return fc
    .date({ min: new Date('1990-01-01'), max: new Date('2999-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10));
}

function dates(): Arbitrary<string> {
  const range = { min: new Date('2020-01-01T00:00:00Z'), max: new Date('2040-01-01T00:00:00Z'), noInvalidDate: true };
  return fc.date(range).map((date) => date.toISOString());
}

function objects({ properties = {}, required = [], additionalProperties }: Schema, resolve: Resolve) {
  const known = fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, obeying(schema, resolve)])),
    { requiredKeys: [...required] },
  );
  if (typeof additionalProperties !== 'object') return known;
  const others = fc.dictionary(fc.stringMatching(/^x-[a-z]{1,8}$/), obeying(additionalProperties, resolve), {
    maxKeys: 3,
  });
  return fc.tuple(known, others).map(([one, other]) => ({ ...one, ...other }));
}

/** Something that has little to do with a schema, or a body that obeys but for one of its fields. */
export function straying(schema: Schema, resolve: Resolve): Arbitrary<unknown> {
  const anything = fc.oneof(STRAY, fc.integer(), fc.double(), fc.constant(null), fc.boolean(), fc.jsonValue());
  const { type, properties = {} } = resolve(schema);
  if (type !== 'object') return anything;
  const name = fc.oneof(fc.constantFrom(...Object.keys(properties), '__proto__', 'toString', 'extra'), STRAY);
  const bent = fc
    .tuple(obeying(schema, resolve), name, anything)
    .map(([body, key, value]) => withField(body, key, value));
  const lacking = fc.tuple(obeying(schema, resolve), name).map(([body, key]) => without(body, key));
  return fc.oneof({ weight: 4, arbitrary: bent }, lacking, anything);
}

/** Also where the name is `__proto__`, as JSON.parse has it. */
function withField(body: unknown, name: string, value: unknown): object {
  const bent = { ...(body as object) };
  Object.defineProperty(bent, name, { value, enumerable: true, configurable: true, writable: true });
  return bent;
}

function without(body: unknown, name: string): object {
  return Object.fromEntries(Object.entries(body as object).filter(([key]) => key !== name));
}
