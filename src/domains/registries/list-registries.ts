import { Injectable } from '@nestjs/common';
import { SECOND } from '../../kernel/clock.js';
import { SANDBOX_OPERATOR } from '../domain/operators.js';
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
import type { BudgetView, CanaryView, RegistryHourView, RegistryTldView, RegistryView } from './registries.dto.js';

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
  ): Promise<{ rows: RegistryView[]; total: number }> {
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
    const canaryOf = new Map(memories.map(({ source, zone, memory }) => [`${source} ${zone}`, toCanaryView(memory)]));
    const rows = shown.map(([operator, served]): RegistryView => {
      const tlds = served.map((one) => toTldView(one, canaryOf.get(`${one.source.name} ${one.tld}`) ?? null));
      const { breaker, openSince, retryAt, blockedUntil } = statusOf(operator);
      return {
        operator,
        tlds: tlds.sort((one, other) => (one.tld < other.tld ? -1 : 1)),
        budget: this.budgetOf(operator),
        blocked_until: blockedUntil?.toISOString() ?? null,
        breaker: {
          state: breaker,
          since: openSince?.toISOString() ?? null,
          retry_at: retryAt?.toISOString() ?? null,
        },
        hours: (hours.get(operator) ?? []).map(toHourView),
      };
    });
    return { rows, total: operators.length };
  }

  private budgetOf(operator: string): BudgetView | null {
    if (operator === SANDBOX_OPERATOR) return null;
    const { perSecond, burst, concurrency } = this.operators.budgetFor(operator);
    return { per_second: perSecond, burst, concurrency };
  }
}

function toTldView({ tld, source, server }: ServedTld, canary: CanaryView | null): RegistryTldView {
  const publishesExpiry = publishesExpiryBelow(tld, source.name);
  return { tld, source: source.name, server: server.label, publishes_expiry: publishesExpiry, canary };
}

/**
 * Shows names that begin with `nic.`, and hides all other canary names, because they would reveal what an account
 * looked up.
 */
function toCanaryView({ foundAt, missingAt, domain }: CanaryMemory): CanaryView | null {
  const isFound = foundAt !== null && (missingAt === null || foundAt > missingAt);
  const at = isFound ? foundAt : missingAt;
  return at && { domain: domain?.startsWith('nic.') ? domain : null, observed_at: at.toISOString(), found: isFound };
}

function toHourView({ hour, answers, errors, seconds }: RegistryHour): RegistryHourView {
  const averageMs = Math.round((seconds * SECOND) / Math.max(1, answers + errors));
  return { hour: hour.toISOString(), answers, errors, average_ms: averageMs };
}

/**
 * Whether the registry of this TLD publishes expiry dates; null if unknown. ICANN's contracts oblige generic TLDs to
 * publish these dates (RDAP response profile, 2.3.1).
 */
function publishesExpiryBelow(tld: string, source: EvidenceSource): boolean | null {
  const known = publishesExpiry(DomainName.restore(`nic.${tld}`), absent);
  return known ?? (source === 'sandbox' || isGenericTld(tld) ? true : null);
}

export function builtInTlds(): readonly string[] {
  const tables = [BUILT_IN_RDAP_SERVERS, RDAP_SERVERS_OUTSIDE_BOOTSTRAP, BUILT_IN_WHOIS_SERVERS];
  return [...new Set(tables.flatMap((table) => [...table.keys()]))].sort();
}
