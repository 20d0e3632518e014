import { Injectable } from '@nestjs/common';
import { Clock, SECOND } from '../../kernel/clock.js';
import { startWorkers, withTimeout } from '../../kernel/promises.js';
import { DomainName, InvalidDomainNameError } from '../domain/name/domain-name.js';
import { failedLookup, type LookupFailure } from '../domain/lookup/lookup-result.js';
import { OperatorRateLimits } from '../sources/operator-rate-limits.js';
import { type CheckOutcome, CheckDomain, type CheckRequest } from './check-domain.js';

export interface InvalidName {
  readonly kind: 'refused';
  readonly error: InvalidDomainNameError;
}

/** The whole request is answered after this time, with an error for every name that is still open. */
const TIMEOUT_MS = 25 * SECOND;
/** Operators that one request queries at a time, and names of each, so that single checks do not wait behind a list. */
const OPERATOR_CONCURRENCY = 50;
const NAMES_PER_OPERATOR = 10;

/** Checks many names, each as if it were checked alone; a slow registry delays only its own names. */
@Injectable()
export class CheckMany {
  constructor(
    private readonly checks: CheckDomain,
    private readonly rateLimits: OperatorRateLimits,
    private readonly clock: Clock,
  ) {}

  /**
   * @param timeoutMs a name that has no answer by then is `registry_throttled`
   * @returns one outcome for each, in the order of the names; a duplicate is looked up once
   */
  async run(
    domains: readonly string[],
    request: CheckRequest,
    timeoutMs = TIMEOUT_MS,
  ): Promise<readonly (CheckOutcome | InvalidName)[]> {
    const deadline = performance.now() + timeoutMs;
    const parsed = domains.map((domain) => this.parse(domain));
    const names = new Map(parsed.flatMap((one) => (one instanceof DomainName ? [[one.ascii, one]] : [])));
    const outcomes = new Map<string, CheckOutcome>();
    const byOperator = Map.groupBy(names.values(), (name) => this.rateLimits.operatorOf(name));
    await runAll(OPERATOR_CONCURRENCY, [...byOperator.values()], (ofOperator) =>
      runAll(NAMES_PER_OPERATOR, ofOperator, async (name) => {
        outcomes.set(name.ascii, await this.checkUntil(name, request, deadline));
      }),
    );
    return parsed.map((one) => (one instanceof DomainName ? (outcomes.get(one.ascii) ?? this.toTimeout(one)) : one));
  }

  private parse(domain: string): DomainName | InvalidName {
    try {
      return this.checks.parse(domain);
    } catch (error) {
      if (error instanceof InvalidDomainNameError) return { kind: 'refused', error };
      throw error;
    }
  }

  /** Retries a name that was rejected because of the budget until the deadline. */
  private async checkUntil(name: DomainName, request: CheckRequest, deadline: number): Promise<CheckOutcome> {
    for (;;) {
      const remainingMs = deadline - performance.now();
      if (remainingMs <= 0) return this.toTimeout(name);
      // A check that times out here continues and is cached.
      const outcome = await withTimeout(remainingMs, this.checks.check(name, request), () => this.toTimeout(name));
      const waitMs = retryWaitMs(outcome);
      if (waitMs === null || waitMs >= deadline - performance.now()) return outcome;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }

  private toTimeout({ tld }: DomainName): LookupFailure {
    return failedLookup('registry_throttled', `.${tld}`, this.clock.now());
  }
}

/** Null for a final outcome. */
function retryWaitMs(outcome: CheckOutcome): number | null {
  if (outcome.kind !== 'failure' || outcome.notSent !== 'budget') return null;
  return (outcome.retryAfterSeconds ?? 1) * SECOND;
}

/** Fails with the first failure. */
async function runAll<Item>(concurrency: number, items: readonly Item[], work: (item: Item) => Promise<void>) {
  await Promise.all(startWorkers(concurrency, items, work));
}
