import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateApiKey } from '../../../src/auth/domain/api-key.js';
import { budgetsFile } from '../../../test/support/builders/budgets-file.js';
import { CertificateAuthority } from '../../../test/support/builders/certificates.js';
import { FakeRegistry } from '../../../test/world/registry.js';
import { WebhookReceiver } from '../../../test/world/receiver.js';
import { startServiceProcess } from '../../../test/support/servers/service-process.js';
import { agencyNames } from './agency.js';

/** A service with a past, and with registries and a webhook receiver on loopback. */
export interface Stage {
  readonly address: string;
  readonly key: string;
  readonly receiver: WebhookReceiver;
  readonly close: () => Promise<void>;
}

const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS);
const REGISTERED_AT = new Date('2021-03-04T09:12:00Z');

/** Names, and the days until they expire. */
const REGISTERED = { 'harbour-lights.shop': 3, 'northwind-tea.shop': 12, 'oakandanvil.app': 12, 'paperkite.app': 27 };
const LATER = { 'silverfern.shop': 41, 'tidemark.app': 58, 'quietbridge.shop': 76, 'longmeadow.app': 240 };

export async function setStage(): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'namewatch-screenshots-'));
  const authority = await CertificateAuthority.create('Namewatch screenshots');
  const registry = await FakeRegistry.start();
  const receiver = await WebhookReceiver.start(await authority.issue(['127.0.0.1']));
  const caFile = join(folder, 'authority.pem');
  writeFileSync(caFile, authority.cert);
  holdNames(registry);
  const key = generateApiKey().text;
  const service = await startServiceProcess({
    BOOTSTRAP_API_KEY: key,
    RDAP_BOOTSTRAP_URL: 'off',
    RDAP_OVERRIDES: `shop=${registry.url},app=${registry.url},dev=http://127.0.0.1:9/`,
    DNS_SERVERS: 'off',
    LOOKUP_BUDGETS_FILE: budgetsFile({ default: { per_second: 50, burst: 100, concurrency: 8 } }),
    LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8',
    WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
    WEBHOOK_CA_FILE: caFile,
  });
  const close = async () => {
    await service.kill('SIGINT');
    await Promise.all([registry.stop(), receiver.close()]);
    rmSync(folder, { recursive: true, force: true });
  };
  return { address: service.address, key, receiver, close };
}

function holdNames(registry: FakeRegistry): void {
  for (const [name, days] of Object.entries({ ...REGISTERED, ...LATER }))
    registry.holds(name, { registeredAt: REGISTERED_AT, expiresAt: inDays(days) });
  for (const { domain, expiresInDays, registrar } of agencyNames())
    if (expiresInDays !== null) {
      const expiresAt = inDays(expiresInDays);
      registry.holds(domain, {
        registeredAt: REGISTERED_AT,
        expiresAt,
        registrar: { name: registrar, ianaId: '9999' },
      });
    }
  const registeredAt = REGISTERED_AT;
  registry.holds('brasslantern.shop', { registeredAt, statuses: ['pending delete'], expiresAt: inDays(-71) });
  registry.holds('driftwood.app', { registeredAt, statuses: ['redemption period'], expiresAt: inDays(-52) });
}

/** The sandbox changes this name's registration record every 24 seconds. */
export const MOVING = 'moving-24s.test';

/** The names that the account watches, with typical notes. */
export const WATCHED = [
  { domain: 'harbour-lights.shop', purpose: 'own', tags: ['brand'], note: 'Renew with the invoice of March.' },
  { domain: 'northwind-tea.shop', purpose: 'own', tags: ['brand', 'shop'] },
  { domain: 'oakandanvil.app', purpose: 'monitor', tags: ['competitor'] },
  { domain: 'paperkite.app', purpose: 'acquire', tags: ['wanted'] },
  { domain: 'silverfern.shop', tags: ['brand'] },
  { domain: 'tidemark.app', tags: ['competitor'] },
  { domain: 'quietbridge.shop', paused: true },
  { domain: 'longmeadow.app', purpose: 'own', tags: ['brand'] },
  { domain: 'brasslantern.shop', purpose: 'acquire', tags: ['wanted'], note: 'Ask for 40 at most.' },
  { domain: 'driftwood.app', purpose: 'acquire', tags: ['wanted'] },
  { domain: 'available.test' },
  { domain: 'lifecycle-24s.test', interval_minutes: 5, tags: ['sandbox'] },
  {
    domain: MOVING,
    purpose: 'own',
    interval_minutes: 5,
    tags: ['sandbox'],
    expected: { nameservers: ['ns1.harbour-dns.example'], registrar_id: '1', locked: true },
  },
  { domain: 'unreachable.test', tags: ['sandbox'] },
  { domain: 'glasshouse.dev' },
] as const;
