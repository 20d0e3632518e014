/** Mutant: a delivery is marked as delivered before it is sent. Violates I4. */
import type * as Delivering from '../../src/notifications/deliveries/deliver.js';
import { fromBuild, reportMutantUse } from '../preload/mutant.mjs';

const { Deliver } = await fromBuild<typeof Delivering>('notifications/deliveries/deliver');
const OK = {
  outcome: 'ok',
  responseStatus: 204,
  responseExcerpt: null,
  retryAfterMs: null,
  final: false,
  fault: 'receiver',
} as const;

Deliver.prototype.run = async function (claimed) {
  const context = await this['start'].start(claimed);
  if (!context) return null;
  reportMutantUse();
  await this['finish'].run({ context, attempt: context.attempt.finish(OK, 0), outcome: OK });
  await this['send'](context);
  return context.delivery.host;
};
