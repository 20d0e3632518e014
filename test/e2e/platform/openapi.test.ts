import { beforeAll, describe, expect, it } from '@jest/globals';
import { AUDIT_ACTION_NAMES } from '../../../src/auth/domain/audit-actions.js';
import { EVENT_TYPES } from '../../../src/notifications/domain/event-type.js';
import { PROBLEMS } from '../../../src/platform/http/errors/problem-catalogue.js';
import { createFixture } from '../../support/builders/fixtures.js';
import { kindOf } from '../../support/builders/generated-calls.js';
import { ApiDocument, type Operation, valuesOf } from '../../support/documents/api-document.js';
import { running } from '../../support/running.js';
import { type Answer, startTestService } from '../../support/servers/test-service.js';

const HOST = /(?<![\w./%-])(?:https?:\/\/|[\w.+-]+@)?((?:[a-z0-9-]+\.)+[a-z]{2,})\b/gi;
/** Written with a dot, and no names. */
const CODES: ReadonlySet<string> = new Set([...EVENT_TYPES, ...AUDIT_ACTION_NAMES, 'sandbox.script']);
const foreignNamesIn = (text: string) =>
  [...text.matchAll(HOST)].map(([, host = '']) => host).filter((host) => !host.endsWith('.test') && !CODES.has(host));
const SIX = [
  'checkDomain',
  'listWatchlist',
  'addToWatchlist',
  'removeFromWatchlist',
  'listNotificationChannels',
  'addNotificationChannel',
];

/** As it is committed, which a test below compares. */
const committed = ApiDocument.committed();
/** Tokens of mails and secret addresses are in no answer that an example has, and the stream does not end. */
const tried = committed.operations.filter(({ path }) => !/{token}|{file}|{secret}|\/stream$/.test(path));
/** A reader chooses the entries: filled in beforehand, a click on "Execute" would change or remove all of them. */
const ofMany = ['changeManyEntries', 'removeManyEntries'];

const service = running(() => startTestService({ ROLE: 'api' }));
let document: ApiDocument;
beforeAll(async () => {
  document = new ApiDocument((await service.call({ path: '/openapi.json', key: null })).body);
});

const expectDocumented = (operation: Operation, answer: Answer) =>
  expect(document.objections(operation, answer)).toEqual([]);

describe('the API document', () => {
  it('is OpenAPI 3.1, with a server URL relative to its own address', () => {
    const { openapi, info, servers } = document.root;
    expect({ openapi, servers }).toEqual({ openapi: '3.1.0', servers: [{ url: '/' }] });
    expect(info).toMatchObject({ title: 'Namewatch', license: { name: 'MIT', identifier: 'MIT' } });
  });

  it('has a unique id, a summary and a described tag for each operation', () => {
    const ids = document.operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining([...SIX, 'getLiveness', 'getReadiness', 'getProblem']));
    const described = new Set(document.root.tags.map(({ name }) => name));
    for (const operation of document.operations) {
      expect(operation.summary).toBeTruthy();
      expect(described).toContain(operation.tags[0]);
    }
  });

  it('requires a Bearer key under /v1, and nowhere else', () => {
    const { key } = document.root.components.securitySchemes;
    expect(key).toEqual({ type: 'http', scheme: 'bearer', description: expect.any(String) });
    for (const { path, security } of document.operations)
      expect(security).toEqual(path.startsWith('/v1/') ? [{ key: [] }] : []);
  });

  it('is the same as the document committed to the repository', () => {
    // When it is not: npm run -s openapi
    expect(committed.root).toEqual(document.root);
  });

  it('names the required scope of each operation, and forbids unknown fields in request bodies', () => {
    for (const operation of document.operations.filter(({ path }) => path.startsWith('/v1/'))) {
      if (['getMe', 'listExtensions'].includes(operation.operationId) || operation.path.startsWith('/v1/sessions'))
        continue; // any key will do
      expect(operation['x-required-scope']).toMatch(/^((domains|watchlist|notifications|audit):(read|write)|admin)$/);
      expect(operation.description).toContain(`\`${operation['x-required-scope']}\``);
    }
    const { AddWatchBody, ChangeWatchBody, Entry } = document.root.components.schemas;
    for (const body of [AddWatchBody, ChangeWatchBody]) expect(body).toMatchObject({ additionalProperties: false });
    expect(Entry).not.toHaveProperty('additionalProperties');
  });

  it('has no empty schema, and marks values that may be null as OpenAPI 3.1 does', () => {
    expect(document.emptySchemas()).toEqual([]);
    expect(JSON.stringify(document.root)).not.toContain('"nullable"');
    const { Check, ExpandedEntry } = document.root.components.schemas;
    expect(Check).toHaveProperty('properties.expires_at.type', ['string', 'null']);
    expect(ExpandedEntry).toHaveProperty('properties.last_checked_at.type', ['string', 'null']);
  });

  it('has examples and defaults that obey its own schemas', () => {
    expect(document.wrongDefaults()).toEqual([]);
    expect(document.operations.flatMap((operation) => document.wrongExamples(operation))).toEqual([]);
  });

  it('has example requests for each operation, and example responses for the core operations', () => {
    expect(document.operations.flatMap((operation) => document.unshownRequests(operation))).toEqual([]);
    const answered = SIX.filter((id) => document.examples(document.operation(id)).successes.length > 0);
    expect(answered).toEqual(SIX.filter((id) => id !== 'removeFromWatchlist'));
  });

  it('uses no domain in its examples that somebody could own', () => {
    const texts = document.exampleTexts();
    expect(texts.length).toBeGreaterThan(100);
    expect([...new Set(texts.flatMap(foreignNamesIn))]).toEqual([]);
  });

  it('has the path of the operation as "instance" in each problem example', () => {
    for (const operation of document.operations.filter(({ path }) => path.startsWith('/v1/')))
      for (const instance of document.problemInstances(operation))
        expect(instance).toMatch(new RegExp(`^${operation.path.replace('{id}', '[a-z]+_[0-9a-z]{26}')}$`));
  });

  it('documents every problem code, at the operations that can answer with it', () => {
    const documented = document.operations.flatMap((operation) => document.problemCodes(operation));
    // A path with another method is no operation, nor is what breaks HTTP before there is a path; only extensions have
    // authenticators that can be unavailable.
    const onNoOperation = ['method_not_allowed', 'request_timeout', 'expectation_failed', 'authentication_unavailable'];
    expect(new Set([...documented, ...onNoOperation])).toEqual(new Set(Object.keys(PROBLEMS)));
    const codes = (operationId: string) => document.problemCodes(document.operation(operationId));
    for (const operationId of SIX)
      expect(codes(operationId)).toEqual(
        expect.arrayContaining(['authentication_required', 'insufficient_scope', 'rate_limited', 'internal_error']),
      );
    expect(codes('listWatchlist')).not.toContain('registry_throttled');
    expect(codes('addNotificationChannel')).not.toContain('already_watched');
  });
});

describe('a reader who tries the API document’s examples', () => {
  it('can follow an OpenAPI link from adding an entry to deleting it', async () => {
    const [add, remove] = [document.operation('addToWatchlist'), document.operation('removeFromWatchlist')];
    const added = await service.call(document.exampleCall(add));
    expect(added.status).toBe(201);
    const removed = await service.call(document.exampleCall(remove, document.linked(add, added)));
    expect(removed.status).toBe(204);
    expectDocumented(remove, removed);
  });

  it.each(
    tried.flatMap((operation) =>
      ofMany.includes(operation.operationId) ? [] : [[operation.operationId, operation] as const],
    ),
  )('succeeds with the example of %s after filling in their own ids', async (_, operation) => {
    const id = operation.parameters.find(({ in: where }) => where === 'path');
    const kind = id && kindOf(id);
    const isForFirst = operation.operationId === 'openAccount';
    const { key } = isForFirst ? service.account : await service.openAccount();
    const made = kind ? await createFixture(kind, service, key) : undefined;
    if (kind) expect(id?.description).toMatch(/take one from/);
    const answer = await service.call({ ...document.exampleCall(operation, made ? { id: made } : {}), key });
    expectDocumented(operation, answer);
    // A thing that was made a moment ago waits for a worker, and says so.
    expect(answer.status < 300 || answer.body['code'] === 'delivery_pending' ? 'done' : answer).toBe('done');
  });

  it.each(ofMany)('gets 400 with the example of %s, but succeeds after adding a filter', async (operationId) => {
    const operation = document.operation(operationId);
    const { key } = await service.openAccount();
    await createFixture('wl', service, key);
    const call = { ...document.exampleCall(operation), key };
    const refused = await service.call(call);
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expectDocumented(operation, refused);
    const matched = await service.call({ ...call, path: `${operation.path}?paused=false` });
    expect(matched).toMatchObject({ status: 200, body: { matched: 1 } });
    expectDocumented(operation, matched);
  });

  it('succeeds with every example body that adds or imports something, in every media type', async () => {
    const adding = ['addToWatchlist', 'addNotificationChannel', 'importWatchlist'].map((id) => document.operation(id));
    const { key } = await service.openAccount();
    for (const operation of adding)
      for (const [type, media] of Object.entries(operation.requestBody?.content ?? {}))
        for (const body of valuesOf(media)) {
          const headers = { 'content-type': type };
          const answer = await service.call({ method: 'POST', path: operation.path, body, headers, key });
          expect([201, 200]).toContain(answer.status);
          expect(answer.body['failed'] ?? 0).toBe(0);
          expectDocumented(operation, answer);
        }
  });
});

describe('the page at /docs', () => {
  const OWN_WORDS = /https?:\/\/(www\.w3\.org\/(1999\/xlink|2000\/svg)|[a-z-]+\.example\.test)/g; // names, not addresses

  it('is served without a key, and loads nothing from other hosts', async () => {
    const page = await service.call({ path: '/docs/', key: null });
    expect(page.status).toBe(200);
    const html = String(page.body['text']);
    const loaded = [...html.matchAll(/(?:src|href)="(\.?\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(loaded.length).toBeGreaterThanOrEqual(4);
    for (const path of loaded) {
      const asset = await service.call({ path: new URL(path, 'http://here/docs/').pathname, key: null });
      expect([path, asset.status]).toEqual([path, 200]);
    }
    const config = String((await service.call({ path: '/docs/swagger-ui-init.js', key: null })).body['text']);
    expect((html + config).replaceAll(OWN_WORDS, '')).not.toMatch(/https?:\/\//);
    expect(config).toContain('"validatorUrl": "none"');
    expect((await service.call({ path: '/openapi.yaml', key: null })).status).toBe(200);
  });
});
