/** Mutant: a list that an answer leaves out is taken for an empty one. Violates I9. */
import type * as WatchedNames from '../../../src/watchlist/domain/watched-name.js';
import { fromBuild, reportMutantUse } from '../preload/mutant.mjs';

const { WatchedName } = await fromBuild<typeof WatchedNames>('watchlist/domain/watched-name');

const { applyRecord } = WatchedName.prototype;
WatchedName.prototype.applyRecord = function (result, ...others) {
  if (result.kind === 'failure' || !result.record || Object.values(result.record).every((value) => value !== null))
    return applyRecord.call(this, result, ...others);
  reportMutantUse();
  const { record } = result;
  const { nameservers, statuses, ds } = record;
  const complete = { ...record, nameservers: nameservers ?? [], statuses: statuses ?? [], ds: ds ?? [] };
  return applyRecord.call(this, { ...result, record: complete }, ...others);
};
