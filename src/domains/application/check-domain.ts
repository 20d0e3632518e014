import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { after, Clock, SECOND } from '../../kernel/clock.js';
import { type Asking, CHECKING } from '../domain/budget.js';
import { DnsWitness, weigh } from '../domain/dns-witness.js';
import { DomainName, PublicSuffixes } from '../domain/domain-name.js';
import { type CheckStatus, checkStatusOf, type Lifecycle, lifecycleOf } from '../domain/lifecycle.js';
import { type Look, type LookFailure, type Proof, RegistryLookup } from '../domain/look.js';
import { type RegistrationFacts, sameFacts } from '../domain/registration.js';
import { AccountLooks, seenBy } from './account-looks.js';
import { JointLooks, type Question } from './joint-looks.js';
import { LookListeners } from './look-listeners.js';
import { RecentProofs } from './recent-proofs.js';

/** All protocols and hops of one look together; milliseconds. */
export const LOOK_DEADLINE = 10 * SECOND;

/** What a person's check tells. */
export interface CheckResult {
  readonly kind: 'result';
  readonly name: DomainName;
  readonly proof: Proof;
  readonly status: CheckStatus;
  readonly lifecycle: Lifecycle;
  /** Whole seconds since the registry was asked. */
  readonly ageSeconds: number;
}

export interface CheckRequest {
  /** The oldest answer that will do, in seconds. */
  readonly maxAgeSeconds?: number;
  /** The account that asks: with ACCOUNT_ISOLATION it learns nothing from the looks of others. */
  readonly asker?: string;
}

/** A result, or the reason why there is none: an error is never a status. */
export type CheckAnswer = CheckResult | LookFailure;

/** Says what the registries hold about a name. */
@Injectable()
export class CheckDomain {
  constructor(
    private readonly config: Config,
    private readonly suffixes: PublicSuffixes,
    private readonly registries: RegistryLookup,
    private readonly dns: DnsWitness,
    private readonly recent: RecentProofs,
    private readonly joint: JointLooks,
    private readonly listeners: LookListeners,
    private readonly clock: Clock,
    private readonly accounts: AccountLooks,
  ) {}

  /** @throws NameRefused unless it is a name that a registry known here could register. */
  parse(input: string): DomainName {
    return DomainName.parse(input, this.suffixes);
  }

  /**
   * Asks the registry itself, for a watch: whoever calls it records the outcome. Checks are answered from it as well,
   * those of other processes too where it tells anything new: a routine look is not worth a row of its own.
   * @param deadline milliseconds, from its turn on
   * @param asking how long it may wait for its turn, and before whom
   * @param known the facts that were proven before, if any were
   */
  async look(
    name: DomainName,
    deadline = LOOK_DEADLINE,
    asking: Asking = { lane: 'routine' },
    known: RegistrationFacts | null = null,
  ): Promise<Look> {
    const look = await this.ask(name, deadline, asking);
    this.remember(name, look);
    const isNews = look.kind === 'proof' ? !known || !sameFacts(known, look.facts) : look.vetoed !== undefined;
    if (isNews && !this.isSimulated(name))
      void this.joint.land({ name, look, flight: null, freshUntil: this.freshUntil(look) });
    return look;
  }

  /**
   * Answers a person, from a recent proof if one is fresh enough, else live; a live look is told to the listeners first,
   * so that a watch on the name agrees with this answer. Everybody who asks while the registry is being asked gets that
   * answer, in every process.
   * @param maxAgeSeconds 0 takes no answer for which the registry was asked before this call, give or take the second
   *   by which the clocks of processes differ
   */
  async check(name: DomainName, { maxAgeSeconds = Infinity, asker }: CheckRequest = {}): Promise<CheckAnswer> {
    const now = this.clock.now();
    const isFresh = (proof: Proof) => this.isFresh(proof, maxAgeSeconds, now);
    if (asker !== undefined && this.config.accountIsolation) return this.checkAlone(name, asker, isFresh, now);
    const known = this.recent.of(name);
    if (known && isFresh(known)) return this.resultOf(name, known);
    const look = await this.lookForAll(name, {
      limit: earliest(maxAgeSeconds, now),
      isLive: maxAgeSeconds === 0,
      isFresh,
    });
    return look.kind === 'failure' ? look : this.resultOf(name, look);
  }

  private async checkAlone(name: DomainName, asker: string, isFresh: Question['isFresh'], now: Date) {
    const known = await this.accounts.latest(asker, name, isFresh);
    if (known) return this.resultOf(name, known);
    const ask = () => this.ask(name, LOOK_DEADLINE, CHECKING);
    const flyer = { ask, freshUntil: (look: Look) => this.freshUntil(look) };
    const question = { limit: now, isLive: true, isFresh };
    const look = this.isSimulated(name) ? await ask() : await this.joint.look(name, question, flyer);
    await this.listeners.tell(name, look, asker);
    const seen = seenBy(look, now);
    this.accounts.keep(asker, name, seen);
    return seen.kind === 'failure' ? seen : this.resultOf(name, seen);
  }

  private async lookForAll(name: DomainName, question: Question): Promise<Look> {
    // What a simulation says is a function of the time; a kept answer would contradict the next one.
    if (this.isSimulated(name)) return this.askAndTell(name);
    const freshUntil = (look: Look) => this.freshUntil(look);
    const look = await this.joint.look(name, question, { freshUntil, ask: () => this.askAndTell(name) });
    this.remember(name, look);
    return look;
  }

  private async askAndTell(name: DomainName): Promise<Look> {
    const look = await this.ask(name, LOOK_DEADLINE, CHECKING);
    await this.listeners.tell(name, look);
    return look;
  }

  private async ask(name: DomainName, deadline: number, asking: Asking): Promise<Look> {
    let end = performance.now() + deadline;
    const onTurn = () => (end = performance.now() + deadline);
    const look = await this.registries.look(name, deadline, { ...asking, onTurn });
    return this.weighed(name, look, end);
  }

  private remember(name: DomainName, look: Look): void {
    if (look.kind === 'proof' && look.source !== 'sandbox') this.recent.keep(name, look);
    else if (look.kind === 'failure' && look.vetoed) this.recent.forget(name);
  }

  private isSimulated({ tld }: DomainName): boolean {
    return this.config.sandbox && tld === 'test';
  }

  /** Only an absence is put to DNS: that a registration is not delegated proves nothing. */
  private async weighed(name: DomainName, look: Look, end: number): Promise<Look> {
    if (look.kind === 'failure' || look.facts.outcome !== 'absent' || look.source === 'sandbox') return look;
    const testimony = await this.dns.hear(name, end - performance.now());
    return testimony ? weigh(look, testimony) : look;
  }

  private isFresh(proof: Proof, maxAgeSeconds: number, now: Date): boolean {
    const limit = Math.min(this.freshness(proof), maxAgeSeconds * SECOND);
    return limit > 0 && now.getTime() - proof.observedAt.getTime() <= limit;
  }

  private freshUntil(look: Look): Date {
    return after(look.observedAt, look.kind === 'proof' ? this.freshness(look) : 0);
  }

  /** Milliseconds. */
  private freshness(proof: Proof): number {
    const { phase } = this.lifecycleOf(proof);
    return ((this.config.lookup.freshness[phase] ?? 0) * SECOND) / this.config.timeScale;
  }

  private resultOf(name: DomainName, proof: Proof): CheckResult {
    const status = checkStatusOf(proof.facts, this.config.watch.expiringWindowDays, this.clock.now());
    const ageSeconds = Math.floor(this.ageOf(proof) / SECOND);
    return { kind: 'result', name, proof, status, lifecycle: this.lifecycleOf(proof), ageSeconds };
  }

  private lifecycleOf(proof: Proof): Lifecycle {
    return lifecycleOf(proof.facts, this.config.watch.expiringWindowDays, this.clock.now());
  }

  private ageOf(proof: Proof): number {
    return Math.max(0, this.clock.now().getTime() - proof.observedAt.getTime());
  }
}

function earliest(maxAgeSeconds: number, now: Date): Date {
  return maxAgeSeconds === Infinity ? new Date(0) : after(now, -maxAgeSeconds * SECOND);
}
