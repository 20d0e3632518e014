import { setTimeout as pause } from 'node:timers/promises';
import { FakeRegistry } from '../../world/registry.js';
import { FakeWhois, saying as telling, type WhoisAnswer } from '../../world/whois.js';
import { dnsAnswers, type FakeDns } from '../../world/dns.js';
import { rdapNotFound, rdapRecord } from '../../support/builders/rdap-answers.js';
import { type RegistryAnswer, saying } from '../../world/registry-faults.js';
import { whoisRecord } from './whois-record.js';

/** `.delta` has RDAP, `.epsilon` WHOIS; one RDAP server has both `.zeta`, which it denies at times, and `.eta`. */
export const DENIED_TLDS = ['delta', 'epsilon', 'zeta'] as const;
export const KEPT_TLD = 'eta';

/** How a registry says "no such name" about names that it has: as its rules say, or in words that nobody has seen yet. */
export type Wording = 'usual' | 'unseen';

/** The answer of the zone above a name. `undelegated`: the name is registered without name servers. */
export const ZONE_ANSWERS = ['delegated', 'refused', 'silence', 'undelegated'] as const;
export type ZoneAnswer = (typeof ZONE_ANSWERS)[number];

const YEAR = 365 * 86_400_000;
/** Less than lies between the two looks that confirm a drop. */
const ONCE_MS = 800;
const ASKED_POLL_MS = 50;

/** Registries that deny a name or all names of a TLD for a while, as after a failover to an empty copy. They have all names. */
export class Denials {
  /** By name or TLD. */
  private readonly denied = new Map<string, Wording>();
  /** Until when, by name; null: it was not asked about yet. */
  private readonly deniedOnce = new Map<string, number | null>();

  private constructor(
    private readonly alone: FakeRegistry,
    private readonly shared: FakeRegistry,
    private readonly whois: FakeWhois,
    private readonly dns: FakeDns,
  ) {
    for (const registry of [alone, shared]) registry.saysToEverything((reply, name) => this.answer(name)(reply, name));
    whois.saysToEverything((socket, query) => this.tell(query)(socket, query));
  }

  /** @param dns answers for their zones */
  static async start(dns: FakeDns): Promise<Denials> {
    const [alone, shared] = await Promise.all([FakeRegistry.start(), FakeRegistry.start()]);
    return new Denials(alone, shared, await FakeWhois.start(), dns);
  }

  get overrides(): { readonly rdap: readonly string[]; readonly whois: readonly string[] } {
    const [delta, epsilon, zeta] = DENIED_TLDS;
    const rdap = [`${delta}=${this.alone.url}`, ...[zeta, KEPT_TLD].map((tld) => `${tld}=${this.shared.url}`)];
    return { rdap, whois: [`${epsilon}=${this.whois.host}`] };
  }

  /** From now on the registry has no record of this name, or of any name of this TLD, until {@link recover}. */
  deny(nameOrTld: string, wording: Wording): void {
    this.denied.set(nameOrTld, wording);
  }

  /**
   * The registry has no record of this name for a moment, from the first question on: one look sees it.
   * @returns whether the moment came
   */
  async denyOnce(name: string, stop: AbortSignal): Promise<boolean> {
    this.deniedOnce.set(name, null);
    let until: number | null = null;
    while (until === null && !stop.aborted) {
      await pause(ASKED_POLL_MS);
      until = this.deniedOnce.get(name) ?? null;
    }
    if (until === null) this.deniedOnce.delete(name);
    return until !== null;
  }

  recover(nameOrTld: string): void {
    this.denied.delete(nameOrTld);
  }

  setZone(name: string, says: ZoneAnswer): void {
    if (says === 'delegated') this.dns.delegates(name);
    else if (says === 'undelegated') this.dns.releases(name);
    else this.dns.says(name, dnsAnswers[says]);
  }

  async stop(): Promise<void> {
    await Promise.all([this.alone, this.shared, this.whois].map((one) => one.stop()));
  }

  private answer(name: string): RegistryAnswer {
    const wording = this.wordingFor(name);
    if (wording === undefined) return saying(200, rdapRecord(name, RECORD));
    return saying(404, wording === 'usual' ? rdapNotFound() : { errorCode: 404, title: unseenWords() });
  }

  private tell(query: string): WhoisAnswer {
    const wording = this.wordingFor(query);
    if (wording === undefined) return telling(whoisRecord(query, RECORD));
    return telling(wording === 'usual' ? `No match for "${query.toUpperCase()}".` : unseenWords());
  }

  /** Undefined: it says what it has. */
  private wordingFor(asked: string): Wording | undefined {
    const name = asked.toLowerCase();
    if (this.isDeniedOnce(name)) return 'usual';
    return this.denied.get(name) ?? this.denied.get(name.slice(name.lastIndexOf('.') + 1));
  }

  private isDeniedOnce(name: string): boolean {
    const until = this.deniedOnce.get(name);
    if (until === null) this.deniedOnce.set(name, Date.now() + ONCE_MS);
    return until === null || (until !== undefined && Date.now() < until);
  }
}

const RECORD = {
  statuses: ['active'],
  registeredAt: new Date(Date.now() - YEAR),
  expiresAt: new Date(Date.now() + 2 * YEAR),
};

const WORDS = 'we hold nothing below that letter here kindly ask elsewhere another house looks after it'.split(' ');

function unseenWords(): string {
  return Array.from({ length: 6 }, () => WORDS[Math.floor(Math.random() * WORDS.length)]).join(' ');
}
