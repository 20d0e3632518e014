/** Mutant: a list that an answer leaves out is taken for an empty one. */
interface SeenRecord {
  readonly nameservers: readonly string[] | null;
  readonly statuses: readonly string[] | null;
  readonly ds: readonly object[] | null;
}
type Apply = (result: { readonly record?: SeenRecord | null }, ...others: unknown[]) => unknown[];

const name = new URL('../../dist/watchlist/domain/watched-name.js', import.meta.url).href;
const { WatchedName } = (await import(name)) as { WatchedName: { prototype: { applyRecord: Apply } } };
const { reportMutantUse } = (await import(new URL('../preload/mutant-report.ts', import.meta.url).href)) as {
  reportMutantUse: () => void;
};

const { applyRecord } = WatchedName.prototype;
WatchedName.prototype.applyRecord = function (this: unknown, result, ...others) {
  const { record } = result;
  if (!record || Object.values(record).every((value) => value !== null))
    return applyRecord.call(this, result, ...others);
  reportMutantUse();
  const { nameservers, statuses, ds } = record;
  const complete = { ...record, nameservers: nameservers ?? [], statuses: statuses ?? [], ds: ds ?? [] };
  return applyRecord.call(this, { ...result, record: complete }, ...others);
};
