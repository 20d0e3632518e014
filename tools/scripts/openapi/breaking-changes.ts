import { SchemaChanges } from './schema-changes.js';

export type Json = Readonly<Record<string, unknown>>;

interface Referring {
  readonly $ref?: string;
}
interface Parameter extends Referring {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: Json;
}
interface Content extends Referring {
  readonly content?: Readonly<Record<string, { readonly schema?: Json }>>;
}
interface Operation {
  readonly operationId?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content & { readonly required?: boolean };
  readonly responses: Readonly<Record<string, Content>>;
  readonly 'x-required-scope'?: string;
}
type Operations = Readonly<Record<string, Readonly<Record<string, Operation>>>>;
interface Document {
  readonly paths: Operations;
  readonly webhooks?: Operations;
  readonly components?: {
    readonly parameters?: Readonly<Record<string, Parameter>>;
    readonly responses?: Readonly<Record<string, Content>>;
  };
}

/**
 * Returns a line for each change that may break a program written for the old document. Additions break nothing, and
 * neither do new enumeration values in responses, which the API tells clients to expect.
 */
export function breakingChanges(before: Json, after: Json): string[] {
  const schemas = new SchemaChanges(before, after);
  const [old, now] = [before, after].map((document) => document as unknown as Document);
  return [
    ...changesIn(inlined(old), inlined(now), (was, is) => changesOf(was, is, schemas)),
    ...changesIn(old?.webhooks, now?.webhooks, (was, is) => webhookChanges(was, is, schemas)),
  ];
}

/** Replaces references to shared parameters and responses by their content. */
function inlined(document: Document | undefined): Operations {
  const shared = <Part extends Referring>(part: Part, all: Readonly<Record<string, Part>> = {}): Part =>
    part.$ref === undefined ? part : (all[part.$ref.split('/').at(-1) ?? ''] ?? part);
  const { parameters, responses } = document?.components ?? {};
  const inline = (operation: Operation): Operation => ({
    ...operation,
    parameters: (operation.parameters ?? []).map((one) => shared(one, parameters)),
    responses: mapValues(operation.responses, (one) => shared(one, responses)),
  });
  return mapValues(document?.paths ?? {}, (operations) => mapValues(operations, inline));
}

function mapValues<Value, Result>(all: Readonly<Record<string, Value>>, map: (value: Value) => Result) {
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, map(value)]));
}

function changesIn(
  before: Operations | undefined,
  after: Operations | undefined,
  compare: (before: Operation, after: Operation) => string[],
): string[] {
  const now = operationsOf(after);
  return [...operationsOf(before)].flatMap(([name, operation]) => {
    const its = now.get(name);
    return its ? compare(operation, its).map((change) => `${name}: ${change}`) : [`${name} is gone`];
  });
}

function operationsOf(operations: Operations = {}): ReadonlyMap<string, Operation> {
  const found = Object.entries(operations).flatMap(([path, all]) =>
    Object.entries(all).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
  );
  return new Map(found);
}

/** Compares what we send to receivers, who must still understand it. */
function webhookChanges(before: Operation, after: Operation, schemas: SchemaChanges): string[] {
  const lost = headersOf(before).filter((header) => !headersOf(after).includes(header));
  const compare = (old: Json, now: Json) => schemas.ofAnswered(old, now, 'body');
  return [
    ...lost.map((header) => `${header} is no longer sent`),
    ...contentChanges(before.requestBody, after.requestBody, 'body', compare),
  ];
}

/** Webhooks share their headers, so these are references. */
function headersOf({ parameters = [] }: Operation): string[] {
  return parameters.map(({ $ref, name }) => $ref?.split('/').at(-1) ?? name);
}

function changesOf(before: Operation, after: Operation, schemas: SchemaChanges): string[] {
  const scope = 'x-required-scope';
  return [
    ...(before.operationId === after.operationId ? [] : [`operationId is ${after.operationId}`]),
    ...(before[scope] === after[scope] ? [] : [`needs the scope ${after[scope] ?? '(none)'}`]),
    ...parameterChanges(before, after, schemas),
    ...bodyChanges(before.requestBody, after.requestBody, schemas),
    ...answerChanges(before.responses, after.responses, schemas),
  ];
}

function parameterChanges(before: Operation, after: Operation, schemas: SchemaChanges): string[] {
  const named = ({ parameters = [] }: Operation) => new Map(parameters.map((one) => [`${one.in} ${one.name}`, one]));
  const [old, now] = [named(before), named(after)];
  const demanded = [...now].filter(([name, { required }]) => required && !old.get(name)?.required);
  const kept = [...old].flatMap(([name, { schema = {} }]) => {
    const its = now.get(name);
    return its ? schemas.ofSent(schema, its.schema ?? {}, name) : [`${name} is no longer taken`];
  });
  return [...demanded.map(([name]) => `${name} is required`), ...kept];
}

function bodyChanges(
  before: Operation['requestBody'],
  after: Operation['requestBody'],
  schemas: SchemaChanges,
): string[] {
  const demanded = after?.required && !before?.required ? ['a body is required'] : [];
  const kept = contentChanges(before, after, 'body', (old, now) => schemas.ofSent(old, now, 'body'));
  return [...demanded, ...kept];
}

function answerChanges(
  before: Operation['responses'],
  after: Operation['responses'],
  schemas: SchemaChanges,
): string[] {
  return Object.entries(before).flatMap(([status, old]) => {
    const now = after[status];
    if (!now) return status.startsWith('2') ? [`${status} is no longer answered`] : [];
    return contentChanges(old, now, status, (was, is) => schemas.ofAnswered(was, is, status));
  });
}

function contentChanges(
  before: Content | undefined,
  after: Content | undefined,
  at: string,
  compare: (before: Json, after: Json) => string[],
): string[] {
  return Object.entries(before?.content ?? {}).flatMap(([type, { schema = {} }]) => {
    const now = after?.content?.[type];
    return now ? compare(schema, now.schema ?? {}) : [`${at} is no longer ${type}`];
  });
}
