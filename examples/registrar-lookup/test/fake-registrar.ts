import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export const API_KEY = 'test-key-1f0c';

const RECORD = { status: 'registered', registry_statuses: ['clientTransferProhibited'], owner: 'jane@owner.example' };
const ANSWERS: Readonly<Record<string, readonly [status: number, body: object | string]>> = {
  'taken.com': [200, { domain: 'taken.com', ...RECORD, registry_expires_at: '2028-06-01T00:00:00Z' }],
  'free.com': [200, { domain: 'free.com', status: 'available' }],
  'gold.com': [
    200,
    { domain: 'gold.com', status: 'available', premium: true, price: { amount: '2500.00', currency: 'USD' } },
  ],
  'other-name.com': [200, { domain: 'free.com', status: 'available' }],
  'page.com': [200, '<html>Sign in to this network</html>'],
  'outage.com': [503, 'unavailable'],
  'limit.com': [429, {}],
};

/** A registrar's API on loopback. It refuses other keys, and never answers about silent.com. */
export async function startFakeRegistrar(): Promise<{ url: URL; close: () => void }> {
  const server: Server = createServer((request, reply) => {
    const name = request.url?.split('/').at(-1) ?? '';
    if (name === 'silent.com') return;
    const isKnown = request.headers.authorization === `Bearer ${API_KEY}`;
    const [status, body] = (isKnown && ANSWERS[name]) || [isKnown ? 404 : 401, {}];
    reply.writeHead(status, status === 429 ? { 'retry-after': '30' } : {});
    reply.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: new URL(`http://127.0.0.1:${port}/`), close };
}
