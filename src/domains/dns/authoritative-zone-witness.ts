import { Resolver } from 'node:dns/promises';
import type { LookupConfig } from '../../config/sections.js';
import { type Clock, SECOND } from '../../kernel/clock.js';
import { AddressGuard } from '../../platform/outbound/address-guard.js';
import { type DnsServer, queryDns, queryServers, type ServerAnswer, type Weight } from './dns-client.js';
import { ParentNameServers, parentZone } from './parent-name-servers.js';
import { type Evidence, MAX_EXCERPT_LENGTH } from '../domain/lookup/lookup-result.js';
import type { DomainName } from '../domain/name/domain-name.js';
import { randomLabel } from '../domain/lookup/canary.js';
import type { ParentZoneAnswer } from '../domain/record/record-values.js';
import { toRegistrationRecord } from '../domain/record/registration-record.js';
import { toPrintable } from '../answer-text/printable.js';
import { type DnsAnswer, buildQuery, parseMessage, type DsAnswer, parseDsMessage } from './dns-message.js';

/** The answer of the zone above a name. `silent` means that no usable answer came. */
export interface ZoneAnswer {
  readonly says: 'denies' | 'has_it' | 'silent';
  readonly evidence: Evidence;
  /** Whether the zone is silent only because too little time was left for the query. */
  readonly ranOutOfTime?: boolean;
}

/** Asks the servers of the zone above a name. Returns null if DNS checks are off. Throws only on bugs. */
export abstract class ZoneWitness {
  abstract ask(name: DomainName, timeoutMs: number): Promise<ZoneAnswer | null>;

  /** Returns the name's name servers and DS records in the parent zone; null if DNS checks are off. */
  abstract read(name: DomainName, timeoutMs: number): Promise<ParentZoneAnswer | null>;
}

/** Asks the servers of `DNS_SERVERS`, or else each zone's own servers. Asks nobody if `DNS_SERVERS` is `off`. */
export function createZoneWitness(
  { dnsServers, lookupAllowNetworks, nat64Prefixes: nat64 }: LookupConfig,
  clock: Clock,
): ZoneWitness {
  if (dnsServers.includes('off')) return new NoZoneWitness();
  if (dnsServers.length > 0) return new AuthoritativeZoneWitness(fixedServers(dnsServers.map(parseServer)), clock);
  const resolver = new Resolver({ timeout: SECOND, tries: 2 });
  return new AuthoritativeZoneWitness(
    new ParentNameServers(resolver, new AddressGuard(lookupAllowNetworks, { nat64 })),
    clock,
  );
}

class NoZoneWitness extends ZoneWitness {
  ask() {
    return Promise.resolve(null);
  }

  read() {
    return Promise.resolve(null);
  }
}

/** Uses the configured servers for every name. The administrator chose them, so no address guard applies. */
function fixedServers(servers: readonly DnsServer[]) {
  return { find: () => Promise.resolve(servers), evict: () => undefined };
}

/** @param setting `192.0.2.1:53` or `[2001:db8::1]:53` */
function parseServer(setting: string): DnsServer {
  const colon = setting.lastIndexOf(':');
  const address = setting.slice(0, colon).replace(/^\[|\]$/g, '');
  return { label: setting, address, port: Number(setting.slice(colon + 1)), isParent: true };
}

/** The time limit of all queries about one name together. */
const TIMEOUT_MS = 3 * SECOND;

export type NameServerSource = Pick<ParentNameServers, 'find' | 'evict'>;

/** One server that has the name decides. A denial counts only after all asked servers have answered or failed. */
export class AuthoritativeZoneWitness extends ZoneWitness {
  constructor(
    private readonly servers: NameServerSource,
    private readonly clock: Clock,
  ) {
    super();
  }

  async ask(name: DomainName, deadline: number): Promise<ZoneAnswer> {
    const signal = startTimeout(deadline);
    const queried = await this.query(DELEGATION, name, signal);
    const { delegation, rule } = queried.answer;
    const ranOutOfTime = delegation === 'inconclusive' && signal.aborted && deadline < TIMEOUT_MS;
    // Servers that do not answer may have moved, unless they had too little time.
    if (rule === 'dns.no_answer' && !ranOutOfTime) this.servers.evict(name);
    const evidence = toEvidence(queried, OUTCOMES[delegation]);
    return { says: SAYS[delegation], evidence, ...(ranOutOfTime && { ranOutOfTime }) };
  }

  async read(name: DomainName, deadline: number): Promise<ParentZoneAnswer> {
    const signal = startTimeout(deadline);
    const [ns, ds] = await Promise.all([this.query(DELEGATION, name, signal), this.query(SIGNERS, name, signal)]);
    const { delegation, nameServers } = ns.answer;
    const known = { nameservers: delegation === 'inconclusive' ? null : nameServers, ds: ds.answer.ds };
    const { nameservers, ds: records } = toRegistrationRecord(known);
    const dsOutcome = records === null ? 'inconclusive' : records.length > 0 ? 'found' : 'absent';
    const evidence = [toEvidence(ns, OUTCOMES[delegation]), toEvidence(ds, dsOutcome)];
    return { nameservers, ds: records, evidence };
  }

  private async query<Answer extends { readonly rule: string }>(
    { query, weigh, toUnknown }: Question<Answer>,
    name: DomainName,
    signal: AbortSignal,
  ): Promise<DatedAnswer<Answer>> {
    const servers = await orEmptyWhenLate(this.servers.find(name), signal);
    const dated = async (server: DnsServer, stopSignal: AbortSignal): Promise<Answer & Dated> => {
      const observedAt = this.clock.now(); // for each query, because earlier queries may have taken seconds
      return { ...(await query(server, name, stopSignal)), observedAt };
    };
    const answers = await queryServers(servers, dated, weigh, signal);
    const unknown = { ...toUnknown('dns.no_servers', 'no server to be asked'), observedAt: this.clock.now() };
    return pickBest(answers, weigh) ?? { server: `${parentZone(name)}.`, answer: unknown };
  }
}

interface Dated {
  readonly observedAt: Date;
}
type DatedAnswer<Answer> = ServerAnswer<Answer & Dated>;

interface Question<Answer> {
  readonly query: (server: DnsServer, name: DomainName, signal: AbortSignal) => Promise<Answer>;
  readonly weigh: (answer: Answer) => Weight;
  /** Makes the answer for a question that no server answered. */
  readonly toUnknown: (rule: string, detail: string) => Answer;
}

const WEIGHTS = {
  delegated: 'final',
  undelegated: 'final',
  not_delegated: 'conclusive',
  inconclusive: 'inconclusive',
} as const;
const DELEGATION: Question<DnsAnswer> = {
  query: queryWithControl,
  weigh: ({ delegation }) => WEIGHTS[delegation],
  toUnknown: toInconclusive,
};
const SIGNERS: Question<DsAnswer> = {
  query: queryDs,
  weigh: ({ ds }) => (ds === null ? 'inconclusive' : 'final'),
  toUnknown: toUnknownDs,
};

const SAYS = { delegated: 'has_it', undelegated: 'has_it', not_delegated: 'denies', inconclusive: 'silent' } as const;
const OUTCOMES = {
  delegated: 'found',
  undelegated: 'found',
  not_delegated: 'absent',
  inconclusive: 'inconclusive',
} as const;

/** Rounds the time up, because timers take whole milliseconds and the remaining time may be a fraction. */
function startTimeout(deadline: number): AbortSignal {
  return AbortSignal.timeout(Math.max(Math.ceil(Math.min(deadline, TIMEOUT_MS)), 1));
}

/**
 * Also asks for a random name, which most zones deny (RFC 8020 §2). Equal answers do not show that the queried name
 * exists.
 */
async function queryWithControl(server: DnsServer, name: DomainName, signal: AbortSignal): Promise<DnsAnswer> {
  const answer = await queryNs(server, name.ascii, signal);
  if (answer.delegation !== 'delegated' && answer.delegation !== 'undelegated') return answer;
  const control = await queryNs(server, `${randomLabel()}.${parentZone(name)}`, signal);
  return answer.delegation === 'delegated' ? orWildcard(answer, control) : orAsEveryName(answer, control);
}

function orWildcard(answer: DnsAnswer, control: DnsAnswer): DnsAnswer {
  const isMadeUp = control.delegation === 'delegated' && control.nameServers.join() === answer.nameServers.join();
  return isMadeUp ? { ...answer, delegation: 'inconclusive', rule: 'dns.wildcard' } : answer;
}

/** If both answers are empty, the zone does not delegate the name. A wildcard's records in both prove nothing. */
function orAsEveryName(answer: DnsAnswer, control: DnsAnswer): DnsAnswer {
  if (control.delegation === 'inconclusive') return { ...answer, delegation: 'inconclusive', rule: 'dns.no_control' };
  if (control.rule !== answer.rule) return { ...answer, rule: 'dns.in_zone' };
  return { ...answer, delegation: answer.rule === 'dns.no_delegation' ? 'not_delegated' : 'inconclusive' };
}

async function queryNs(server: DnsServer, name: string, signal: AbortSignal): Promise<DnsAnswer> {
  const outcome = await queryDns(server, buildQuery(name, 'NS'), parseMessage, signal);
  return outcome.kind === 'answer' ? outcome : toInconclusive('dns.no_answer', outcome.detail);
}

async function queryDs(server: DnsServer, { ascii }: DomainName, signal: AbortSignal): Promise<DsAnswer> {
  const outcome = await queryDns(server, buildQuery(ascii, 'DS'), parseDsMessage, signal);
  return outcome.kind === 'answer' ? outcome : toUnknownDs('dns.no_answer', outcome.detail);
}

/** Returns a conclusive answer. If there is none, returns the answer that best explains the failure. */
function pickBest<Answer extends { readonly rule: string }>(
  answers: readonly DatedAnswer<Answer>[],
  weigh: (answer: Answer) => Weight,
): DatedAnswer<Answer> | undefined {
  return (
    answers.find(({ answer }) => weigh(answer) !== 'inconclusive') ??
    answers.findLast(({ answer }) => answer.rule !== 'dns.no_answer') ??
    answers.at(-1)
  );
}

function toEvidence(
  { server, answer: { rule, excerpt, observedAt } }: DatedAnswer<DnsAnswer | DsAnswer>,
  outcome: Evidence['outcome'],
): Evidence {
  return { source: 'dns', server, outcome, rule, httpStatus: null, observedAt, excerpt };
}

function toInconclusive(rule: string, detail: string): DnsAnswer {
  const excerpt = toPrintable(detail).slice(0, MAX_EXCERPT_LENGTH);
  return { kind: 'answer', delegation: 'inconclusive', rule, excerpt, nameServers: [] };
}

function toUnknownDs(rule: string, detail: string): DsAnswer {
  return { kind: 'answer', ds: null, rule, excerpt: toPrintable(detail).slice(0, MAX_EXCERPT_LENGTH) };
}

/** Returns no servers after the timeout, because the system resolver may take longer. */
function orEmptyWhenLate(servers: Promise<readonly DnsServer[]>, signal: AbortSignal): Promise<readonly DnsServer[]> {
  const late = new Promise<readonly DnsServer[]>((resolve) =>
    signal.addEventListener('abort', () => resolve([]), { once: true }),
  );
  return Promise.race([servers, late]);
}
