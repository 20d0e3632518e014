import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Authenticator } from '../../../src/auth/authentication/authenticator.js';
import type { IdentityAuthenticator } from '../../../src/auth/authentication/identity-authenticator.js';
import { PlanCatalogue } from '../../../src/auth/plans/plan-catalogue.js';
import type { StoredKey } from '../../../src/auth/domain/api-key.js';
import type { ApiKeyRepository } from '../../../src/auth/accounts/api-keys.repository.js';
import { generateApiKey, type ApiKeyText } from '../../../src/auth/domain/api-key-text.js';
import { readConfig } from '../../../src/config/config.js';
import { TestClock } from '../../support/fakes/test-clock.js';

/** A store with one key, that takes its time. */
class SlowKeys implements Pick<ApiKeyRepository, 'findStored' | 'recordUse'> {
  asked = 0;

  constructor(
    private readonly key: ApiKeyText,
    private readonly milliseconds: number,
  ) {}

  findStored(): Promise<StoredKey> {
    this.asked += 1;
    jest.advanceTimersByTime(this.milliseconds);
    const nothing = { expiresAt: null, lastUsedAt: new Date(), revokedAt: null };
    const own = {
      id: this.key.id,
      digest: this.key.digest,
      accountId: 'acc_1',
      plan: 'selfhost',
      isSuspended: false,
      scopes: [],
    };
    return Promise.resolve({ ...own, ...nothing });
  }

  recordUse = () => Promise.resolve();
}

const noIdentities = { isEmpty: true } as unknown as IdentityAuthenticator;

const asking = async (milliseconds: number) => {
  const key = generateApiKey();
  const keys = new SlowKeys(key, milliseconds);
  const authenticate = new Authenticator(
    keys as unknown as ApiKeyRepository,
    new PlanCatalogue(readConfig({})),
    new TestClock(),
    noIdentities,
  );
  for (let request = 0; request < 2; request += 1) await authenticate.authenticate(`Bearer ${key.text}`);
  return keys.asked;
};

describe('a key', () => {
  beforeEach(() => {
    jest.useFakeTimers();
    jest.advanceTimersByTime(1_000); // the process has run for a while
  });
  afterEach(() => void jest.useRealTimers());

  it('is read once, and then cached for a while', async () => {
    expect(await asking(10)).toBe(1);
  });

  it('is cached from when it was requested: it may have been revoked during a slow read', async () => {
    expect(await asking(950)).toBe(2);
  });
});
