/** Mutant: events are written in a separate transaction after the change is committed. Violates I1. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type * as Kernel from '../../../src/kernel/unit-of-work.js';
import type * as UnitsOfWork from '../../../src/platform/database/postgres-unit-of-work.js';
import { fromBuild, reportMutantUse } from '../preload/mutant.mjs';

const { EventBus } = await fromBuild<typeof Kernel>('kernel/unit-of-work');
const { PostgresUnitOfWork } = await fromBuild<typeof UnitsOfWork>('platform/database/postgres-unit-of-work');
type Late = (() => Promise<void>)[];

const underWay = new AsyncLocalStorage<Late>();
const { dispatch } = EventBus.prototype;
const { run } = PostgresUnitOfWork.prototype;

EventBus.prototype.dispatch = function (events) {
  reportMutantUse();
  underWay.getStore()?.push(() => dispatch.call(this, events));
  return Promise.resolve();
};
PostgresUnitOfWork.prototype.run = async function <Result>(
  this: InstanceType<typeof PostgresUnitOfWork>,
  work: () => Promise<Result>,
) {
  const late: Late = [];
  const result = (await underWay.run(late, () => run.call(this, work))) as Result;
  for (const publish of late) await run.call(this, publish);
  return result;
};
