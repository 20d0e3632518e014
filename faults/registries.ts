import { dnsAnswers, FakeDns } from '../test/support/fakes/fake-dns.js';
import { FakeRegistry } from '../test/support/fakes/fake-registry.js';
import { FakeWhois, saying } from '../test/support/fakes/fake-whois.js';
import { type Lie, LIES, type Saying, type Telling, WORDS } from './lies.js';
import type { State } from './truth.js';

/** Of these registries; the last has WHOIS only. */
export const TLDS = ['alpha', 'beta', 'gamma'] as const;

const DAY = 86_400_000;

interface Held {
  state: State;
  /** Each registration of a name has its own. */
  registeredAt: Date;
  readonly bornAt: number;
}

/** Two registries that speak RDAP, one that speaks WHOIS, and the zones above; all of them on loopback, in this process. */
export class Registries {
  private readonly held = new Map<string, Held>();
  /** How many lies of each kind somebody was told. */
  readonly told = new Map<Lie, number>(LIES.map((lie) => [lie, 0]));

  private constructor(
    private readonly rdap: readonly FakeRegistry[],
    private readonly whois: FakeWhois,
    private readonly dns: FakeDns,
  ) {}

  static async start(): Promise<Registries> {
    const rdap = await Promise.all([FakeRegistry.start(), FakeRegistry.start()]);
    return new Registries(rdap, await FakeWhois.start(), await FakeDns.start());
  }

  get settings(): Record<string, string> {
    const overrides = this.rdap.map(({ url }, i) => `${TLDS[i] ?? ''}=${url}`);
    const [, , whoisTld] = TLDS;
    return {
      RDAP_OVERRIDES: overrides.join(','),
      WHOIS_OVERRIDES: `${whoisTld}=${this.whois.host}`,
      DNS_SERVERS: this.dns.host,
    };
  }

  /** From now on, and whatever it lied before. */
  holds(name: string, state: State): void {
    const known = this.held.get(name);
    const held = known ?? { state, registeredAt: new Date(Date.now() - 400 * DAY), bornAt: Date.now() };
    if (known?.state === 'available' && state !== 'available') held.registeredAt = new Date();
    held.state = state;
    this.held.set(name, held);
    this.tell(name, held);
  }

  /** Until {@link holds} is called, or as long as anybody asks. */
  lies(name: string, lie: Lie): Telling {
    const [heard, told] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    void told.promise.then(() => this.told.set(lie, (this.told.get(lie) ?? 0) + 1));
    const isAbsence = lie === 'gone' || lie === 'vetoed';
    const answer = lie === 'gone' ? dnsAnswers.nxdomain : dnsAnswers.referral();
    if (isAbsence)
      this.dns.says(name, (asked) => {
        told.resolve();
        answer(asked);
      });
    this.says(name, WORDS[lie], () => {
      heard.resolve();
      if (!isAbsence) told.resolve();
    });
    return { heard: heard.promise, told: told.promise };
  }

  async stop(): Promise<void> {
    await Promise.all([...this.rdap, this.whois, this.dns].map((one) => one.stop()));
  }

  private tell(name: string, { state, registeredAt, bornAt }: Held): void {
    if (state === 'available') {
      this.registryOf(name).releases(name);
      return this.dns.releases(name);
    }
    this.dns.delegates(name);
    const expiresAt = new Date(bornAt + (state === 'expiring' ? 10 : 700) * DAY);
    const rdap = this.rdapOf(name);
    const statuses = [state === 'pending_delete' ? 'pending delete' : 'active'];
    if (rdap) return rdap.holds(name, { statuses, registeredAt, expiresAt });
    this.whois.says(name, saying(whoisRecord(name, statuses, registeredAt, expiresAt)));
  }

  private says(name: string, [rdap, whois]: Saying, asked: () => void): void {
    const registry = this.rdapOf(name);
    if (registry)
      registry.says(name, (reply, domain) => {
        asked();
        rdap(reply, domain);
      });
    else
      this.whois.says(name, (socket, query) => {
        asked();
        whois(socket, query);
      });
  }

  private registryOf(name: string): FakeRegistry | FakeWhois {
    return this.rdapOf(name) ?? this.whois;
  }

  private rdapOf(name: string): FakeRegistry | undefined {
    return this.rdap.find((_, i) => name.endsWith(`.${TLDS[i] ?? ''}`));
  }
}

function whoisRecord(name: string, statuses: readonly string[], registeredAt: Date, expiresAt: Date): string[] {
  return [
    `Domain Name: ${name.toUpperCase()}`,
    'Registrar: Example Registrar',
    ...statuses.map((status) => `Domain Status: ${status === 'active' ? 'ok' : 'pendingDelete'}`),
    `Creation Date: ${registeredAt.toISOString()}`,
    `Registry Expiry Date: ${expiresAt.toISOString()}`,
  ];
}
