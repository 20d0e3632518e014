import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../../../src/config/config.js';
import { createZoneWitness } from '../../../src/domains/dns/authoritative-zone-witness.js';
import { DomainName } from '../../../src/domains/domain/name/domain-name.js';
import { MINUTE, SECOND } from '../../../src/kernel/clock.js';
import { WatchedName } from '../../../src/watchlist/domain/watched-name.js';
import { extensionRouter } from '../../support/builders/extension-router.js';
import { loopbackHttp } from '../../support/builders/lookup-sources.js';
import { rdapNotFound, rdapRecord } from '../../support/builders/rdap-answers.js';
import { isAbsent, isFound, ScriptedSource } from '../../support/builders/scripted-source.js';
import { dnsAnswers, FakeDns } from '../../world/dns.js';
import { FakeRegistry } from '../../world/registry.js';
import { FakeWhois, saying as telling } from '../../world/whois.js';
import { saying } from '../../world/registry-faults.js';
import { running } from '../../support/running.js';
import { buildChecks, watching } from '../../unit/domains/checks/scripted-ports.js';
import { aSchedule } from '../../unit/watchlist/builders.js';

const registry = running(() => FakeRegistry.start());
const whois = running(() => FakeWhois.start());
const dns = running(() => FakeDns.start());
const http = loopbackHttp();

const SOURCES = ['RDAP', 'WHOIS', 'an extension', 'an extension with a private zone'] as const;
const ZONES = ['delegates the name', 'has no entry for the name', 'refuses the query', 'is not asked'] as const;
/** How a registry denies what it has. */
const DENIALS = [
  'every name',
  'every name of one TLD',
  'every name one second after a correct answer',
  'every name in unknown words',
] as const;
type Source = (typeof SOURCES)[number];
type Zone = (typeof ZONES)[number];

const UNSEEN = 'kindly look for that letter elsewhere';

/** A registry with two TLDs of its own, and what it denies. */
class World {
  private static count = 0;
  private readonly number = (World.count += 1);
  readonly tld = `tld${this.number}`;
  readonly sibling = `sibling${this.number}`;
  readonly free = new Set<string>();
  denies: { readonly tlds: readonly string[]; readonly words: 'usual' | 'unseen' } = { tlds: [], words: 'usual' };
  private readonly watched: WatchedName;
  private readonly ports;
  private readonly clock;

  constructor(source: Source, zone: Zone) {
    const settings = { DNS_SERVERS: zone === 'is not asked' ? 'off' : dns.host, RDAP_BOOTSTRAP_URL: 'off' };
    const at = (place: string) => [this.tld, this.sibling].map((tld) => `${tld}=${place}`).join();
    const overrides = {
      ...(source === 'RDAP' && { RDAP_OVERRIDES: at(registry.url) }),
      ...(source === 'WHOIS' && { WHOIS_OVERRIDES: at(whois.host) }),
    };
    const extension = new ScriptedSource(({ ascii }) => Promise.resolve(this.has(ascii) ? isFound : isAbsent));
    extension.tlds = [this.tld, this.sibling];
    extension.hasPrivateZone = source === 'an extension with a private zone';
    const { router, clock } = extensionRouter(source.includes('extension') ? [extension] : [], overrides, http);
    this.clock = clock;
    this.ports = buildChecks({ registry: router, zones: createZoneWitness(readConfig(settings), clock), clock });
    this.watched = WatchedName.create(this.named(), 'example', 60, clock.now());
    registry.saysToEverything((reply, name) => worldOf(name)?.answer(name)(reply, name));
    whois.saysToEverything((socket, query) => worldOf(query)?.tell(query)(socket, query));
    WORLDS.set(this.tld, this).set(this.sibling, this);
    for (const name of [`example.${this.tld}`, `kept.${this.tld}`, `nic.${this.tld}`]) this.publish(name, zone);
  }

  /** Any check, by default of the name in question. */
  check(domain = `example.${this.tld}`) {
    return this.ports.checks.check(DomainName.restore(domain), { maxAgeSeconds: 0, accountId: 'acc_1' });
  }

  /** The watch looks once; `absentSince` and confirmation are the aggregate's. */
  async look() {
    const { watched } = this;
    const result = await this.ports.lookup.forWatch(watched.name, watching(watched.absentSince), watched.facts);
    watched.applyResult(result, aSchedule(), this.clock.now());
  }

  async lookTwice() {
    await this.look();
    this.passes(MINUTE + SECOND);
    await this.look();
    return this.watched.facts?.outcome;
  }

  passes(milliseconds: number): void {
    this.clock.advance(milliseconds);
  }

  private named(): DomainName {
    return DomainName.restore(`example.${this.tld}`);
  }

  private publish(name: string, zone: Zone): void {
    if (zone === 'delegates the name') dns.delegates(name);
    else if (zone === 'refuses the query') dns.says(name, dnsAnswers.refused);
  }

  private has(name: string): boolean {
    return !this.free.has(name) && !this.denies.tlds.includes(name.slice(name.indexOf('.') + 1));
  }

  private answer(name: string) {
    if (this.has(name)) return saying(200, rdapRecord(name));
    return saying(404, this.denies.words === 'usual' ? rdapNotFound() : { errorCode: 404, title: UNSEEN });
  }

  private tell(name: string) {
    if (this.has(name)) return telling([`Domain Name: ${name.toUpperCase()}`, 'Domain Status: ok', 'Registrar: R']);
    return telling(this.denies.words === 'usual' ? `No match for "${name.toUpperCase()}".` : UNSEEN);
  }
}

const WORLDS = new Map<string, World>();
const worldOf = (name: string) => WORLDS.get(name.slice(name.indexOf('.') + 1).toLowerCase());

const cases = SOURCES.flatMap((source) =>
  ZONES.flatMap((zone) => DENIALS.map((denial) => ({ source, zone, denial }) as const)),
);

/** Cases wait a second for the registry's second answer; they do so side by side. */
describe('a registered name that the registry reports as not found', () => {
  it.concurrent.each(cases)(
    'is not available when $source answers not found for $denial and the parent zone $zone',
    async (one) => {
      const world = new World(one.source, one.zone);
      const { tld, sibling } = world;
      await world.look();
      await world.check();
      await world.check(`kept.${tld}`);
      world.passes(one.denial === 'every name one second after a correct answer' ? SECOND : 11 * MINUTE);
      if (one.denial === 'every name of one TLD') await world.check(`kept.${sibling}`);
      world.denies = {
        tlds: one.denial === 'every name of one TLD' ? [tld] : [tld, sibling],
        words: one.denial === 'every name in unknown words' ? 'unseen' : 'usual',
      };
      const [checked, watched] = await Promise.all([world.check(), world.lookTwice()]);
      expect(checked).toMatchObject({ kind: 'failure' });
      expect(watched).toBe('found');
      world.passes(MINUTE);
      expect([await world.check(), await world.lookTwice()]).toMatchObject([{ kind: 'failure' }, 'found']);
    },
  );
});

describe('a deleted name', () => {
  const good = SOURCES.flatMap((source) =>
    ZONES.filter((zone) => zone !== 'delegates the name').map((zone) => ({ source, zone })),
  );

  it.concurrent.each(good)(
    'is available when $source answers not found and the parent zone $zone',
    async ({ source, zone }) => {
      const world = new World(source, zone);
      await world.look();
      await world.check(`kept.${world.tld}`);
      world.passes(11 * MINUTE);
      world.free.add(`example.${world.tld}`);
      expect(await world.check()).toMatchObject({ status: 'available' });
      expect(await world.lookTwice()).toBe('absent');
    },
  );
});

describe('a name in a TLD without known registrations', () => {
  it('is available after two not-found answers, and the evidence marks this as unproven', async () => {
    const world = new World('RDAP', 'is not asked');
    world.free.add(`example.${world.tld}`);
    const evidence: unknown = expect.arrayContaining([expect.objectContaining({ rule: 'canary.unproven' })]);
    expect(await world.check()).toMatchObject({ status: 'available', observation: { evidence } });
  });

  it('gets no status if the registry answers not found for nic.<TLD>, which DNS has', async () => {
    const world = new World('RDAP', 'delegates the name');
    dns.releases(`example.${world.tld}`); // registered without name servers
    world.denies = { tlds: [world.tld, world.sibling], words: 'usual' };
    expect(await world.check()).toMatchObject({ kind: 'failure', doubt: 'canary_missing' });
    expect(await world.lookTwice()).not.toBe('absent');
  });
});
