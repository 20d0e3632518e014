import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { getRecordValue, RECORD_KINDS, type RecordKind, toRegistrationRecord } from '../../../src/domains/language.js';
import { HOUR, MINUTE } from '../../../src/kernel/clock.js';
import { findDrift } from '../../../src/watchlist/domain/drift.js';
import type { ExpectedRecord } from '../../../src/watchlist/domain/entry-settings.js';
import { type RecordValues, toRecord } from '../../../src/watchlist/domain/record-values.js';
import type { DriftChangedEventData, RecordChangedEventData } from '../../../src/watchlist/language.js';
import { aFailure, anObservation, facts } from './builders.js';
import { InMemoryWatchlist } from './in-memory-watchlist.js';

const ACCOUNT = 'acc_1';
const IN_ZONE = {
  nameservers: { verdict: 'confirmed', evidence: [] },
  ds: { verdict: 'confirmed', evidence: [] },
} as const;

const locks = fc.constantFrom<string[] | null>(['active'], ['client transfer prohibited'], ['client hold'], null);
const record = fc.record({
  nameservers: fc.constantFrom<string[] | null>(['ns1.a.net'], ['ns1.b.net'], [], null),
  registrar: fc.constantFrom({ name: 'One', ianaId: '1' }, { name: 'Two', ianaId: '2' }, null),
  statuses: locks,
});
const expectation = fc.option(
  fc.record(
    {
      nameservers: fc.constantFrom(['ns1.a.net'], ['ns1.b.net']),
      registrar_id: fc.constantFrom('1', '2'),
      locked: fc.boolean(),
    },
    { requiredKeys: [] },
  ),
);
const spacing = fc.constantFrom(1_000, MINUTE, HOUR, 30 * HOUR);
const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ type: fc.constant('check' as const), record, spacing, isTwice: fc.boolean() }),
    },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('expect' as const), expected: expectation }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('expect what is shown' as const) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('error', 'crash', 'other account', 'drop') }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('pause', 'resume') }) },
  ),
  { minLength: 3, maxLength: 25 },
);
type Step = ReturnType<typeof steps.generate>['value'][number];

/** The knowledge of a person who saw the page first and got each message since. */
class Reader {
  record: RecordValues = {};
  drift: readonly string[] = [];
  private eventsRead = 0;
  private changesRead = 0;

  constructor(
    private readonly world: InMemoryWatchlist,
    private readonly id: string,
  ) {}

  private get entry() {
    const entry = this.world.store.entries.get(this.id);
    if (!entry) throw new Error('the entry is gone');
    return entry;
  }

  private get shown() {
    const { current } = this.world.store.records;
    return { current, drift: findDrift(this.entry.expected, toRecord(current)) };
  }

  /** Looks at the page, and takes what it shows as the start. */
  look(): void {
    const { current, drift } = this.shown;
    [this.record, this.drift] = [current, drift];
    this.skip();
  }

  /** Lists find the entry by a mark of its own. */
  find(): void {
    expect(this.entry.drifted).toBe(this.shown.drift.length > 0);
  }

  private skip(): void {
    this.eventsRead = this.world.store.published.length;
    this.changesRead = this.world.store.records.changes.length;
  }

  expects(expected: ExpectedRecord | null): void {
    this.drift = findDrift(expected, toRecord(this.record));
  }

  /** Reads what was sent, and compares that with the page and with its list of changes. */
  read(): void {
    const sent = this.world.store.published
      .slice(this.eventsRead)
      .map(({ type, payload }) => ({ type, data: payload as RecordChangedEventData & DriftChangedEventData }))
      .filter(({ data }) => data.entry_id === this.id);
    const changes = sent.filter(({ type }) => type === 'watchlist.record_changed').map(({ data }) => data);
    const listed = this.world.store.records.changes.slice(this.changesRead);
    expect(changes.map(({ kind, before, after }) => ({ kind, before, after }))).toEqual(listed);
    const { current, drift } = this.shown;
    for (const { kind, before, after } of changes) {
      expect(before).toEqual(this.record[kind]);
      this.record = { ...this.record, [kind]: after };
    }
    for (const { data } of sent.filter(({ type }) => type === 'watchlist.drift_changed')) {
      expect(data.previous_drift).toEqual(this.drift);
      this.drift = data.drift;
    }
    const learnt = RECORD_KINDS.filter((kind) => this.record[kind] === undefined); // shown for the first time
    this.record = { ...this.record, ...pick(current, learnt) };
    expect(this.record).toEqual(current);
    expect(this.drift).toEqual(drift);
    this.skip();
  }
}

function pick(values: RecordValues, kinds: readonly RecordKind[]): RecordValues {
  return Object.fromEntries(kinds.filter((kind) => kind in values).map((kind) => [kind, values[kind]]));
}

/** One entry, what the registry says of its name, and somebody who reads along. */
async function play(given: readonly Step[]): Promise<void> {
  const world = new InMemoryWatchlist();
  const id = await world.add(ACCOUNT);
  const reader = new Reader(world, id);
  let isFirst = true;
  let isPaused = false;
  let hasOther = false;
  const check = async (parts: Parameters<typeof toRegistrationRecord>[0], spacingMs: number) => {
    world.clock.advance(spacingMs);
    const seen = anObservation(facts.registered, world.clock.now(), { record: toRegistrationRecord(parts) });
    await world.applyResult(seen, IN_ZONE);
    const isKnown = RECORD_KINDS.some((kind) => getRecordValue(toRegistrationRecord(parts), kind) !== null);
    if (isPaused) return;
    if (isFirst && (isKnown || Object.keys(world.store.records.current).length > 0)) reader.look();
    else reader.read();
    if (isKnown) isFirst = false;
  };
  for (const step of given) {
    if ('record' in step) {
      await check(step.record, step.spacing);
      if (step.isTwice) await check(step.record, MINUTE);
    } else if ('expected' in step) {
      await world.change(ACCOUNT, id, { expected: step.expected });
      reader.expects(step.expected);
    } else if (step.type === 'expect what is shown') {
      const { nameservers, registrar } = world.store.records.current;
      const expected = {
        ...(nameservers && { nameservers }),
        ...(registrar?.iana_id && { registrar_id: registrar.iana_id }),
      };
      await world.change(ACCOUNT, id, { expected });
      reader.expects(expected);
    } else if (step.type === 'error') {
      world.clock.advance(HOUR);
      await world.applyResult(aFailure(world.clock.now()));
    } else if (step.type === 'crash') {
      world.clock.advance(HOUR);
      const seen = anObservation(facts.registered, world.clock.now(), {
        record: toRegistrationRecord({ nameservers: ['ns1.lost.net'] }),
      });
      await world.crashing(() => world.applyResult(seen, IN_ZONE));
    } else if (step.type === 'other account' && !hasOther) {
      hasOther = true;
      await world.add('acc_2');
    } else if (step.type === 'drop') {
      world.clock.advance(HOUR);
      await world.applyResult(anObservation(facts.available, world.clock.now(), { witnesses: 2 }));
      reader.look();
    } else if (step.type === 'pause' || step.type === 'resume') {
      const wasPaused = isPaused;
      isPaused = step.type === 'pause';
      await world.pause(ACCOUNT, id, isPaused);
      if (wasPaused && !isPaused) {
        isFirst = Object.keys(world.store.records.current).length === 0;
        reader.look();
      }
    }
    reader.find();
  }
}

describe('the events about a registration record', () => {
  it('report exactly the changes from the first shown values to those shown now', async () => {
    await fc.assert(fc.asyncProperty(steps, play), { numRuns: 500 });
  });
});
