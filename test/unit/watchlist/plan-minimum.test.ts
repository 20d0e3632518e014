import { describe, expect, it } from '@jest/globals';
import { aWatch, facts, recentFacts, monday, publicEvents } from './builders.js';

/** The watch chose an hour. */
describe('an entry whose plan has a minimum of twelve hours', () => {
  const held = () => {
    const entry = aWatch('registered');
    entry.applyPlanMinimum(720);
    return entry;
  };

  it('is due one in half a day, keeps what was chosen, and does not move', () => {
    const before = aWatch('registered');
    const entry = held();
    expect(entry).toMatchObject({ requiredIntervalMinutes: 720, intervalMinutes: 60, changeSeq: before.changeSeq });
    expect(entry).toMatchObject({ status: before.status, updatedAt: before.updatedAt });
    expect(entry.releaseEvents()).toEqual([]);
  });

  it('is due what was chosen where that is more', () => {
    const entry = held();
    entry.revise({ intervalMinutes: 1_440 }, recentFacts(facts.registered), monday);
    expect(entry).toMatchObject({ requiredIntervalMinutes: 1_440, planMinimumMinutes: 0 });
    entry.applyPlanMinimum(720);
    expect(entry).toMatchObject({ requiredIntervalMinutes: 1_440, planMinimumMinutes: 0 });
  });

  it('stays held while something else is revised', () => {
    const entry = held();
    entry.revise({ tags: ['brand'] }, recentFacts(facts.registered), monday);
    expect(entry.requiredIntervalMinutes).toBe(720);
    expect(publicEvents(entry)).toEqual([]);
  });

  it.each([60, 5])('is due what was chosen again under a plan that allows %i minutes', (floor) => {
    const entry = held();
    entry.applyPlanMinimum(floor);
    expect(entry).toMatchObject({ requiredIntervalMinutes: 60, planMinimumMinutes: 0 });
  });
});
