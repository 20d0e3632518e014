import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { checkQueue } from '../../../src/platform/diagnostics.js';
import { freePort } from '../../../src/process/postgres/embedded-postgres.js';
import { CertificateAuthority, type ServerCertificate } from '../../support/builders/certificates.js';
import { eventually } from '../../support/eventually.js';
import { runAsProcess } from '../../support/programs/command-line.js';
import { startRedis } from '../../support/servers/redis-server.mjs';
import { serviceDatabase, startTestService, type TestService } from '../../support/servers/test-service.js';

jest.setTimeout(180_000);

const HOUR = 3_600_000;

const folder = mkdtempSync(join(tmpdir(), 'namewatch-redis-tls-'));
const write = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
let authority: CertificateAuthority;
let ca: string;
let otherCa: string;
let clientFiles: string;
let port: number;
let stop: () => Promise<void> = () => Promise.resolve();
beforeAll(async () => {
  authority = await CertificateAuthority.create();
  ca = write('ca.pem', authority.cert);
  otherCa = write('other-ca.pem', (await CertificateAuthority.create('Another Authority')).cert);
  const client = await authority.issue(['namewatch']);
  clientFiles = `&sslcert=${write('client.pem', client.cert)}&sslkey=${write('client.key', client.key)}`;
});
afterEach(() => stop());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A Redis that takes connections with TLS and a certificate of the client only. */
async function startWith({ cert, key }: ServerCertificate): Promise<void> {
  port = await freePort();
  const files = ['--tls-cert-file', write('server.pem', cert), '--tls-key-file', write('server.key', key)];
  ({ stop } = await startRedis('redis-server', [
    '--port',
    '0',
    '--tls-port',
    String(port),
    '--tls-ca-cert-file',
    ca,
    ...files,
  ]));
}

const urlWith = (authorityFile: string, client = clientFiles) =>
  `rediss://127.0.0.1:${port}?sslrootcert=${authorityFile}${client}`;

describe('a Redis that requires TLS and client certificates', () => {
  it('works as the queue of a service that has a trusted certificate', async () => {
    await startWith(await authority.issue(['127.0.0.1']));
    const service: TestService = await startTestService({ REDIS_URL: urlWith(ca) });
    await service.call({ method: 'POST', path: '/v1/watchlist', body: { domain: 'tls--expiring.test' } });
    const expiring = async () => {
      const { body } = await service.call({ path: '/v1/watchlist?status=expiring' });
      return (body['data'] as unknown[]).length;
    };
    await eventually(expiring, (n) => n === 1, 20_000);
    await service.close();
  });

  it.each([
    [
      'from an authority that the service does not trust',
      async () => [await authority.issue(['127.0.0.1']), () => urlWith(otherCa)] as const,
    ],
    ['for another host', async () => [await authority.issue(['redis.example.test']), () => urlWith(ca)] as const],
    [
      'that has expired',
      async () => {
        const validity = { notBefore: new Date(Date.now() - 30 * HOUR), notAfter: new Date(Date.now() - HOUR) };
        return [await authority.issue(['127.0.0.1'], validity), () => urlWith(ca)] as const;
      },
    ],
    [
      'is valid, but the service has no client certificate',
      async () => [await authority.issue(['127.0.0.1']), () => urlWith(ca, '')] as const,
    ],
  ])('makes the service exit at its start with a clear message: server certificate %s', async (_, prepare) => {
    const [certificate, url] = await prepare();
    await startWith(certificate);
    const { code, err, out } = await runAsProcess(['up'], await settingsWith(url()));
    expect(err).toMatch(/^REDIS_URL: the certificate of 127\.0\.0\.1:\d+ or of this service is not trusted: [^\n]+$/);
    expect({ code, out }).toEqual({ code: 78, out: expect.not.stringMatching(/"level":"(error|fatal)"/) });
    const { ok, detail } = await checkQueue({ redisUrl: url() });
    expect({ ok, detail }).toEqual({ ok: false, detail: expect.stringMatching(/certificate/) });
  });

  it('causes a clear message if only the client or only the server uses TLS', async () => {
    await startWith(await authority.issue(['127.0.0.1']));
    const plain = await checkQueue({ redisUrl: `redis://127.0.0.1:${port}` });
    expect(plain.detail).toMatch(/^REDIS_URL: 127\.0\.0\.1:\d+ ended the connection: does it want TLS \(rediss:\)\?$/);
    await stop();
    const server = await startRedis('redis-server');
    stop = server.stop;
    const { port: plainPort } = new URL(server.url);
    const mistaken = await checkQueue({ redisUrl: `rediss://127.0.0.1:${plainPort}` });
    expect(mistaken.detail).toMatch(/^REDIS_URL: 127\.0\.0\.1:\d+ does not answer in time: does it speak TLS\?$/);
  });

  it('makes the service exit at its start with a clear message if the password is wrong', async () => {
    const server = await startRedis('redis-server', ['--requirepass', 'right']);
    stop = server.stop;
    const url = server.url.replace('redis://', 'redis://:wrong@');
    const { code, err } = await runAsProcess(['up'], await settingsWith(url));
    expect(err).toMatch(/^REDIS_URL: 127\.0\.0\.1:\d+ refuses the login: WRONGPASS [^\n]+$/);
    expect(code).toBe(78);
  });
});

async function settingsWith(REDIS_URL: string) {
  return {
    PATH: process.env['PATH'] ?? '',
    REDIS_URL,
    DATABASE_URL: await serviceDatabase({ REDIS_URL }),
    MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
    DATA_DIR: join(folder, 'data'),
    PORT: '0',
    RDAP_BOOTSTRAP_URL: 'off',
    DNS_SERVERS: 'off',
  };
}
