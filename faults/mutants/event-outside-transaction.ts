import { AsyncLocalStorage } from 'node:async_hooks';

/** Mutant: events are written in a separate transaction after the change is committed. */
interface Handlers {
  dispatch: (this: Handlers, events: readonly unknown[]) => Promise<void>;
}
interface Work {
  run: <Result>(this: Work, work: () => Promise<Result>) => Promise<Result>;
}
type Late = (() => Promise<void>)[];

const database = '../../dist/platform/database';
const load = async <Module>(file: string) =>
  (await import(new URL(`${database}/${file}.js`, import.meta.url).href)) as Module;
const { EventDispatcher } = await load<{ EventDispatcher: { prototype: Handlers } }>('event-dispatcher');
const { PostgresUnitOfWork } = await load<{ PostgresUnitOfWork: { prototype: Work } }>('postgres-unit-of-work');
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
