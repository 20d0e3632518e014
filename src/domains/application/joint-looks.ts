import { Injectable, Logger } from '@nestjs/common';
import { after, Clock } from '../../kernel/clock.js';
import type { DomainName } from '../domain/domain-name.js';
import type { Look, LookFailure, Proof } from '../domain/look.js';
import { type Landing, SharedLooks, SKEW } from '../domain/shared-looks.js';

/** What will do as an answer. */
export interface Question {
  /** The earliest time at which the registry may have been asked. */
  readonly limit: Date;
  /** No proof will do that was kept when the question came. */
  readonly isLive: boolean;
  readonly isFresh: (proof: Proof) => boolean;
}

/** How to get a live one. */
export interface Flyer {
  /** Asks the registry, and tells whoever has to know. */
  readonly ask: () => Promise<Look>;
  readonly freshUntil: (look: Look) => Date;
}

interface Answer {
  readonly look: Look;
  readonly isLive: boolean;
}

/** So often another process may be lost while somebody waits for it; then the caller has waited long enough. */
const LOSSES = 2;

/**
 * One question to the registry for everybody who has it at the same time, in whatever process: what is under way serves
 * all who come until it ends, unless the registry was asked too long before for them; those share the next one. What was
 * proven before serves those to whom it is fresh.
 */
@Injectable()
export class JointLooks {
  private readonly log = new Logger(JointLooks.name);
  private readonly underWay = new Map<string, Promise<Answer | null>>();

  constructor(
    private readonly shared: SharedLooks,
    private readonly clock: Clock,
  ) {}

  /** Rejects when the database is away: the registry might be asked by everybody at once. */
  async look(name: DomainName, question: Question, flyer: Flyer): Promise<Look> {
    let notBefore = question.isLive ? null : question.limit;
    let isSecondRound = false;
    for (let losses = 0; losses < LOSSES;) {
      const answer = await this.joined(name, notBefore, flyer);
      if (!answer) losses += 1;
      else if (answer.isLive) {
        if (isSecondRound || isYoung(answer.look, question)) return answer.look;
        isSecondRound = true;
        notBefore = question.limit; // who shared that flight may have asked again already
      } else if (willDo(answer.look, question)) return answer.look;
      else notBefore = null; // what is kept will not do
    }
    return this.nobodyArrived(name);
  }

  /** For a look that was made for its own sake. Never rejects; what the registry said is right all the same. */
  async land(landing: Landing): Promise<void> {
    try {
      await this.shared.land(landing);
    } catch (error) {
      this.log.warn({ domain: landing.name.ascii, err: error }, 'a look was not shared with other processes');
    }
  }

  private joined(name: DomainName, notBefore: Date | null, flyer: Flyer): Promise<Answer | null> {
    const underWay = this.underWay.get(name.ascii);
    if (underWay) return underWay;
    const begun = this.begin(name, notBefore, flyer).finally(() => this.underWay.delete(name.ascii));
    this.underWay.set(name.ascii, begun);
    return begun;
  }

  private async begin(name: DomainName, notBefore: Date | null, flyer: Flyer): Promise<Answer | null> {
    const standing = await this.shared.consult(name, notBefore);
    switch (standing.kind) {
      case 'proven':
        return { look: standing.proof, isLive: false };
      case 'ours':
        return { look: await this.fly(name, standing.flight, flyer), isLive: true };
      case 'theirs': {
        const look = await this.shared.arrivalOf(name, standing.flight);
        return look && { look, isLive: true };
      }
    }
  }

  /** It lands before anybody is answered: whoever asks after that, anywhere, does not get this flight's answer as live. */
  private async fly(name: DomainName, flight: string, { ask, freshUntil }: Flyer): Promise<Look> {
    try {
      const look = await ask();
      await this.land({ name, look, flight, freshUntil: freshUntil(look) });
      return look;
    } catch (error) {
      await this.giveUp(name, flight);
      throw error;
    }
  }

  private async giveUp(name: DomainName, flight: string): Promise<void> {
    try {
      await this.shared.giveUp(name, flight);
    } catch (error) {
      this.log.warn({ domain: name.ascii, err: error }, 'a flight was not given up; others wait for its deadline');
    }
  }

  private nobodyArrived({ tld }: DomainName): LookFailure {
    const asked = { registry: `.${tld}`, retryAfterSeconds: null, observedAt: this.clock.now(), evidence: [] };
    return { kind: 'failure', code: 'registry_timeout', ...asked };
  }
}

/** An error says nothing about the name, so it cannot be too old: whoever waited for it has waited enough. */
function isYoung(look: Look, { limit }: Question): boolean {
  return look.kind === 'failure' || look.observedAt >= after(limit, -SKEW);
}

function willDo(look: Look, { limit, isLive, isFresh }: Question): boolean {
  return look.kind === 'proof' && (isLive ? look.observedAt >= limit : isFresh(look));
}
