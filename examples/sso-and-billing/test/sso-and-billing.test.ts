import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { InvalidToken, type PlansByName } from 'namewatch';
import { authenticatorContract, planSourceContract, readTestSettings } from 'namewatch/testing';
import { JwtAuthenticator } from '../src/jwt-authenticator.js';
import { PlansFile } from '../src/plans-file.js';
import { SsoSettings } from '../src/settings.js';
import { Issuer } from './issuer.js';

const ACCOUNT = 'acc_01jd6z0v8q3m4n5p6r7s8t9vwx';
const folder = mkdtempSync(join(tmpdir(), 'sso-and-billing-'));
const plansFile = join(folder, 'plans.json');
const issuer = await Issuer.start();
const settings = readTestSettings(SsoSettings, { ...issuer.settings, SSO_AND_BILLING_PLANS_FILE: plansFile });
const bearer = (token: string) => ({ scheme: 'bearer', token });
const sign = async (claims: object) => bearer(await issuer.sign({ account: ACCOUNT, ...claims }));

after(async () => {
  await issuer.stop();
  rmSync(folder, { recursive: true });
});

void test('tokens', async (context) => {
  const contract = authenticatorContract({
    createAuthenticator: () => {
      issuer.isAway = false;
      return new JwtAuthenticator(settings);
    },
    issue: ({ accountId, subject }) => sign({ account: accountId, sub: subject }),
    invalid: [
      sign({ exp: 1 }),
      sign({ aud: 'another-service' }),
      sign({ account: undefined }),
      issuer.forge({ account: ACCOUNT }).then(bearer),
      bearer(issuer.unsigned({ account: ACCOUNT })),
    ],
    breakDependency: () => void (issuer.isAway = true),
  });
  for (const { name, run } of contract) await context.test(name, run);

  await context.test('of another issuer are not ours', async () => {
    const token = await sign({ iss: 'https://other.example.test' });
    assert.equal(await new JwtAuthenticator(settings).identify(token), null);
  });

  await context.test('have the scopes of their role, and none without one; never admin', async () => {
    issuer.isAway = false;
    const authenticator = new JwtAuthenticator(settings);
    const scopesOf = async (role?: string) => (await authenticator.identify(await sign({ role })))?.scopes;
    assert.ok((await scopesOf('editor'))?.includes('watchlist:write'));
    assert.ok(!(await scopesOf('viewer'))?.includes('watchlist:write'));
    assert.deepEqual(await scopesOf('admin'), []);
    assert.deepEqual(await scopesOf(), []);
  });

  await context.test('of a rotated key are valid, and those of the key before are not', async () => {
    issuer.isAway = false;
    const old = await sign({});
    await issuer.rotate();
    const authenticator = new JwtAuthenticator(settings);
    assert.equal((await authenticator.identify(await sign({})))?.subject, 'alice');
    await assert.rejects(() => authenticator.identify(old), InvalidToken);
  });
});

void test('plans', async (context) => {
  const example = join(process.cwd(), 'plans.example.json'); // npm runs tests in the package's folder
  const contract = planSourceContract({
    createSource: () => {
      copyFileSync(example, plansFile);
      return new PlansFile(settings);
    },
    defaultPlan: 'selfhost',
    changePlans: () => {
      const { selfhost } = JSON.parse(readFileSync(plansFile, 'utf8')) as PlansByName;
      writeFileSync(plansFile, JSON.stringify({ selfhost: { ...selfhost, entries: 200 } }));
    },
    breakOrigin: () => rmSync(plansFile),
  });
  for (const { name, run } of contract) await context.test(name, run);
});
