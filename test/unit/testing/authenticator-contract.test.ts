import { describe, expect, it } from '@jest/globals';
import { AccountAuthenticator, type Credential, type Identity, InvalidToken } from '../../../src/kit.js';
import { authenticatorContract } from '../../../src/testing.js';
import { failingCases } from '../../support/contract-cases.js';

/** Tickets, `ticket:<account>:<subject>`, of a store that may be away. */
class Tickets extends AccountAuthenticator {
  static isAway = false;

  async identify({ scheme, token }: Credential): Promise<Identity | null> {
    const [kind, accountId = '', subject = ''] = token.split(':');
    if (scheme !== 'bearer' || kind !== 'ticket') return null;
    await Promise.resolve();
    if (Tickets.isAway) throw new Error('the store is away');
    if (subject === '') throw new InvalidToken('There is no such ticket.');
    return { accountId, subject, scopes: ['watchlist:read'], expiresAt: null };
  }
}

class KeepsTheFirst extends Tickets {
  private first: Promise<Identity | null> | null = null;

  override identify(credential: Credential) {
    return (this.first ??= super.identify(credential));
  }
}

class TakesEverything extends Tickets {
  override async identify(credential: Credential) {
    const identity = await super.identify(credential);
    if (identity === null) throw new InvalidToken('This is no ticket.');
    return identity;
  }
}

class PassesInvalidOnesOn extends Tickets {
  override identify(credential: Credential) {
    return super.identify(credential).catch(() => null);
  }
}

class BlamesTheCaller extends Tickets {
  override identify(credential: Credential) {
    return super.identify(credential).catch(() => {
      throw new InvalidToken('This ticket is not valid.');
    });
  }
}

const contractOf = (type: typeof Tickets) =>
  authenticatorContract({
    createAuthenticator: () => {
      Tickets.isAway = false;
      return new type();
    },
    issue: ({ accountId, subject }) => ({ scheme: 'bearer', token: `ticket:${accountId}:${subject}` }),
    invalid: [{ scheme: 'bearer', token: 'ticket:' }],
    breakDependency: () => void (Tickets.isAway = true),
  });

describe('the contract tests for authenticators', () => {
  it.each(contractOf(Tickets))('pass for a correct authenticator: it $name', ({ run }) => run());

  it.each<[string, typeof Tickets, string]>([
    [
      'gives its first answer to everyone',
      KeepsTheFirst,
      'distinguishes two callers, also when they ask at the same time',
    ],
    [
      'refuses credentials that belong to other authenticators',
      TakesEverything,
      'leaves credentials of others to the next authenticator',
    ],
    [
      'passes its own invalid credentials to the next authenticator',
      PassesInvalidOnesOn,
      'throws InvalidToken for its own credentials that are not valid',
    ],
    [
      'calls a credential invalid while its store is unavailable',
      BlamesTheCaller,
      'does not say that a credential is invalid while it cannot know',
    ],
  ])('fail for an authenticator that %s', async (_, type, found) =>
    expect(await failingCases(contractOf(type))).toContain(found),
  );
});
