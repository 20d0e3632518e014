import {
  type DomainName,
  type EntryStatus,
  type Lifecycle,
  lifecycleOf,
  type LifecyclePhase,
  nextBoundary,
  type RegistrationFacts,
} from '../../domains/language.js';
import { AggregateRoot } from '../../kernel/aggregate-root.js';
import { newId } from '../../kernel/identifier.js';
import { type Move, moveBetween } from './move.js';
import { entryMoved, entryRemoved, type Intent } from './watch-events.js';
import type { ProvenFacts } from './watched-name.js';

export interface WatchRequest {
  readonly accountId: string;
  readonly domain: DomainName;
  readonly intervalMinutes: number;
  readonly expiringWindowDays: number;
}

/**
 * One account's watch on one name.
 *
 * Status and phase are the lifecycle of the name's proven facts, seen through this entry's expiring window. It
 * starts as `registered`; only a proof moves it, never an error. Each move raises `changeSeq` by one and is told in
 * exactly one event. The very first proof that differs from the start is the move `discovered`. While paused,
 * nothing moves it.
 */
export class WatchEntry extends AggregateRoot<WatchEntry> {
  private constructor(
    readonly id: string,
    readonly accountId: string,
    readonly domain: DomainName,
    readonly intervalMinutes: number,
    readonly expiringWindowDays: number,
    readonly status: EntryStatus,
    readonly phase: LifecyclePhase,
    readonly changeSeq: number,
    /** Whether a proof was ever applied. */
    readonly proven: boolean,
    readonly knownRegisteredAt: Date | null,
    readonly knownExpiresAt: Date | null,
    /** When a look touches it though it brings no news: time alone may move it then. Until the first proof: always. */
    readonly boundaryAt: Date | null,
    readonly paused: boolean,
    readonly tags: readonly string[],
    readonly note: string | null,
    readonly intent: Intent,
    readonly createdAt: Date,
    readonly updatedAt: Date,
  ) {
    super();
  }

  /** @param recent the name's proof, when it is recent enough to start from; see WatchedName.recentProof */
  static start(request: WatchRequest, recent: ProvenFacts | null, now: Date): WatchEntry {
    const { accountId, domain, intervalMinutes, expiringWindowDays } = request;
    const start: Lifecycle = recent
      ? lifecycleOf(recent.facts, expiringWindowDays, now)
      : { status: 'registered', phase: 'registered' };
    return new WatchEntry(
      ...([newId('wl'), accountId, domain, intervalMinutes, expiringWindowDays, start.status, start.phase, 0] as const),
      recent !== null,
      recent?.facts.registeredAt ?? null,
      recent?.facts.expiresAt ?? null,
      recent ? nextBoundary(recent.facts, expiringWindowDays, now) : now,
      ...([false, [], null, 'monitor', now, now] as const),
    );
  }

  /** Takes what is proven about the name. Harmless to repeat: the same facts move nothing twice. */
  apply(proof: ProvenFacts, now: Date): void {
    if (this.paused) return;
    const { facts } = proof;
    const from: Lifecycle = { status: this.status, phase: this.phase };
    const to = lifecycleOf(facts, this.expiringWindowDays, now);
    const move = this.moveTo(to, proof);
    this.remember(facts, move);
    this.become({ proven: true, boundaryAt: nextBoundary(facts, this.expiringWindowDays, now) });
    if (!move) return;
    this.become({ status: to.status, phase: to.phase, changeSeq: this.changeSeq + 1, updatedAt: now });
    this.record(entryMoved(this, from, move, { ...proof, expiresAt: facts.expiresAt }, now));
  }

  /** The dates that the next move is measured by: those of the last change of status, and what was unknown then. */
  private remember({ registeredAt, expiresAt }: RegistrationFacts, move: Move | null): void {
    const anew = !this.proven || (move !== null && move !== 'phase_changed');
    const [known, told] = [
      { registeredAt: this.knownRegisteredAt, expiresAt: this.knownExpiresAt },
      { registeredAt, expiresAt },
    ];
    const [first, second] = anew ? [told, known] : [known, told];
    this.become({
      knownRegisteredAt: first.registeredAt ?? second.registeredAt,
      knownExpiresAt: first.expiresAt ?? second.expiresAt,
    });
  }

  /** Taken off the watchlist. What was not yet told about it is not told any more. */
  end(now: Date): void {
    this.record(entryRemoved(this.id, this.accountId, now));
  }

  private moveTo(to: Lifecycle, { facts }: ProvenFacts): Move | null {
    if (!this.proven) return to.status === this.status && to.phase === this.phase ? null : 'discovered';
    const known = { registeredAt: this.knownRegisteredAt, expiresAt: this.knownExpiresAt };
    return moveBetween(this, to, known, facts);
  }
}

export abstract class WatchEntries {
  abstract add(entry: WatchEntry): void;
  abstract remove(entry: WatchEntry): void;
  /** Locked until the unit of work ends; lock its name before it. */
  abstract find(accountId: string, id: string): Promise<WatchEntry | null>;
  abstract domainOf(accountId: string, id: string): Promise<DomainName | null>;
  abstract findByDomain(accountId: string, domain: DomainName): Promise<WatchEntry | null>;
  /** Counts an account's entries and holds other additions of the account off until the unit of work ends. */
  abstract countForAddition(accountId: string): Promise<number>;
  /** The entries that watch the name; with `boundary`, only those that time alone moves by then. Locked. */
  abstract watching(domain: DomainName, boundary?: Date): Promise<WatchEntry[]>;
}
