import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REGISTRY_FAILURES } from '../../../src/platform/http/errors/problem-catalogue.js';
import { problemExample } from '../../../src/platform/http/errors/api-problems.js';
import { ApiDocument, type Operation } from '../../support/documents/api-document.js';
import { callsOf, type GeneratedCall, type Id } from '../../support/builders/generated-calls.js';
import { createFixture } from '../../support/builders/fixtures.js';
import { type Answer, type Call, startTestService, type TestService } from '../../support/servers/test-service.js';

/** `FUZZ_RUNS=2000 FUZZ_SEED=random` for a whole night; a failing run prints its seed. */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 20);
const SEED = process.env['FUZZ_SEED'] ?? '20261121';
const settings = { numRuns: RUNS, ...(SEED === 'random' ? {} : { seed: Number(SEED) }) };

const document = ApiDocument.committed();
/**
 * Values that no schema tells. A cursor that we made, instants in their order or to come, and the name of a header. The
 * types of channels that take a credential or a format, the plans that there are, and the names of time zones.
 */
const BEYOND_SCHEMAS =
  /^(#query\/(after|Last-Event-ID)|\/(from|to|expires_at|headers|credential|format|plan|expected\/nameservers|summary\/zone)(\/.*)?)$/;

const folder = mkdtempSync(join(tmpdir(), 'namewatch-fuzz-'));
let service: TestService;
beforeAll(async () => {
  const plans = join(folder, 'plans.json');
  writeFileSync(plans, JSON.stringify({ selfhost: { requests_per_minute: 0, channels: 0, bulk: 20 } }));
  service = await startTestService({ ROLE: 'api', PLANS_FILE: plans });
  await service.app.listen(0, '127.0.0.1');
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

async function send({ method, path }: Operation, call: GeneratedCall): Promise<{ answer: Answer; isOwn: boolean }> {
  const ids = Object.entries(call.path);
  const texts = await Promise.all(ids.map(async ([name, id]) => [name, await textOf(id)] as const));
  const at = texts.reduce((url, [name, text]) => url.replace(`{${name}}`, encodeURIComponent(text)), path);
  const query = new URLSearchParams(call.query.map(([name, text]): [string, string] => [name, text])).toString();
  const { headers, body } = call;
  const sent = { method, path: query === '' ? at : `${at}?${query}`, headers, ...(body === undefined ? {} : { body }) };
  const isStream = method === 'GET' && path.endsWith('/stream');
  const answer = await (isStream ? beginning(sent) : service.call(sent));
  return { answer, isOwn: ids.every(([, id]) => typeof id === 'object' && 'own' in id) };
}

async function textOf(id: string | Id): Promise<string> {
  if (typeof id === 'string') return id.toWellFormed();
  return 'own' in id ? createFixture(id.own, service, service.account.key) : `${id.missing}_${'0'.repeat(26)}`;
}

/** An answer that does not end by itself, as it begins. */
async function beginning({ path, headers }: Pick<Call, 'path' | 'headers'>): Promise<Answer> {
  const leaving = new AbortController();
  const authorization = `Bearer ${service.account.key}`;
  const asked = { headers: { authorization, ...headers }, signal: leaving.signal };
  const response = await fetch(`${await service.app.getUrl()}${path}`, asked);
  const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '');
  const body = isJson ? ((await response.json()) as Answer['body']) : { text: '' };
  leaving.abort();
  return { status: response.status, headers: Object.fromEntries(response.headers), body };
}

function pointersOf({ body }: Answer): string[] {
  return ((body['errors'] ?? []) as { pointer: string }[]).map(({ pointer }) => pointer);
}

/** The faults of an answer; none, mostly. */
function objections(operation: Operation, call: GeneratedCall, answer: Answer, isOwn: boolean): string[] {
  const found = document.objections(operation, answer);
  const isOfRegistry = (REGISTRY_FAILURES as readonly unknown[]).includes(answer.body['code']);
  if (answer.status >= 500 && !isOfRegistry) found.push(`it failed with ${answer.status}`);
  if (call.obeys === false && answer.status < 400) found.push('what the document does not allow was done');
  const isRefused = answer.status === 400 && !pointersOf(answer).every((pointer) => BEYOND_SCHEMAS.test(pointer));
  if (call.obeys === true && isOwn && isRefused) found.push('what the document allows is malformed');
  return found;
}

describe('the API document', () => {
  it.each(document.operations.map((operation) => [operation.operationId, operation] as const))(
    'describes every answer of %s to random requests',
    async (_, operation) => {
      await fc.assert(
        fc.asyncProperty(callsOf(document, operation), async (call) => {
          const { answer, isOwn } = await send(operation, call);
          expect({ objections: objections(operation, call, answer, isOwn), answer }).toEqual({
            objections: [],
            answer,
          });
        }),
        settings,
      );
    },
  );
});

it('the test with random requests reports an answer that contradicts the API document', () => {
  const operation = document.operation('addToWatchlist');
  const call = { path: {}, query: [], headers: {} };
  const answer = (status: number, body: object = {}, type = 'problem+json') => ({
    status,
    body: body as Answer['body'],
    headers: { 'content-type': `application/${type}` },
  });
  const found = (obeys: boolean, given: Answer) => objections(operation, { ...call, obeys }, given, true);
  const [created] = document.examples(operation).successes;
  expect(found(true, answer(201, created as object, 'json'))).toEqual([]);
  expect(found(false, answer(201, created as object, 'json'))).toEqual(['what the document does not allow was done']);
  const refused = {
    ...problemExample('invalid_request', '/v1/watchlist'),
    errors: [{ pointer: '/note', code: 'x', message: 'x' }],
  };
  expect(found(true, answer(400, refused))).toEqual(['what the document allows is malformed']);
  expect(found(true, answer(500, problemExample('internal_error')))).toEqual(['it failed with 500']);
  expect(found(true, answer(503, problemExample('registry_throttled')))).toEqual([
    'registry_throttled is not documented',
  ]);
});
