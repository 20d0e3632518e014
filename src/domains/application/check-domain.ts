import { Injectable } from '@nestjs/common';
import { Config } from '../../config.js';
import { Clock, SECOND } from '../../kernel/clock.js';
import { type Asking, CHECKING } from '../domain/budget.js';
import { DnsWitness, weigh } from '../domain/dns-witness.js';
import { DomainName, PublicSuffixes } from '../domain/domain-name.js';
import { type CheckStatus, checkStatusOf, type Lifecycle, lifecycleOf } from '../domain/lifecycle.js';
import { type Look, type LookFailure, type Proof, RegistryLookup } from '../domain/look.js';
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

/** A result, or the reason why there is none: an error is never a status. */
export type CheckAnswer = CheckResult | LookFailure;

/** Says what the registries hold about a name. */
@Injectable()
export class CheckDomain {
  private readonly inFlight = new Map<string, Promise<Look>>();

  constructor(
    private readonly config: Config,
    private readonly suffixes: PublicSuffixes,
    private readonly registries: RegistryLookup,
    private readonly dns: DnsWitness,
    private readonly recent: RecentProofs,
    private readonly listeners: LookListeners,
    private readonly clock: Clock,
  ) {}

  /** @throws NameRefused unless it is a name that a registry known here could register. */
  parse(input: string): DomainName {
    return DomainName.parse(input, this.suffixes);
  }

  /**
   * Asks the registry itself, for a watch: whoever calls it records the outcome.
   * @param deadline milliseconds, from its turn on
   * @param asking how long it may wait for its turn, and before whom
   */
  async look(name: DomainName, deadline = LOOK_DEADLINE, asking: Asking = { lane: 'routine' }): Promise<Look> {
    const end = performance.now() + deadline;
    const look = await this.weighed(name, await this.registries.look(name, deadline, asking), end);
    if (look.kind === 'failure' && look.vetoed) this.recent.forget(name);
    // What a simulation says is a function of the time; a kept answer would contradict the next one.
    if (look.kind === 'proof' && look.source !== 'sandbox') this.recent.keep(name, look);
    return look;
  }

  /**
   * Answers a person, from a recent proof if one is fresh enough, else live; a live look is told to the listeners first,
   * so that a watch on the name agrees with this answer.
   * @param maxAgeSeconds the oldest answer that will do; 0 asks live
   */
  async check(name: DomainName, { maxAgeSeconds }: { maxAgeSeconds?: number } = {}): Promise<CheckAnswer> {
    const known = this.recent.of(name);
    if (known && this.isFresh(known, maxAgeSeconds)) return this.resultOf(name, known);
    const look = await this.lookForAll(name);
    return look.kind === 'failure' ? look : this.resultOf(name, look);
  }

  /** Everybody who asks while the registry is being asked gets that answer. */
  private lookForAll(name: DomainName): Promise<Look> {
    const running = this.inFlight.get(name.ascii);
    if (running) return running;
    const look = this.lookAndTell(name).finally(() => this.inFlight.delete(name.ascii));
    this.inFlight.set(name.ascii, look);
    return look;
  }

  private async lookAndTell(name: DomainName): Promise<Look> {
    const look = await this.look(name, LOOK_DEADLINE, CHECKING);
    await this.listeners.tell(name, look);
    return look;
  }

  /** Only an absence is put to DNS: that a registration is not delegated proves nothing. */
  private async weighed(name: DomainName, look: Look, end: number): Promise<Look> {
    if (look.kind === 'failure' || look.facts.outcome !== 'absent' || look.source === 'sandbox') return look;
    const testimony = await this.dns.hear(name, end - performance.now());
    return testimony ? weigh(look, testimony) : look;
  }

  private isFresh(proof: Proof, maxAgeSeconds = Infinity): boolean {
    const { phase } = this.lifecycleOf(proof);
    const freshness = (this.config.lookup.freshness[phase] ?? 0) / this.config.timeScale;
    const limit = Math.min(freshness, maxAgeSeconds);
    return limit > 0 && this.ageOf(proof) <= limit * SECOND;
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
