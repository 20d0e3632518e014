import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import PQueue from 'p-queue';
import { SECOND } from '../../kernel/clock.js';
import type { OperatorBudget } from '../../kernel/operator-budget.js';
import { type AdmissionRequest, type LookupPriority, PRIORITIES } from '../domain/operators.js';
import type { ServerAddress } from '../domain/lookup/lookup-source.js';
import { OperatorHealth } from './operator-health.js';
import { OperatorResolver } from './operator-resolver.js';
import { msPerQuery, type OperatorAnswer, OperatorRepository, urgencyOf } from './operators.repository.js';
import { type Permit, RegistryAdmission, type Rejection, rejection } from './registry-admission.js';

/** Admits queries by the rate limits that all processes share through the database. */
@Injectable()
export class RegistryRateLimiter extends RegistryAdmission implements OnModuleDestroy {
  private readonly lines = new Map<string, OperatorLine>();

  constructor(
    private readonly operators: OperatorResolver,
    private readonly repository: OperatorRepository,
  ) {
    super();
  }

  acquire(server: ServerAddress, request: AdmissionRequest): Promise<Permit | Rejection> {
    return this.lineOf(this.operators.resolve(server)).enter(request);
  }

  /** Returns the allowed queries per second of each operator that this process has queried and that has a limit. */
  budgets(): ReadonlyMap<string, number> {
    const budgets = [...this.lines].map(([name, { budget }]) => [name, budget.perSecond] as const);
    return new Map(budgets.filter(([, perSecond]) => perSecond > 0));
  }

  waitingQueries(): number {
    return [...this.lines.values()].reduce((sum, { waitingCount }) => sum + waitingCount, 0);
  }

  onModuleDestroy(): void {
    for (const { health } of this.lines.values()) health.close();
  }

  private lineOf(operator: string): OperatorLine {
    let line = this.lines.get(operator);
    if (!line) {
      const budget = this.operators.budgetFor(operator);
      line = new OperatorLine(budget, new OperatorHealth(operator, budget, this.repository));
      this.lines.set(operator, line);
    }
    return line;
  }
}

const DEFAULT_PATIENCE_MS = 3 * SECOND;

interface WaitingQuery extends AdmissionRequest {
  /** A time of `performance.now()`. */
  readonly deadline: number;
}

/** Orders this process's queries to one operator by urgency. A query asks the database only when its turn comes. */
class OperatorLine {
  private readonly queue: PQueue;
  private readonly waiting: Record<LookupPriority, number> = { drop_window: 0, check: 0, routine: 0 };
  /** When the rate limit allows queries again, by urgency, as times of `performance.now()`. */
  private readonly spentUntil = PRIORITIES.map(() => -Infinity);
  private asking: Promise<unknown> = Promise.resolve();
  private wakeUp: { readonly at: number; readonly timer: NodeJS.Timeout } | null = null;

  constructor(
    readonly budget: OperatorBudget,
    readonly health: OperatorHealth,
  ) {
    this.queue = new PQueue({ concurrency: budget.concurrency });
  }

  get waitingCount(): number {
    return PRIORITIES.reduce((sum, priority) => sum + this.waiting[priority], 0);
  }

  async enter(request: AdmissionRequest): Promise<Permit | Rejection> {
    const { maxWaitMs = DEFAULT_PATIENCE_MS } = request;
    const leastWaitMs = this.leastWaitMs(request.priority);
    if (leastWaitMs > maxWaitMs) return rejection('budget', leastWaitMs);
    let query: WaitingQuery = { ...request, deadline: performance.now() + maxWaitMs };
    for (;;) {
      const outcome = await this.takeTurn(query);
      if (outcome !== 'later') return outcome;
      query = { ...query, isRepeat: true };
    }
  }

  /** Returns the shortest possible wait behind the queries ahead. Other processes may lengthen the wait. */
  private leastWaitMs(priority: LookupPriority): number {
    const before = PRIORITIES.filter((one) => urgencyOf(one) >= urgencyOf(priority));
    const ahead = before.reduce((sum, one) => sum + this.waiting[one], 0);
    return (ahead + 1 - this.budget.burst) * msPerQuery(this.budget);
  }

  /** Asks for permission when the query is next in the queue. @returns `later` if the query has to queue again */
  private takeTurn(query: WaitingQuery): Promise<Permit | Rejection | 'later'> {
    const { priority, isRepeat = false, isRedirect = false, deadline } = query;
    const urgency = urgencyOf(priority);
    return new Promise((settle, fail) => {
      let hasBegun = false;
      let timer: NodeJS.Timeout | undefined;
      this.waiting[priority] += 1;
      const turn = async () => {
        if (hasBegun) return; // the query has given up
        hasBegun = true;
        clearTimeout(timer);
        const asked = this.ask(query, urgency).finally(() => (this.waiting[priority] -= 1));
        const { answer, waitMs, isProbe } = await asked;
        if (answer === 'permit') return this.hold(isProbe, settle);
        if (answer !== 'budget' || performance.now() + waitMs > deadline) return settle(rejection(answer, waitMs));
        this.restFor(waitMs);
        settle('later');
      };
      const giveUp = () => {
        hasBegun = true;
        this.waiting[priority] -= 1;
        settle(rejection('budget', this.spentUntilOf(urgency) - performance.now()));
      };
      this.queue.add(turn, { priority: 2 * urgency + (isRepeat || isRedirect ? 1 : 0) }).catch(fail);
      if (this.queue.isPaused && performance.now() >= this.spentUntilOf(urgency)) this.goOn();
      if (!hasBegun) timer = setTimeout(giveUp, deadline - performance.now());
    });
  }

  /**
   * Asks the database about one query at a time. After a refusal, queries of equal or lower urgency are refused without
   * asking, until the stated wait is over.
   */
  private ask(query: WaitingQuery, urgency: number): Promise<OperatorAnswer> {
    const asked = this.asking.then(async () => {
      const spentMs = this.spentUntilOf(urgency) - performance.now();
      if (spentMs > 0) return { answer: 'budget', waitMs: spentMs, isProbe: false } as const;
      const patienceMs = Math.max(0, query.deadline - performance.now());
      const answer = await this.health.ask({ ...query, patienceMs });
      if (answer.answer === 'budget') this.spentUntil[urgency] = performance.now() + answer.waitMs;
      return answer;
    });
    this.asking = asked.catch(() => undefined);
    return asked;
  }

  /** Returns when queries of this urgency may be sent again. They wait at least as long as more urgent queries. */
  private spentUntilOf(urgency: number): number {
    return Math.max(...this.spentUntil.slice(urgency));
  }

  /** Passes a permit to `settle`. The query counts as running until the permit is released. */
  private hold(isProbe: boolean, settle: (permit: Permit) => void): Promise<void> {
    return new Promise((giveUp) => {
      let isOver = false;
      const release: Permit['release'] = (outcome) => {
        if (isOver) return;
        isOver = true;
        this.health.report(outcome, isProbe);
        giveUp();
      };
      settle({ kind: 'permit', release });
    });
  }

  private restFor(ms: number): void {
    this.queue.pause();
    const at = performance.now() + ms;
    if (this.wakeUp && this.wakeUp.at <= at) return;
    clearTimeout(this.wakeUp?.timer);
    this.wakeUp = { at, timer: setTimeout(() => this.goOn(), Math.ceil(ms)) };
  }

  private goOn(): void {
    clearTimeout(this.wakeUp?.timer);
    this.wakeUp = null;
    this.queue.start();
  }
}
