import PQueue from 'p-queue';
import { SECOND } from '../../kernel/clock.js';
import { ConsecutiveFailures, FIRST_PAUSE_MS } from '../domain/operators.js';
import type { ServerAddress } from '../domain/lookup/lookup-source.js';
import type { OperatorResolver } from './operator-resolver.js';
import { msPerQuery } from './operators.repository.js';
import {
  type Permit,
  RegistryAdmission,
  type Rejection,
  rejection,
  type RequestOutcome,
} from './registry-admission.js';

interface LocalOperator {
  readonly queue: PQueue;
  failures: ConsecutiveFailures;
  closed: { readonly reason: 'block' | 'breaker'; /** performance.now() time */ readonly until: number } | null;
}

/**
 * Applies the operators' rate limits in a command without a database. Queries wait as long as their rate limit demands.
 */
export class LocalRateLimiter extends RegistryAdmission {
  private readonly operators = new Map<string, LocalOperator>();

  constructor(private readonly resolver: OperatorResolver) {
    super();
  }

  acquire(server: ServerAddress): Promise<Permit | Rejection> {
    const operator = this.operatorOf(server);
    return new Promise((settle, fail) => {
      const turn = () =>
        new Promise<void>((over) => {
          const { closed } = operator;
          const closedMs = closed ? closed.until - performance.now() : 0;
          if (closed && closedMs > 0) {
            settle(rejection(closed.reason, closedMs));
            return over();
          }
          const release: Permit['release'] = (outcome) => {
            report(operator, outcome);
            over();
          };
          settle({ kind: 'permit', release });
        });
      operator.queue.add(turn).catch(fail);
    });
  }

  private operatorOf(server: ServerAddress): LocalOperator {
    const name = this.resolver.resolve(server);
    const known = this.operators.get(name);
    if (known) return known;
    const budget = this.resolver.budgetFor(name);
    const { burst, concurrency } = budget;
    const interval = burst * msPerQuery(budget);
    const rate = interval > 0 ? { interval, intervalCap: burst, strict: true } : {};
    const operator = { queue: new PQueue({ concurrency, ...rate }), failures: new ConsecutiveFailures(), closed: null };
    this.operators.set(name, operator);
    return operator;
  }
}

function report(operator: LocalOperator, outcome: RequestOutcome): void {
  if (!('domain' in outcome)) {
    if (outcome.kind === 'answered') operator.failures = new ConsecutiveFailures();
    return;
  }
  const pauseMs = outcome.kind === 'throttled' ? (outcome.retryAfterSeconds ?? 0) * SECOND : 0;
  if (pauseMs > 0) return void (operator.closed = { reason: 'block', until: performance.now() + pauseMs });
  operator.failures.add(outcome.domain);
  if (!operator.failures.shouldTrip) return;
  operator.failures = new ConsecutiveFailures();
  operator.closed = { reason: 'breaker', until: performance.now() + FIRST_PAUSE_MS };
}
