import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '../../../tools/browser.js';
import { build, isStale } from '../../../bin/build.mjs';
import { eventually } from '../../support/eventually.js';
import { launchBrowser } from '../../support/browser/launch.js';
import { isSignedOut, openScreen, openTab, signIn, noMisdeeds } from '../../support/browser/dashboard-page.js';
import { accessibilityProblems, horizontalOverflow } from '../../support/browser/page-checks.js';
import { running } from '../../support/running.js';
import { OidcServer } from '../../support/servers/oidc-server.js';
import { HttpProxy } from '../../world/http-proxy.js';
import { startTestService } from '../../support/servers/test-service.js';

jest.setTimeout(180_000); // a browser that draws without a graphics card, on a busy machine

/** `SCREENSHOTS=<folder>` keeps what the browser showed. */
const FOLDER = process.env['SCREENSHOTS'];

let serviceUrl: string | null = null;
const proxy = running(() => HttpProxy.start(() => serviceUrl, '/namewatch'));
const provider = running(() => OidcServer.start({ publicUrl: proxy.url }));
const service = running(async () => {
  if (isStale()) await build();
  const started = await startTestService({ UI: 'on', PUBLIC_URL: `${proxy.url}/`, ...provider.settings });
  await started.app.listen(0, '127.0.0.1');
  serviceUrl = await started.app.getUrl();
  return started;
});
const browser = running(() => launchBrowser());

let page: Page;
beforeAll(async () => {
  page = await openTab(browser, noMisdeeds());
  await page.context().route(/googleapis/, (route) => route.abort()); // fonts of the provider's pages
});

const providerButton = () => page.getByRole('link', { name: `Sign in with ${new URL(provider.issuer).host}` });

/** Fills in the forms of the provider. */
async function signInThere(login: string): Promise<void> {
  await page.waitForURL(`${provider.issuer}/interaction/*`);
  await page.locator('input[name=login]').fill(login);
  await page.locator('input[name=password]').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

/** The link of an invitation. */
async function linkOf(email: string, role = 'admin'): Promise<string> {
  const { body } = await service.call({ method: 'POST', path: '/v1/invitations', body: { email, role } });
  const [, fragment = ''] = String(body['link']).split('#');
  return `${proxy.url}/ui/#${fragment}`;
}

async function expectToBeAccessible(name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await accessibilityProblems(page)).toEqual([]);
    if (FOLDER === undefined) continue;
    mkdirSync(FOLDER, { recursive: true });
    await page.screenshot({ path: join(FOLDER, `${name}-${colorScheme}.png`) });
  }
}

describe('a person without an account', () => {
  it('returns from the provider’s sign-in, and is told that they belong to no account', async () => {
    await page.goto(`${proxy.url}/ui/agenda?tag=client`);
    await expectToBeAccessible('sign-in');
    await providerButton().click();
    await signInThere('dave');
    await page.waitForURL(`${proxy.url}/ui/agenda?tag=client`);
    await page.getByText('You are signed in as dave@example.test, but no account here has you as a member.').waitFor();
    await expectToBeAccessible('no-account');
  });

  it('can sign out at the provider, to sign in as somebody else', async () => {
    await page.getByRole('link', { name: 'Sign out there' }).click();
    await page.getByRole('button', { name: 'Yes, sign me out' }).click();
    await page.waitForURL(`${proxy.url}/ui/`);
    await providerButton().waitFor();
  });
});

describe('a member who signs in at a provider', () => {
  it('can watch a name, and is signed in in a new tab too', async () => {
    await page.goto(await linkOf('dave@example.test', 'editor'));
    await providerButton().click();
    await signInThere('dave');
    await page.waitForURL(`${proxy.url}/ui/${service.account.id}/`);
    await page.getByRole('button', { name: 'Watch expiring.test' }).click();
    await page.getByRole('row').filter({ hasText: 'expiring.test' }).getByText('Expiring', { exact: true }).waitFor();
    expect(await page.evaluate('sessionStorage.length + localStorage.length + document.cookie.length')).toBe(0);
    const bookmark = await page.context().newPage();
    await openScreen(bookmark, proxy.url, 'account');
    await bookmark.getByText('dave example').first().waitFor();
    await bookmark.close();
  });

  it('signs out of Namewatch and of the provider, which then asks for a login', async () => {
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Yes, sign me out' }).click();
    await page.waitForURL(`${proxy.url}/ui/`);
    await providerButton().click();
    await page.locator('input[name=login]').waitFor();
    const { rows } = await service.query('select 1 from sessions');
    expect(rows).toEqual([]);
    await page.goto(`${proxy.url}/ui/`);
    expect(await isSignedOut(page)).toBe(true);
  });
});

describe('an invited person', () => {
  const switchTo = (name: string) => page.locator('.account-switcher').getByRole('link', { name });
  let client: Page;

  it('becomes a member of the inviting account by signing in at the provider', async () => {
    await page.goto(await linkOf('erin@example.test'));
    await page.getByText('You are invited.').waitFor();
    await expectToBeAccessible('invited');
    await providerButton().click();
    await signInThere('erin');
    await page.waitForURL(`${proxy.url}/ui/${service.account.id}/`);
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByRole('row').filter({ hasText: 'erin@example.test' }).getByText('You').waitFor();
  });

  it('is told that an invitation for another mail address does not work', async () => {
    const link = await linkOf('frank@example.test');
    await page.goto(link);
    await providerButton().click();
    await page.getByText('This invitation does not work').waitFor();
    await expectToBeAccessible('not-for-you');
    await page.getByRole('link', { name: 'Go to the dashboard without it' }).click();
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByRole('row').filter({ hasText: 'frank@example.test' }).getByText('not by mail').waitFor();
    await expectToBeAccessible('invitations');
    await page.getByRole('button', { name: 'Revoke the invitation of frank@example.test' }).click();
    await page.getByText('Nobody is invited at the moment.').waitFor();
  });

  it('can open an account for a client, and switch to it in another tab', async () => {
    await page.getByRole('button', { name: 'Open an account' }).click();
    await page.getByLabel('Name').fill('Client Ltd');
    await page.getByLabel('Administrator').fill('grace@example.test');
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByText('First key of Client Ltd').waitFor();
    await page.getByRole('button', { name: 'Done, I’ve saved it' }).click();
    expect(await page.locator('.shown-once code').innerText()).toContain(`${proxy.url}/ui/#invitation=inv_`);
    await page.getByRole('button', { name: 'Done, I’ve saved it' }).click();
    await expectToBeAccessible('members');
    await page.reload();
    await page.locator('.account-switcher summary').click();
    await expectToBeAccessible('switcher');
    client = await page.context().newPage();
    const path = (await switchTo('Client Ltd').getAttribute('href')) ?? '';
    await client.goto(new URL(path, proxy.url).href);
    await client.getByRole('button', { name: 'Watch available.test' }).click();
    await client.getByRole('row').filter({ hasText: 'available.test' }).waitFor();
    await page.getByRole('link', { name: 'Watchlist' }).click();
    await page.getByRole('row').filter({ hasText: 'expiring.test' }).waitFor();
    expect(await page.getByText('available.test').count()).toBe(0);
  });

  it('is redirected to the same page with the account id in its address', async () => {
    await page.goto(`${proxy.url}/ui/members`);
    await page.waitForURL(`${proxy.url}/ui/${service.account.id}/members`);
  });

  it('sees a members page that fits a narrow window', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    await page.locator('.account-switcher summary').click();
    expect(await horizontalOverflow(page)).toBe(0);
    await expectToBeAccessible('members-narrow');
    await page.setViewportSize({ width: 1_280, height: 900 });
  });

  it('is led to another account after losing the membership of the one in view', async () => {
    await service.query('delete from members where account_id <> $1', [service.account.id]);
    await client.getByRole('link', { name: 'Go to an account of yours' }).click();
    await client.waitForURL(`${proxy.url}/ui/`);
    await client.getByRole('row').filter({ hasText: 'expiring.test' }).waitFor();
    await page.context().clearCookies();
    await client.close();
  });
});

describe('a provider that does not answer', () => {
  it('is reported on the sign-in page, where an API key still opens the dashboard', async () => {
    await provider.stop();
    await page.setViewportSize({ width: 360, height: 740 });
    const away = page.getByText(`${new URL(provider.issuer).host} does not answer. You can sign in with a key.`);
    await eventually(
      async () => {
        await page.goto(`${proxy.url}/ui/`);
        await providerButton().or(away).waitFor();
        return away.isVisible();
      },
      (isAway) => isAway,
    );
    await expectToBeAccessible('provider-away');
    await page.getByRole('button', { name: 'Try again' }).click();
    await signIn(page, proxy.url, service.account.key);
  });
});
