import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
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
import { OperatorQuotaService } from '../application/ports/operator-quota-service.js';
import { RegistryRateLimiter } from './rate-limiting/registry-rate-limiter.js';
import { OperatorHealthTracker } from './rate-limiting/operator-health-tracker.js';
import { RdapBootstrap } from './registry-directory/rdap-bootstrap.js';
import { toServerAddress } from './rdap/rdap-redirect.js';
import { OperatorResolver } from './rate-limiting/operator-resolver.js';
import { WhoisServerDirectory } from './registry-directory/whois-server-directory.js';

@Injectable()
export class RateLimiterOperatorBudgets extends OperatorQuotaService {
  constructor(
    private readonly config: Config,
    private readonly operators: OperatorResolver,
    private readonly standings: OperatorHealthTracker,
    private readonly gate: RegistryRateLimiter,
    private readonly bootstrap: RdapBootstrap,
    private readonly whoisServers: WhoisServerDirectory,
    private readonly clock: Clock,
  ) {
    super();
  }

  operatorOf(name: DomainName): string {
    if (this.config.sandbox && name.tld === 'test') return SANDBOX_OPERATOR;
    const rdap = this.bootstrap.serverFor(name);
    if (rdap) return this.operators.of(toServerAddress(rdap));
    const whois = this.whoisServers.knownServerFor(name);
    return whois ? this.operators.of(whois) : unknownOperator(name.tld);
  }

  refreshServers(tlds: ReadonlySet<string>): Promise<void> {
    return this.whoisServers.recall(tlds);
  }

  status(operator: string): OperatorStatus {
    const { blockedUntil, breakage } = this.standings.of(operator);
    const now = this.clock.now();
    const isBlocked = blockedUntil !== null && blockedUntil > now;
    return {
      breaker: breakerState(breakage, now),
      openSince: breakage?.since ?? null,
      retryAt: breakage?.retryAt ?? null,
      blockedUntil: isBlocked ? blockedUntil : null,
    };
  }

  ratePerSecond(operator: string): number {
    if (operator === SANDBOX_OPERATOR) return Infinity;
    const { perSecond } = this.operators.budgetOf(operator);
    return perSecond === 0 ? Infinity : perSecond;
  }

  availableQuota(operators: readonly string[], seconds: number): ReadonlyMap<string, AvailableQuota> {
    return new Map(operators.map((operator) => [operator, this.grantableTo(operator, seconds)]));
  }

  reserveTokens(operator: string, tokens: number, lane: LookupPriority): Promise<number> {
    return operator === SANDBOX_OPERATOR ? Promise.resolve(tokens) : this.gate.take(operator, tokens, lane);
  }

  private grantableTo(operator: string, seconds: number): AvailableQuota {
    if (operator === SANDBOX_OPERATOR) return { tokens: Infinity, reopensAt: null };
    const now = this.clock.now();
    const { breaker } = this.status(operator);
    const reopensAt = this.reopeningOf(operator, now);
    const closedFor = Math.max(this.gate.emptyFor(operator), reopensAt ? reopensAt.getTime() - now.getTime() : 0);
    const rest = seconds - closedFor / SECOND;
    if (rest <= 0) return { tokens: 0, reopensAt };
    // One question decides whether there are more.
    if (breaker !== 'closed') return { tokens: 1, reopensAt };
    return { tokens: Math.ceil(this.ratePerSecond(operator) * rest), reopensAt };
  }

  private reopeningOf(operator: string, now: Date): Date | null {
    const { blockedUntil, retryAt } = this.status(operator);
    const closed = [blockedUntil, retryAt].filter((time) => time !== null && time > now);
    return closed.reduce((latest, time) => (latest && time && latest > time ? latest : time), null);
  }
}
