import { applySteps, step } from './migration-steps.js';

/** A process that migrates: the second of its steps takes a minute. */
const [url = ''] = process.argv.slice(2);
await applySteps(url, [
  step('First', 'create table first_step (id integer)'),
  step('Second', 'create table second_step (id integer)', 'select pg_sleep(60)'),
]);
