import { Injectable } from '@nestjs/common';
import PQueue from 'p-queue';
import { Clock, SECOND } from '../../kernel/clock.js';
import { withTimeout } from '../../kernel/promises.js';
import { DomainName, InvalidDomainNameError } from '../domain/name/domain-name.js';
import { failedLookup, type LookupFailure } from '../domain/lookup/lookup-result.js';
import { OperatorRateLimits } from '../sources/operator-rate-limits.js';
import { type CheckOutcome, CheckDomain, type CheckRequest } from './check-domain.js';

export interface InvalidName {
  readonly kind: 'refused';
  readonly error: InvalidDomainNameError;
}

/** The outcome for one name. The index is the name's position in the list, from 0. */
export interface NameOutcome {
  readonly index: number;
  readonly outcome: CheckOutcome | InvalidName;
}

/** The time limit of a whole request. A name that has no answer at the limit gets an error. */
const TIMEOUT_MS = 25 * SECOND;
/** How many operators a request asks at the same time. The limit leaves room for checks of a single name. */
const OPERATOR_CONCURRENCY = 50;
/** How many names of one registry operator a request looks up at the same time. */
const NAMES_PER_OPERATOR = 10;

/** Checks many names. A slow registry delays only its own names. */
@Injectable()
export class CheckMany {
  constructor(
    private readonly checks: CheckDomain,
    private readonly rateLimits: OperatorRateLimits,
    private readonly clock: Clock,
  ) {}

  parse(domain: string): DomainName | InvalidName {
    try {
      return this.checks.parse(domain);
    } catch (error) {
      if (error instanceof InvalidDomainNameError) return { kind: 'refused', error };
      throw error;
    }
  }

  /**
   * Streams each outcome when its lookup ends. Looks up a repeated name once. Cancelling starts no further lookups.
   * @param timeoutMs after this time, names without an answer get the error `registry_throttled`
   */
  stream(
    names: readonly (DomainName | InvalidName)[],
    request: CheckRequest,
    timeoutMs = TIMEOUT_MS,
  ): ReadableStream<NameOutcome> {
    const deadline = performance.now() + timeoutMs;
    let isCancelled = false;
    const start = async (controller: ReadableStreamDefaultController<NameOutcome>) => {
      for (const [index, name] of names.entries())
        if (!(name instanceof DomainName)) controller.enqueue({ index, outcome: name });
      const byOperator = Map.groupBy(groupPlaces(names), ({ name }) => this.rateLimits.operatorOf(name));
      await runAll(OPERATOR_CONCURRENCY, [...byOperator.values()], (ofOperator) =>
        runAll(NAMES_PER_OPERATOR, ofOperator, async ({ name, indices }) => {
          if (isCancelled) return;
          const outcome = await this.checkUntil(name, request, deadline);
          if (!isCancelled) for (const index of indices) controller.enqueue({ index, outcome });
        }),
      );
      if (!isCancelled) controller.close();
    };
    return new ReadableStream({ start, cancel: () => void (isCancelled = true) });
  }

  /** Retries until the deadline while the rate limit rejects the name. */
  private async checkUntil(name: DomainName, request: CheckRequest, deadline: number): Promise<CheckOutcome> {
    for (;;) {
      const remainingMs = deadline - performance.now();
      if (remainingMs <= 0) return this.toTimeout(name);
      // A check that times out here continues, and its result is stored.
      const outcome = await withTimeout(remainingMs, this.checks.check(name, request), () => this.toTimeout(name));
      const waitMs = retryWaitMs(outcome);
      if (waitMs === null || waitMs >= deadline - performance.now()) return outcome;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }

  /** A timeout is usually due to our own rate limit. The registry asked for no pause, so clients may retry soon. */
  private toTimeout({ tld }: DomainName): LookupFailure {
    return { ...failedLookup('registry_throttled', `.${tld}`, this.clock.now()), retryAfterSeconds: 1 };
  }
}

/** Returns null if our rate limit did not cause the outcome, because a retry would not help. */
function retryWaitMs(outcome: CheckOutcome): number | null {
  if (outcome.kind !== 'failure' || outcome.notSent !== 'budget') return null;
  return (outcome.retryAfterSeconds ?? 1) * SECOND;
}

interface NamePlaces {
  readonly name: DomainName;
  readonly indices: number[];
}

function groupPlaces(names: readonly (DomainName | InvalidName)[]): readonly NamePlaces[] {
  const places = new Map<string, NamePlaces>();
  for (const [index, name] of names.entries()) {
    if (!(name instanceof DomainName)) continue;
    const known = places.get(name.ascii);
    if (known) known.indices.push(index);
    else places.set(name.ascii, { name, indices: [index] });
  }
  return [...places.values()];
}

async function runAll<Item>(concurrency: number, items: readonly Item[], work: (item: Item) => Promise<void>) {
  await new PQueue({ concurrency }).addAll(items.map((item) => () => work(item)));
}
