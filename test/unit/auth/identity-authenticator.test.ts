import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { inspect } from 'node:util';
import { IdentityAuthenticator } from '../../../src/auth/authentication/identity-authenticator.js';
import { PlanCatalogue } from '../../../src/auth/plans/plan-catalogue.js';
import type { AccountState } from '../../../src/auth/domain/account.js';
import type { AccountRepository } from '../../../src/auth/accounts/accounts.repository.js';
import { ScopeCatalogue } from '../../../src/auth/domain/scope.js';
import { readConfig } from '../../../src/config/config.js';
import { newId } from '../../../src/kernel/identifier.js';
import { AccountAuthenticator, type Credential, type Identity } from '../../../src/kit.js';
import { TestClock } from '../../support/fakes/test-clock.js';

Logger.overrideLogger(false);
const ACCOUNT = newId('acc');

class Authenticator extends AccountAuthenticator {
  readonly asked: Credential[] = [];

  constructor(private readonly answer: (credential: Credential) => unknown) {
    super();
  }

  identify(credential: Credential): Promise<Identity | null> {
    this.asked.push(credential);
    return this.answer(credential) as Promise<Identity | null>;
  }
}

const identity = (changes: Partial<Record<keyof Identity, unknown>> = {}) => ({
  accountId: ACCOUNT,
  subject: 'alice',
  scopes: ['watchlist:read'],
  expiresAt: null,
  ...changes,
});

function authenticating(answers: readonly ((credential: Credential) => unknown)[], state: Partial<AccountState> = {}) {
  const authenticators = answers.map((answer) => new Authenticator(answer));
  const findState = (id: string) =>
    Promise.resolve(id === ACCOUNT ? { id, plan: 'free', isSuspended: false, ...state } : null);
  const clock = new TestClock();
  const subject = new IdentityAuthenticator(
    authenticators.map((authenticator, position) => ({ extension: `sso-${position}`, authenticator })),
    { findState } as unknown as AccountRepository,
    new ScopeCatalogue(['ledger:read']),
    new PlanCatalogue(readConfig({})),
    clock,
  );
  const authenticate = (header: string | undefined = 'Bearer abc.def', lockedOut: string | null = null) =>
    subject.authenticate(header, lockedOut);
  return { authenticate, authenticators, clock };
}
const answering = (answer: unknown) => authenticating([() => Promise.resolve(answer)]);

describe('a caller’s identity from an extension', () => {
  afterEach(() => void jest.useRealTimers());

  it('has the account, the known scopes and the name of the extension', async () => {
    const { authenticate } = answering(identity({ scopes: ['ledger:read', 'other:read', 'watchlist:read'] }));
    expect(await authenticate()).toMatchObject({
      account: { id: ACCOUNT, plan: { name: 'free' } },
      by: { kind: 'identity', subject: 'alice', name: null, authenticator: 'sso-0', expiresAt: null },
      scopes: ['ledger:read', 'watchlist:read'],
    });
  });

  it.each([
    ['Ann Lee', 'Ann Lee'],
    ['Ånn 李', 'Ånn 李'],
    ['', null],
    ['two\nlines', null],
    ['x'.repeat(201), null],
    [{ name: 'Ann' }, null],
    [null, null],
  ])('shows the name %j as %j', async (name, shown) => {
    expect(await answering(identity({ name })).authenticate()).toMatchObject({ by: { subject: 'alice', name: shown } });
  });

  it('comes from the first extension that accepts the credential; later ones are not asked', async () => {
    const other = jest.fn(() => Promise.resolve(identity()));
    const { authenticate } = authenticating([
      () => Promise.resolve(null),
      () => Promise.resolve(identity({ subject: 'bob' })),
      other,
    ]);
    expect(await authenticate()).toMatchObject({ by: { subject: 'bob', authenticator: 'sso-1' } });
    expect(other).not.toHaveBeenCalled();
  });

  it('may be asked for with another Authorization scheme than Bearer', async () => {
    const { authenticate, authenticators } = answering(identity());
    await authenticate('MAC id="h480djs93hd8", mac="6T3zZzy2Emppni6bzL7kdRxUWL4="');
    expect(authenticators[0]?.asked).toEqual([
      { scheme: 'mac', token: 'id="h480djs93hd8", mac="6T3zZzy2Emppni6bzL7kdRxUWL4="' },
    ]);
  });

  it.each([
    'Bearer nw_abc',
    'nw_abc',
    'Bearer Bearer nw_abc',
    'Bearer "nw_abc"',
    'bearer  nw_abc',
    'Bearer',
    'Bearer a b',
  ])('is not asked for if the Authorization header is like an API key or malformed: %s', async (header) => {
    const { authenticate, authenticators } = answering(identity());
    expect(await authenticate(header)).toBeNull();
    expect(authenticators[0]?.asked).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['an account that does not exist', identity({ accountId: newId('acc') })],
    ['an id of something else', identity({ accountId: "'; drop table accounts" })],
  ])('is refused as an invalid token if it names %s', async (_, answer) => {
    await expect(answering(answer).authenticate()).rejects.toMatchObject({ code: 'invalid_token' });
  });

  it('is refused if its account is suspended', async () => {
    const { authenticate } = authenticating([() => Promise.resolve(identity())], { isSuspended: true });
    await expect(authenticate()).rejects.toMatchObject({ code: 'invalid_token', message: /suspended/ });
  });

  it('is refused as soon as it expires, even if it is still cached', async () => {
    const expiresAt = new Date(new TestClock().now().getTime() + 500);
    const { authenticate, clock } = answering(identity({ expiresAt }));
    expect(await authenticate()).not.toBeNull();
    clock.advance(500);
    await expect(authenticate()).rejects.toMatchObject({ code: 'invalid_token' });
  });

  it.each<[string, (credential: Credential) => unknown]>([
    ['throws', () => Promise.reject(new Error('no JWKS'))],
    [
      'throws before it returns a promise',
      () => {
        throw new TypeError('undefined');
      },
    ],
    ['answers undefined', () => Promise.resolve(undefined)],
    ['answers without an account', () => Promise.resolve(identity({ accountId: undefined }))],
    ['answers without an expiry', () => Promise.resolve(identity({ expiresAt: undefined }))],
    ['answers an invalid expiry date', () => Promise.resolve(identity({ expiresAt: new Date(NaN) }))],
    ['answers a subject of two lines', () => Promise.resolve(identity({ subject: 'a\nb' }))],
    ['answers a subject that is not valid Unicode', () => Promise.resolve(identity({ subject: 'a\ud800' }))],
    ['answers the scopes as one string', () => Promise.resolve(identity({ scopes: 'admin' }))],
  ])(
    'fails with authentication_unavailable, and no other extension is asked, if the extension %s',
    async (_, answer) => {
      const other = jest.fn(() => Promise.resolve(identity()));
      await expect(authenticating([answer, other]).authenticate()).rejects.toMatchObject({
        code: 'authentication_unavailable',
      });
      expect(other).not.toHaveBeenCalled();
    },
  );

  it('keeps its credential out of logs, even if an extension’s error message repeats the credential', async () => {
    const lines: unknown[] = [];
    const error = jest.spyOn(Logger.prototype, 'error').mockImplementation((...line) => void lines.push(line));
    const failing = ({ token }: Credential) =>
      Promise.reject(
        Object.assign(new Error(`no ${token}`, { cause: new Error(`no ${encodeURIComponent(token)}`) }), { token }),
      );
    await expect(authenticating([failing]).authenticate('Bearer can/ary')).rejects.toMatchObject({
      code: 'authentication_unavailable',
    });
    error.mockRestore();
    expect(lines).toHaveLength(1);
    expect(inspect(lines, { depth: null })).toContain('no [redacted]');
    expect(inspect(lines, { depth: null })).not.toMatch(/can(\/|%2F)ary/);
  });

  it('fails with authentication_unavailable after five seconds without an answer', async () => {
    jest.useFakeTimers();
    const { authenticate } = authenticating([() => new Promise(() => undefined)]);
    const refused = expect(authenticate()).rejects.toMatchObject({ code: 'authentication_unavailable' });
    await jest.advanceTimersByTimeAsync(5_000);
    await refused;
  });

  it('is asked for once for concurrent requests, and again after less than a second', async () => {
    jest.useFakeTimers();
    jest.advanceTimersByTime(1_000); // the process has run for a while
    const { authenticate, authenticators } = answering(identity());
    await Promise.all([authenticate(), authenticate(), authenticate()]);
    expect(authenticators[0]?.asked).toHaveLength(1);
    jest.advanceTimersByTime(950);
    await authenticate();
    expect(authenticators[0]?.asked).toHaveLength(2);
  });

  it('is never the identity of another credential, even if both differ only in case', async () => {
    const { authenticate } = authenticating([({ token }) => Promise.resolve(identity({ subject: token }))]);
    const tokens = ['a', 'b', 'A', 'a.b'];
    const callers = await Promise.all([...tokens, ...tokens].map((token) => authenticate(`Bearer ${token}`)));
    expect(callers.map((caller) => caller?.by)).toMatchObject([...tokens, ...tokens].map((subject) => ({ subject })));
  });

  it('is looked up for at most ten requests of a locked-out address at a time', async () => {
    const { authenticate, authenticators } = authenticating([() => new Promise(() => undefined)]);
    jest.useFakeTimers();
    const waiting = Array.from({ length: 10 }, (_, n) =>
      authenticate(`Bearer guess-${n}`, '192.0.2.1').catch(() => null),
    );
    await expect(authenticate('Bearer guess-11', '192.0.2.1')).rejects.toMatchObject({ code: 'rate_limited' });
    await jest.advanceTimersByTimeAsync(5_000);
    await Promise.all(waiting);
    expect(authenticators[0]?.asked).toHaveLength(10);
  });
});
