import { Injectable } from '@nestjs/common';
import { IsolationConfig } from '../../config/sections.js';
import type { OperatorBudget } from '../../kernel/operator-budget.js';
import type { OperatorStatus } from '../domain/lookup/operator-budget.js';
import { CanaryResultRepository } from '../canaries/canary-result-repository.js';
import type { CanaryResult } from '../domain/lookup/canary-result.js';
import { isGenericTld } from '../domain/name/generic-tlds.js';
import { DomainName } from '../domain/name/domain-name.js';
import { publishesExpiry } from '../domain/lifecycle/expiry-publication.js';
import { OperatorQuotaService } from '../sources/operator-quota-service.js';
import { type SupportedTld, RegistryDirectory } from './registry-directory.js';
import { absent } from '../domain/lifecycle/registration-facts.js';

export interface ListedTld extends SupportedTld {
  readonly publishesExpiry: boolean | null;
  readonly canary: CanaryResult | null;
}

export interface ListedRegistry {
  readonly operator: string;
  readonly tlds: readonly ListedTld[];
  readonly budget: OperatorBudget | null;
  readonly status: OperatorStatus;
}

/** The registries with their rate limits and health. */
@Injectable()
export class ListRegistries {
  constructor(
    private readonly directory: RegistryDirectory,
    private readonly quotas: OperatorQuotaService,
    private readonly canaries: CanaryResultRepository,
    private readonly config: IsolationConfig,
  ) {}

  /** @param tld only the registry of this TLD */
  async page(page: number, perPage: number, tld?: string): Promise<{ rows: ListedRegistry[]; total: number }> {
    const operators = [...Map.groupBy(this.directory.tlds(), ({ operator }) => operator)]
      .filter(([, tlds]) => tld === undefined || tlds.some((one) => one.tld === tld))
      .sort(([one], [other]) => (one < other ? -1 : 1));
    const shown = operators.slice((page - 1) * perPage, page * perPage);
    const results = await this.canaries.findLatest(shown.flatMap(([, tlds]) => tlds.map((one) => one.tld)));
    const byTld = new Map(results.map((result) => [result.tld, this.redact(result)]));
    return {
      rows: shown.map(([operator, tlds]) => this.toListedRegistry(operator, tlds, byTld)),
      total: operators.length,
    };
  }

  private toListedRegistry(
    operator: string,
    tlds: readonly SupportedTld[],
    results: ReadonlyMap<string, CanaryResult>,
  ) {
    const listed = tlds
      .map((one) => ({ ...one, publishesExpiry: this.publishesExpiry(one), canary: results.get(one.tld) ?? null }))
      .sort((one, other) => (one.tld < other.tld ? -1 : 1));
    const { directory, quotas } = this;
    return {
      operator,
      tlds: listed,
      budget: directory.budgetOf(operator),
      status: quotas.status(operator),
    };
  }

  /** A name in place of `nic.<tld>` is one that an account looked up; other accounts must not learn it. */
  private redact(result: CanaryResult): CanaryResult {
    const { tld, registered } = result;
    if (!this.config.accountIsolation || registered.domain === `nic.${tld}`) return result;
    return { ...result, registered: { ...registered, domain: `*.${tld}` } };
  }

  /** ICANN's contracts oblige generic TLDs to publish it (RDAP response profile, 2.3.1). */
  private publishesExpiry({ tld, source }: SupportedTld): boolean | null {
    const known = publishesExpiry(DomainName.restore(`nic.${tld}`), absent);
    return known ?? (source === 'sandbox' || isGenericTld(tld) ? true : null);
  }
}
