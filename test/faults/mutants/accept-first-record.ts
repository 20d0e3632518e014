/** Mutant: the first lookup with another record confirms its change. Violates I9. */
import type * as WatchedNames from '../../../src/watchlist/domain/watched-name.js';
import { fromBuild, reportMutantUse } from '../preload/mutant.mjs';

const { WatchedName } = await fromBuild<typeof WatchedNames>('watchlist/domain/watched-name');

const { applyRecord } = WatchedName.prototype;
WatchedName.prototype.applyRecord = function (result, ...others) {
  if (result.kind === 'failure' || !result.record) return applyRecord.call(this, result, ...others);
  reportMutantUse();
  return applyRecord.call(this, { ...result, witnesses: 2 }, ...others);
};
