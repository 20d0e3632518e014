import type { Model, Step } from './explorer.js';

interface Position {
  readonly xid: number;
  readonly seq: number;
}

interface FeedEvent extends Position {
  readonly writer: number;
  readonly state: 'written' | 'committed' | 'purged';
  readonly matches: boolean;
  readonly writtenAt: number;
  /** Whether the reader has to get it: what was committed before a stream began is not for it. */
  readonly isOwed: boolean;
  readonly isRead: boolean;
}

/** A statement of the reader; each has a snapshot of its own. `rows` exists in a mutant only. */
type Statement = 'end' | 'rows' | 'read' | 'check';

interface Reader {
  readonly cursor: Position;
  /** The statements of this page that are still to be made. */
  readonly next: readonly Statement[];
  readonly end: Position;
  /** By their sequence numbers. */
  readonly rows: readonly number[] | null;
  readonly items: readonly number[];
}

interface State {
  readonly time: number;
  /** Transactions, by their number: 0 before they first write, null when they have ended. */
  readonly writers: readonly (number | null)[];
  readonly nextXid: number;
  readonly nextSeq: number;
  readonly events: readonly FeedEvent[];
  /** `event_feed_starts`. */
  readonly start: Position;
  readonly reader: Reader | 'not begun' | 'told';
  readonly isTwice: boolean;
}

export interface FeedRules {
  /** Whether rows of this transaction may be read: `e.xid < HORIZON`. */
  readonly isReadable: (event: Position & { readonly writtenAt: number }, state: State) => boolean;
  /** The same in `END`. */
  readonly isEnd: FeedRules['isReadable'];
  readonly isAfter: (event: Position, cursor: Position) => boolean;
  readonly statements: (isFiltered: boolean) => readonly Statement[];
  /** Whether a stream looks for what was purged before it passes this page on. */
  readonly checksStream: (items: readonly number[], isMoved: boolean) => boolean;
}

const ORIGIN: Position = { xid: 0, seq: 0 };
/** Above 0 when the first is later. */
const compare = (one: Position, other: Position) => one.xid - other.xid || one.seq - other.seq;
const later = (one: Position, other: Position) => (compare(other, one) > 0 ? other : one);
const position = ({ xid, seq }: Position): Position => ({ xid, seq });
/** `pg_snapshot_xmin`: a transaction that has not written yet has no number, and will get a later one. */
const horizon = ({ writers, nextXid }: State) =>
  Math.min(nextXid, ...writers.filter((xid) => xid !== null && xid > 0).map(Number));
const isBelowHorizon: FeedRules['isReadable'] = ({ xid }, state) => xid < horizon(state);

/** src/platform/database/transaction-order.ts and src/notifications/events/event-feed.repository.ts. */
export const FEED: FeedRules = {
  isReadable: isBelowHorizon,
  isEnd: isBelowHorizon,
  isAfter: (event, cursor) => compare(event, cursor) > 0,
  statements: (isFiltered) => (isFiltered ? ['end', 'read', 'check'] : ['read', 'check']),
  checksStream: (_, isMoved) => isMoved,
};

export interface FeedBounds {
  readonly writers: number;
  readonly events: number;
  /** The most events of a page. */
  readonly limit: number;
  readonly isFiltered: boolean;
  /** A stream begins after the latest event, a list before the oldest. */
  readonly isStream: boolean;
  readonly isPurged: boolean;
  /** Only the mutant that goes by a clock looks at it. */
  readonly time?: number;
}

/**
 * Transactions that write events of one account and commit in any order, a reader that pages through them, and the
 * purge.
 *
 * Each step is one statement, which sees only commits from before it (read committed). Left out: the offset after a
 * restore (test/integration/notifications/events/event-order.test.ts), and other accounts, which only hold events
 * back. So is a purge of events that were written beside a running transaction: it would have to run for longer than
 * events are kept.
 */
export function feedModel(rules: FeedRules, bounds: FeedBounds): Model<State> {
  const { isFiltered, isStream, limit } = bounds;
  return {
    start: {
      time: 0,
      writers: Array.from({ length: bounds.writers }, () => 0),
      nextXid: 9, // the next has a digit more
      nextSeq: 1,
      events: [],
      start: ORIGIN,
      reader: 'not begun',
      isTwice: false,
    },
    steps: (state) => [...write(state), ...read(state)],
    invariants: {
      'a reader skips nothing unless it is told': ({ events, reader }) =>
        typeof reader === 'string' ||
        events.every((event) => event.state === 'written' || isDone(event) || compare(event, reader.cursor) > 0),
      'a reader gets nothing twice': ({ isTwice }) => !isTwice,
      'nothing stays hidden once all transactions have ended': (state) => {
        const { events, reader, writers } = state;
        if (typeof reader === 'string' || writers.some((xid) => xid !== null && xid > 0)) return true;
        const waiting = events.filter((event) => event.state === 'committed' && !isDone(event));
        const waited = { ...state, time: Infinity };
        return waiting.every((event) => rules.isAfter(event, reader.cursor) && rules.isReadable(event, waited));
      },
    },
  };

  function isDone({ isRead, isOwed, matches }: FeedEvent): boolean {
    return isRead || !isOwed || !matches;
  }

  function* write(state: State): Generator<Step<State>, void, void> {
    const { writers, events, nextXid, nextSeq, reader } = state;
    if (state.time < (bounds.time ?? 0)) yield ['time passes', { ...state, time: state.time + 1 }];
    for (const [writer, number] of writers.entries()) {
      if (number === null) continue;
      const setNumber = (to: number | null) => writers.map((one, n) => (n === writer ? to : one));
      // NotificationEventRepository.publish: the number is given by the first write, `seq` by the sequence
      const xid = number || nextXid;
      for (const matches of isFiltered ? [true, false] : [true]) {
        if (nextSeq > bounds.events) continue;
        const event = { xid, seq: nextSeq, writer, state: 'written', matches } as const;
        const written = [...events, { ...event, writtenAt: state.time, isOwed: true, isRead: false }];
        const counters = { nextSeq: nextSeq + 1, nextXid: Math.max(nextXid, xid + 1) };
        const name = `transaction ${writer + 1} writes event ${nextSeq}${matches ? '' : ' for others'}`;
        yield [name, { ...state, ...counters, writers: setNumber(xid), events: written }];
      }
      if (number === 0) continue;
      const committed = events.map((one) => (one.writer === writer ? { ...one, state: 'committed' as const } : one));
      yield [`transaction ${writer + 1} commits`, { ...state, writers: setNumber(null), events: committed }];
      const others = events.filter((one) => one.writer !== writer);
      yield [`transaction ${writer + 1} is undone`, { ...state, writers: setNumber(null), events: others }];
    }
    if (!bounds.isPurged || reader === 'not begun') return;
    for (const event of events) {
      if (event.state !== 'committed' || !isBelowHorizon(event, state)) continue;
      // `PURGE`, of one: a purge of several is no more than these, with nothing in between
      const purged = events.map((one) => (one === event ? { ...one, state: 'purged' as const } : one));
      const start = later(state.start, position(event));
      yield [`event ${event.seq} is purged`, { ...state, events: purged, start }];
    }
  }

  function findEnd(state: State): Position {
    const seen = state.events.filter((event) => event.state === 'committed' && rules.isEnd(event, state));
    return seen.map(position).reduce(later, state.start);
  }

  function* read(state: State): Generator<Step<State>, void, void> {
    const { reader, events } = state;
    const turn = (to: Partial<Reader>, name: string): Step<State> => {
      const before = typeof reader === 'string' ? { end: ORIGIN, items: [], rows: null, cursor: ORIGIN } : reader;
      return [name, { ...state, reader: { ...before, next: rules.statements(isFiltered), ...to } }];
    };
    if (reader === 'told') return;
    if (reader === 'not begun') {
      const known = events.map((event) =>
        event.state === 'committed' && isStream ? { ...event, isOwed: false } : event,
      );
      const [name, begun] = turn({ cursor: isStream ? findEnd(state) : state.start }, 'the reader begins');
      return yield [name, { ...begun, events: known }];
    }
    const [statement, ...next] = reader.next;
    const isVisible = (event: FeedEvent) => reader.rows?.includes(event.seq) ?? event.state === 'committed';
    switch (statement) {
      case 'end':
        return yield turn({ end: findEnd(state), next }, 'the reader finds the end');
      case 'rows': {
        const rows = events.filter(({ state: is }) => is === 'committed').map(({ seq }) => seq);
        return yield turn({ rows, next }, 'the reader sees the rows');
      }
      case 'read': {
        const found = events
          .filter(
            (one) => isVisible(one) && one.matches && rules.isReadable(one, state) && rules.isAfter(one, reader.cursor),
          )
          .sort((one, other) => Number(rules.isAfter(one, other)) - Number(rules.isAfter(other, one)));
        const items = found.slice(0, limit + 1).map(({ seq }) => seq);
        return yield finish(
          { ...reader, items, rows: null, next },
          `the reader reads ${items.join(', ') || 'nothing'}`,
        );
      }
      case 'check':
        return yield finish({ ...reader, next }, 'the reader looks for what was purged', hasMissed(reader));
      case undefined:
    }

    function hasMissed({ items, cursor }: Reader): boolean {
      const isMoved = compare(getNext(reader as Reader), cursor) !== 0;
      return compare(state.start, cursor) > 0 && (!isStream || rules.checksStream(items, isMoved));
    }

    /** `TransactionCursor.later(last, end)`, and only the last where there are more. */
    function getNext({ items, cursor, end }: Reader): Position {
      const at = events.find(({ seq }) => seq === items[Math.min(limit, items.length) - 1]);
      const last = at ? position(at) : cursor;
      return items.length > limit || !isFiltered ? last : later(last, end);
    }

    /** The page is passed on when its last statement was made. */
    function finish(to: Reader, name: string, isTold = false): Step<State> {
      if (isTold) return [`${name}, and is told`, { ...state, reader: 'told' }];
      if (to.next.length > 0) return [name, { ...state, reader: to }];
      const items = new Set(to.items.slice(0, limit));
      const isTwice = events.some(({ seq, isRead }) => isRead && items.has(seq));
      const got = events.map((event) => (items.has(event.seq) ? { ...event, isRead: true } : event));
      const [, turned] = turn({ cursor: getNext(to), end: ORIGIN, items: [], rows: null }, name);
      return [name, { ...turned, events: got, isTwice }];
    }
  }
}

interface FeedMutant {
  readonly rules: FeedRules;
  /** Beside a list of all events. */
  readonly bounds: Partial<FeedBounds>;
  readonly breaks: string;
  readonly steps: number;
}

const always = () => true;
const asText = ({ xid, seq }: Position) => `${xid}:${seq}`;

/** Defects, in what they need to show, and the length of the shortest way there. */
export const FEED_MUTANTS: Readonly<Record<string, FeedMutant>> = {
  'a horizon that ignores running transactions': {
    rules: { ...FEED, isReadable: ({ xid }, { nextXid }) => xid < nextXid },
    bounds: {},
    breaks: 'a reader skips nothing unless it is told',
    steps: 7,
  },
  'a horizon by the clock': {
    rules: { ...FEED, isReadable: ({ writtenAt }, { time }) => writtenAt + 2 <= time },
    bounds: { time: 3 },
    breaks: 'a reader skips nothing unless it is told',
    steps: 9,
  },
  'a horizon from a later statement than the rows': {
    rules: { ...FEED, statements: () => ['rows', 'read', 'check'] },
    bounds: {},
    breaks: 'a reader skips nothing unless it is told',
    steps: 8,
  },
  'a horizon that never moves': {
    rules: { ...FEED, isReadable: ({ xid }) => xid < 10 },
    bounds: {},
    breaks: 'nothing stays hidden once all transactions have ended',
    steps: 5,
  },
  'a cursor without its sequence number': {
    rules: { ...FEED, isAfter: (event, cursor) => event.xid > cursor.xid },
    bounds: { limit: 1 },
    breaks: 'nothing stays hidden once all transactions have ended',
    steps: 6,
  },
  'an order by text': {
    rules: { ...FEED, isAfter: (event, cursor) => asText(event) > asText(cursor) },
    bounds: {},
    breaks: 'nothing stays hidden once all transactions have ended',
    steps: 7,
  },
  'a stream that begins beyond the horizon': {
    rules: { ...FEED, isEnd: always },
    bounds: { isStream: true },
    breaks: 'a reader skips nothing unless it is told',
    steps: 5,
  },
  'an end that is found after reading': {
    rules: { ...FEED, statements: () => ['read', 'end', 'check'] },
    bounds: { isFiltered: true },
    breaks: 'a reader skips nothing unless it is told',
    steps: 6,
  },
  'a purge that is looked for before reading': {
    rules: { ...FEED, statements: () => ['check', 'read'] },
    bounds: { isPurged: true },
    breaks: 'a reader skips nothing unless it is told',
    steps: 7,
  },
  'a filtered stream that looks for a purge only where it has events': {
    rules: { ...FEED, checksStream: (items) => items.length > 0 },
    bounds: { isPurged: true, isFiltered: true, isStream: true },
    breaks: 'a reader skips nothing unless it is told',
    steps: 7,
  },
};
