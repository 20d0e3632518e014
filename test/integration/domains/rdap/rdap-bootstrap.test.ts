import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { readConfig } from '../../../../src/config/config.js';
import { DomainName } from '../../../../src/domains/domain/name/domain-name.js';
import { RdapBootstrap } from '../../../../src/domains/rdap/rdap-bootstrap.js';
import type {
  RegistryDocument,
  RegistryDocuments,
} from '../../../../src/domains/transport/registry-documents.repository.js';
import { DAY, HOUR } from '../../../../src/kernel/clock.js';
import { loopbackHttp } from '../../../support/builders/lookup-sources.js';
import { FakeRegistry } from '../../../world/registry.js';
import { bootstrapDocument } from '../../../support/builders/rdap-answers.js';
import { TestClock } from '../../../support/fakes/test-clock.js';

/** The store that processes share; unavailable on demand. */
class SharedDocuments implements RegistryDocuments {
  document: RegistryDocument | null = null;
  isAway = false;

  async load(): Promise<RegistryDocument | null> {
    if (this.isAway) throw new Error('database away');
    return this.document;
  }

  async save(_kind: string, document: RegistryDocument): Promise<void> {
    if (this.isAway) throw new Error('database away');
    this.document = document;
  }
}

let iana: FakeRegistry;
const http = loopbackHttp();
let clock: TestClock;
let documents: SharedDocuments;

beforeAll(() => void Logger.overrideLogger(false));
beforeEach(async () => {
  iana = await FakeRegistry.start();
  clock = new TestClock();
  documents = new SharedDocuments();
});
afterEach(() => iana.stop());

/** A process after its start and first refresh. */
async function aProcess(settings: Record<string, string> = {}): Promise<RdapBootstrap> {
  const config = readConfig({ RDAP_BOOTSTRAP_URL: iana.bootstrapUrl, ...settings });
  const bootstrap = new RdapBootstrap(config, http, documents, clock);
  await bootstrap.onModuleInit();
  await bootstrap.refreshIfStale();
  return bootstrap;
}

const serverOf = (bootstrap: RdapBootstrap, name: string) =>
  bootstrap.serverFor(DomainName.restore(name))?.base.href ?? null;
const publish = (com: string) => iana.publishes(bootstrapDocument({ com: [com], kg: ['http://rdap.example/'] }));

describe('the RDAP server for a name', () => {
  it('comes from IANA’s bootstrap document, which is fetched at the start', async () => {
    publish('https://rdap.one.example/');
    const bootstrap = await aProcess();
    expect(serverOf(bootstrap, 'example.com')).toBe('https://rdap.one.example/');
    expect(documents.document?.fetchedAt).toEqual(clock.now());
  });

  it('is unknown for a TLD that the bootstrap document lacks or lists without https', async () => {
    publish('https://rdap.one.example/');
    const bootstrap = await aProcess();
    expect(['example.org', 'example.kg'].map((name) => serverOf(bootstrap, name))).toEqual([null, null]);
  });

  it('is that of the longest listed suffix of the name', async () => {
    iana.publishes(bootstrapDocument({ uk: ['https://uk.example/'], 'co.uk': ['https://co.uk.example/'] }));
    const bootstrap = await aProcess();
    expect(['a.co.uk', 'a.org.uk', 'a.uk'].map((name) => serverOf(bootstrap, name))).toEqual([
      'https://co.uk.example/',
      'https://uk.example/',
      'https://uk.example/',
    ]);
  });

  it('is the configured override if there is one, even with plain http', async () => {
    publish('https://rdap.one.example/');
    const bootstrap = await aProcess({ RDAP_OVERRIDES: 'com=http://127.0.0.1:9/rdap,lan=http://10.0.0.1' });
    const override = bootstrap.serverFor(DomainName.restore('example.com'));
    expect([override?.base.href, override?.isOverride]).toEqual(['http://127.0.0.1:9/rdap/', true]);
    expect(serverOf(bootstrap, 'example.lan')).toBe('http://10.0.0.1/');
  });

  it('comes from the built-in table until the bootstrap document is fetched', async () => {
    const bootstrap = await aProcess();
    expect(serverOf(bootstrap, 'example.com')).toBe('https://rdap.verisign.com/com/v1/');
    expect(serverOf(bootstrap, 'example.de')).toBe('https://rdap.denic.de/');
  });

  it('comes from the built-in table for a TLD that IANA does not list yet', async () => {
    publish('https://rdap.one.example/');
    expect(serverOf(await aProcess(), 'example.de')).toBe('https://rdap.denic.de/');
    documents = new SharedDocuments();
    iana.publishes(bootstrapDocument({ de: ['https://rdap.iana-says.example/'] }));
    expect(serverOf(await aProcess(), 'example.de')).toBe('https://rdap.iana-says.example/');
  });

  it('is known only from an override when the bootstrap document is turned off', async () => {
    const bootstrap = await aProcess({ RDAP_BOOTSTRAP_URL: 'off', RDAP_OVERRIDES: 'org=https://rdap.mine.example' });
    expect(['example.com', 'example.de'].map((name) => serverOf(bootstrap, name))).toEqual([null, null]);
    expect(serverOf(bootstrap, 'example.org')).toBe('https://rdap.mine.example/');
    expect(iana.queries('dns.json')).toBe(0);
  });
});

describe('IANA’s RDAP bootstrap document', () => {
  it('is fetched once for all processes, and again a day later', async () => {
    publish('https://rdap.one.example/');
    const processes = [await aProcess(), await aProcess()];
    expect(iana.queries('dns.json')).toBe(1);
    publish('https://rdap.two.example/');
    clock.advance(DAY + HOUR + 1);
    for (const each of processes) await each.refreshIfStale();
    expect(iana.queries('dns.json')).toBe(2);
    expect(processes.map((each) => serverOf(each, 'example.com'))).toEqual(Array(2).fill('https://rdap.two.example/'));
  });

  it('is not fetched again before it is a day old', async () => {
    publish('https://rdap.one.example/');
    const bootstrap = await aProcess();
    clock.advance(DAY);
    await Promise.all([bootstrap.refreshIfStale(), bootstrap.refreshIfStale()]);
    expect(iana.queries('dns.json')).toBe(1);
  });

  it('is fetched once when two callers ask at the same time', async () => {
    publish('https://rdap.one.example/');
    const bootstrap = await aProcess();
    clock.advance(2 * DAY);
    await Promise.all([bootstrap.refreshIfStale(), bootstrap.refreshIfStale()]);
    expect(iana.queries('dns.json')).toBe(2);
  });

  it.each([
    ['missing', null],
    ['almost empty', bootstrapDocument({ com: ['https://evil.example/'] }, 3)],
    ['too large', { ...bootstrapDocument({}), padding: ' '.repeat(5 * 1_024 * 1_024) }],
  ])('is kept in the old version when the new version is %s', async (_what, broken) => {
    publish('https://rdap.one.example/');
    const bootstrap = await aProcess();
    const stored = documents.document;
    iana.publishes(broken);
    clock.advance(30 * DAY);
    await bootstrap.refreshIfStale();
    expect(iana.queries('dns.json')).toBe(2);
    expect(serverOf(bootstrap, 'example.com')).toBe('https://rdap.one.example/');
    expect(documents.document).toBe(stored);
    expect(serverOf(await aProcess(), 'example.com')).toBe('https://rdap.one.example/');
  });

  it('is loaded from the database when IANA is unreachable', async () => {
    publish('https://rdap.one.example/');
    await aProcess();
    clock.advance(2 * DAY);
    const bootstrap = await aProcess({ RDAP_BOOTSTRAP_URL: 'http://iana.invalid/dns.json' });
    expect(serverOf(bootstrap, 'example.com')).toBe('https://rdap.one.example/');
  });

  it('is used even when the database is unavailable', async () => {
    documents.isAway = true;
    publish('https://rdap.one.example/');
    expect(serverOf(await aProcess(), 'example.com')).toBe('https://rdap.one.example/');
  });

  it('does not delay the start when IANA does not answer', async () => {
    iana.says('dns.json', () => undefined);
    const config = readConfig({ RDAP_BOOTSTRAP_URL: `${iana.url}domain/dns.json` });
    const bootstrap = new RdapBootstrap(config, http, documents, clock);
    await bootstrap.onModuleInit();
    expect(serverOf(bootstrap, 'example.com')).toBe('https://rdap.verisign.com/com/v1/');
  });
});
