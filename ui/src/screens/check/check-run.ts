import type { BulkCheckItem, Check, Evidence, Problem, Variant } from '../../../../clients/typescript/src/index.js';
import { type Failure, type Outcome, toFailure } from '../../api/call.js';
import { findPause, type Pause, wait as waitFor } from '../../api/patience.js';

/** A problem with the responses of servers, if no response was usable. */
type CheckProblem = Problem & { readonly evidence?: readonly Evidence[] };

/** The current state of the answer about a name. */
type Answer =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'answered'; readonly check: Check }
  /** The registry gave no usable answer, so it is unknown whether the name is free. */
  | { readonly kind: 'unknown'; readonly problem: CheckProblem; readonly askedAgainAt: number | null }
  /** The text is not a name, or no registry here could have it. */
  | { readonly kind: 'refused'; readonly problem: Problem };

export interface CheckedName {
  /** The name as sent to the service. It is unique within a check. */
  readonly domain: string;
  /** The name as shown to people. */
  readonly shown: string;
  /** The URL or the longer name that contained this name. */
  readonly foundIn: string | null;
  /** The kind of look-alike; null for other names. */
  readonly kind: Variant['kind'] | null;
  readonly answer: Answer;
  /** The account's entry for this name; null if it is not watched, or that is unknown. */
  readonly entryId: string | null;
}

export type NewName = Pick<CheckedName, 'domain' | 'shown' | 'kind'>;

export type RunState =
  | { readonly kind: 'asking' }
  /** Waits for a limit of the account or a busy service, and then continues. */
  | { readonly kind: 'pausing'; readonly pause: Pause }
  /** Can be resumed. Former answers stay. */
  | { readonly kind: 'interrupted'; readonly failure: Failure }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'done' };

/** A line of the service's streamed response. */
export type Message = (BulkCheckItem & { readonly index: number }) | { readonly meta: unknown } | Problem;

/** Asks for several names at once. A given maximum age limits how old cached answers may be. */
export type Ask = (
  domains: readonly string[],
  maxAgeSeconds: number | null,
  signal: AbortSignal,
) => Promise<Outcome<AsyncIterable<Message>>>;

interface RunOptions {
  readonly ask: Ask;
  readonly batchSize: number;
  /** How many names are checked at first. The rest waits for a click. */
  readonly mostAtFirst?: number;
  readonly onChange: () => void;
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** A rate-limited name is asked for again automatically, at most this often. */
const MAX_TRIES = 20;

let count = 0;

/** Checks many names until each has an answer. Waits for rate limits, and keeps all answers. */
export class CheckRun {
  readonly id = `check-${(count += 1)}`;
  state: RunState = { kind: 'stopped' };
  /** Names that are checked only after a click. */
  private later: readonly NewName[] = [];
  /** null where a name was replaced by a name that is in the list already. */
  private readonly rows: (CheckedName | null)[] = [];
  private readonly places = new Map<string, number>();
  private readonly tries = new Map<string, number>();
  /** Names that must be asked at the registry, without the cache. */
  private readonly fresh = new Set<string>();
  private batchSize: number;
  private controller = new AbortController();
  /** Ends the pause before the next retry, since there is something to ask. */
  private nudge = new AbortController();

  constructor(
    readonly title: string,
    names: readonly NewName[],
    private readonly options: RunOptions,
  ) {
    this.batchSize = options.batchSize;
    this.add(names.slice(0, options.mostAtFirst));
    this.later = names.slice(options.mostAtFirst);
  }

  get left(): number {
    return this.later.length;
  }

  /** Also checks the names that were left out at first. */
  async startRest(): Promise<void> {
    this.add(this.later);
    this.later = [];
    this.options.onChange();
    this.nudge.abort();
    await this.start();
  }

  get names(): readonly CheckedName[] {
    return this.rows.filter((row) => row !== null);
  }

  /** Starts the check, or resumes it for names without an answer. */
  async start(): Promise<void> {
    if (this.isAtWork) return;
    this.controller = new AbortController();
    await this.work(this.controller.signal);
  }

  stop(): void {
    this.controller.abort();
    if (this.isAtWork) this.setState({ kind: 'stopped' });
  }

  get isAtWork(): boolean {
    return this.state.kind === 'asking' || this.state.kind === 'pausing';
  }

  /** Asks the registries about these names again, without the cache. */
  async askAgain(domains: readonly string[]): Promise<void> {
    for (const domain of domains) {
      this.fresh.add(domain);
      this.tries.delete(domain);
      this.change(domain, { answer: { kind: 'waiting' } });
    }
    this.options.onChange();
    this.nudge.abort();
    await this.start();
  }

  setEntry(domain: string, entryId: string): void {
    this.change(domain, { entryId });
    this.options.onChange();
  }

  private add(names: readonly NewName[]): void {
    for (const name of names) {
      this.places.set(name.domain, this.rows.length);
      this.rows.push({ ...name, foundIn: null, answer: { kind: 'waiting' }, entryId: null });
    }
  }

  private async work(signal: AbortSignal): Promise<void> {
    const { wait = waitFor } = this.options;
    while (!signal.aborted) {
      this.setState({ kind: 'asking' });
      const batch = this.nextBatch();
      if (batch.length === 0) {
        const due = this.nextDue();
        if (due === null) return this.setState({ kind: 'done' });
        this.nudge = new AbortController();
        await wait(Math.max(0, due - Date.now()), AbortSignal.any([signal, this.nudge.signal]));
        if (!signal.aborted && !this.nudge.signal.aborted) this.askDueAgain(due);
        continue;
      }
      const failure = await this.askFor(batch, signal);
      if (signal.aborted) return;
      if (failure === null || this.hasSmallerBatches(failure)) continue;
      const pause = findPause(failure);
      if (pause === null) return this.setState({ kind: 'interrupted', failure });
      this.setState({ kind: 'pausing', pause });
      await wait(pause.ms, signal);
    }
  }

  /** Returns names that all may come from the cache, or all must be asked at the registry. */
  private nextBatch(): readonly string[] {
    const waiting = this.names.filter(({ answer }) => answer.kind === 'waiting').map(({ domain }) => domain);
    const isFresh = this.fresh.has(waiting[0] ?? '');
    return waiting.filter((domain) => this.fresh.has(domain) === isFresh).slice(0, this.batchSize);
  }

  /** Uses smaller batches if the plan's limit became smaller. */
  private hasSmallerBatches({ code, problem }: Failure): boolean {
    const limit = problem?.limit ?? 0;
    if (code !== 'too_many_domains' || limit < 1 || limit >= this.batchSize) return false;
    this.batchSize = limit;
    return true;
  }

  /** @returns the failure; null if all names have an answer */
  private async askFor(batch: readonly string[], signal: AbortSignal): Promise<Failure | null> {
    const maxAgeSeconds = this.fresh.has(batch[0] ?? '') ? 0 : null;
    try {
      const outcome = await this.options.ask(batch, maxAgeSeconds, signal);
      if (!outcome.ok) return outcome.failure;
      for await (const message of outcome.data) {
        if ('meta' in message) return null;
        if (!('index' in message)) return toFailure(message);
        const domain = batch[message.index];
        if (domain !== undefined) this.answer(domain, message);
      }
    } catch {
      // The connection broke, or stop() ended it. Both cases have the result below.
    }
    return INTERRUPTED;
  }

  private answer(domain: string, { result, error }: BulkCheckItem): void {
    this.fresh.delete(domain);
    if (result) this.change(domain, { answer: { kind: 'answered', check: result }, entryId: result.entry_id ?? null });
    else if (error) this.refuse(domain, error);
    this.options.onChange();
  }

  private refuse(domain: string, problem: Problem): void {
    const { registrable_domain: registrable } = problem;
    if (registrable !== undefined) return this.replace(domain, registrable);
    if (!problem.retryable) return this.change(domain, { answer: { kind: 'refused', problem } });
    const tries = (this.tries.get(domain) ?? 0) + 1;
    this.tries.set(domain, tries);
    const isThrottled = problem.code === 'registry_throttled' && tries < MAX_TRIES;
    const askedAgainAt = isThrottled ? Date.now() + (problem.retry_after_seconds ?? 1) * 1_000 : null;
    this.change(domain, { answer: { kind: 'unknown', problem, askedAgainAt } });
  }

  /** Replaces a URL or longer name by the name in it, unless that name is in the list already. */
  private replace(domain: string, registrable: string): void {
    const place = this.places.get(domain);
    const row = place === undefined ? null : this.rows[place];
    if (place === undefined || !row) return;
    const found = { domain: registrable, shown: registrable, foundIn: row.shown, answer: { kind: 'waiting' } } as const;
    this.places.delete(domain);
    this.rows[place] = this.places.has(registrable) ? null : { ...row, ...found };
    if (this.rows[place] !== null) this.places.set(registrable, place);
  }

  private nextDue(): number | null {
    const times = this.names.flatMap(({ answer }) => (answer.kind === 'unknown' ? (answer.askedAgainAt ?? []) : []));
    return times.length === 0 ? null : Math.min(...times);
  }

  private askDueAgain(due: number): void {
    for (const { domain, answer } of this.names)
      if (answer.kind === 'unknown' && answer.askedAgainAt !== null && answer.askedAgainAt <= due + TOGETHER_MS)
        this.change(domain, { answer: { kind: 'waiting' } });
  }

  private change(domain: string, part: Partial<CheckedName>): void {
    const place = this.places.get(domain);
    const row = place === undefined ? null : this.rows[place];
    if (place !== undefined && row) this.rows[place] = { ...row, ...part };
  }

  private setState(state: RunState): void {
    this.state = state;
    this.options.onChange();
  }
}

/** Names that are due within this time after another are asked together. */
const TOGETHER_MS = 1_000;

const INTERRUPTED: Failure = {
  title: 'The connection to the service broke',
  detail: 'It may be restarting. The answers so far stay.',
  code: null,
  requestId: null,
  isRetryable: true,
  fields: [],
};
