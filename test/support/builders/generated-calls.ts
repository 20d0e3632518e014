import fc, { type Arbitrary } from 'fast-check';
import { type ApiDocument, type Operation, type Parameter, valuesOf } from '../documents/api-document.js';
import { NASTY, obeying, type Schema, straying } from './schema-arbitraries.js';

/** A request that a client might send. */
export interface GeneratedCall {
  readonly path: Readonly<Record<string, string | Id>>;
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
  /** As it goes over the wire. */
  readonly body?: string;
  /** Whether the document allows it; undefined where that is a matter of taste. */
  readonly obeys: boolean | undefined;
}
/** Something of the caller's own, made for the request, or nothing at all. */
export type Id = { readonly own: string } | { readonly missing: string };

const JSON_TYPE = 'application/json';
/** Such as `^wl_[0-9a-z]{26}$`. */
const ID_PATTERN = /^\^([a-z]+)_\[/;

/** Requests for an operation, of which some obey its document. */
export function callsOf(document: ApiDocument, operation: Operation): Arbitrary<GeneratedCall> {
  const parts = fc.record({
    path: pathOf(document, operation),
    query: queryOf(document, operation),
    headers: headersOf(document, operation),
    content: contentOf(document, operation),
  });
  return parts.map(({ path, query, headers, content }) => ({
    path,
    query: query.pairs,
    headers: { ...headers, ...content.headers },
    obeys: [content.obeys, headersObey(document, operation, headers)].reduce(both, query.obeys),
    ...(content.body === undefined ? {} : { body: content.body }),
  }));
}

/** The kind of thing that a parameter of the path names, by its pattern; undefined where it names none. */
export function kindOf({ schema }: Parameter): string | undefined {
  return ID_PATTERN.exec(String(schema['pattern']))?.[1];
}

function pathOf({ resolve }: ApiDocument, { parameters }: Operation) {
  const named = parameters.filter((one) => one.in === 'path');
  const values = named.map((parameter) => {
    const kind = kindOf(parameter);
    const garbage = fc.oneof(fc.constantFrom(...NASTY.filter(Boolean)), fc.string({ minLength: 1, maxLength: 60 }));
    if (kind === undefined) return [parameter.name, fc.oneof(garbage, obeying(parameter.schema, resolve))] as const;
    const ids = fc.oneof({ weight: 8, arbitrary: fc.constant<Id>({ own: kind }) }, fc.constant<Id>({ missing: kind }));
    return [parameter.name, fc.oneof({ weight: 9, arbitrary: ids }, garbage)] as const;
  });
  return fc.record(Object.fromEntries(values)) as Arbitrary<Record<string, string | Id>>;
}

/** Public routes take no notice of what they do not know: probes and mail programs add parameters of theirs. */
function queryOf(document: ApiDocument, { parameters, security }: Operation) {
  const named = parameters.filter((one) => one.in === 'query');
  const values = named.map((one) => [one.name, occurrencesOf(document, one)] as const);
  const unknown =
    security.length > 0 ? fc.constantFrom('foo', '__proto__', 'toString', 'page[]') : fc.constant(undefined);
  const stray = fc.oneof({ weight: 11, arbitrary: fc.constant(undefined) }, unknown);
  return fc.tuple(fc.record(Object.fromEntries(values)), stray).map(([sent, foreign]) => {
    const judged = named.map((parameter) => obeysParameter(document, parameter, sent[parameter.name] ?? []));
    const pairs = Object.entries(sent).flatMap(([name, texts]) => texts.map((text) => [name, text] as const));
    const strays = foreign === undefined ? [] : [[foreign, '1'] as const];
    // That `all` stands in place of filters is more than a document can say of parameters.
    const isSayable = named.every(({ name }) => name !== 'all');
    const obeys = judged.reduce(both, foreign === undefined);
    return { pairs: [...pairs, ...strays], obeys: obeys === true && !isSayable ? undefined : obeys };
  });
}

/** The values of a parameter: one, several, or none at all. */
function occurrencesOf({ resolve }: ApiDocument, { schema, required }: Parameter): Arbitrary<string[]> {
  const valid = obeying(schema, resolve).map((value) => [value].flat().map(String));
  const stray = fc.array(straying(schema, resolve).map(textOf), { minLength: 1, maxLength: 2 });
  const absent = fc.constant<string[]>([]);
  return fc.oneof({ weight: required ? 0 : 6, arbitrary: absent }, { weight: 8, arbitrary: valid }, stray);
}

function obeysParameter(document: ApiDocument, { schema, required }: Parameter, sent: string[]): boolean | undefined {
  const { type } = document.resolve(schema);
  if (sent.length === 0) return !required;
  if (type === 'array') return document.obeys(schema, sent);
  const [text = ''] = sent;
  if (sent.length > 1) return false;
  if (type === 'boolean') return text === 'true' || text === 'false';
  if (type !== 'integer') return document.obeys(schema, text);
  if (String(Number(text)) !== text) return /^\d+$/.test(text) ? undefined : false;
  return document.obeys(schema, Number(text));
}

/** Header values are ASCII; what is beyond that is for the HTTP parser, which others attack. */
function headersOf({ resolve }: ApiDocument, { parameters }: Operation): Arbitrary<Record<string, string>> {
  const named = parameters.filter((one) => one.in === 'header');
  const printable = (text: string) => text.replaceAll(/[^\x21-\x7e]/g, '~');
  const values = named.map(({ name, schema }) => {
    const sent = fc.oneof(obeying(schema, resolve), fc.string({ maxLength: 300 }));
    return [name, sent.map((value) => printable(textOf(value)))] as const;
  });
  const some = fc.record(Object.fromEntries(values), { requiredKeys: [] }) as Arbitrary<Record<string, string>>;
  return fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, some);
}

/** An empty header is as good as none, and others forbid what has no meaning. */
function headersObey(
  document: ApiDocument,
  { parameters }: Operation,
  sent: Readonly<Record<string, string>>,
): boolean | undefined {
  const named = parameters.filter((one) => one.in === 'header' && sent[one.name] !== undefined);
  return named.every(({ name, schema }) => document.obeys(schema, sent[name])) || undefined;
}

interface Content {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly obeys: boolean | undefined;
}

function contentOf(document: ApiDocument, { requestBody }: Operation): Arbitrary<Content> {
  if (!requestBody) return fc.constant({ headers: {}, obeys: true });
  const [[type, media] = ['', { schema: {} }]] = Object.entries(requestBody.content);
  const { schema } = media;
  const as = (mediaType: string, body: string, obeys: boolean | undefined): Content => ({
    headers: { 'content-type': mediaType },
    body,
    obeys,
  });
  const garbage = fc.oneof(fc.constantFrom('{', '[]', '"', '{"a":1,}', '\ufeff{}', '[['.repeat(40)), fc.string());
  if (type !== JSON_TYPE)
    return fc
      .oneof(...valuesOf(media).map((text) => fc.constant(String(text))), garbage)
      .map((text) => as(type, text, undefined));
  const judged = (value: unknown) => as(JSON_TYPE, JSON.stringify(value), document.obeys(schema, value));
  return fc.oneof(
    { weight: 8, arbitrary: obeying(schema as Schema, document.resolve).map(judged) },
    { weight: 8, arbitrary: straying(schema as Schema, document.resolve).map(judged) },
    { weight: 1, arbitrary: garbage.map((text) => as(JSON_TYPE, text, undefined)) },
    { weight: 1, arbitrary: fc.constant(as('text/plain', 'x', false)) },
    { weight: 1, arbitrary: fc.constant({ headers: {}, obeys: requestBody.required !== true }) },
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function both(one: boolean | undefined, other: boolean | undefined): boolean | undefined {
  if (one === false || other === false) return false;
  return one === undefined || other === undefined ? undefined : true;
}
