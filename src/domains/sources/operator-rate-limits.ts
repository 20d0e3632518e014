import { Injectable } from '@nestjs/common';
import { Clock, SECOND } from '../../kernel/clock.js';
import {
  type AvailableQueries,
  type LookupPriority,
  type OperatorStatus,
  unknownOperator,
} from '../domain/lookup/admission.js';
import { DomainName } from '../domain/name/domain-name.js';
import { breakerState } from '../domain/lookup/circuit-breaker.js';
import { RegistryRateLimiter } from '../rate-limiting/registry-rate-limiter.js';
import { OperatorHealthTracker } from '../rate-limiting/operator-health-tracker.js';
import { OperatorResolver } from '../rate-limiting/operator-resolver.js';
import { LookupSources } from './lookup-sources.js';

/** The rate limits of the registry operators, each shared by all processes. */
@Injectable()
export class OperatorRateLimits {
  constructor(
    private readonly operatorResolver: OperatorResolver,
    private readonly health: OperatorHealthTracker,
    private readonly rateLimiter: RegistryRateLimiter,
    private readonly sources: LookupSources,
    private readonly clock: Clock,
  ) {}

  /** Returns the operator of the name's registry, from what this process knows; sends no query. */
  operatorOf(name: DomainName): string {
    const server = this.sources.findKnownServer(name);
    return server ? this.operatorResolver.resolve(server) : unknownOperator(name.tld);
  }

  /** Returns the TLDs whose names have this operator, from what this process knows. */
  tldsOf(operator: string): readonly string[] {
    if (operator.startsWith('.')) return [operator.slice(1)].filter((tld) => this.operatorOfTld(tld) === operator);
    const served = new Set(this.sources.findServedTlds().map(({ tld }) => tld));
    return [...served].filter((tld) => this.operatorOfTld(tld) === operator);
  }

  operatorOfTld(tld: string): string {
    return this.operatorOf(DomainName.restore(`nic.${tld}`));
  }

  /** Loads the servers of these TLDs that other processes discovered; needed where no lookups are made. */
  refreshServers(tlds: ReadonlySet<string>): Promise<void> {
    return this.sources.loadServers(tlds);
  }

  /** Returns what this process knows. */
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

  /** Returns the long-term rate; Infinity without a rate limit. */
  ratePerSecond(operator: string): number {
    const { perSecond } = this.operatorResolver.budgetFor(operator);
    return perSecond === 0 ? Infinity : perSecond;
  }

  /**
   * Returns how many queries are allowed in the next seconds, from memory: it runs no statement, and changes by others
   * arrive within a second.
   */
  availableQueries(operators: readonly string[], seconds: number): ReadonlyMap<string, AvailableQueries> {
    return new Map(operators.map((operator) => [operator, this.queriesFor(operator, seconds)]));
  }

  /**
   * Takes tokens for lookups that are sent at once with `hasReservedToken`. Unused tokens are lost.
   * @returns how many were granted, 0 to `tokens`
   */
  reserveTokens(operator: string, tokens: number, priority: LookupPriority): Promise<number> {
    return this.rateLimiter.reserveTokens(operator, tokens, priority);
  }

  private queriesFor(operator: string, seconds: number): AvailableQueries {
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
