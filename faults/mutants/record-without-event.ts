/** Mutant: a change of a record is stored, and only the first of those who watch the name is notified. */
interface Repository {
  findActiveForUpdate(...values: unknown[]): Promise<unknown[]>;
}
interface Updates {
  readonly entries: Repository;
  run: (this: Updates, watched: unknown, updates: readonly unknown[], ...others: unknown[]) => Promise<void>;
}

const apply = new URL('../../dist/watchlist/records/apply-record-updates.js', import.meta.url).href;
const { ApplyRecordUpdates } = (await import(apply)) as { ApplyRecordUpdates: { prototype: Updates } };
const { reportMutantUse } = (await import(new URL('../preload/mutant-report.ts', import.meta.url).href)) as {
  reportMutantUse: () => void;
};

const { run } = ApplyRecordUpdates.prototype;
ApplyRecordUpdates.prototype.run = function (this: Updates, watched, updates, ...others) {
  const { entries } = this;
  const first: Repository = {
    async findActiveForUpdate(...values) {
      reportMutantUse();
      return (await entries.findActiveForUpdate(...values)).slice(0, 1);
    },
  };
  const forgetful = Object.create(this, { entries: { value: first } }) as Updates;
  return run.call(forgetful, watched, updates, ...others);
};
