/** Mutant: a change of a record is stored, and only the first of those who watch the name is notified. Violates I9. */
import type * as Recording from '../../../src/watchlist/records/apply-record-updates.js';
import { fromBuild, reportMutantUse } from '../preload/mutant.mjs';

const { ApplyRecordUpdates } = await fromBuild<typeof Recording>('watchlist/records/apply-record-updates');
type Updates = InstanceType<typeof ApplyRecordUpdates>;

const { run } = ApplyRecordUpdates.prototype;
ApplyRecordUpdates.prototype.run = function (...values) {
  const entries = this['entries'];
  const findActiveForUpdate: typeof entries.findActiveForUpdate = async (...asked) => {
    reportMutantUse();
    return (await entries.findActiveForUpdate(...asked)).slice(0, 1);
  };
  const first = Object.create(entries, { findActiveForUpdate: { value: findActiveForUpdate } }) as typeof entries;
  return run.apply(Object.create(this, { entries: { value: first } }) as Updates, values);
};
