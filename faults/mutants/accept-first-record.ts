/** Mutant: the first lookup with another record confirms its change. */
type Apply = (
  result: { readonly record?: object | null; readonly witnesses?: number },
  ...others: unknown[]
) => unknown[];

const name = new URL('../../dist/watchlist/domain/watched-name.js', import.meta.url).href;
const { WatchedName } = (await import(name)) as { WatchedName: { prototype: { applyRecord: Apply } } };
const { reportMutantUse } = (await import(new URL('../preload/mutant-report.ts', import.meta.url).href)) as {
  reportMutantUse: () => void;
};

const { applyRecord } = WatchedName.prototype;
WatchedName.prototype.applyRecord = function (this: unknown, result, ...others) {
  if (!result.record) return applyRecord.call(this, result, ...others);
  reportMutantUse();
  return applyRecord.call(this, { ...result, witnesses: 2 }, ...others);
};
