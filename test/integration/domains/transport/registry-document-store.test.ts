import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { readConfig } from '../../../../src/config/config.js';
import { RegistryDocumentStore } from '../../../../src/domains/transport/registry-documents.repository.js';
import { after, DAY } from '../../../../src/kernel/clock.js';
import { SqlClient } from '../../../../src/platform/database/sql-client.js';
import { serviceDatabase } from '../../../support/servers/test-service.js';

let statements: SqlClient;
let documents: RegistryDocumentStore;

beforeAll(async () => {
  const MASTER_KEY = randomBytes(32).toString('base64');
  const config = readConfig({ DATABASE_URL: await serviceDatabase(), MASTER_KEY });
  statements = new SqlClient(config);
  documents = new RegistryDocumentStore(statements);
});
afterAll(() => statements.onApplicationShutdown());

describe('a stored registry document', () => {
  const monday = new Date('2026-11-16T00:00:00Z');
  const tuesday = new Date('2026-11-17T00:00:00Z');

  it('is replaced by a newer one of the same kind', async () => {
    expect(await documents.load('rdap')).toBeNull();
    await documents.save('rdap', { body: '{"one":"ü"}', fetchedAt: monday });
    await documents.save('rdap', { body: '{"two":2}', fetchedAt: tuesday });
    expect(await documents.load('rdap')).toEqual({ body: '{"two":2}', fetchedAt: tuesday });
    expect(await documents.load('whois')).toBeNull();
  });

  it('is not replaced by an older one of the same kind', async () => {
    await documents.save('slow', { body: 'newer', fetchedAt: tuesday });
    await documents.save('slow', { body: 'older', fetchedAt: monday });
    expect(await documents.load('slow')).toEqual({ body: 'newer', fetchedAt: tuesday });
  });

  it('is deleted after a month if it has only the dates of a name', async () => {
    const [recent, old] = [new Date(), after(new Date(), -31 * DAY)];
    const kinds = ['whois-dates.asked.fi', 'whois-dates.forgotten.fi', 'whois-referral.fi'];
    for (const [at, kind] of kinds.entries())
      await documents.save(kind, { body: '{}', fetchedAt: at === 0 ? recent : old });
    await documents.forgetDates();
    const kept = await Promise.all(kinds.map((kind) => documents.load(kind)));
    expect(kept.map((document) => document !== null)).toEqual([true, false, true]);
  });
});
