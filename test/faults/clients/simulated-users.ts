import { setTimeout as pause } from 'node:timers/promises';
import type { SeededRandom } from '../scenario/seeded-random.js';
import type { ApiClient } from './api-client.js';
import type { Checker } from './checker.js';
import type { ClientLog } from './client-log.js';
import { type Registries, TLDS } from '../world/registries.js';
import { INTERVAL_MINUTES } from '../cluster/settings.js';
import { type LifecycleState, RegistryState } from '../world/registry-state.js';

/** How long one request is retried. */
const TIMEOUT_MS = 15_000;
const PAUSE_MS = 120;
const MAX_DELETION_LEAD_MS = 800;
/** Nothing revokes them, and an account has 25 at most. */
const MAX_KEYS = 20;
/** Their names start in a state that does not change on its own. */
const STATES: readonly LifecycleState[] = ['registered', 'expiring'];

/** API users that add, remove and check during the run, and log the answers. */
export class SimulatedUsers {
  /** The names they add, with their registry state. */
  readonly names = new Map<string, RegistryState>();
  private count = 0;
  private readonly checkRandom: SeededRandom;

  constructor(
    private readonly client: ApiClient,
    private readonly checker: Checker,
    private readonly log: ClientLog,
    private readonly registries: Registries,
    private readonly watched: readonly string[],
    private readonly random: SeededRandom,
  ) {
    this.checkRandom = random.fork('checks');
  }

  /** Acts until it is stopped; requests under way complete. */
  async run(stop: AbortSignal): Promise<void> {
    await Promise.all([this.repeat(() => this.doRandomAction(), stop), this.repeat(() => this.check(), stop)]);
  }

  private async repeat(act: () => Promise<void>, stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      await act();
      await pause(PAUSE_MS);
    }
  }

  private doRandomAction(): Promise<void> {
    const turn = this.random.next();
    if (turn < 0.55) return this.addName();
    if (turn < 0.75) return this.remove('entry', '/v1/watchlist');
    if (turn < 0.86) return this.add('channel', `https://127.0.0.1:65000/${this.next()}`);
    if (turn < 0.93) return this.remove('channel', '/v1/notifications');
    const keys = this.log.actions.filter(({ kind }) => kind === 'key').length;
    return keys < MAX_KEYS ? this.add('key', `key ${this.next()}`) : Promise.resolve();
  }

  private addName(): Promise<void> {
    const name = `extra-${this.next()}.${this.random.pick(TLDS)}`;
    const state = this.random.pick(STATES);
    this.names.set(name, new RegistryState(name, state, Date.now()));
    this.registries.setState(name, state);
    return this.add('entry', name);
  }

  private async add(kind: 'entry' | 'channel' | 'key', subject: string): Promise<void> {
    const action = this.log.start(kind, subject);
    const answer = await this.client.call({ method: 'POST', ...this.request(kind, subject) }, TIMEOUT_MS);
    if (!answer) return;
    // a retry of a completed request answers 409 with the id
    const isDone = answer.status === 201 || (answer.status === 409 && answer.isRepeat);
    if (!isDone) return void this.recordUnexpected(`${answer.status} to ${subject}: ${JSON.stringify(answer.body)}`);
    action.id = String(answer.body['id']);
    action.added = 'answered';
  }

  private request(kind: 'entry' | 'channel' | 'key', subject: string): { path: string; body: object } {
    if (kind === 'entry')
      return {
        path: '/v1/watchlist',
        body: { domain: subject, interval_minutes: INTERVAL_MINUTES, notify_current: true },
      };
    // no entry has this tag: only the channel's existence matters
    const channel = { type: 'webhook', target: subject, tags: ['nothing'] };
    if (kind === 'channel') return { path: '/v1/notifications', body: channel };
    return { path: '/v1/keys', body: { name: subject } };
  }

  private async remove(kind: 'entry' | 'channel', path: string): Promise<void> {
    const there = this.log.actions.filter(
      (action) => action.kind === kind && action.added === 'answered' && action.removed === 'no',
    );
    if (there.length === 0) return;
    const action = this.random.pick(there);
    action.removed = 'asked';
    await this.startDeletion(action.subject);
    const answer = await this.client.call({ method: 'DELETE', path: `${path}/${action.id}` }, TIMEOUT_MS);
    if (!answer) return;
    const isGone = answer.status === 204 || (answer.status === 404 && answer.isRepeat);
    if (isGone) Object.assign(action, { removed: 'answered', removedAt: Date.now() });
    else this.recordUnexpected(`${answer.status} to the removal of ${action.subject}: ${JSON.stringify(answer.body)}`);
  }

  /** Makes an event likely at the moment of the removal. */
  private async startDeletion(name: string): Promise<void> {
    const truth = this.names.get(name);
    if (!truth) return;
    truth.changeTo('pending_delete', Date.now());
    this.registries.setState(name, 'pending_delete');
    await pause(this.random.between(0, MAX_DELETION_LEAD_MS));
  }

  /** Runs in a loop of its own: a silent registry delays only its checks. */
  private async check(): Promise<void> {
    await this.checker.check(this.checkRandom.pick(this.watched));
  }

  private recordUnexpected(answer: string): void {
    this.client.unexpectedResponses.push(answer);
  }

  private next(): string {
    return String((this.count += 1));
  }
}
