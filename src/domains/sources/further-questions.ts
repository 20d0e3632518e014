import { Inject, Injectable, Logger } from '@nestjs/common';
import { Clock, DAY, SECOND } from '../../kernel/clock.js';
import { Deadline } from '../../platform/outbound/deadline.js';
import type { AdmissionRequest } from '../domain/operators.js';
import type { LookupResult, Observation } from '../domain/lookup/lookup-result.js';
import type { TimedLookupResult } from '../domain/lookup/registry-lookup.js';
import { reserved, type RegistrationFacts } from '../domain/lifecycle/registration-facts.js';
import { DomainName } from '../domain/name/domain-name.js';
import { TLD_RULES } from '../domain/tld-rules.js';
import { type RegistryDocuments, RegistryDocumentStore } from '../transport/registry-documents.repository.js';
import { LookupRouter } from './lookup-router.js';
import { LookupSources } from './lookup-sources.js';
import { SourceLookup } from './source-lookup.js';

/** WHOIS is asked for the dates of one name at most once in this time, whatever the answer was. */
const ASK_AGAIN_AFTER_MS = DAY;
/** The time limit of the WHOIS query for dates, so that the query does not lengthen a check by much. */
const DATES_TIMEOUT_MS = 3 * SECOND;

type Dates = Partial<Pick<RegistrationFacts, 'expiresAt' | 'releasesAt'>>;
const STORED_MEMBERS = ['expiresAt', 'releasesAt'] satisfies (keyof Dates)[];

/** Asks the registry a second question if the TLD's rules say that the first answer is incomplete. */
@Injectable()
export class FurtherQuestions extends LookupRouter {
  private readonly log = new Logger(FurtherQuestions.name);

  constructor(
    sources: LookupSources,
    lookup: SourceLookup,
    @Inject(RegistryDocumentStore) private readonly documents: RegistryDocuments,
    clock: Clock,
  ) {
    super(sources, lookup, clock);
  }

  override async lookUp(name: DomainName, timeoutMs: number, admission: AdmissionRequest): Promise<TimedLookupResult> {
    const first = await super.lookUp(name, timeoutMs, admission);
    const { result } = first;
    const rule = TLD_RULES.get(name.registry);
    if (!rule || result.kind === 'failure') return first;
    if (rule.registersThirdLevel && result.facts.outcome === 'absent' && isThirdLevel(name))
      return this.askSecondLevel(name, result, first.remainingMs, admission);
    if (rule.hasExpiryInWhois && result.source === 'rdap' && isWithoutExpiry(result.facts))
      return { ...first, result: await this.withDatesOfWhois(name, result, first.remainingMs) };
    return first;
  }

  /**
   * Asks about the name one level above. The holder of that name owns all names below, except names with records of
   * their own.
   */
  private async askSecondLevel(
    { ascii }: DomainName,
    absence: Observation,
    timeoutMs: number,
    { priority }: AdmissionRequest,
  ): Promise<TimedLookupResult> {
    const above = DomainName.restore(ascii.slice(ascii.indexOf('.') + 1));
    const { result, remainingMs } = await super.lookUp(above, timeoutMs, { priority, maxWaitMs: timeoutMs });
    const evidence = [...absence.evidence, ...result.evidence];
    if (result.kind === 'failure') return { result: { ...result, evidence }, remainingMs };
    const facts = result.facts.outcome === 'found' ? reserved : absence.facts;
    return { result: { ...absence, facts, evidence }, remainingMs };
  }

  /** Adds dates from WHOIS. A failure of WHOIS or of the store leaves the answer unchanged. */
  private async withDatesOfWhois(name: DomainName, record: Observation, remainingMs: number): Promise<Observation> {
    try {
      const kind = `whois-dates.${name.ascii}`;
      const known = await this.documents.load(kind);
      const now = this.clock.now();
      const dates = known ? parseDates(known.body) : null;
      if (known && now.getTime() - known.fetchedAt.getTime() < ASK_AGAIN_AFTER_MS) return withDates(record, dates);
      const answer = await this.askWhois(name, Math.min(remainingMs, DATES_TIMEOUT_MS));
      if (answer === null) return withDates(record, dates);
      const { facts, evidence } = answer.kind === 'observation' ? answer : { facts: null, evidence: [] };
      const latest = facts?.outcome === 'found' ? facts : dates;
      await this.documents.save(kind, { body: JSON.stringify(latest ?? {}, STORED_MEMBERS), fetchedAt: now });
      return withDates({ ...record, evidence: [...record.evidence, ...evidence] }, latest);
    } catch (error) {
      this.log.warn(`dates of ${name.ascii} not known: ${String(error)}`);
      return record;
    }
  }

  /** Returns null if WHOIS was not asked. */
  private async askWhois(name: DomainName, timeoutMs: number): Promise<LookupResult | null> {
    const whois = this.sources.all.find((source) => source.name === 'whois');
    const server = await whois?.findServer(name);
    if (!whois || !server || timeoutMs <= 0) return null;
    const request = { priority: 'routine', maxWaitMs: Math.min(SECOND, timeoutMs) } as const;
    const result = await this.lookup.run(whois, server, name, new Deadline(timeoutMs), request);
    return result.kind === 'failure' && result.notSent ? null : result;
  }
}

function isThirdLevel({ ascii }: DomainName): boolean {
  return ascii.split('.').length === 3;
}

function isWithoutExpiry({ outcome, expiresAt }: RegistrationFacts): boolean {
  return outcome === 'found' && expiresAt === null;
}

function withDates(record: Observation, dates: Dates | null): Observation {
  if (!dates?.expiresAt) return record;
  const { expiresAt, releasesAt } = dates;
  const facts = { ...record.facts, expiresAt, publishesExpiry: true, ...(releasesAt && { releasesAt }) };
  return { ...record, facts };
}

function parseDates(body: string): Dates {
  return JSON.parse(body, (key, value: unknown) =>
    key !== '' && typeof value === 'string' ? new Date(value) : value,
  ) as Dates;
}
