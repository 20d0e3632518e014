import { authenticatorContract, readTestSettings } from 'namewatch/testing';
import { describe, it } from 'node:test';
import { issueSession, type Session, SessionAuthenticator } from '../src/session-authenticator.js';
import { Settings } from '../src/settings.js';

const SECRET = 'the-secret-of-the-tests-0123456789';
const SESSION = { account: 'acc_01jd6z0v8q3m4n5p6r7s8t9vwx', subject: 'alice', ends: Date.now() + 3_600_000 };
const settings = readTestSettings(Settings, { MY_EXTENSION_SECRET: SECRET });
const issue = (changes: Partial<Session>, secret = SECRET) => {
  return { scheme: 'session', token: issueSession({ ...SESSION, ...changes }, secret) };
};

describe('the authenticator', () => {
  const contract = authenticatorContract({
    createAuthenticator: () => new SessionAuthenticator(settings),
    issue: ({ accountId: account, subject }) => issue({ account, subject }),
    invalid: [issue({ ends: 1 }), issue({}, 'another-secret-0123456789-0123456789'), { scheme: 'session', token: 'x' }],
  });
  for (const { name, run } of contract) it(name, run);
});
