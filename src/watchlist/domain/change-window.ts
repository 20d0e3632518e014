import { hash } from 'node:crypto';
import type { RecordChange } from '../../domains/language.js';
import { AggregateRoot } from '../../kernel/aggregate-root.js';
import { after, MINUTE } from '../../kernel/clock.js';
import type { TimeUnits } from '../../kernel/time-units.js';
import { type MassChangeMessage, massChangeEvent, type MassChangeData } from './watch-events.js';
import { fingerprintOf } from './record-rules.js';

export interface CommonChange extends Pick<MassChangeMessage, 'kind' | 'after' | 'intent' | 'tags'> {
  readonly accountId: string;
  readonly operator: string;
}

const KEY_LENGTH = 22;

/** A window is over if it started by the one time, or later than the other: the clock was put back since. */
export interface OverIfStarted {
  readonly by: Date;
  readonly orAfter: Date;
}

/**
 * The names of an account with the same change of their records, in an hour.
 *
 *     the first names           each change is sent by itself
 *     the one after the limit   sent by itself, and says that there are many
 *     further names             held: one message lists them when the hour is over
 *     further changes of names that were sent by themselves: so are these
 *
 * The hour after such a message holds all names, and is the last one if there are none. So no name hides another: one
 * that flaps counts once, and one that was held is in the message of its hour.
 */
export class ChangeWindow extends AggregateRoot<ChangeWindow> {
  private constructor(
    readonly id: string,
    readonly accountId: string,
    readonly kind: RecordChange['kind'],
    readonly after: RecordChange['after'],
    readonly intent: CommonChange['intent'],
    readonly tags: readonly string[],
    readonly startedAt: Date,
    /** Names whose changes are sent by themselves. */
    readonly sent: readonly string[],
    /** How many other names there are; they are stored apart. */
    readonly held: number,
    /** Whether the window before had held names. */
    readonly continues: boolean,
  ) {
    super();
  }

  static open(change: CommonChange, now: Date): ChangeWindow {
    const { accountId, kind, after, intent, tags } = change;
    return new ChangeWindow(changeWindowId(change), accountId, kind, after, intent, tags, now, [], 0, false);
  }

  /** Whether a change of this name is held. Begins the next window where this one is over and has nothing to report. */
  holds(name: string, now: Date, namesPerHour: number, units: TimeUnits): boolean {
    if (this.isOver(now, units) && this.held === 0) this.become({ startedAt: now, sent: [], continues: false });
    return !this.sent.includes(name) && (this.continues || this.sent.length > namesPerHour);
  }

  /** @returns what its event says; null: nothing, it is one of few */
  countSent(name: string, namesPerHour: number): MassChangeData | null {
    if (this.sent.includes(name)) return null;
    const others = this.sent.length;
    this.become({ sent: [...this.sent, name] });
    return others < namesPerHour ? null : { others, since: this.startedAt.toISOString(), held: false };
  }

  /** @param isNew false: the name is held already */
  countHeld(isNew: boolean): MassChangeData {
    if (isNew) this.become({ held: this.held + 1 });
    return { others: this.sent.length + this.held - 1, since: this.startedAt.toISOString(), held: true };
  }

  /** True also after a while in which nothing reported it: what came meanwhile was held. */
  isDue(now: Date, units: TimeUnits): boolean {
    return this.held > 0 && this.isOver(now, units);
  }

  /** Records the message about the held names. @param listed the first of them */
  report(listed: readonly string[], now: Date): void {
    const { held: names, kind, after, intent, tags } = this;
    const since = this.startedAt < now ? this.startedAt : now;
    this.record(massChangeEvent(this.accountId, { kind, after, intent, tags, names, listed, since }, now));
    this.become({ startedAt: now, sent: [], held: 0, continues: true });
  }

  private isOver(now: Date, units: TimeUnits): boolean {
    const { by, orAfter } = overIfStarted(now, units);
    return this.startedAt <= by || this.startedAt > orAfter;
  }
}

/** A minute ahead is no sign: a change reads the clock before it waits for the lock, and then finds what a later one wrote. */
export function overIfStarted(now: Date, { hour }: TimeUnits): OverIfStarted {
  return { by: after(now, -hour), orAfter: after(now, MINUTE) };
}

/**
 * Equal for changes that are the same to an account, and that its channels cannot distinguish. A change to another value
 * has another one, so that a hijacked name does not pass as one of thousands that a registrar takes over.
 */
export function changeWindowId({ accountId, operator, kind, after, intent, tags }: CommonChange): string {
  const compared = [operator, kind, fingerprintOf(kind, after), intent, tags.toSorted()];
  return `${accountId} ${hash('sha256', JSON.stringify(compared), 'base64url').slice(0, KEY_LENGTH)}`;
}
