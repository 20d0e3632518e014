import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiDocument } from '../support/documents/api-document.js';
import { kindOf } from '../support/builders/generated-calls.js';
import { createFixture } from '../support/builders/fixtures.js';
import { startTestService, type TestService } from '../support/servers/test-service.js';

let service: TestService;
let document: ApiDocument;
beforeAll(async () => {
  service = await startTestService({ ROLE: 'api' });
  document = new ApiDocument((await service.call({ path: '/openapi.json', key: null })).body);
});
afterAll(() => service.close());

/** A call with the mistake that these errors describe: a required field is missing, an invalid one is `x`. */
const mistaken = (errors: readonly { pointer: string; code: string }[]) => {
  const wrong = errors.filter(({ code }) => code !== 'required').map(({ pointer }) => pointer.split('/'));
  const [query, body] = ['#query', ''].map((root) => wrong.filter(([at]) => at === root));
  const fields = (found: string[][] = []) => Object.fromEntries(found.map(([, name = '']) => [name, 'x']));
  return { query: new URLSearchParams(fields(query)).toString(), body: fields(body) };
};

describe('the example of an invalid request', () => {
  it('is what each operation really answers', async () => {
    const { key } = await service.openAccount();
    const shown = document.operations.filter((one) => document.problemExample(one, 400));
    expect(shown.length).toBeGreaterThan(20);
    for (const operation of shown) {
      const { detail, errors } = document.problemExample(operation, 400) as never as {
        detail: string;
        errors: { pointer: string; code: string }[];
      };
      const { query, body } = mistaken(errors);
      let path = operation.path;
      for (const parameter of operation.parameters.filter((one) => one.in === 'path')) {
        const id = await createFixture(kindOf(parameter) ?? '', (call) => service.call(call), key);
        path = path.replace(`{${parameter.name}}`, id);
      }
      const file = operation.requestBody && !operation.requestBody.content['application/json'];
      const sent = file ? { body: 'domain\n', headers: { 'content-type': 'text/csv' } } : { body };
      const call = { method: operation.method, path: `${path}${query && '?'}${query}`, key };
      const answer = await service.call({ ...call, ...(operation.requestBody ? sent : {}) });
      const { operationId } = operation;
      expect({
        operationId,
        status: answer.status,
        detail: answer.body['detail'],
        errors: answer.body['errors'],
      }).toEqual({ operationId, status: 400, detail, errors });
    }
  });
});
