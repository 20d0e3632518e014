import type { Answer, Call } from '../servers/test-service.js';

export type CallService = (call: Call) => Promise<Answer>;

const MAKERS: Readonly<Record<string, (call: CallService, key: string, n: number) => Promise<Answer>>> = {
  wl: (call, key, n) =>
    call({
      method: 'POST',
      path: '/v1/watchlist',
      key,
      body: { domain: `own${n}--registered.test`, tags: [`tag${n}`] },
    }),
  nc: (call, key, n) =>
    call({
      method: 'POST',
      path: '/v1/notifications',
      key,
      body: { type: 'webhook', target: `https://hooks.example.test/own${n}` },
    }),
  dl: async (call, key, n) => {
    const { body } = await made('nc', call, key, n);
    return call({ method: 'POST', path: `/v1/notifications/${String(body['id'])}/test`, key });
  },
  key: (call, key, n) => call({ method: 'POST', path: '/v1/keys', key, body: { name: `own${n}` } }),
  ses: (call, key) => call({ method: 'POST', path: '/v1/sessions', key }),
};
let count = 0;

/**
 * Creates a resource of this kind through the API, for the account of the key.
 * @param kind the prefix of the id
 */
export async function createFixture(kind: string, call: CallService, key: string): Promise<string> {
  count += 1;
  return String((await made(kind, call, key, count)).body['id']);
}

async function made(kind: string, call: CallService, key: string, n: number): Promise<Answer> {
  const maker = MAKERS[kind];
  if (!maker) throw new Error(`no fixture creates a resource with an id ${kind}_…`);
  const answer = await maker(call, key, n);
  if (answer.status >= 300) throw new Error(`no ${kind}: ${JSON.stringify(answer.body)}`);
  return answer;
}
