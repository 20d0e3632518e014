/** Mutant: a delivery is marked as delivered before it is sent. Violates I4. */
import type * as Serving from '../../../src/notifications/deliveries/serve-channel.js';
import { fromBuild, reportMutantUse } from '../preload/mutant.mjs';

const { ServeChannel } = await fromBuild<typeof Serving>('notifications/deliveries/serve-channel');
const OK = {
  outcome: 'ok',
  responseStatus: 204,
  responseExcerpt: null,
  retryAfterMs: null,
  final: false,
  fault: 'receiver',
} as const;

ServeChannel.prototype.run = async function (batch) {
  reportMutantUse();
  const finished = batch.started.map((one) => ({ ...one, attempt: one.attempt.finish(OK, 0), outcome: OK }));
  await this['finish'].run({ ...batch, finished });
  await this['send'](batch);
};
