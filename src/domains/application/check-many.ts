import { Injectable } from '@nestjs/common';
import { Clock, SECOND } from '../../kernel/clock.js';
import { DomainName } from '../domain/domain-name.js';
import { NameRefused } from '../domain/domains.errors.js';
import type { LookFailure } from '../domain/look.js';
import { OperatorBudgets } from '../domain/operator-budgets.js';
import { type CheckAnswer, CheckDomain, type CheckRequest } from './check-domain.js';

/** A name that cannot be checked at all. */
export interface Refused {
  readonly kind: 'refused';
  readonly refusal: NameRefused;
}

/** After this long a call is answered, whatever is still open; milliseconds. */
const PATIENCE = 25 * SECOND;
/** Operators that one call asks at a time, and names of each: nobody's single check waits behind a whole list. */
const OPERATORS_AT_A_TIME = 50;
const NAMES_AT_A_TIME = 10;

/** Says what the registries hold about many names, each as if it were checked alone; a slow registry delays its own. */
@Injectable()
export class CheckMany {
  constructor(
    private readonly checks: CheckDomain,
    private readonly budgets: OperatorBudgets,
    private readonly clock: Clock,
  ) {}

  /**
   * @param patience milliseconds; a name that has no answer by then is `registry_throttled`
   * @returns one answer for each, in their order; a name that comes twice is asked about once
   */
  async run(
    domains: readonly string[],
    asked: CheckRequest,
    patience = PATIENCE,
  ): Promise<readonly (CheckAnswer | Refused)[]> {
    const end = performance.now() + patience;
    const judged = domains.map((domain) => this.judge(domain));
    const names = new Map(judged.flatMap((one) => (one instanceof DomainName ? [[one.ascii, one]] : [])));
    const answers = new Map<string, CheckAnswer>();
    const ofOperators = Map.groupBy(names.values(), (name) => this.budgets.operatorOf(name));
    await atMost(OPERATORS_AT_A_TIME, [...ofOperators.values()], (theirs) =>
      atMost(NAMES_AT_A_TIME, theirs, async (name) => {
        answers.set(name.ascii, await this.answer(name, asked, end));
      }),
    );
    return judged.map((one) => (one instanceof DomainName ? (answers.get(one.ascii) ?? this.late(one)) : one));
  }

  private judge(domain: string): DomainName | Refused {
    try {
      return this.checks.parse(domain);
    } catch (error) {
      if (error instanceof NameRefused) return { kind: 'refused', refusal: error };
      throw error;
    }
  }

  /** A name that is sent away because of our own budget gets in line again, for as long as the call lasts. */
  private async answer(name: DomainName, asked: CheckRequest, end: number): Promise<CheckAnswer> {
    for (;;) {
      const left = end - performance.now();
      if (left <= 0) return this.late(name);
      // What is cut off here goes on, and is kept for whoever asks next.
      const answer = await within(left, this.checks.check(name, asked));
      if (!answer) return this.late(name);
      const wait = waitOf(answer);
      if (wait === null || wait >= end - performance.now()) return answer;
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }

  private late({ tld }: DomainName): LookFailure {
    const nobody = { registry: `.${tld}`, retryAfterSeconds: null, observedAt: this.clock.now(), evidence: [] };
    return { kind: 'failure', code: 'registry_throttled', ...nobody };
  }
}

/** Milliseconds until it is worth trying again within the same call; null for an answer that stands. */
function waitOf(answer: CheckAnswer): number | null {
  if (answer.kind !== 'failure' || answer.withheld !== 'budget') return null;
  return (answer.retryAfterSeconds ?? 1) * SECOND;
}

async function atMost<One>(width: number, all: readonly One[], work: (one: One) => Promise<void>): Promise<void> {
  const rest = all.values();
  const worker = async () => {
    for (const one of rest) await work(one);
  };
  await Promise.all(Array.from({ length: Math.min(width, all.length) }, worker));
}

async function within<Answer>(milliseconds: number, asked: Promise<Answer>): Promise<Answer | null> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, milliseconds, null);
  });
  return Promise.race([asked, over]).finally(() => clearTimeout(timer));
}
