import assert from 'node:assert/strict';
import { type AccountAuthenticator, type Credential, type Identity, InvalidToken } from '../auth/index.js';
import { withTimeout } from '../kernel/promises.js';
import { type ContractCase, toContractCases } from './contract-case.js';

export interface AuthenticatorContractOptions {
  readonly createAuthenticator: () => AccountAuthenticator | Promise<AccountAuthenticator>;
  /** Makes a credential that is valid now, for this account and subject. */
  readonly issue: (identity: { accountId: string; subject: string }) => Credential | Promise<Credential>;
  /** Invalid credentials for this authenticator: with a wrong signature, for another audience, or expired. */
  readonly invalid: readonly (Credential | Promise<Credential>)[];
  /** Breaks a dependency of the authenticator, such as a key set. Leave this out if the authenticator has none. */
  readonly breakDependency?: () => Promise<void> | void;
}

const ALICE = { accountId: 'acc_01jd6z0v8q3m4n5p6r7s8t9vwx', subject: 'alice' };
const BOB = { accountId: 'acc_01jd6z0v8q3m4n5p6r7s8t9vwy', subject: 'bob' };
const FOREIGN: readonly Credential[] = [
  { scheme: 'bearer', token: 'an-opaque-text-of-another-system' },
  { scheme: 'x-unknown', token: 'a="b", c="d"' },
  { scheme: 'basic', token: 'Og==' },
];
const TIMEOUT_MS = 5_000;

/** Returns test cases with the rules for every authenticator. Each case creates its own authenticator. */
export function authenticatorContract(options: AuthenticatorContractOptions): ContractCase[] {
  return toContractCases(options.createAuthenticator, {
    'recognizes a valid credential': (authenticator) => recognizes(authenticator, options),
    'distinguishes two callers, also when they ask at the same time': (authenticator) =>
      distinguishes(authenticator, options),
    'leaves credentials of others to the next authenticator': leavesOthers,
    'throws InvalidToken for its own credentials that are not valid': (authenticator) =>
      refuses(authenticator, options),
    'does not say that a credential is invalid while it cannot know': (authenticator) =>
      keepsQuiet(authenticator, options),
  });
}

async function recognizes(authenticator: AccountAuthenticator, { issue }: AuthenticatorContractOptions): Promise<void> {
  const identity = await identify(authenticator, await issue(ALICE));
  assert.ok(identity, 'null means that the credential is not its own');
  assertUsable(identity);
  assert.deepEqual({ accountId: identity.accountId, subject: identity.subject }, ALICE);
}

async function distinguishes(
  authenticator: AccountAuthenticator,
  { issue }: AuthenticatorContractOptions,
): Promise<void> {
  const [alice, bob] = [await issue(ALICE), await issue(BOB)];
  const identities = await Promise.all([alice, bob, alice, bob].map((one) => identify(authenticator, one)));
  assert.deepEqual(
    identities.map((identity) => identity?.accountId),
    [ALICE, BOB, ALICE, BOB].map(({ accountId }) => accountId),
  );
}

async function leavesOthers(authenticator: AccountAuthenticator): Promise<void> {
  for (const credential of FOREIGN)
    assert.equal(await identify(authenticator, credential), null, `${credential.scheme} ${credential.token}`);
}

async function refuses(authenticator: AccountAuthenticator, { invalid }: AuthenticatorContractOptions): Promise<void> {
  assert.ok(invalid.length > 0, 'name at least one credential that is not valid');
  for (const [position, credential] of (await Promise.all(invalid.map((one) => Promise.resolve(one)))).entries())
    await assert.rejects(
      () => identify(authenticator, credential),
      (error) => error instanceof InvalidToken,
      `the invalid credential ${position} is not refused with InvalidToken`,
    );
}

async function keepsQuiet(
  authenticator: AccountAuthenticator,
  { issue, breakDependency }: AuthenticatorContractOptions,
): Promise<void> {
  if (!breakDependency) return;
  const credential = await issue(ALICE);
  await breakDependency();
  const outcome = await identify(authenticator, credential).catch((error: unknown) => error);
  assert.ok(outcome !== null, 'null sends its own credential on to the next authenticator');
  assert.ok(!(outcome instanceof InvalidToken), 'InvalidToken makes a caller with a valid credential get another one');
}

function assertUsable({ subject, scopes, expiresAt }: Identity): void {
  assert.ok(
    typeof subject === 'string' && subject.length > 0 && subject.length <= 200,
    'subject has 1 to 200 characters',
  );
  assert.ok(Array.isArray(scopes), 'scopes is a list');
  assert.ok(
    expiresAt === null || (expiresAt instanceof Date && expiresAt > new Date()),
    'expiresAt lies ahead, or is null',
  );
}

function identify(authenticator: AccountAuthenticator, credential: Credential): Promise<Identity | null> {
  return withTimeout(TIMEOUT_MS, authenticator.identify(Object.freeze({ ...credential })));
}
