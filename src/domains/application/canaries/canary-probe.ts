import { Injectable } from '@nestjs/common';
import { randomInt } from 'node:crypto';
import { Config } from '../../../config/config.js';
import { Clock, SECOND } from '../../../kernel/clock.js';
import { hasPassedTwice, type CanaryAnswer, type CanaryResult, hasPassed } from '../../domain/lookup/canary-result.js';
import { CanaryResultRepository } from '../ports/canary-result-repository.js';
import { DomainName } from '../../domain/name/domain-name.js';
import { RegistryLookup } from '../ports/registry-lookup.js';
import { LookupCoordinator } from '../ports/lookup-coordinator.js';
import { LookupCache } from '../checks/lookup-cache.js';

const TIMEOUT_MS = 10 * SECOND;
const MAX_WAIT_MS = 20 * SECOND;

/** To see whether they are found still; one of them may have dropped. */
const MAX_CANDIDATES = 3;

/**
 * Asks registries about names whose answer is known, to see whether they can be believed just now: `nic.<tld>`, and a
 * name that nobody registered. Not every TLD has the first, a private one hardly ever; then a name will do that was found
 * there lately, by a look of this process or a check of any, if it is found again.
 */
@Injectable()
export class CanaryProbe {
  constructor(
    private readonly config: Config,
    private readonly registryLookup: RegistryLookup,
    private readonly repository: CanaryResultRepository,
    private readonly cache: LookupCache,
    private readonly coordinator: LookupCoordinator,
    private readonly clock: Clock,
  ) {}

  /**
   * Asks the names live, within the operator's budget, and keeps the verdict. A failure of either is no right answer;
   * but where our own budget kept us from asking, there is nothing to keep.
   */
  async run(tld: string): Promise<CanaryResult> {
    const observedAt = this.clock.now();
    const names = [`nic.${tld}`, `${randomLabel()}.${tld}`] as const;
    const [nic, unregistered] = this.isSimulated(tld)
      ? simulatedAnswers(names)
      : await Promise.all([this.lookUp(names[0]), this.lookUp(names[1])]);
    const areBothAbsent = nic.outcome === 'absent' && unregistered.outcome === 'absent';
    const registered = (areBothAbsent && (await this.reconfirmRegistered(tld))) || nic;
    const result = { tld, observedAt, hasPassed: hasPassed(registered, unregistered), registered, unregistered };
    if (wasSent(registered) && wasSent(unregistered)) await this.repository.save(result);
    return result;
  }

  /**
   * Whether it answered right twice, so far apart, and never wrong in between or since.
   * @param from the earliest verdict that counts
   * @param minGapMs milliseconds
   */
  async hasPassedTwice(tld: string, from: Date, minGapMs: number): Promise<boolean> {
    return hasPassedTwice(await this.repository.findSince(tld, from), minGapMs);
  }

  private async reconfirmRegistered(tld: string): Promise<CanaryAnswer | null> {
    const candidates = [
      ...this.cache.findRegistered(tld, MAX_CANDIDATES),
      ...(await this.coordinator.findRegistered(tld, MAX_CANDIDATES)),
    ];
    for (const domain of new Set(candidates)) {
      const answer = await this.lookUp(domain);
      if (answer.outcome === 'found') return answer;
    }
    return null;
  }

  private async lookUp(domain: string): Promise<CanaryAnswer> {
    const result = await this.registryLookup.lookUp(DomainName.restore(domain), TIMEOUT_MS, {
      priority: 'drop_window', // drops wait for it
      maxWaitMs: MAX_WAIT_MS,
    });
    if (result.kind === 'failure')
      return { domain, outcome: 'inconclusive', code: result.notSent === 'budget' ? 'withheld' : result.code };
    return { domain, outcome: result.facts.outcome, code: null };
  }

  private isSimulated(tld: string): boolean {
    return this.config.sandbox && tld === 'test';
  }
}

function wasSent({ code }: CanaryAnswer): boolean {
  return code !== 'withheld';
}

/** A simulation invents nothing and denies nothing by itself. */
function simulatedAnswers([registered, unregistered]: readonly [string, string]): [CanaryAnswer, CanaryAnswer] {
  return [
    { domain: registered, outcome: 'found', code: null },
    { domain: unregistered, outcome: 'absent', code: null },
  ];
}

/** 24 letters: a name that nobody registered, or ever will. */
function randomLabel(): string {
  return Array.from({ length: 24 }, () => String.fromCharCode(97 + randomInt(26))).join('');
}
