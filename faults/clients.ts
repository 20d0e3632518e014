import { setTimeout as pause } from 'node:timers/promises';
import type { Chance } from './chance.js';
import type { Client } from './client.js';
import type { Ledger } from './ledger.js';
import { type Registries, TLDS } from './registries.js';
import { INTERVAL_MINUTES } from './settings.js';
import { type State, Truth } from './truth.js';

/** How long somebody keeps asking for one thing; milliseconds. */
const PATIENCE = 15_000;
const BETWEEN_DEEDS = 120;
const MAKING_NEWS = 800;
/** What changes of a name's truth are no business of theirs. */
const STATES: readonly State[] = ['registered', 'expiring'];

/** People at work with the API meanwhile: they add, remove and check, and write down what they were told. */
export class Clients {
  /** Names that they add, with what is true of them. */
  readonly names = new Map<string, Truth>();
  private count = 0;
  private readonly checking: Chance;

  constructor(
    private readonly client: Client,
    private readonly ledger: Ledger,
    private readonly registries: Registries,
    private readonly watched: readonly string[],
    private readonly chance: Chance,
  ) {
    this.checking = chance.for('checks');
  }

  /** Until they are told to stop; then what is under way ends. */
  async work(stop: AbortSignal): Promise<void> {
    await Promise.all([this.goOn(() => this.something(), stop), this.goOn(() => this.check(), stop)]);
  }

  private async goOn(act: () => Promise<void>, stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      await act();
      await pause(BETWEEN_DEEDS);
    }
  }

  private something(): Promise<void> {
    const turn = this.chance.fraction();
    if (turn < 0.55) return this.addName();
    if (turn < 0.75) return this.remove('entry', '/v1/watchlist');
    if (turn < 0.86) return this.add('channel', `https://127.0.0.1:65000/${this.next()}`);
    if (turn < 0.93) return this.remove('channel', '/v1/notifications');
    return this.add('key', `key ${this.next()}`);
  }

  private addName(): Promise<void> {
    const name = `extra-${this.next()}.${this.chance.of(TLDS)}`;
    const state = this.chance.of(STATES);
    this.names.set(name, new Truth(name, state, Date.now()));
    this.registries.holds(name, state);
    return this.add('entry', name);
  }

  private async add(kind: 'entry' | 'channel' | 'key', subject: string): Promise<void> {
    const deed = this.ledger.begins(kind, subject);
    const answer = await this.client.ask({ method: 'POST', ...this.request(kind, subject) }, PATIENCE);
    if (!answer) return;
    // Whoever repeats what was done already is told so, with its id.
    const isDone = answer.status === 201 || (answer.status === 409 && answer.isRepeat);
    if (!isDone) return void this.isWrong(`${answer.status} to ${subject}: ${JSON.stringify(answer.body)}`);
    deed.id = String(answer.body['id']);
    deed.added = 'answered';
  }

  private request(kind: 'entry' | 'channel' | 'key', subject: string): { path: string; body: object } {
    if (kind === 'entry')
      return { path: '/v1/watchlist', body: { domain: subject, interval_minutes: INTERVAL_MINUTES } };
    // Nothing has this tag: what it takes is that it is there.
    const channel = { type: 'webhook', target: subject, tags: ['nothing'] };
    if (kind === 'channel') return { path: '/v1/notifications', body: channel };
    return { path: '/v1/keys', body: { name: subject } };
  }

  private async remove(kind: 'entry' | 'channel', path: string): Promise<void> {
    const there = this.ledger.deeds.filter(
      (deed) => deed.kind === kind && deed.added === 'answered' && deed.removed === 'no',
    );
    if (there.length === 0) return;
    const deed = this.chance.of(there);
    deed.removed = 'asked';
    await this.makeNewsOf(deed.subject);
    const answer = await this.client.ask({ method: 'DELETE', path: `${path}/${deed.id}` }, PATIENCE);
    if (!answer) return;
    const isGone = answer.status === 204 || (answer.status === 404 && answer.isRepeat);
    if (isGone) Object.assign(deed, { removed: 'answered', removedAt: Date.now() });
    else this.isWrong(`${answer.status} to the removal of ${deed.subject}: ${JSON.stringify(answer.body)}`);
  }

  /** Somebody may be about to be told of a name when it is removed. */
  private async makeNewsOf(name: string): Promise<void> {
    const truth = this.names.get(name);
    if (!truth) return;
    truth.becomes('pending_delete', Date.now());
    this.registries.holds(name, 'pending_delete');
    await pause(this.chance.between(0, MAKING_NEWS));
  }

  /** A registry that says nothing keeps whoever asks it waiting, and nobody else. */
  private async check(): Promise<void> {
    const name = this.checking.of(this.watched);
    const from = Date.now();
    const answer = await this.client.tryOnce({ method: 'GET', path: `/v1/domains/check?domain=${name}&max_age=0` });
    if (answer?.status !== 200) return; // an error is no status
    this.ledger.checked.push({ name, status: String(answer.body['status']), from, to: Date.now() });
  }

  private isWrong(answer: string): void {
    this.client.wrongAnswers.push(answer);
  }

  private next(): string {
    return String((this.count += 1));
  }
}
