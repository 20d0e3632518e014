import { Members } from '../../../src/auth/index.js';
import type { Answer, TestService } from '../servers/test-service.js';

type Service = Pick<TestService, 'call' | 'get'>;

const MAKERS: Readonly<Record<string, (service: Service, key: string, n: number) => Promise<Answer>>> = {
  wl: ({ call }, key, n) =>
    call({
      method: 'POST',
      path: '/v1/watchlist',
      key,
      body: { domain: `own${n}--registered.test`, tags: [`tag${n}`] },
    }),
  nc: ({ call }, key, n) =>
    call({
      method: 'POST',
      path: '/v1/notifications',
      key,
      body: { type: 'webhook', target: `https://hooks.example.test/own${n}` },
    }),
  dl: async (service, key, n) => {
    const { body } = await made('nc', service, key, n);
    return service.call({ method: 'POST', path: `/v1/notifications/${String(body['id'])}/test`, key });
  },
  adr: ({ call }, key, n) =>
    call({ method: 'POST', path: '/v1/client-pages', key, body: { tags: [`tag${n}`], title: `own${n}` } }),
  key: ({ call }, key, n) => call({ method: 'POST', path: '/v1/keys', key, body: { name: `own${n}` } }),
  ses: ({ call }, key) => call({ method: 'POST', path: '/v1/sessions', key }),
  inv: ({ call }, key, n) =>
    call({ method: 'POST', path: '/v1/invitations', key, body: { email: `own${n}@example.test`, role: 'viewer' } }),
  per: async (service, key, n) => {
    const invited = await made('inv', service, key, n);
    const token = String(invited.body['link']).replace(/.*=/, '');
    const person = { issuer: 'https://login.example', subject: `own${n}`, name: null, email: `own${n}@example.test` };
    const { id } = await service.get(Members).signIn({ ...person, groups: [] }, token);
    return { ...invited, body: { id } };
  },
};
let count = 0;

/**
 * Creates a resource of this kind through the API, for the account of the key.
 * @param kind the prefix of the id
 */
export async function createFixture(kind: string, service: Service, key: string): Promise<string> {
  count += 1;
  return String((await made(kind, service, key, count)).body['id']);
}

async function made(kind: string, service: Service, key: string, n: number): Promise<Answer> {
  const maker = MAKERS[kind];
  if (!maker) throw new Error(`no fixture creates a resource with an id ${kind}_…`);
  const answer = await maker(service, key, n);
  if (answer.status >= 300) throw new Error(`no ${kind}: ${JSON.stringify(answer.body)}`);
  return answer;
}
