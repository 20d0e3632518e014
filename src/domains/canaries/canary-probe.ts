import { Injectable, Logger } from '@nestjs/common';
import { LookupConfig } from '../../config/sections.js';
import { Clock, SECOND } from '../../kernel/clock.js';
import {
  hasPassedTwice,
  type CanaryAnswer,
  type CanaryResult,
  hasPassed,
  randomLabel,
} from '../domain/lookup/canary-result.js';
import { CanaryResultRepository } from './canary-results.repository.js';
import { isSandboxTld } from '../domain/lookup/sandbox-scenarios.js';
import { DomainName } from '../domain/name/domain-name.js';
import { RegistryLookup } from '../domain/lookup/registry-lookup.js';
import { LookupCoordinator } from '../lookup-cache/lookup-coordinator.js';
import { LookupCache } from '../lookup-cache/lookup-cache.js';
import { WatchlistLink } from '../watchlist-link.js';

const TIMEOUT_MS = 10 * SECOND;
const MAX_WAIT_MS = 20 * SECOND;

/** Names to look up again; one of them may have dropped. */
const MAX_CANDIDATES = 3;

/**
 * Looks up names with a known answer, to check whether a registry can be believed: `nic.<tld>` and a random unregistered
 * name. Where `nic.<tld>` does not exist, as below most private TLDs, a name that was registered lately takes its place.
 */
@Injectable()
export class CanaryProbe {
  private readonly log = new Logger(CanaryProbe.name);

  constructor(
    private readonly config: LookupConfig,
    private readonly registryLookup: RegistryLookup,
    private readonly repository: CanaryResultRepository,
    private readonly cache: LookupCache,
    private readonly coordinator: LookupCoordinator,
    private readonly link: WatchlistLink,
    private readonly clock: Clock,
  ) {}

  /**
   * Stays within the operator's rate limit. A failed lookup fails the probe; one that was not sent leaves no result to
   * save.
   */
  async run(tld: string): Promise<CanaryResult> {
    const observedAt = this.clock.now();
    const [nic, unregistered] = await Promise.all([
      this.lookUp(`nic.${tld}`),
      this.lookUp(`${this.unregisteredLabel(tld)}.${tld}`),
    ]);
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
      () => this.link.watchlist.findRegistered(tld, MAX_CANDIDATES),
    ]) {
      const candidates = (await find()).filter(
        (domain) => !asked.has(domain) && DomainName.restore(domain).registry === tld,
      );
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

  /** In the sandbox a random label would be registered. */
  private unregisteredLabel(tld: string): string {
    return this.config.sandbox && isSandboxTld(tld) ? 'available' : randomLabel();
  }
}

function wasSent({ code }: CanaryAnswer): boolean {
  return code !== 'not_sent';
}
