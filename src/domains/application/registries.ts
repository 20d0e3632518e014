import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import type { OperatorBudget, OperatorStanding } from '../domain/budget.js';
import { CanaryRecords, type CanaryVerdict } from '../domain/canary.js';
import { DomainName } from '../domain/domain-name.js';
import { publishesExpiry } from '../domain/expiry-publication.js';
import { OperatorBudgets } from '../domain/operator-budgets.js';
import { GenericTlds } from '../domain/outlook.js';
import { type CoveredTld, RegistryCoverage } from '../domain/registry-coverage.js';
import { absent } from '../domain/registration.js';

export interface ListedTld extends CoveredTld {
  readonly publishesExpiry: boolean | null;
  readonly canary: CanaryVerdict | null;
}

/** An operator with all that it is asked about here. */
export interface ListedRegistry {
  readonly operator: string;
  readonly tlds: readonly ListedTld[];
  readonly budget: OperatorBudget | null;
  readonly standing: OperatorStanding;
}

/** Whom this service asks, how often, and how they are. */
@Injectable()
export class Registries {
  constructor(
    private readonly coverage: RegistryCoverage,
    private readonly budgets: OperatorBudgets,
    private readonly canaries: CanaryRecords,
    private readonly generic: GenericTlds,
    private readonly config: Config,
  ) {}

  /** @param tld only the registry that is asked about it */
  async page(page: number, perPage: number, tld?: string): Promise<{ rows: ListedRegistry[]; total: number }> {
    const operators = [...Map.groupBy(this.coverage.tlds(), ({ operator }) => operator)]
      .filter(([, tlds]) => tld === undefined || tlds.some((one) => one.tld === tld))
      .sort(([one], [other]) => (one < other ? -1 : 1));
    const shown = operators.slice((page - 1) * perPage, page * perPage);
    const verdicts = await this.canaries.last(shown.flatMap(([, tlds]) => tlds.map((one) => one.tld)));
    const byTld = new Map(verdicts.map((verdict) => [verdict.tld, this.shown(verdict)]));
    return { rows: shown.map(([operator, tlds]) => this.listed(operator, tlds, byTld)), total: operators.length };
  }

  private listed(operator: string, tlds: readonly CoveredTld[], verdicts: ReadonlyMap<string, CanaryVerdict>) {
    const listed = tlds
      .map((one) => ({ ...one, publishesExpiry: this.publishesExpiry(one), canary: verdicts.get(one.tld) ?? null }))
      .sort((one, other) => (one.tld < other.tld ? -1 : 1));
    const { coverage, budgets } = this;
    return { operator, tlds: listed, budget: coverage.budgetOf(operator), standing: budgets.standingOf(operator) };
  }

  /** Where it has no `nic`, a name serves that somebody here had looked at: no other account is to learn of it. */
  private shown(verdict: CanaryVerdict): CanaryVerdict {
    const { tld, registered } = verdict;
    if (!this.config.accountIsolation || registered.domain === `nic.${tld}`) return verdict;
    return { ...verdict, registered: { ...registered, domain: `*.${tld}` } };
  }

  /** ICANN's contracts oblige generic TLDs to tell it (RDAP response profile, 2.3.1). */
  private publishesExpiry({ tld, source }: CoveredTld): boolean | null {
    const known = publishesExpiry(DomainName.restore(`nic.${tld}`), absent);
    return known ?? (source === 'sandbox' || this.generic.has(tld) ? true : null);
  }
}
