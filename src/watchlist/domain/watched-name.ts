import {
  DomainName,
  type EntryStatus,
  type Evidence,
  type EvidenceSource,
  lifecycleOf,
  type Look,
  type LookFailure,
  type Proof,
  type RegistrationFacts,
  sameFacts,
} from '../../domains/language.js';
import { AggregateRoot } from '../../kernel/aggregate-root.js';
import { MINUTE } from '../../kernel/clock.js';
import type { Cadence } from './cadence.js';
import { confirm, type ConfirmationPace, type PendingConfirmation, type Sighting, standing } from './confirmation.js';

/** Facts that an entry may be moved by: proven, and confirmed where a second witness is needed. */
export interface ProvenFacts {
  readonly facts: RegistrationFacts;
  readonly source: EvidenceSource;
  /** The first and the last look that proved these facts. */
  readonly observedAt: Date;
  readonly confirmedAt: Date;
}

/** Facts that are news, with what both looks rest on where it took two. */
export interface News extends ProvenFacts {
  readonly evidence: readonly Evidence[];
}

/** An absence is old news sooner than a registration. */
const AVAILABLE_IS_RECENT_FOR = MINUTE;

/**
 * What is known about one name, shared by all entries that watch it, and when to look next.
 *
 * A registration is believed at once. An absence has to be confirmed, and so has what no lifecycle knows: a name that
 * was available and is being deleted. A look between that finds otherwise clears it, silently. A failure changes no
 * fact: it only counts, and brings the next look forward or back. A veto of DNS is no failure: the registry answered.
 */
export class WatchedName extends AggregateRoot<WatchedName> {
  private constructor(
    /** The A-label. */
    readonly domain: string,
    readonly intervalMinutes: number,
    /** null: nobody watches it, no look is due. */
    readonly nextCheckAt: Date | null,
    readonly facts: RegistrationFacts | null,
    readonly source: EvidenceSource | null,
    /** When the facts of now were first and last proven. */
    readonly provenSince: Date | null,
    readonly proofAt: Date | null,
    readonly pending: PendingConfirmation | null,
    readonly lastCheckedAt: Date | null,
    readonly failures: number,
    readonly failingSince: Date | null,
    readonly failureCode: string | null,
  ) {
    super();
  }

  /** The first watcher came: to be looked at now. */
  static start(name: DomainName, intervalMinutes: number, now: Date): WatchedName {
    return new WatchedName(name.ascii, intervalMinutes, now, null, null, null, null, null, null, 0, null, null);
  }

  /** Another watcher came: it wants a look now, unless the registry is failing and its next look is set for that. */
  welcome(intervalMinutes: number, now: Date): void {
    const tightest = this.resting ? intervalMinutes : Math.min(intervalMinutes, this.intervalMinutes);
    const nextCheckAt = this.nextCheckAt && this.failures > 0 ? this.nextCheckAt : now;
    this.become({ intervalMinutes: tightest, nextCheckAt });
  }

  /**
   * The last watcher went: no look is due any more. A registration stays known, should a watcher come back; an absence
   * does not, since whoever comes back later must not take one witness of today for the second of long ago.
   */
  rest(): void {
    this.become({ nextCheckAt: null, pending: null });
    if (this.facts?.outcome === 'absent') this.become({ facts: null, source: null, provenSince: null, proofAt: null });
  }

  get resting(): boolean {
    return this.nextCheckAt === null;
  }

  /** A watcher went: the tightest interval of those who stay is the promise. */
  relax(intervalMinutes: number): void {
    this.become({ intervalMinutes });
  }

  /**
   * Takes the outcome of a look. Of two that overlapped, the one that asked later counts, whichever is recorded first:
   * an old answer is no news.
   * @returns the facts, when they changed; null when this look told nothing new.
   */
  observe(look: Look, cadence: Cadence, now: Date): News | null {
    if (this.lastCheckedAt && look.observedAt < this.lastCheckedAt) return null;
    const news = this.take(look, cadence, now);
    this.become({ lastCheckedAt: look.observedAt, nextCheckAt: cadence.nextLook(this, look, now) });
    return news;
  }

  get name(): DomainName {
    return DomainName.restore(this.domain);
  }

  /** The confirmed facts, or null before the first. */
  get proven(): ProvenFacts | null {
    if (!this.facts || !this.source || !this.provenSince || !this.proofAt) return null;
    return { facts: this.facts, source: this.source, observedAt: this.provenSince, confirmedAt: this.proofAt };
  }

  /**
   * The proof that a new entry may start from: no older than its interval, and an absence no older than a minute.
   * @param timeScale divides both
   */
  recentProof(intervalMinutes: number, now: Date, timeScale = 1): ProvenFacts | null {
    const { proven } = this;
    if (!proven) return null;
    const limit = proven.facts.outcome === 'absent' ? AVAILABLE_IS_RECENT_FOR : intervalMinutes * MINUTE;
    return now.getTime() - proven.confirmedAt.getTime() <= limit / timeScale ? proven : null;
  }

  private take(look: Look, cadence: Cadence, now: Date): News | null {
    const { evidence } = look;
    if (look.kind === 'proof') return this.observeProof({ proof: look, isVetoed: false, evidence }, cadence, now);
    if (look.vetoed) return this.observeProof({ proof: look.vetoed, isVetoed: true, evidence }, cadence, now);
    return this.observeFailure(look, cadence, now);
  }

  private observeProof({ proof, isVetoed, evidence }: Omit<Sighting, 'status'>, cadence: Cadence, now: Date) {
    this.become({ failures: 0, failingSince: null, failureCode: null });
    const pace = cadence.paceOf(this);
    const status = this.doubtful(proof.facts, pace, now);
    if (status === null) return isVetoed ? null : this.learn(proof, proof.observedAt, evidence);
    const known = standing(this.pending, now, pace);
    const same = known?.status === status ? known : null;
    const weighed = confirm({ proof, status, isVetoed, evidence }, same, pace);
    if (weighed.kind === 'confirmed') return this.learn(proof, weighed.firstSeenAt, weighed.evidence);
    this.become({ pending: weighed.pending });
    return null;
  }

  /** The status that would follow and that one look cannot bring about; null where one look is enough. */
  private doubtful(facts: RegistrationFacts, { usualWindowDays }: ConfirmationPace, now: Date): EntryStatus | null {
    const isAbsent = this.facts?.outcome === 'absent';
    if (facts.outcome === 'absent') return isAbsent ? null : 'available';
    const { status } = lifecycleOf(facts, usualWindowDays, now);
    return isAbsent && status !== 'registered' ? status : null;
  }

  private learn(proof: Proof, firstSeenAt: Date, evidence: readonly Evidence[]): News | null {
    const changed = !this.facts || !sameFacts(this.facts, proof.facts);
    this.become({
      facts: proof.facts,
      source: proof.source,
      provenSince: changed ? firstSeenAt : this.provenSince,
      proofAt: proof.observedAt,
      pending: null,
    });
    const { proven } = this;
    return changed && proven ? { ...proven, evidence } : null;
  }

  private observeFailure(failure: LookFailure, cadence: Cadence, now: Date): null {
    this.become({
      failures: this.failures + 1,
      failingSince: this.failingSince ?? failure.observedAt,
      failureCode: failure.code,
      pending: standing(this.pending, now, cadence.paceOf(this)),
    });
    return null;
  }
}

/** A hold on a name for one look; whoever comes with another token comes too late. */
export interface Lease {
  readonly name: string;
  readonly token: string;
}

export abstract class WatchedNames {
  /** The name as it is known, else as it starts; locked like {@link find}, also against others that start it. */
  abstract findOrStart(start: WatchedName): Promise<WatchedName>;
  /** Locked until the unit of work ends, so that looks at one name are recorded one after the other. */
  abstract find(name: DomainName): Promise<WatchedName | null>;
  /** The smallest interval among the entries that watch the name, one left out; null when there is none. */
  abstract tightestInterval(name: DomainName, exceptEntry: string): Promise<number | null>;
  /** Whether anybody watches the name; one statement, outside any transaction. */
  abstract isWatched(name: DomainName): Promise<boolean>;
}

/** Who may look at which name just now. */
export abstract class Leases {
  /** Takes due names, earliest first, each for one lease time, so that at most `limit` are under way in all processes. */
  abstract claimDue(now: Date, limit: number): Promise<Lease[]>;
  /** Holds the name for one lease time from now. False when the lease had run out: then there is nothing to do. */
  abstract renew(lease: Lease): Promise<boolean>;
  /** Inside a unit of work: ends the lease. False when it was not ours any more; then nothing may be written. */
  abstract end(lease: Lease): Promise<boolean>;
  /** Gives claims back that could not be passed on, so that nobody waits for them to run out. */
  abstract giveBack(leases: readonly Lease[]): Promise<void>;
}
