import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Fastify, { type FastifyInstance } from 'fastify';
import type { AddressInfo } from 'node:net';
import { AccountLines } from '../../../../src/platform/concurrency/account-lines.js';
import { limitAccountConcurrency } from '../../../../src/platform/http/hooks/account-concurrency.js';
import { requestProblem, sendProblem } from '../../../../src/platform/http/errors/problem.filter.js';
import { eventually } from '../../../support/eventually.js';

let fastify: FastifyInstance;
let begun: (() => void)[];
let arrived: number;

beforeEach(async () => {
  [begun, arrived] = [[], 0];
  fastify = Fastify({ return503OnClosing: false, forceCloseConnections: true });
  fastify.setErrorHandler<Error>((error, request, reply) => sendProblem(reply, requestProblem(error, request)));
  fastify.decorateRequest('caller', null);
  fastify.addHook('onRequest', async (request) => {
    Object.assign(request, { caller: { account: { id: 'acc_1' } } });
  });
  fastify.addHook('preHandler', async () => void (arrived += 1));
  const oneAtATime = { active: 1, activePerAccount: 1, waitingPerAccount: 2, waitMs: 60_000 };
  limitAccountConcurrency(fastify, new AccountLines(oneAtATime));
  const handle = () => new Promise<string>((resolve) => begun.push(() => resolve('done')));
  fastify.post('/slow', handle);
  await fastify.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(() => fastify.close());

const send = (options: { readonly signal?: AbortSignal } = {}) => {
  const url = `http://127.0.0.1:${(fastify.server.address() as AddressInfo).port}/slow`;
  return fetch(url, { method: 'POST', headers: { connection: 'close' }, ...options });
};
const reached = (count: number) =>
  eventually(
    () => Promise.resolve(arrived),
    (many) => many === count,
  );
const finishAll = async (answers: Promise<Response>[]) => {
  for (let done = 0; done < answers.length; done += 1) {
    await eventually(
      () => Promise.resolve(begun.length),
      (many) => many === done + 1,
    );
    begun[done]?.();
  }
  return (await Promise.all(answers)).map(({ status }) => status);
};

describe('a request in the queue of its account', () => {
  it('leaves the queue when its client disconnects, and is never processed', async () => {
    const leaving = new AbortController();
    const first = send();
    await reached(1);
    const gone = [1, 2].map(() => send({ signal: leaving.signal }).catch(() => 'gone'));
    await reached(3);
    expect((await send()).status).toBe(429);
    leaving.abort();
    expect(await Promise.all(gone)).toEqual(['gone', 'gone']);
    await eventually(
      () => new Promise<number>((resolve) => fastify.server.getConnections((_, count) => resolve(count))),
      (count) => count === 1,
    );
    const late = [send(), send()];
    await reached(6);
    expect(await finishAll([first, ...late])).toEqual([200, 200, 200]);
    expect(begun).toHaveLength(3);
  });
});
