import { Injectable } from '@nestjs/common';
import { Clock, SECOND } from '../../kernel/clock.js';
import {
  type AvailableQuota,
  type LookupPriority,
  type OperatorStatus,
  SANDBOX_OPERATOR,
  unknownOperator,
} from '../domain/lookup/operator-budget.js';
import type { DomainName } from '../domain/name/domain-name.js';
import { breakerState } from '../domain/lookup/circuit-breaker.js';
import { OperatorQuotaService } from './operator-quota-service.js';
import { RegistryRateLimiter } from '../rate-limiting/registry-rate-limiter.js';
import { OperatorHealthTracker } from '../rate-limiting/operator-health-tracker.js';
import { OperatorResolver } from '../rate-limiting/operator-resolver.js';
import { LookupSources } from './lookup-sources.js';

@Injectable()
export class RateLimiterQuotaService extends OperatorQuotaService {
  constructor(
    private readonly operatorResolver: OperatorResolver,
    private readonly health: OperatorHealthTracker,
    private readonly rateLimiter: RegistryRateLimiter,
    private readonly sources: LookupSources,
    private readonly clock: Clock,
  ) {
    super();
  }

  operatorOf(name: DomainName): string {
    const server = this.sources.findKnownServer(name);
    if (server?.operator === SANDBOX_OPERATOR) return SANDBOX_OPERATOR;
    return server ? this.operatorResolver.resolve(server) : unknownOperator(name.tld);
  }

  refreshServers(tlds: ReadonlySet<string>): Promise<void> {
    return this.sources.loadServers(tlds);
  }

  status(operator: string): OperatorStatus {
    const { blockedUntil, openBreaker } = this.health.get(operator);
    const now = this.clock.now();
    const isBlocked = blockedUntil !== null && blockedUntil > now;
    return {
      breaker: breakerState(openBreaker, now),
      openSince: openBreaker?.since ?? null,
      retryAt: openBreaker?.retryAt ?? null,
      blockedUntil: isBlocked ? blockedUntil : null,
    };
  }

  ratePerSecond(operator: string): number {
    if (operator === SANDBOX_OPERATOR) return Infinity;
    const { perSecond } = this.operatorResolver.budgetFor(operator);
    return perSecond === 0 ? Infinity : perSecond;
  }

  availableQuota(operators: readonly string[], seconds: number): ReadonlyMap<string, AvailableQuota> {
    return new Map(operators.map((operator) => [operator, this.quotaFor(operator, seconds)]));
  }

  reserveTokens(operator: string, tokens: number, priority: LookupPriority): Promise<number> {
    return operator === SANDBOX_OPERATOR
      ? Promise.resolve(tokens)
      : this.rateLimiter.reserveTokens(operator, tokens, priority);
  }

  private quotaFor(operator: string, seconds: number): AvailableQuota {
    if (operator === SANDBOX_OPERATOR) return { tokens: Infinity, reopensAt: null };
    const now = this.clock.now();
    const { breaker } = this.status(operator);
    const reopensAt = this.reopensAt(operator, now);
    const closedMs = Math.max(
      this.rateLimiter.msUntilRoutineToken(operator),
      reopensAt ? reopensAt.getTime() - now.getTime() : 0,
    );
    const openSeconds = seconds - closedMs / SECOND;
    if (openSeconds <= 0) return { tokens: 0, reopensAt };
    // A single probe decides whether there are more.
    if (breaker !== 'closed') return { tokens: 1, reopensAt };
    return { tokens: Math.ceil(this.ratePerSecond(operator) * openSeconds), reopensAt };
  }

  private reopensAt(operator: string, now: Date): Date | null {
    const { blockedUntil, retryAt } = this.status(operator);
    const closedUntil = [blockedUntil, retryAt].filter((time) => time !== null && time > now);
    return closedUntil.reduce((latest, time) => (latest && time && latest > time ? latest : time), null);
  }
}
