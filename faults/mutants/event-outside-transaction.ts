import { AsyncLocalStorage } from 'node:async_hooks';

/** Mutant: events are written in a separate transaction after the change is committed. */
interface Handlers {
  dispatch: (this: Handlers, events: readonly unknown[]) => Promise<void>;
}
interface Work {
  run: <Result>(this: Work, work: () => Promise<Result>) => Promise<Result>;
}
type Late = (() => Promise<void>)[];

const file = new URL('../../dist/platform/database/postgres-unit-of-work.js', import.meta.url);
const { EventDispatcher, PostgresUnitOfWork } = (await import(file.href)) as {
  EventDispatcher: { prototype: Handlers };
  PostgresUnitOfWork: { prototype: Work };
};
const { reportMutantUse } = (await import(new URL('../preload/mutant-report.ts', import.meta.url).href)) as {
  reportMutantUse: () => void;
};

const underWay = new AsyncLocalStorage<Late>();
const { dispatch } = EventDispatcher.prototype;
const { run } = PostgresUnitOfWork.prototype;

EventDispatcher.prototype.dispatch = function (this: Handlers, events) {
  reportMutantUse();
  underWay.getStore()?.push(() => dispatch.call(this, events));
  return Promise.resolve();
};
PostgresUnitOfWork.prototype.run = async function <Result>(this: Work, work: () => Promise<Result>) {
  const late: Late = [];
  const result = (await underWay.run(late, () => run.call(this, work))) as Result;
  for (const publish of late) await run.call(this, publish);
  return result;
};
