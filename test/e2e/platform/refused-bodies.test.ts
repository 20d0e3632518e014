import { describe, expect, it } from '@jest/globals';
import { ApiDocument, type Operation } from '../../support/documents/api-document.js';
import { running } from '../../support/running.js';
import { type Answer, type Call, startTestService } from '../../support/servers/test-service.js';

const document = ApiDocument.committed();
const service = running(() => startTestService({ ROLE: 'api' }));

/** The document promises every answer here. */
async function ask(operation: Operation, call: Call): Promise<Answer> {
  const answer = await service.call(call);
  expect(document.objections(operation, answer)).toEqual([]);
  return answer;
}

describe('every operation of the API', () => {
  const operations = document.operations.filter(({ path }) => path.startsWith('/v1/'));
  const writing = operations.filter(({ method }) => method !== 'GET');

  it('answers 400 and names the unknown fields if it takes no body but gets one', async () => {
    const without = writing.filter(({ requestBody }) => requestBody === undefined);
    expect(without.length).toBeGreaterThan(10);
    for (const operation of without) {
      const { operationId } = operation;
      const call = document.exampleCall(operation, { id: 'none' });
      const named = await ask(operation, { ...call, body: { tag: 'brand' } });
      expect({ operationId, status: named.status, errors: named.body['errors'] }).toEqual({
        operationId,
        status: 400,
        errors: [{ pointer: '/tag', code: 'unknown_field', message: 'tag is not known here' }],
      });
      for (const body of ['[]', '"x"', 'null', '{"'])
        expect([operationId, (await ask(operation, { ...call, body })).status]).toEqual([operationId, 400]);
    }
    expect((await service.call({ method: 'POST', path: '/v1/calendar', body: {} })).status).toBe(201);
  });

  it('documents the errors 413 and 415, and answers with them, unless it is a GET', async () => {
    for (const operation of operations) {
      const { operationId, requestBody } = operation;
      const codes = document.problemCodes(operation);
      const said = ['unsupported_media_type', 'payload_too_large'].map((code) => codes.includes(code));
      expect([operationId, ...said]).toEqual([operationId, ...Array<boolean>(2).fill(operation.method !== 'GET')]);
      if (operation.method === 'GET') continue;
      const call = document.exampleCall(operation, { id: 'none' });
      const typed = await ask(operation, { ...call, body: 'x', headers: { 'content-type': 'application/xml' } });
      expect([operationId, typed.status]).toEqual([operationId, 415]);
      const type = Object.keys(requestBody?.content ?? {})[0] ?? 'application/json';
      const body = Buffer.alloc(type === 'text/csv' ? 11 << 20 : 300_000, 'x');
      const large = await ask(operation, { ...call, body, headers: { 'content-type': type } });
      expect([operationId, large.status]).toEqual([operationId, 413]);
    }
  });
});
