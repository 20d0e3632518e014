import { Injectable } from '@nestjs/common';
import type { OperatorBudget } from '../../kernel/operator-budget.js';
import { type OperatorStatus, SANDBOX_OPERATOR } from '../domain/operators/admission.js';
import { CanaryMemoryRepository } from '../canaries/canary-memory.repository.js';
import type { CanaryMemory } from '../domain/lookup/canary.js';
import { isGenericTld } from '../domain/name/icann-suffixes.js';
import { DomainName } from '../domain/name/domain-name.js';
import { publishesExpiry } from '../domain/tld-rules.js';
import { OperatorRateLimits } from '../sources/operator-rate-limits.js';
import type { EvidenceSource } from '../domain/lookup/lookup-result.js';
import { OperatorResolver } from '../rate-limiting/operator-resolver.js';
import { BUILT_IN_RDAP_SERVERS, RDAP_SERVERS_OUTSIDE_BOOTSTRAP } from '../rdap/rdap-built-in-servers.js';
import { LookupSources, type ServedTld } from '../sources/lookup-sources.js';
import { type RegistryHour, RegistryHours } from '../sources/registry-hours.repository.js';
import { BUILT_IN_WHOIS_SERVERS } from '../whois/whois-built-in-servers.js';
import { absent } from '../domain/lifecycle/registration-facts.js';

/** A TLD with its current server. A TLD with several sources is listed once for each. */
export interface ListedTld {
  readonly tld: string;
  readonly source: EvidenceSource;
  /** `host`, or `host:port` if the port is not the default. */
  readonly server: string;
  readonly publishesExpiry: boolean | null;
  /** The last answer of the source about a name that must exist; null before the first. */
  readonly canary: ListedCanary | null;
}

export interface ListedCanary {
  /** null unless the name begins with `nic.`. Other names would reveal the lookups of an account. */
  readonly domain: string | null;
  readonly at: Date;
  readonly isFound: boolean;
}

export interface ListedRegistry {
  readonly operator: string;
  readonly tlds: readonly ListedTld[];
  /** null for the sandbox, which has no rate limit. */
  readonly budget: OperatorBudget | null;
  readonly status: OperatorStatus;
  /** The hours with queries among the last 24, oldest first. */
  readonly hours: readonly RegistryHour[];
}

interface RegistryFilters {
  readonly tld?: string | undefined;
  readonly operators?: readonly string[] | undefined;
}

@Injectable()
export class ListRegistries {
  constructor(
    private readonly sources: LookupSources,
    private readonly operators: OperatorResolver,
    private readonly rateLimits: OperatorRateLimits,
    private readonly canaries: CanaryMemoryRepository,
    private readonly hours: RegistryHours,
  ) {}

  async page(
    page: number,
    perPage: number,
    { tld, operators: only }: RegistryFilters = {},
  ): Promise<{ rows: ListedRegistry[]; total: number }> {
    const operators = [...Map.groupBy(this.sources.findServedTlds(), ({ server }) => this.operators.resolve(server))]
      .filter(([operator]) => only === undefined || only.includes(operator))
      .filter(([, tlds]) => tld === undefined || tlds.some((one) => one.tld === tld))
      .sort(([one], [other]) => (one < other ? -1 : 1));
    const shown = operators.slice((page - 1) * perPage, page * perPage);
    const names = shown.map(([operator]) => operator);
    const [memories, statusOf, hours] = await Promise.all([
      this.canaries.findIn(shown.flatMap(([, tlds]) => tlds.map((one) => one.tld))),
      this.rateLimits.statuses(names),
      this.hours.find(names),
    ]);
    const canaries = new Map(memories.map(({ source, zone, memory }) => [`${source} ${zone}`, toCanary(memory)]));
    return {
      rows: shown.map(([operator, tlds]) => ({
        ...this.toListedRegistry(operator, tlds, canaries, statusOf(operator)),
        hours: hours.get(operator) ?? [],
      })),
      total: operators.length,
    };
  }

  private toListedRegistry(
    operator: string,
    served: readonly ServedTld[],
    canaries: ReadonlyMap<string, ListedCanary | null>,
    status: OperatorStatus,
  ): Omit<ListedRegistry, 'hours'> {
    const tlds = served
      .map(({ tld, source: { name: source }, server: { label: server } }) => ({
        tld,
        source,
        server,
        publishesExpiry: publishesExpiryBelow(tld, source),
        canary: canaries.get(`${source} ${tld}`) ?? null,
      }))
      .sort((one, other) => (one.tld < other.tld ? -1 : 1));
    const budget = operator === SANDBOX_OPERATOR ? null : this.operators.budgetFor(operator);
    return { operator, tlds, budget, status };
  }
}

function toCanary({ foundAt, missingAt, domain }: CanaryMemory): ListedCanary | null {
  const isFound = foundAt !== null && (missingAt === null || foundAt > missingAt);
  const at = isFound ? foundAt : missingAt;
  return at && { domain: domain?.startsWith('nic.') ? domain : null, at, isFound };
}

/** ICANN's contracts oblige generic TLDs to publish the expiry date (RDAP response profile, 2.3.1). */
function publishesExpiryBelow(tld: string, source: EvidenceSource): boolean | null {
  const known = publishesExpiry(DomainName.restore(`nic.${tld}`), absent);
  return known ?? (source === 'sandbox' || isGenericTld(tld) ? true : null);
}

export function builtInTlds(): readonly string[] {
  const tables = [BUILT_IN_RDAP_SERVERS, RDAP_SERVERS_OUTSIDE_BOOTSTRAP, BUILT_IN_WHOIS_SERVERS];
  return [...new Set(tables.flatMap((table) => [...table.keys()]))].sort();
}
