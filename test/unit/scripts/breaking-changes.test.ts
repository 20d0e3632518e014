import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { breakingChanges, type Json } from '../../../tools/scripts/openapi/breaking-changes.js';

const committed = JSON.parse(readFileSync(join(import.meta.dirname, '../../../api/openapi.json'), 'utf8')) as Json;

type Tree = Record<string, unknown>;

/** The breaks of the committed document if it had this at that place; without a value the place is removed. */
function having(place: string, value?: unknown): string[] {
  const document = structuredClone(committed) as Tree;
  const steps = place.split(' ');
  const last = steps.pop() ?? '';
  const parent = steps.reduce(below, document);
  const key = Array.isArray(parent) ? String(indexOf(parent, last)) : last;
  if (value !== undefined) parent[key] = value;
  else if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else delete parent[key];
  return breakingChanges(committed, document);
}

/** One step down; in a list of parameters, to that of this name. */
function below(tree: Tree, step: string): Tree {
  const found = Array.isArray(tree) ? (tree as unknown[])[indexOf(tree, step)] : tree[step];
  if (typeof found !== 'object' || found === null) throw new Error(`the document has no ${step} here`);
  return found as Tree;
}

function indexOf(list: readonly unknown[], name: string): number {
  const index = list.findIndex((one) => (one as { name?: string }).name === name);
  return index < 0 ? list.length : index;
}

const CHECK = 'paths /v1/domains/check get';
const LIST = 'paths /v1/watchlist get';
const ADD = 'paths /v1/watchlist post';
const CHECK_VIEW = 'components schemas Check';
const EVENT = 'components schemas Event';
const CHANGE_DATA = 'components schemas StatusChangeData';
const ADD_BODY = 'components schemas AddWatchBody';

describe('a changed API document breaks clients if', () => {
  it.each<[string, string, unknown, string]>([
    ['a path is gone', 'paths /v1/domains/check', undefined, 'GET /v1/domains/check is gone'],
    ['a method is gone', ADD, undefined, 'POST /v1/watchlist is gone'],
    ['an operation is renamed', `${CHECK} operationId`, 'ask', 'GET /v1/domains/check: operationId is ask'],
    [
      ...(['an operation needs another scope', `${CHECK} x-required-scope`, 'admin'] as const),
      'GET /v1/domains/check: needs the scope admin',
    ],
    [
      ...(['an answer loses a field', `${CHECK_VIEW} properties expires_at`, undefined] as const),
      'GET /v1/domains/check: 200.expires_at is no longer answered',
    ],
    [
      ...(['a field of an answer may be absent', `${CHECK_VIEW} required`, ['domain']] as const),
      'GET /v1/domains/check: 200.status may be absent',
    ],
    [
      ...(['a field of an answer may be null', `${CHECK_VIEW} properties status type`, ['string', 'null']] as const),
      'GET /v1/domains/check: 200.status is string or null',
    ],
    [
      'a field of objects in a list has another type',
      ...(['components schemas ExpandedEntry properties interval_minutes type', 'string'] as const),
      'GET /v1/watchlist: 200.data[].interval_minutes is string',
    ],
    ['a success status is removed', `${ADD} responses 201`, undefined, 'POST /v1/watchlist: 201 is no longer answered'],
    [
      'a request body needs another field',
      `${ADD_BODY} required`,
      ['domain', 'note'],
      'POST /v1/watchlist: body.note is required',
    ],
    [
      ...(['a request body no longer accepts a field', `${ADD_BODY} properties tags`, undefined] as const),
      'POST /v1/watchlist: body.tags is no longer taken',
    ],
    [
      ...(['a request field has a lower maximum length', `${ADD_BODY} properties note maxLength`, 10] as const),
      'POST /v1/watchlist: body.note has the maxLength 10',
    ],
    [
      ...(['a request field has to match a pattern', `${ADD_BODY} properties domain pattern`, '^a'] as const),
      'POST /v1/watchlist: body.domain has the pattern ^a',
    ],
    [
      ...(['a request body has another media type', `${ADD} requestBody content`, { 'text/csv': {} }] as const),
      'POST /v1/watchlist: body is no longer application/json',
    ],
    [
      ...(['a parameter loses a value', 'components parameters Status schema enum', ['registered']] as const),
      'GET /v1/watchlist: query status takes available no longer',
    ],
    [
      ...(['a parameter has a lower maximum', 'components parameters PerPage schema maximum', 50] as const),
      'GET /v1/watchlist: query per_page has the maximum 50',
    ],
    [
      ...(['a parameter is required now', 'components parameters Tag required', true] as const),
      'GET /v1/watchlist: query tag is required',
    ],
    [
      ...(['a parameter is no longer accepted', `${LIST} parameters sort`, undefined] as const),
      'GET /v1/watchlist: query sort is no longer taken',
    ],
    [
      ...(['an event type is no longer sent', 'webhooks channel.test', undefined] as const),
      'POST channel.test is gone',
    ],
    [
      ...(['a webhook loses a header', 'webhooks channel.test post parameters', []] as const),
      'POST channel.test: WebhookSignature is no longer sent',
    ],
    [
      ...(['an event loses a field', `${CHANGE_DATA} properties move`, undefined] as const),
      'POST watchlist.available: body.data.move is no longer answered',
    ],
    [
      ...(['a field of an event may be null', `${CHANGE_DATA} properties source type`, ['string', 'null']] as const),
      'GET /v1/events: 200.data[](watchlist.available).data.source is string or null',
    ],
    [
      ...(['a union loses an alternative', `${EVENT} discriminator mapping channel.test`, undefined] as const),
      'GET /v1/events: 200.data[](channel.test) is no longer answered',
    ],
    [
      'a union is no longer a union',
      `${EVENT} discriminator`,
      undefined,
      'GET /v1/events: 200.data[] is no longer a union',
    ],
  ])('%s', (_, place, value, message) => {
    expect(having(place, value)).toContain(message);
  });
});

describe('a changed API document breaks no client if', () => {
  it.each<[string, string, unknown]>([
    ['a path is added', 'paths /v1/more', { get: { responses: {} } }],
    ['an answer has more fields', `${CHECK_VIEW} properties tld`, { type: 'string' }],
    ['a field of an answer has more possible values', `${CHECK_VIEW} properties status enum`, ['available', 'premium']],
    ['a request body accepts more fields', `${ADD_BODY} properties colour`, { type: 'string' }],
    ['a parameter has a higher maximum', 'components parameters PerPage schema maximum', 500],
    ['a parameter is added', `${LIST} parameters colour`, { name: 'colour', in: 'query', schema: {} }],
    ['a union has more alternatives', `${EVENT} discriminator mapping domain.added`, '#/components/schemas/Check'],
    ['a summary is reworded', `${CHECK} summary`, 'Ask about a domain'],
    ['an error is no longer documented', `${CHECK} responses 504`, undefined],
  ])('%s', (_, place, value) => {
    expect(having(place, value)).toEqual([]);
  });
});
