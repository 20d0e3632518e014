import { randomBytes } from 'node:crypto';
import { mkdtempSync, chmodSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ReplicatedPostgres } from '../../faults/cluster/replicated-postgres.js';
import { generateApiKey } from '../../../src/auth/index.js';
import { explainDatabaseError } from '../../../src/platform/database/explain-database-error.js';
import { withSession } from '../../../src/platform/database/session.js';
import { CertificateAuthority } from '../../support/builders/certificates.js';
import { startServiceProcess } from '../../support/servers/service-process.js';

jest.setTimeout(180_000);

const HOUR = 3_600_000;

let folder: string;
let postgres: ReplicatedPostgres;
let authority: CertificateAuthority;
let clientFiles: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'namewatch-tls-'));
  chmodSync(folder, 0o711);
  authority = await CertificateAuthority.create();
  const [client, stranger] = [
    await authority.issue(['postgres']),
    await CertificateAuthority.create('Another Authority'),
  ];
  writeFileSync(join(folder, 'ca.pem'), authority.cert);
  writeFileSync(join(folder, 'other-ca.pem'), stranger.cert);
  writeFileSync(join(folder, 'client.pem'), client.cert);
  writeFileSync(join(folder, 'client.key'), client.key, { mode: 0o600 });
  clientFiles = `&sslcert=${join(folder, 'client.pem')}&sslkey=${join(folder, 'client.key')}`;
  postgres = await ReplicatedPostgres.start(folder, 'asynchronous');
  await postgres.requireTls(await authority.issue(['127.0.0.1']), authority.cert);
});
afterAll(async () => {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

const verified = (ca = 'ca.pem') => `${postgres.primaryUrl}?sslmode=verify-full&sslrootcert=${join(folder, ca)}`;
const attempt = async (url: string) => {
  try {
    return await withSession(url, async (session) => {
      const { rows } = await session.query<{ ssl: boolean }>(
        'select ssl from pg_stat_ssl where pid = pg_backend_pid()',
      );
      return rows[0]?.ssl === true ? 'connected with TLS' : 'connected without TLS';
    });
  } catch (error) {
    return explainDatabaseError(error, url);
  }
};

describe('a PostgreSQL that requires TLS and client certificates', () => {
  it('gets only TLS connections from the service', async () => {
    const key = generateApiKey().text;
    const service = await startServiceProcess({
      DATABASE_URL: verified() + clientFiles,
      MASTER_KEY: randomBytes(32).toString('base64'),
      BOOTSTRAP_API_KEY: key,
      RDAP_BOOTSTRAP_URL: 'off',
      DNS_SERVERS: 'off',
    });
    const { status } = await fetch(`${service.address}/v1/watchlist`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ domain: 'tls.test' }),
    });
    const sessions = await postgres.queryPrimary<{ ssl: boolean }>(
      `select ssl from pg_stat_ssl join pg_stat_activity using (pid) where application_name like 'namewatch%'`,
    );
    await service.kill('SIGINT');
    expect(status).toBe(201);
    expect(sessions.length).toBeGreaterThan(1);
    expect(sessions.filter(({ ssl }) => !ssl)).toEqual([]);
  });

  it('is refused with a clear message if its certificate is expired, untrusted or for another host', async () => {
    expect(await attempt(verified() + clientFiles)).toBe('connected with TLS');
    expect(await attempt(verified('other-ca.pem') + clientFiles)).toMatch(
      /^DATABASE_URL: the certificate of .* is not trusted/,
    );
    await postgres.requireTls(await authority.issue(['db.example.test']), authority.cert);
    expect(await attempt(verified() + clientFiles)).toMatch(/^DATABASE_URL: the certificate of .* is not trusted/);
    const yesterday = { notBefore: new Date(Date.now() - 30 * HOUR), notAfter: new Date(Date.now() - HOUR) };
    await postgres.requireTls(await authority.issue(['127.0.0.1'], yesterday), authority.cert);
    expect(await attempt(verified() + clientFiles)).toMatch(
      /^DATABASE_URL: the certificate of .* is not trusted: .*expired/,
    );
    await postgres.requireTls(await authority.issue(['127.0.0.1']), authority.cert);
    expect(await attempt(verified())).toMatch(/^DATABASE_URL: .* refuses the user "postgres": /);
  });
});
