import { describe, expect, it } from '@jest/globals';
import { found } from '../../../src/domains/domain/lifecycle/registration-facts.js';
import { type RegistrationFacts, toRegistrationRecord } from '../../../src/domains/language.js';
import { DAY, HOUR, MINUTE } from '../../../src/kernel/clock.js';
import type { EntrySettingsInput } from '../../../src/watchlist/domain/entry-settings.js';
import { anObservation, facts, inDays, registeredAt } from './builders.js';
import { InMemoryWatchlist } from './in-memory-watchlist.js';

const ACCOUNT = 'acc_1';
const HOST = ['ns1.a.net'];
const elsewhere = { expected: { nameservers: ['ns1.b.net'] } };
const expiringIn = (days: number) => found({ registeredAt, expiresAt: inDays(days) });

class Watching {
  readonly world = new InMemoryWatchlist();
  private id = '';

  async add(settings: EntrySettingsInput = {}, notifyCurrent = false): Promise<void> {
    this.id = await this.world.add(ACCOUNT, settings, notifyCurrent);
  }

  change = (settings: EntrySettingsInput, notifyCurrent = false) =>
    this.world.change(ACCOUNT, this.id, settings, notifyCurrent);

  /** An answer of the registry, twice, so that it is confirmed. */
  async answers(what: RegistrationFacts, later = 0): Promise<void> {
    this.world.clock.advance(later);
    const record = what.outcome === 'found' ? { record: toRegistrationRecord({ nameservers: HOST }) } : {};
    for (let times = 0; times < 2; times += 1) {
      this.world.clock.advance(2 * MINUTE);
      await this.world.applyResult(anObservation(what, this.world.clock.now(), { ...record, witnesses: 2 }));
    }
  }

  /** Events published since the last call: what happened, and whether channels are told. */
  published(): string[] {
    const events = this.world.store.published.splice(0);
    return events.map(({ type, isShownOnly }) => `${isShownOnly ? 'shown' : 'told'} ${type.replace('watchlist.', '')}`);
  }
}

describe('the first known state of an added name', () => {
  it.each([
    ['available', facts.available, ['shown available']],
    ['pending deletion', facts.pendingDelete, ['shown status_changed']],
    ['expiring', expiringIn(10), ['shown status_changed']],
    ['on hold', facts.hold, ['shown phase_changed']],
    ['registered, with a reminder due', expiringIn(50), ['shown expiring']],
  ])('is an event that is shown but not sent to channels: %s', async (_what, first, published) => {
    const watching = new Watching();
    await watching.add();
    await watching.answers(first);
    expect(watching.published()).toEqual(published);
  });

  it('is sent to channels once if the user asked for that', async () => {
    const watching = new Watching();
    await watching.add({}, true);
    await watching.answers(facts.available);
    await watching.answers(facts.available, HOUR);
    expect(watching.published()).toEqual(['told available']);
  });

  it('is not sent to channels if the name is registered, but every later change is', async () => {
    const watching = new Watching();
    await watching.add();
    await watching.answers(facts.registered);
    await watching.answers(facts.redemption, HOUR);
    await watching.answers(facts.available, DAY);
    expect(watching.published()).toEqual(['told status_changed', 'told available']);
  });

  it('is sent, if the user asked, also about record values that differ from the expected ones', async () => {
    const watching = new Watching();
    await watching.add(elsewhere, true);
    await watching.answers(facts.registered);
    expect(watching.published()).toEqual(['told drift_changed']);
  });
});

describe('the state found after a paused entry resumes', () => {
  const resumed = async (notifyCurrent: boolean) => {
    const watching = new Watching();
    await watching.add();
    await watching.answers(facts.registered);
    await watching.change({ paused: true });
    watching.world.clock.advance(30 * DAY);
    await watching.change({ paused: false }, notifyCurrent);
    return watching;
  };

  it('is shown but not sent to channels, while later changes are sent', async () => {
    const watching = await resumed(false);
    await watching.answers(facts.redemption);
    expect(watching.published()).toEqual(['shown status_changed']);
    await watching.answers(facts.available, DAY);
    expect(watching.published()).toEqual(['told available']);
  });

  it('is sent to channels if the user asked for that', async () => {
    const watching = await resumed(true);
    await watching.answers(facts.redemption);
    expect(watching.published()).toEqual(['told status_changed']);
  });
});

describe('a change of an entry’s settings', () => {
  const watched = async (what: RegistrationFacts) => {
    const watching = new Watching();
    await watching.add({ remindDays: [] });
    await watching.answers(what);
    watching.published();
    return watching;
  };
  const settings: [string, EntrySettingsInput][] = [
    ['other reminder days', { remindDays: [90, 30] }],
    ['the default reminder days', { remindDays: null }],
    ['another expiring window', { expiringWindowDays: 60 }],
  ];

  it.each(settings)('leads to an event that is shown but not sent to channels: %s', async (_what, change) => {
    const watching = await watched(expiringIn(45));
    await watching.change(change);
    await watching.answers(expiringIn(45), HOUR);
    expect(watching.published()).toEqual([expect.stringMatching(/^shown (expiring|status_changed)$/)]);
  });

  it.each(settings)('sends the resulting event to channels if the user asked for that: %s', async (_what, change) => {
    const watching = await watched(expiringIn(45));
    await watching.change(change, true);
    expect(watching.published()).toEqual([expect.stringMatching(/^told (expiring|status_changed)$/)]);
  });

  it('causes no event at the next check either if the last check was days ago', async () => {
    const watching = await watched(expiringIn(145));
    watching.world.clock.advance(10 * DAY);
    await watching.change({ remindDays: [150, 120] });
    await watching.answers(expiringIn(145));
    expect(watching.published()).toEqual([]);
    await watching.answers(expiringIn(145), 20 * DAY);
    expect(watching.published()).toEqual(['told expiring']);
  });

  it('does not suppress a reminder that was already due before the change', async () => {
    const watching = new Watching();
    await watching.add({ remindDays: [120] });
    await watching.answers(expiringIn(145));
    watching.world.clock.advance(40 * DAY);
    await watching.change({ remindDays: [120, 7] });
    await watching.answers(expiringIn(145));
    expect(watching.published()).toEqual(['told expiring']);
  });

  it('reports record values that differ from the expected ones only if the user asked', async () => {
    const watching = await watched(facts.registered);
    await watching.change(elsewhere);
    await watching.answers(facts.registered, HOUR);
    expect(watching.published()).toEqual([]);
    await watching.change(elsewhere, true);
    expect(watching.published()).toEqual(['told drift_changed']);
  });

  it('does not hide a status change that is found at the next check', async () => {
    const watching = await watched(facts.registered);
    watching.world.clock.advance(10 * DAY);
    await watching.change({ remindDays: [90], ...elsewhere });
    await watching.answers(facts.available);
    expect(watching.published()).toEqual(['told available']);
  });
});
