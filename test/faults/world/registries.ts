import { rdapRecord, type FakeRecord } from '../../support/builders/rdap-answers.js';
import { dnsAnswers, FakeDns } from '../../world/dns.js';
import { FakeRegistry } from '../../world/registry.js';
import { FakeWhois, saying as telling } from '../../world/whois.js';
import { saying } from '../../world/registry-faults.js';
import { Denials } from './denials.js';
import { changeRecord, createRecord, type HeldRecord, type RecordChange, toAnswer, toValues } from './held-record.js';
import { createDistortion, RECORD_FAULTS, type RecordFault } from './record-faults.js';
import { RecordHistory } from './record-history.js';
import {
  type RegistryFault,
  REGISTRY_FAULTS,
  type FaultAnswers,
  type FaultDelivery,
  FAULT_ANSWERS,
} from './registry-faults.js';
import type { LifecycleState } from './registry-state.js';
import { whoisRecord } from './whois-record.js';

/** The last one has WHOIS only. */
export const TLDS = ['alpha', 'beta', 'gamma'] as const;

/** How a zone cannot be heard. */
export const DNS_OUTAGES = [
  'refused',
  'serverFailure',
  'silence',
] as const satisfies readonly (keyof typeof dnsAnswers)[];
export type DnsOutage = (typeof DNS_OUTAGES)[number];

const DAY = 86_400_000;
/** Longer than the spacing of the two lookups that confirm an absence. */
const CONFIRMABLE_AFTER_MS = 2_000;
/** The spacing of the two lookups that confirm a record. */
const RECORD_SPACING_MS = 1_500;
/** How long a registry has no record of a name, from the first question on; the second one comes a second later. */
const LOST_MS = 800;

interface RegistryRecord {
  state: LifecycleState;
  /** Another one with each registration of the name. */
  held: HeldRecord;
  /** Changes with each registration of the name. */
  registeredAt: Date;
  readonly bornAt: number;
}

/** Two RDAP registries, one WHOIS registry and their zones, on loopback in this process. */
export class Registries {
  private readonly records = new Map<string, RegistryRecord>();
  /** The history of each name’s record, by name. */
  readonly histories = new Map<string, RecordHistory>();
  /** Counts records that were held or only answered. */
  private recordNumber = 0;
  /** How often a fault of each kind was delivered. */
  readonly deliveredFaults = new Map<RegistryFault | RecordFault, number>(
    [...REGISTRY_FAULTS, ...RECORD_FAULTS].map((fault) => [fault, 0]),
  );

  private constructor(
    private readonly rdap: readonly FakeRegistry[],
    private readonly whois: FakeWhois,
    private readonly dns: FakeDns,
    private readonly confirmableAfterMs: number,
    /** Other registries, which deny what they have. */
    readonly denials: Denials,
  ) {}

  /** @param confirmableAfterMs when a second lookup could confirm an absence that only DNS contradicts */
  static async start(confirmableAfterMs = CONFIRMABLE_AFTER_MS): Promise<Registries> {
    const rdap = await Promise.all([FakeRegistry.start(), FakeRegistry.start()]);
    const [whois, dns] = await Promise.all([FakeWhois.start(), FakeDns.start()]);
    return new Registries(rdap, whois, dns, confirmableAfterMs, await Denials.start(dns));
  }

  get settings(): Record<string, string> {
    const rdap = this.rdap.map(({ url }, i) => `${TLDS[i] ?? ''}=${url}`);
    const [, , whoisTld] = TLDS;
    const { overrides } = this.denials;
    return {
      RDAP_OVERRIDES: [...rdap, ...overrides.rdap].join(','),
      WHOIS_OVERRIDES: [`${whoisTld}=${this.whois.host}`, ...overrides.whois].join(','),
      DNS_SERVERS: this.dns.host,
    };
  }

  /** Also ends a fault of this name. */
  setState(name: string, state: LifecycleState): void {
    const known = this.records.get(name);
    const first = { registeredAt: new Date(Date.now() - 400 * DAY), bornAt: Date.now() };
    const record = known ?? { ...first, state, held: createRecord(this.nextNumber()) };
    if (known?.state === 'available' && state !== 'available')
      Object.assign(record, { registeredAt: new Date(), held: createRecord(this.nextNumber()) });
    record.state = state;
    this.records.set(name, record);
    this.remember(name, record);
    this.publish(name, record);
  }

  /** @param publishedAfterMs when the parent zone publishes what the registry says at once */
  changeRecord(name: string, change: RecordChange, publishedAfterMs: number): void {
    const record = this.records.get(name);
    if (!record) throw new Error(`${name} has no record`);
    record.held = changeRecord(record.held, change, this.nextNumber());
    this.remember(name, record);
    this.publishToRegistry(name, record);
    if (publishedAfterMs === 0) this.publishToZone(name, record);
    else setTimeout(() => this.publishToZone(name, record), publishedAfterMs);
  }

  /** Lasts until {@link endFault}. Delivered when a second lookup could confirm what the first one showed. */
  distort(name: string, fault: RecordFault): FaultDelivery {
    const record = this.records.get(name);
    if (!record) throw new Error(`${name} has no record`);
    const [requested, delivered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    void delivered.promise.then(() => this.countFault(fault));
    let confirmableAt = Infinity;
    const distort = createDistortion(fault, record.held, () => this.nextNumber());
    const answer = () => ({ ...getDates(record), ...distort() });
    const answers: FaultAnswers = [
      (reply, domain) => saying(200, rdapRecord(domain, answer()))(reply, domain),
      (socket, query) => telling(whoisRecord(name, answer()))(socket, query),
    ];
    this.setAnswer(name, answers, () => {
      if (Date.now() >= confirmableAt) delivered.resolve();
      confirmableAt = Math.min(confirmableAt, Date.now() + RECORD_SPACING_MS);
      requested.resolve();
    });
    return { requested: requested.promise, delivered: delivered.promise };
  }

  /** Lasts until {@link endFault}. */
  injectFault(name: string, lie: RegistryFault): FaultDelivery {
    const [requested, delivered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let confirmableAt = lie === 'vetoed' ? Infinity : 0;
    void delivered.promise.then(() => this.countFault(lie));
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
   * A registered name that its registry has no record of for a moment, from the first question on, while its zone cannot
   * be heard. A name is lost once: a process that was frozen meanwhile still has its second question to ask.
   */
  addLost(name: string, outage: DnsOutage): void {
    this.setState(name, 'registered');
    const record = this.records.get(name);
    if (!record) throw new Error(`${name} has no record`);
    this.dns.says(name, dnsAnswers[outage]);
    let lostUntil = Infinity;
    const answer = { ...getDates(record), ...toAnswer(record.held, record.state) };
    const [absentInRdap, absentInWhois] = FAULT_ANSWERS.gone;
    const answers: FaultAnswers = [
      (reply, domain) =>
        (Date.now() < lostUntil ? absentInRdap : saying(200, rdapRecord(domain, answer)))(reply, domain),
      (socket, query) => (Date.now() < lostUntil ? absentInWhois : telling(whoisRecord(name, answer)))(socket, query),
    ];
    this.setAnswer(name, answers, () => {
      lostUntil = Math.min(lostUntil, Date.now() + LOST_MS);
    });
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
    await Promise.all([...this.rdap, this.whois, this.dns, this.denials].map((one) => one.stop()));
  }

  private publish(name: string, record: RegistryRecord): void {
    this.publishToZone(name, record);
    this.publishToRegistry(name, record);
  }

  private publishToZone(name: string, { state, held: { nameservers, ds } }: RegistryRecord): void {
    this.histories.get(name)?.publish(Date.now());
    if (state === 'available') this.dns.releases(name);
    else this.dns.publishes(name, nameservers, ds);
  }

  private publishToRegistry(name: string, record: RegistryRecord): void {
    if (record.state === 'available') return this.registryFor(name).releases(name);
    const rdap = this.rdapFor(name);
    const answer = { ...getDates(record), ...toAnswer(record.held, record.state) };
    if (rdap) return rdap.holds(name, answer);
    this.whois.says(name, telling(whoisRecord(name, answer)));
  }

  /** Is called before anybody is answered so: an observation is never earlier than the change. */
  private remember(name: string, { state, held }: RegistryRecord): void {
    const history = this.histories.get(name) ?? new RecordHistory();
    this.histories.set(name, history);
    history.changeTo(state === 'available' ? null : toValues(held, state), Date.now());
  }

  private countFault(fault: RegistryFault | RecordFault): void {
    this.deliveredFaults.set(fault, (this.deliveredFaults.get(fault) ?? 0) + 1);
  }

  private nextNumber(): number {
    return (this.recordNumber += 1);
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

function getDates({ state, registeredAt, bornAt }: RegistryRecord): FakeRecord {
  return { registeredAt, expiresAt: new Date(bornAt + (state === 'expiring' ? 10 : 700) * DAY) };
}
