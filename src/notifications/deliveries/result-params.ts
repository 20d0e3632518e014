import type { SucceededAttempt } from '../domain/deliveries/delivery.js';
import { unnestParams } from '../unnest-params.js';

/** The parameters of `MARK_DELIVERED`. */
export function toResultParams(succeeded: readonly SucceededAttempt[]): unknown[] {
  const claim = unnestParams(succeeded.map(({ claim }) => claim));
  const attempt = unnestParams(succeeded.map(({ attempt }) => attempt));
  const results = [attempt('number'), attempt('durationMs'), attempt('responseStatus'), attempt('responseExcerpt')];
  return [claim('id'), claim('token'), ...results];
}
