import { beforeAll, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { readConfig } from '../../../../src/config/config.js';
import { LocalRateLimiter } from '../../../../src/domains/rate-limiting/local-rate-limiter.js';
import { OperatorResolver } from '../../../../src/domains/rate-limiting/operator-resolver.js';
import type { RequestOutcome } from '../../../../src/domains/rate-limiting/registry-admission.js';
import { budgetsFile } from '../../../support/builders/budgets-file.js';

const LIMITS = { hosts: ['rdap.example'], per_second: 20, burst: 2, concurrency: 1 };
const SERVER = { host: 'rdap.example', port: 443, isOverride: false };

function openLimiter() {
  const config = readConfig({ LOOKUP_BUDGETS_FILE: budgetsFile({ operators: { example: LIMITS } }) });
  return new LocalRateLimiter(new OperatorResolver(config));
}

/** Sends nothing, once it may. */
async function query(limiter: ReturnType<typeof openLimiter>, outcome: RequestOutcome) {
  const permit = await limiter.acquire(SERVER);
  if (permit.kind === 'permit') permit.release(outcome);
  return permit;
}

beforeAll(() => {
  Logger.overrideLogger(false);
});

it('the in-memory rate limiter limits the rate and burst of queries to a registry operator', async () => {
  const limiter = openLimiter();
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: 6 }, () => query(limiter, { kind: 'answered' })));
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(190); // two at once, four more at 20 a second
});

it('the in-memory rate limiter sends only as many queries at once as the limit allows', async () => {
  const limiter = openLimiter();
  const first = await limiter.acquire(SERVER);
  let isSecondSent = false;
  const second = query(limiter, { kind: 'answered' }).then(() => (isSecondSent = true));
  await new Promise((resolve) => setTimeout(resolve, 120));
  expect(isSecondSent).toBe(false);
  if (first.kind === 'permit') first.release({ kind: 'answered' });
  await second;
});

it('the in-memory rate limiter sends no query to a registry operator that asked for a pause', async () => {
  const limiter = openLimiter();
  await query(limiter, { kind: 'throttled', domain: 'nic.example', retryAfterSeconds: 60 });
  expect(await query(limiter, { kind: 'answered' })).toMatchObject({ kind: 'rejected', reason: 'block' });
});

it('the in-memory rate limiter blocks a registry operator for 30 seconds after ten failed queries', async () => {
  const limiter = openLimiter();
  for (let name = 0; name < 10; name++) await query(limiter, { kind: 'failed', domain: `${name}.example` });
  expect(await query(limiter, { kind: 'answered' })).toMatchObject({ reason: 'breaker', retryAfterSeconds: 30 });
});
