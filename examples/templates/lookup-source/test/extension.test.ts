import { lookupSourceContract, readTestSettings } from 'namewatch/testing';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { Settings } from '../src/settings.js';
import { Source } from '../src/source.js';

/** What a server on loopback says of each name; it never answers about silent.example. */
const ANSWERS: Readonly<Record<string, readonly [status: number, body: string]>> = {
  'taken.example': [200, '{"domain": "taken.example", "registered": true, "expires_at": "2028-06-01T00:00:00Z"}'],
  'free.example': [200, '{"domain": "free.example", "registered": false}'],
  'other-name.example': [200, '{"domain": "free.example", "registered": false}'],
  'page.example': [200, '<html>Sign in to this network</html>'],
  'limit.example': [429, ''],
  'outage.example': [503, ''],
};
const server = createServer((request, reply) => {
  const name = request.url?.split('/').at(-1) ?? '';
  const [status, body] = ANSWERS[name] ?? [404, ''];
  if (name !== 'silent.example') reply.writeHead(status).end(body);
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const { port } = server.address() as AddressInfo;
after(() => {
  server.closeAllConnections();
  server.close();
});

const settings = readTestSettings(Settings, {
  MY_EXTENSION_URL: `http://127.0.0.1:${port}/`,
  MY_EXTENSION_TLDS: 'example',
});

describe('the lookup source', () => {
  const contract = lookupSourceContract({
    create: (http) => new Source(http, settings),
    registered: 'taken.example',
    unregistered: 'free.example',
    silent: 'silent.example',
    failing: ['other-name.example', 'page.example', 'limit.example', 'outage.example', 'unknown.example'],
  });
  for (const { name, run } of contract) it(name, run);
});
