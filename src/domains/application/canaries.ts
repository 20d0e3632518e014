import { Injectable } from '@nestjs/common';
import { randomInt } from 'node:crypto';
import { Config } from '../../config/config.js';
import { Clock, SECOND } from '../../kernel/clock.js';
import { areRightTwice, type CanaryAnswer, CanaryRecords, type CanaryVerdict, isRight } from '../domain/canary.js';
import { DomainName } from '../domain/domain-name.js';
import { RegistryLookup } from '../domain/look.js';
import { SharedLooks } from '../domain/shared-looks.js';
import { RecentProofs } from './recent-proofs.js';

const DEADLINE = 10 * SECOND;
const PATIENCE = 20 * SECOND;

/** To see whether they are found still; one of them may have dropped. */
const NAMES = 3;

/**
 * Asks registries about names whose answer is known, to see whether they can be believed just now: `nic.<tld>`, and a
 * name that nobody registered. Not every TLD has the first, a private one hardly ever; then a name will do that was found
 * there lately, by a look of this process or a check of any, if it is found again.
 */
@Injectable()
export class Canaries {
  constructor(
    private readonly config: Config,
    private readonly registries: RegistryLookup,
    private readonly records: CanaryRecords,
    private readonly recent: RecentProofs,
    private readonly shared: SharedLooks,
    private readonly clock: Clock,
  ) {}

  /**
   * Asks the names live, within the operator's budget, and keeps the verdict. A failure of either is no right answer;
   * but where our own budget kept us from asking, there is nothing to keep.
   */
  async probe(tld: string): Promise<CanaryVerdict> {
    const observedAt = this.clock.now();
    const names = [`nic.${tld}`, `${randomLabel()}.${tld}`] as const;
    const [own, unregistered] = this.isSimulated(tld)
      ? simulated(names)
      : await Promise.all([this.ask(names[0]), this.ask(names[1])]);
    const hasNone = own.outcome === 'absent' && unregistered.outcome === 'absent';
    const registered = (hasNone && (await this.foundAgain(tld))) || own;
    const verdict = { tld, observedAt, isRight: isRight(registered, unregistered), registered, unregistered };
    if (wasAsked(registered) && wasAsked(unregistered)) await this.records.keep(verdict);
    return verdict;
  }

  /**
   * Whether it answered right twice, so far apart, and never wrong in between or since.
   * @param from the earliest verdict that counts
   * @param apart milliseconds
   */
  async areRightTwice(tld: string, from: Date, apart: number): Promise<boolean> {
    return areRightTwice(await this.records.since(tld, from), apart);
  }

  private async foundAgain(tld: string): Promise<CanaryAnswer | null> {
    const lately = [...this.recent.foundIn(tld, NAMES), ...(await this.shared.foundIn(tld, NAMES))];
    for (const domain of new Set(lately)) {
      const answer = await this.ask(domain);
      if (answer.outcome === 'found') return answer;
    }
    return null;
  }

  private async ask(domain: string): Promise<CanaryAnswer> {
    const look = await this.registries.look(DomainName.restore(domain), DEADLINE, {
      lane: 'drop_window', // drops wait for it
      patience: PATIENCE,
    });
    if (look.kind === 'failure')
      return { domain, outcome: 'inconclusive', code: look.withheld === 'budget' ? 'withheld' : look.code };
    return { domain, outcome: look.facts.outcome, code: null };
  }

  private isSimulated(tld: string): boolean {
    return this.config.sandbox && tld === 'test';
  }
}

function wasAsked({ code }: CanaryAnswer): boolean {
  return code !== 'withheld';
}

/** A simulation invents nothing and denies nothing by itself. */
function simulated([registered, unregistered]: readonly [string, string]): [CanaryAnswer, CanaryAnswer] {
  return [
    { domain: registered, outcome: 'found', code: null },
    { domain: unregistered, outcome: 'absent', code: null },
  ];
}

/** 24 letters: a name that nobody registered, or ever will. */
function randomLabel(): string {
  return Array.from({ length: 24 }, () => String.fromCharCode(97 + randomInt(26))).join('');
}
