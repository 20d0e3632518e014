import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiDocument, type Operation, type Parameter, valuesOf } from '../../support/documents/api-document.js';
import { createFixture } from '../../support/builders/fixtures.js';
import { kindOf } from '../../support/builders/generated-calls.js';
import type { Schema } from '../../support/builders/schema-arbitraries.js';
import { WriteLog } from '../../support/database/write-log.js';
import { type Answer, type Call, startTestService, type TestService } from '../../support/servers/test-service.js';

/** Percent-encoded: NUL, half of a surrogate pair, NUL in two bytes, and bytes that are no UTF-8. */
const IN_A_URL = ['%00', 'a%00b', '%ED%A0%80', '%C0%80', '%FF'];
/** Cursors that hold a NUL, alone and where a number belongs. */
const IN_A_CURSOR = ['\0', '1.\0', '1\0.1'].map((text) => Buffer.from(text).toString('base64url'));
/** HTTP lets a header have these; Node refuses a NUL there. */
const IN_A_HEADER = ['\xff', 'a\x80b', ...IN_A_CURSOR];
const IN_JSON = ['\0', 'a\0b', '\ud800', 'a\udc00'];
/** To a precondition that cannot hold, any answer but a failure is right. */
const PRECONDITIONS = ['If-None-Match', 'If-Match'];
/** Counters of requests, the use of a key, and the heartbeat of the process. */
const NOTED = /^(rate_limit\w*|api_keys update|processes update|audit_\w+ insert)/;

const document = ApiDocument.committed();
let service: TestService;
let writes: WriteLog;
const owned = new Map<string, string>();

beforeAll(async () => {
  service = await startTestService({ ROLE: 'api' });
  for (const kind of ['wl', 'nc', 'dl', 'key'])
    owned.set(kind, await createFixture(kind, service, service.account.key));
  writes = await WriteLog.of(service.databaseUrl);
});
afterAll(async () => {
  await writes.stop();
  await service.close();
});

interface Parts {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A call that is right but for these parts. */
function callOf(operation: Operation, { path = {}, query, headers = {}, body }: Parts): Call {
  const at = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = operation.parameters.find((one) => one.in === 'path' && one.name === name);
    return path[name] ?? owned.get((parameter && kindOf(parameter)) ?? '') ?? 'x';
  });
  const [[type, media] = ['', undefined]] = Object.entries(operation.requestBody?.content ?? {});
  const sent = body ?? valuesOf(media)[0] ?? (type === 'application/json' ? {} : undefined);
  return {
    method: operation.method,
    path: query === undefined ? at : `${at}?${query}`,
    headers: { ...(type === '' ? {} : { 'content-type': type }), ...headers },
    ...(sent === undefined ? {} : { body: sent }),
  };
}

/** The faults in the answers to these calls, which must write nothing. */
async function objections(operation: Operation, calls: readonly Call[]): Promise<string[]> {
  const found: string[] = [];
  const { rows } = await writes.during(async () => {
    for (const call of calls) {
      const answer = await service.call(call);
      const why = objectionsTo(operation, call, answer);
      found.push(
        ...why.map((one) => `${one}: ${call.method} ${call.path} ${JSON.stringify([call.headers, call.body])}`),
      );
    }
  }, NOTED);
  return [...found, ...Object.keys(rows).map((what) => `written: ${what}`)];
}

function objectionsTo(operation: Operation, { headers = {} }: Call, answer: Answer): string[] {
  const isPrecondition = PRECONDITIONS.some((name) => headers[name] !== undefined);
  if (answer.status < 400) return isPrecondition ? [] : [`${answer.status}`];
  return answer.status >= 500 ? [`${answer.status}`] : document.objections(operation, answer);
}

const named = document.operations.map((operation) => [operation.operationId, operation] as const);
const having = (where: Parameter['in']) =>
  named.filter(([, { parameters, security }]) =>
    // Public pages take no notice of a query: mail programs add parameters of theirs.
    parameters.some((one) => one.in === where && (where !== 'query' || security.length > 0)),
  );

describe('text that PostgreSQL cannot store', () => {
  it.each(having('query'))(
    'is refused in every query parameter of the API operation %s, and never written',
    async (_, operation) => {
      const names = operation.parameters.filter((one) => one.in === 'query').map(({ name }) => name);
      const calls = [...names, 'unknown'].flatMap((name) =>
        [...IN_A_URL, ...(name === 'after' && !operation.path.endsWith('/export') ? IN_A_CURSOR : [])].map((text) =>
          callOf(operation, { query: `${name}=${text}` }),
        ),
      );
      const inNames = IN_A_URL.map((text) => callOf(operation, { query: `${text}=1` }));
      expect(await objections(operation, [...calls, ...inNames])).toEqual([]);
    },
  );

  it.each(having('path'))(
    'is refused in every path parameter of the API operation %s, and never written',
    async (_, operation) => {
      const names = operation.parameters.filter((one) => one.in === 'path').map(({ name }) => name);
      const calls = names.flatMap((name) =>
        [...IN_A_URL, ...IN_A_CURSOR, `${owned.get('wl')}%00`].map((text) =>
          callOf(operation, { path: { [name]: text } }),
        ),
      );
      expect(await objections(operation, calls)).toEqual([]);
    },
  );

  it.each(having('header'))(
    'is refused in every header of the API operation %s except preconditions, and never written',
    async (_, operation) => {
      const names = operation.parameters.filter((one) => one.in === 'header').map(({ name }) => name);
      const calls = names.flatMap((name) =>
        // Any text of printable characters is an Idempotency-Key.
        IN_A_HEADER.filter((text) => name !== 'Idempotency-Key' || /[^ -~]/.test(text)).map((text) =>
          callOf(operation, { headers: { [name]: text } }),
        ),
      );
      expect(await objections(operation, calls)).toEqual([]);
    },
  );

  const withJson = named.filter(([, { requestBody }]) => requestBody?.content['application/json']);
  it.each(withJson)(
    'is refused in every body field and field name of the API operation %s, and never written',
    async (_, operation) => {
      const media = operation.requestBody?.content['application/json'];
      const schema = (media?.schema ?? {}) as Schema;
      const [example = {}] = valuesOf(media) as object[];
      const bodies = IN_JSON.flatMap((text) => [
        ...placesOf(schema).map((place) => withText(example, place, text)),
        { ...example, [text]: 1 },
      ]);
      const raw = [Buffer.from('{"a":"\0"}'), Buffer.from('{"a":"\xff"}', 'latin1'), Buffer.from('\0')];
      const calls = [...bodies, ...raw].map((body) => callOf(operation, { body }));
      expect(await objections(operation, calls)).toEqual([]);
    },
  );

  it('is refused in any field of an imported JSON line, while the other lines are imported', async () => {
    const schema: Schema = { $ref: '#/components/schemas/AddWatchBody' };
    const lines = placesOf(schema).flatMap((place) =>
      IN_JSON.map((text) => JSON.stringify(withText({ domain: 'unstorable.test' }, place, text))),
    );
    expect(lines.length).toBeGreaterThan(20);
    const answer = await importFile('application/x-ndjson', lines);
    expect(answer.body['errors']).toHaveLength(lines.length);
  });

  it('is refused in any cell of an imported CSV line, and that line is not imported', async () => {
    const columns = ['domain', 'tags', 'note', 'purpose', 'renewal_note', 'renewal_on', 'remind_days'];
    const cells = columns.flatMap((column) => ['\0', 'a\0b'].map((text) => [column, text] as const));
    for (const [column, text] of cells) {
      const row = { domain: 'unstorable.test', renewal_on: '2030-01-01', [column]: text };
      const [names, line] = [Object.keys(row), Object.values(row)].map((one) => one.join(','));
      const answer = await importFile('text/csv', [line ?? ''], `${names}\n`);
      expect([column, answer.body['errors']]).toEqual([column, [expect.objectContaining({ line: 2 })]]);
    }
  });

  it('does not make a request fail if an undocumented header contains the text', async () => {
    const names = ['x-request-id', 'user-agent', 'x-forwarded-for', 'traceparent', 'accept', 'origin', 'referer'];
    for (const name of names)
      for (const text of IN_A_HEADER) {
        const { key } = await service.openAccount();
        const answer = await service.call({
          method: 'POST',
          path: '/v1/keys',
          body: { name: 'headers' },
          key,
          headers: { [name]: text },
        });
        expect([name, answer.status]).toEqual([name, 201]);
      }
  });
});

const aPost = (path: string, body: object): Call => ({ method: 'POST', path, body });

describe('unusual text that PostgreSQL can store', () => {
  it('is accepted if it is an emoji in a tag, a note or a key name', async () => {
    const body = { domain: 'emoji.test', tags: ['🙂'], note: '🙂' };
    expect((await service.call(aPost('/v1/watchlist', body))).status).toBe(201);
    expect((await service.call(aPost('/v1/keys', { name: '🔑' }))).status).toBe(201);
  });

  it.each([
    aPost('/v1/watchlist', { domain: 'tags.test' }),
    aPost('/v1/notifications', { type: 'email', target: 'tags@example.test' }),
  ])(
    'is returned unchanged as a tag with spaces, commas or quotes, added by the request %j',
    async ({ path, body }) => {
      const tags = ['null', ' ', ' a ', 'b, c', '{d}', '"e"', String.raw`\f`];
      const { body: added } = await service.call(aPost(path, { ...(body as object), tags }));
      const one = `${path}/${String(added['id'])}`;
      expect((await service.call({ path: one })).body['tags']).toEqual(tags);
      await service.call({ method: 'PATCH', path: one, body: { tags: tags.toReversed() } });
      expect((await service.call({ path: one })).body['tags']).toEqual(tags.toReversed());
    },
  );
});

async function importFile(type: string, lines: readonly string[], head = ''): Promise<Answer> {
  const { key } = await service.openAccount();
  const last = type === 'text/csv' ? '' : '\n{"domain":"kept.test"}';
  const body = `${head}${lines.join('\n')}${last}`;
  const answer = await service.call({
    method: 'POST',
    path: '/v1/watchlist/import',
    body,
    key,
    headers: { 'content-type': type },
  });
  expect(answer.status).toBe(200);
  const { body: list } = await service.call({ path: '/v1/watchlist', key });
  expect(list['data']).toMatchObject(last === '' ? [] : [{ domain: 'kept.test' }]);
  return answer;
}

/** Where a schema has a text, as in `tags/*`; `*` is any item of a list, or any name that may be chosen. */
function placesOf(given: Schema, at: readonly string[] = []): string[][] {
  const schema = document.resolve(given);
  const alternatives = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const { properties = {}, additionalProperties, items } = schema;
  const inside = [
    ...alternatives.flatMap((one) => placesOf(one, at)),
    ...Object.entries(properties).flatMap(([name, one]) => placesOf(one, [...at, name])),
    ...(items ? placesOf(items, [...at, '*']) : []),
    ...(typeof additionalProperties === 'object' ? placesOf(additionalProperties, [...at, '*']) : []),
  ];
  return [schema.type].flat().includes('string') ? [[...at], ...inside] : inside;
}

/** A list of this text, a record with it as a name and as a value, or the text. */
function withText(body: object, [name, ...rest]: readonly string[], text: string): unknown {
  if (name === undefined) return text;
  if (name === '*') return rest.length === 0 ? [text] : [withText({}, rest, text)];
  const inner = (body as Record<string, unknown>)[name];
  const base = typeof inner === 'object' && inner !== null ? inner : {};
  return { ...body, [name]: withText(base, rest, text) };
}
