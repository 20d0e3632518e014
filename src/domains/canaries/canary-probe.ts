import { Injectable, Logger } from '@nestjs/common';
import { randomInt } from 'node:crypto';
import { LookupConfig } from '../../config/sections.js';
import { Clock, SECOND } from '../../kernel/clock.js';
import { hasPassedTwice, type CanaryAnswer, type CanaryResult, hasPassed } from '../domain/lookup/canary-result.js';
import { CanaryResultRepository } from './canary-result-repository.js';
import { isSandboxTld } from '../domain/lookup/sandbox-scenarios.js';
import { DomainName } from '../domain/name/domain-name.js';
import { RegistryLookup } from '../domain/lookup/registry-lookup.js';
import { LookupCoordinator } from '../lookup-cache/lookup-coordinator.js';
import { LookupCache } from '../lookup-cache/lookup-cache.js';

const TIMEOUT_MS = 10 * SECOND;
const MAX_WAIT_MS = 20 * SECOND;

/** Names to look up again; one of them may have dropped. */
const MAX_CANDIDATES = 3;

/** Watched names of a TLD that are confirmed as registered, the latest confirmed first. */
export type FindWatched = (tld: string, count: number) => Promise<readonly string[]>;

/**
 * Looks up names with a known answer, to check whether a registry can be believed: `nic.<tld>` and a random unregistered
 * name. Where `nic.<tld>` does not exist, as below most private TLDs, a name that was registered lately takes its place.
 */
@Injectable()
export class CanaryProbe {
  private readonly log = new Logger(CanaryProbe.name);
  private findWatched: FindWatched = () => Promise.resolve([]);

  constructor(
    private readonly config: LookupConfig,
    private readonly registryLookup: RegistryLookup,
    private readonly repository: CanaryResultRepository,
    private readonly cache: LookupCache,
    private readonly coordinator: LookupCoordinator,
    private readonly clock: Clock,
  ) {}

  /** The watchlist knows registered names also where no process has cached any. */
  setWatchQuery(findWatched: FindWatched): void {
    this.findWatched = findWatched;
  }

  /** Within the operator's budget. A failed lookup fails the probe; one that was not sent leaves no result to save. */
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
   * Whether two probes passed, at least `minGapMs` apart, with no failure between or since.
   * @param from the earliest result that counts
   */
  async hasPassedTwice(tld: string, from: Date, minGapMs: number): Promise<boolean> {
    return hasPassedTwice(await this.repository.findSince(tld, from), minGapMs);
  }

  /** The TLDs whose last probe failed: until one passes, no check says that a name there is available. */
  findFailing(): Promise<readonly string[]> {
    return this.repository.findFailing();
  }

  private async reconfirmRegistered(tld: string): Promise<CanaryAnswer | null> {
    const asked = new Set<string>();
    for (const find of [
      () => this.cache.findRegistered(tld, MAX_CANDIDATES),
      () => this.coordinator.findRegistered(tld, MAX_CANDIDATES),
      () => this.findWatched(tld, MAX_CANDIDATES),
    ]) {
      const candidates = (await find()).filter((domain) => !asked.has(domain));
      for (const domain of candidates) {
        asked.add(domain);
        const answer = await this.lookUp(domain);
        if (answer.outcome === 'found') return answer;
      }
    }
    if (asked.size === 0)
      this.log.warn({ tld }, `canary of .${tld} failed: there is no nic.${tld}, and no name is known to be registered`);
    return null;
  }

  private async lookUp(domain: string): Promise<CanaryAnswer> {
    const { result } = await this.registryLookup.lookUp(DomainName.restore(domain), TIMEOUT_MS, {
      priority: 'drop_window', // held drops wait for the result
      maxWaitMs: MAX_WAIT_MS,
    });
    if (result.kind === 'failure')
      return { domain, outcome: 'inconclusive', code: result.notSent === 'budget' ? 'not_sent' : result.code };
    return { domain, outcome: result.facts.outcome, code: null };
  }

  private isSimulated(tld: string): boolean {
    return this.config.sandbox && isSandboxTld(tld);
  }
}

function wasSent({ code }: CanaryAnswer): boolean {
  return code !== 'not_sent';
}

/** The sandbox is always right. */
function simulatedAnswers([registered, unregistered]: readonly [string, string]): [CanaryAnswer, CanaryAnswer] {
  return [
    { domain: registered, outcome: 'found', code: null },
    { domain: unregistered, outcome: 'absent', code: null },
  ];
}

/** 24 letters: certainly unregistered. */
function randomLabel(): string {
  return Array.from({ length: 24 }, () => String.fromCharCode(97 + randomInt(26))).join('');
}
