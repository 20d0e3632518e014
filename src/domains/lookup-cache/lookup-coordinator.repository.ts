import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { after, Clock, SECOND } from '../../kernel/clock.js';
import { Batcher } from '../../platform/concurrency/batcher.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import type { DomainName } from '../domain/name/domain-name.js';
import { DNS_VETO_KEPT_MS, endsDnsVeto } from '../domain/lookup/availability.js';
import type { LookupResult } from '../domain/lookup/lookup-result.js';
import {
  CHANGES_LOOKBACK_MS,
  type Changes,
  LOOKUP_LEASE_MS,
  type PublishedResult,
  LookupCoordinator,
  type LookupClaim,
  MAX_LOOKUP_MS,
} from './lookup-coordinator.js';
import { InFlightResultPoller } from './in-flight-results.repository.js';
import { parseChanges, parseObservation, serializeFailure, serializeObservation } from './lookup-serialization.js';
import {
  SELECT_CHANGES,
  SELECT_TRANSACTION_HORIZON,
  ACQUIRE_OR_JOIN,
  SELECT_DELEGATED,
  SELECT_REGISTERED,
  RELEASE_LEASE,
  PUBLISH,
  DELETE_STALE,
  RENEW_LEASES,
} from './lookup-coordination.sql.js';

interface ClaimRequest {
  readonly domain: string;
  readonly notBefore: Date | null;
}
interface ClaimRow {
  readonly domain: string;
  readonly ours: string | null;
  readonly theirs: string | null;
  readonly facts: string | null;
  readonly observation: string | null;
}
interface HorizonRow {
  readonly at: Date;
  readonly oldest: string;
  readonly next: string;
}
interface PublicationRow {
  readonly domain: string;
  readonly leaseId: string | null;
  readonly failure: string | null;
  readonly facts: string | null;
  readonly observation: string | null;
  readonly observedAt: Date | null;
  readonly freshUntil: Date | null;
  /** `-infinity`: DNS or the registry ended an earlier veto; null: nothing is known. */
  readonly delegatedAt: Date | '-infinity' | null;
}

interface OwnLease {
  readonly domain: string;
  /** performance.now() time */
  readonly startedAt: number;
}

/** Most lookups are over by then and need no renewal. */
const RENEW_AFTER_MS = SECOND;
/** A slow statement does not make all later checks wait; more of them at a time would be smaller and cost more. */
const BATCHES = { concurrency: 3 };
/** Is short beside a lookup in which DNS gave no answer. */
const RARE = { windowMs: 25 };

/**
 * Coordinates the lookups of all processes through one table of PostgreSQL. No transaction is open while a registry
 * is queried: a running lookup is a row with a lease, and a crashed process delays the others by that lease.
 */
@Injectable()
export class PostgresLookupCoordinator extends LookupCoordinator implements BeforeApplicationShutdown {
  private readonly log = new Logger(PostgresLookupCoordinator.name);
  private readonly claims = new Batcher<ClaimRequest, LookupClaim | null>(
    (requests) => this.claimAll(requests),
    BATCHES,
  );
  private readonly publications = new Batcher<PublicationRow, null>((results) => this.publishAll(results), BATCHES);
  private readonly delegations = new Batcher<string, boolean>((domains) => this.findDelegated(domains), RARE);
  private readonly inFlightResults: InFlightResultPoller;
  /** Has the leases of this process's lookups, by their ids. */
  private readonly leases = new Map<string, OwnLease>();
  private readonly settledChanges = new SettledChanges();

  constructor(
    private readonly statements: SqlClient,
    private readonly clock: Clock,
  ) {
    super();
    this.inFlightResults = new InFlightResultPoller(statements);
  }

  async acquireOrJoin({ ascii: domain }: DomainName, notBefore: Date | null): Promise<LookupClaim> {
    for (;;) {
      const claim = await this.claims.submit({ domain, notBefore });
      if (claim) return claim;
    }
  }

  awaitResult({ ascii }: DomainName, leaseId: string): Promise<LookupResult | null> {
    return this.inFlightResults.awaitResult(ascii, leaseId);
  }

  async publish(result: PublishedResult): Promise<void> {
    try {
      await this.publications.submit(toPublicationRow(result));
    } finally {
      if (result.leaseId !== null) this.leases.delete(result.leaseId);
    }
  }

  async release({ ascii }: DomainName, leaseId: string): Promise<void> {
    this.leases.delete(leaseId);
    await this.statements.run(RELEASE_LEASE, [ascii, leaseId]);
  }

  /** Renews the leases of long lookups, all with one statement. */
  async renew(): Promise<void> {
    const now = performance.now();
    const due = [...this.leases].filter(
      ([, { startedAt }]) => now - startedAt >= RENEW_AFTER_MS && now - startedAt < MAX_LOOKUP_MS,
    );
    if (due.length === 0) return;
    const domains = due.map(([, { domain }]) => domain);
    await this.statements.run(RENEW_LEASES, [domains, due.map(([leaseId]) => leaseId), LOOKUP_LEASE_MS / SECOND]);
  }

  /** Two statements: what is committed between them is read now, and again the next time. */
  async findChanges(since: Date | null): Promise<Changes> {
    const [horizon] = await this.statements.run<HorizonRow>(SELECT_TRANSACTION_HORIZON);
    if (!horizon) throw new Error('the database has no snapshot');
    const [found] = await this.statements.run<{ changes: string | null }>(SELECT_CHANGES, [
      since,
      CHANGES_LOOKBACK_MS / SECOND,
    ]);
    const [oldest, next] = [BigInt(horizon.oldest), BigInt(horizon.next)];
    const settledUntil = this.settledChanges.settledAt({ at: horizon.at, oldest, next });
    return { names: parseChanges(found?.changes ?? ''), settledUntil };
  }

  wasDelegated({ ascii }: DomainName): Promise<boolean> {
    return this.delegations.submit(ascii);
  }

  async findRegistered(tld: string, count: number): Promise<readonly string[]> {
    const rows = await this.statements.run<{ domain: string }>(SELECT_REGISTERED, [tld, count]);
    return rows.map(({ domain }) => domain);
  }

  async prune(): Promise<void> {
    const now = this.clock.now();
    await this.statements.run(DELETE_STALE, [now, after(now, -DNS_VETO_KEPT_MS)]);
  }

  /** Other processes may be waiting for results that are not written yet. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.publications.whenIdle();
  }

  private async claimAll(requests: readonly ClaimRequest[]): Promise<(LookupClaim | null)[]> {
    const values = [JSON.stringify(requests), this.clock.now(), LOOKUP_LEASE_MS / SECOND];
    const rows = await this.statements.run<ClaimRow>(ACQUIRE_OR_JOIN, values);
    const startedAt = performance.now();
    for (const { domain, ours } of rows) if (ours !== null) this.leases.set(ours, { domain, startedAt });
    const claimByDomain = new Map(rows.map((row) => [row.domain, toClaim(row)]));
    return requests.map(({ domain }) => claimByDomain.get(domain) ?? null);
  }

  private async findDelegated(domains: readonly string[]): Promise<boolean[]> {
    const keptFrom = after(this.clock.now(), -DNS_VETO_KEPT_MS);
    const rows = await this.statements.run<{ domain: string }>(SELECT_DELEGATED, [domains, keptFrom]);
    const delegated = new Set(rows.map(({ domain }) => domain));
    return domains.map((domain) => delegated.has(domain));
  }

  private async publishAll(results: readonly PublicationRow[]): Promise<null[]> {
    await this.statements.run(PUBLISH, [JSON.stringify([...mergeByDomain(results).values()]), this.clock.now()]);
    return results.map(() => null);
  }
}

function toClaim({ ours, theirs, facts, observation }: ClaimRow): LookupClaim | null {
  if (facts !== null && observation !== null)
    return { kind: 'cached', observation: parseObservation({ facts, observation }) };
  if (ours !== null) return { kind: 'acquired', leaseId: ours };
  return theirs === null ? null : { kind: 'in_flight', leaseId: theirs };
}

function toPublicationRow({ name, result, leaseId, freshUntil }: PublishedResult): PublicationRow {
  const delegatedAt = endsDnsVeto(result) ? '-infinity' : null;
  const row = { domain: name.ascii, leaseId, failure: null, facts: null, observation: null, freshUntil: null };
  if (result.kind === 'observation')
    return { ...row, ...serializeObservation(result), observedAt: result.observedAt, freshUntil, delegatedAt };
  const observedAt = result.doubt ? result.observedAt : null;
  return { ...row, failure: serializeFailure(result), observedAt, delegatedAt: result.delegatedAt ?? null };
}

/**
 * Two lookups of a name (a watch's and a person's) may end in the same batch, and a statement can change a row only
 * once.
 */
function mergeByDomain(rows: readonly PublicationRow[]): Map<string, PublicationRow> {
  const byName = new Map<string, PublicationRow>();
  for (const row of rows) {
    const other = byName.get(row.domain);
    byName.set(row.domain, other ? mergeRows(other, row) : row);
  }
  return byName;
}

function mergeRows(one: PublicationRow, other: PublicationRow): PublicationRow {
  const [earlier, later] = (one.observedAt ?? 0) > (other.observedAt ?? 0) ? [other, one] : [one, other];
  const leaderRow = one.leaseId === null ? other : one;
  const delegatedAt = later.delegatedAt ?? earlier.delegatedAt;
  return {
    ...(later.observedAt ? later : earlier),
    leaseId: leaderRow.leaseId,
    failure: leaderRow.failure,
    delegatedAt,
  };
}

/** What the database said of its transactions when a poll began. */
export interface TransactionHorizon {
  /** Is read first, by the database's clock. */
  readonly at: Date;
  /** The lowest number of a transaction that has not ended. */
  readonly oldest: bigint;
  /** The number that the next transaction gets. */
  readonly next: bigint;
}

/**
 * Knows until when all changes can be read. A change is dated once its transaction has a number, so those dated before a poll
 * have lower numbers than the next one at that poll, and are settled when a later poll finds that number the oldest.
 * Who made them, and whether PostgreSQL shows what that session does, is of no matter.
 */
export class SettledChanges {
  private horizons: readonly TransactionHorizon[] = [];

  /** @returns the time before which every later statement sees each change; long ago if that is not known */
  settledAt(current: TransactionHorizon): Date {
    const wasSetBack = this.horizons.some(({ at }) => at > current.at);
    const known = wasSetBack ? [] : [...this.horizons, current];
    const settled = known.findLast(({ next }) => next <= current.oldest);
    const kept = after(current.at, -CHANGES_LOOKBACK_MS);
    this.horizons = known.filter(({ at }) => at >= (settled?.at ?? kept) && at >= kept);
    return settled?.at ?? new Date(0);
  }
}
