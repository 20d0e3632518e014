import { dnsAnswers, FakeDns } from '../../test/support/fakes/fake-dns.js';
import { FakeRegistry } from '../../test/support/fakes/fake-registry.js';
import { FakeWhois, saying } from '../../test/support/fakes/fake-whois.js';
import {
  type RegistryFault,
  REGISTRY_FAULTS,
  type FaultAnswers,
  type FaultDelivery,
  FAULT_ANSWERS,
} from './registry-faults.js';
import type { LifecycleState } from './registry-state.js';

/** The last one has WHOIS only. */
export const TLDS = ['alpha', 'beta', 'gamma'] as const;

const DAY = 86_400_000;
/** Longer than the spacing of the two lookups that confirm an absence. */
const CONFIRMABLE_AFTER_MS = 2_000;

interface RegistryRecord {
  state: LifecycleState;
  /** Changes with each registration of the name. */
  registeredAt: Date;
  readonly bornAt: number;
}

/** Two RDAP registries, one WHOIS registry and their zones, on loopback in this process. */
export class Registries {
  private readonly records = new Map<string, RegistryRecord>();
  /** How often a fault of each kind was delivered. */
  readonly deliveredFaults = new Map<RegistryFault, number>(REGISTRY_FAULTS.map((lie) => [lie, 0]));

  private constructor(
    private readonly rdap: readonly FakeRegistry[],
    private readonly whois: FakeWhois,
    private readonly dns: FakeDns,
    private readonly confirmableAfterMs: number,
  ) {}

  /** @param confirmableAfterMs when a second lookup could confirm an absence that only DNS contradicts */
  static async start(confirmableAfterMs = CONFIRMABLE_AFTER_MS): Promise<Registries> {
    const rdap = await Promise.all([FakeRegistry.start(), FakeRegistry.start()]);
    return new Registries(rdap, await FakeWhois.start(), await FakeDns.start(), confirmableAfterMs);
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

  /** Also ends a fault of this name. */
  setState(name: string, state: LifecycleState): void {
    const known = this.records.get(name);
    const records = known ?? { state, registeredAt: new Date(Date.now() - 400 * DAY), bornAt: Date.now() };
    if (known?.state === 'available' && state !== 'available') records.registeredAt = new Date();
    records.state = state;
    this.records.set(name, records);
    this.publish(name, records);
  }

  /** Lasts until {@link endFault}. */
  injectFault(name: string, lie: RegistryFault): FaultDelivery {
    const [requested, delivered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let confirmableAt = lie === 'vetoed' ? Infinity : 0;
    void delivered.promise.then(() => this.deliveredFaults.set(lie, (this.deliveredFaults.get(lie) ?? 0) + 1));
    const isAbsence = lie === 'gone' || lie === 'vetoed';
    const answer = lie === 'gone' ? dnsAnswers.nxdomain : dnsAnswers.referral();
    if (isAbsence)
      this.dns.says(name, (asked) => {
        if (Date.now() >= confirmableAt) delivered.resolve();
        answer(asked);
      });
    this.setAnswer(name, FAULT_ANSWERS[lie], () => {
      confirmableAt = Math.min(confirmableAt, Date.now() + this.confirmableAfterMs);
      requested.resolve();
      if (!isAbsence) delivered.resolve();
    });
    return { requested: requested.promise, delivered: delivered.promise };
  }

  /**
   * The registry answers correctly again. DNS denies a `gone` name until its next change: a lookup under way may query
   * DNS again, and a veto would hide that the service accepted one absence.
   */
  endFault(name: string): void {
    const known = this.records.get(name);
    if (known) this.publishToRegistry(name, known);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.rdap, this.whois, this.dns].map((one) => one.stop()));
  }

  private publish(name: string, record: RegistryRecord): void {
    if (record.state === 'available') this.dns.releases(name);
    else this.dns.delegates(name);
    this.publishToRegistry(name, record);
  }

  private publishToRegistry(name: string, { state, registeredAt, bornAt }: RegistryRecord): void {
    if (state === 'available') return this.registryFor(name).releases(name);
    const expiresAt = new Date(bornAt + (state === 'expiring' ? 10 : 700) * DAY);
    const rdap = this.rdapFor(name);
    const statuses = [state === 'pending_delete' ? 'pending delete' : 'active'];
    if (rdap) return rdap.holds(name, { statuses, registeredAt, expiresAt });
    this.whois.says(name, saying(whoisRecord(name, statuses, registeredAt, expiresAt)));
  }

  private setAnswer(name: string, [rdap, whois]: FaultAnswers, asked: () => void): void {
    const registry = this.rdapFor(name);
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

  private registryFor(name: string): FakeRegistry | FakeWhois {
    return this.rdapFor(name) ?? this.whois;
  }

  private rdapFor(name: string): FakeRegistry | undefined {
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
