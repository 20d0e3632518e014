import { Injectable } from '@nestjs/common';
import { SECOND } from '../../kernel/clock.js';
import { type AvailableQueries, breakerState, type OperatorStatus, unknownOperator } from '../domain/operators.js';
import { DomainName } from '../domain/name/domain-name.js';
import { OperatorResolver } from '../rate-limiting/operator-resolver.js';
import {
  msPerQuery,
  OperatorRepository,
  type OperatorRow,
  usableBurst,
} from '../rate-limiting/operators.repository.js';
import { LookupSources } from './lookup-sources.js';

@Injectable()
export class OperatorRateLimits {
  constructor(
    private readonly operatorResolver: OperatorResolver,
    private readonly repository: OperatorRepository,
    private readonly sources: LookupSources,
  ) {}

  /** Returns the operator of the name's registry. Uses only what this process knows, and sends no query. */
  operatorOf(name: DomainName): string {
    const server = this.sources.findKnownServer(name);
    return server ? this.operatorResolver.resolve(server) : unknownOperator(name.tld);
  }

  tldsOf(operator: string): readonly string[] {
    if (operator.startsWith('.')) return [operator.slice(1)].filter((tld) => this.operatorOfTld(tld) === operator);
    const served = new Set(this.sources.findServedTlds().map(({ tld }) => tld));
    return [...served].filter((tld) => this.operatorOfTld(tld) === operator);
  }

  operatorOfTld(tld: string): string {
    return this.operatorOf(DomainName.restore(`nic.${tld}`));
  }

  /** Returns the state of an operator at the present time of the database's clock. */
  async status(operator: string): Promise<OperatorStatus> {
    return (await this.statuses([operator]))(operator);
  }

  async statuses(operators: readonly string[]): Promise<(operator: string) => OperatorStatus> {
    const rows = await this.repository.find(operators);
    return (operator) => toStatus(rows.get(operator));
  }

  /**
   * Returns the allowed queries per second, without the extra queries of a burst; Infinity if there is no rate limit.
   */
  ratePerSecond(operator: string): number {
    const { perSecond } = this.operatorResolver.budgetFor(operator);
    return perSecond === 0 ? Infinity : perSecond;
  }

  /** Returns how many routine queries may be sent to each operator within `seconds` from now. */
  async availableQueries(
    operators: readonly string[],
    seconds: number,
  ): Promise<ReadonlyMap<string, AvailableQueries>> {
    const rows = await this.repository.find(operators);
    return new Map(operators.map((operator) => [operator, this.queriesFor(operator, rows.get(operator), seconds)]));
  }

  private queriesFor(operator: string, row: OperatorRow | undefined, seconds: number): AvailableQueries {
    const rate = this.ratePerSecond(operator);
    if (!row) return { tokens: Math.ceil(rate * seconds), reopensAt: null };
    const now = row.now.getTime();
    const budget = this.operatorResolver.budgetFor(operator);
    const taken = (usableBurst(budget, 'routine') - 1) * msPerQuery(budget);
    const { blockedUntil, openBreaker, fullAt } = row;
    const reopensMs = Math.max(blockedUntil?.getTime() ?? 0, openBreaker?.retryAt.getTime() ?? 0);
    const reopensAt = reopensMs > now ? new Date(reopensMs) : null;
    const openSeconds = seconds - (Math.max(now, reopensMs, (fullAt?.getTime() ?? 0) - taken) - now) / SECOND;
    if (openSeconds <= 0) return { tokens: 0, reopensAt };
    // An open breaker admits a single probe, which decides about further queries.
    return { tokens: openBreaker ? 1 : Math.ceil(rate * openSeconds), reopensAt };
  }
}

function toStatus(row: OperatorRow | undefined): OperatorStatus {
  if (!row) return { breaker: 'closed', openSince: null, retryAt: null, blockedUntil: null };
  const { openBreaker, blockedUntil, now } = row;
  return {
    breaker: breakerState(openBreaker, now),
    openSince: openBreaker?.since ?? null,
    retryAt: openBreaker?.retryAt ?? null,
    blockedUntil: blockedUntil !== null && blockedUntil > now ? blockedUntil : null,
  };
}
