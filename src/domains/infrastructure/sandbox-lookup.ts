import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import type { DomainName } from '../domain/name/domain-name.js';
import type { Evidence, LookupResult } from '../domain/lookup/lookup-result.js';
import { sandboxAnswer } from '../domain/lookup/sandbox-scenarios.js';

const SANDBOX_SERVER = 'sandbox';

/** Simulates the registry of `.test` without network and without delays, even for timeouts. */
@Injectable()
export class SandboxLookup {
  constructor(private readonly clock: Clock) {}

  lookUp(name: DomainName): LookupResult {
    const observedAt = this.clock.now();
    const answer = sandboxAnswer(name.ascii, observedAt);
    const outcome = answer.kind === 'facts' ? answer.facts.outcome : 'inconclusive';
    const common = { source: 'sandbox', server: SANDBOX_SERVER, outcome, rule: answer.rule } as const;
    const evidence: Evidence[] = [{ ...common, httpStatus: null, observedAt, excerpt: 'simulated' }];
    if (answer.kind === 'failure') {
      const { code, retryAfterSeconds } = answer;
      return { kind: 'failure', code, registry: SANDBOX_SERVER, retryAfterSeconds, observedAt, evidence };
    }
    const { facts, witnesses, recheckWithinMs } = answer;
    return {
      kind: 'observation',
      facts,
      source: 'sandbox',
      observedAt,
      evidence,
      witnesses,
      recheckWithinMs,
    };
  }
}
