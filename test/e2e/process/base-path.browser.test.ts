import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from '../../../tools/browser.js';
import { build, isStale } from '../../../bin/build.mjs';
import { isSignedOut, openScreen, openTab, signIn, noMisdeeds } from '../../support/browser/dashboard-page.js';
import { launchBrowser } from '../../support/browser/launch.js';
import { accessibilityProblems } from '../../support/browser/page-checks.js';
import { running } from '../../support/running.js';
import { HttpProxy } from '../../world/http-proxy.js';
import { startTestService } from '../../support/servers/test-service.js';

jest.setTimeout(180_000); // a browser that draws without a graphics card, on a busy machine

/** `SCREENSHOTS=<folder>` keeps what the browser showed of /docs. */
const FOLDER = process.env['SCREENSHOTS'];

const misdeeds = noMisdeeds();
let serviceUrl: string | null = null;
const proxy = running(() => HttpProxy.start(() => serviceUrl, '/namewatch'));
const service = running(async () => {
  if (isStale()) await build();
  const started = await startTestService({ UI: 'on', PUBLIC_URL: `${proxy.url}/` });
  await started.app.listen(0, '127.0.0.1');
  serviceUrl = await started.app.getUrl();
  return started;
});
const browser = running(() => launchBrowser());
let page: Page;
beforeAll(async () => {
  page = await openTab(browser, misdeeds);
});

describe('the service behind a proxy that strips a path prefix', () => {
  it('redirects to its dashboard, where a user signs in, adds a name and sees its status', async () => {
    await page.goto(`${proxy.url}/`);
    expect(page.url()).toBe(`${proxy.url}/ui/`);
    await signIn(page, proxy.url, service.account.key);
    await page.getByRole('button', { name: 'Watch expiring.test' }).click();
    await page.getByRole('row').filter({ hasText: 'expiring.test' }).getByText('Expiring', { exact: true }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
  });

  it('shows each dashboard screen at its URL, and the screen of a name after a click', async () => {
    await page.getByRole('link', { name: 'expiring.test' }).first().click();
    await page.waitForURL(`${proxy.url}/ui/names/expiring.test`);
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'expiring.test' }).waitFor();
    for (const screen of ['agenda', 'notifications', 'registries', 'audit', 'account']) {
      await openScreen(page, proxy.url, screen);
      expect(new URL(page.url()).pathname).toBe(`/namewatch/ui/${screen}`);
    }
  });

  it('keeps a user signed in with a cookie that is limited to the path prefix', async () => {
    const tab = await openTab(browser, misdeeds);
    await tab.goto(`${proxy.url}/ui/account`);
    await tab.getByLabel('API key').fill(service.account.key);
    await tab.getByLabel('Stay signed in').check();
    await tab.getByRole('button', { name: 'Sign in' }).click();
    await tab.getByRole('heading', { name: 'Where you are signed in' }).waitFor();
    expect(await tab.context().cookies()).toMatchObject([
      { name: 'namewatch', path: '/namewatch/', httpOnly: true, sameSite: 'Lax' },
    ]);
    const bookmark = await tab.context().newPage();
    await openScreen(bookmark, proxy.url, 'agenda');
    expect(await isSignedOut(bookmark)).toBe(false);
    await tab.getByRole('button', { name: 'Sign out this browser' }).click();
    await tab.getByLabel('API key').waitFor();
    expect(await tab.context().cookies()).toEqual([]);
    await tab.context().close();
  });

  it('puts the path prefix into the link from an API error to its help page', async () => {
    const answer = await fetch(`${proxy.url}/v1/me`);
    const { type, instance } = (await answer.json()) as Record<string, string>;
    expect({ type, instance }).toEqual({
      type: '/namewatch/problems/authentication_required',
      instance: '/namewatch/v1/me',
    });
    await page.goto(new URL(type ?? '', proxy.url).href);
    await page.getByText('Authentication is required').waitFor();
  });
});

let docs: Page;

async function show(name: string, target: Page | Locator = docs): Promise<void> {
  if (FOLDER === undefined) return;
  mkdirSync(FOLDER, { recursive: true });
  await target.screenshot({ path: join(FOLDER, `${name}.png`) });
}

/** Opens an operation and sends what stands there. */
async function execute(operationId: string) {
  const block = docs.locator(`.opblock[id$="-${operationId}"]`);
  await block.locator('.opblock-summary-control').click();
  await block.locator('button.execute').waitFor();
  await block.locator('button.execute').click();
  const answer = block.locator('.live-responses-table .response').first();
  const status = Number(await answer.locator('.response-col_status').innerText());
  expect(await block.locator('.request-url').innerText()).toContain(`${proxy.url}/v1/`);
  const body = answer.locator('.highlight-code code').first();
  const text = (await body.count()) > 0 ? await body.innerText() : '';
  await show(operationId, block);
  await block.locator('.opblock-summary-control').click();
  return { status, text };
}

describe('the page at /docs, in a browser without internet access', () => {
  beforeAll(async () => {
    docs = await openTab(browser, misdeeds, { viewport: { width: 1280, height: 900 } });
    await docs.goto(`${proxy.url}/docs/`);
  });

  it('accepts an API key in its authorize dialog', async () => {
    await docs.locator('button.authorize').first().click();
    const dialog = docs.locator('.dialog-ux');
    await dialog
      .locator('input')
      .first()
      .fill((await service.openAccount()).key);
    await dialog.locator('button.authorize').click();
    await dialog.locator('button', { hasText: 'Logout' }).waitFor();
    await show('authorised');
    await dialog.locator('button.btn-done').click();
  });

  // openapi.test.ts shows that every operation succeeds as it stands.
  it('sends the prefilled example body of an operation successfully, without any edit', async () => {
    const { status, text } = await execute('addToWatchlist');
    expect(status).toBe(201);
    expect(JSON.parse(text)).toMatchObject({ id: expect.stringMatching(/^wl_/) });
  });

  it('sends an operation successfully with all its parameters left empty', async () => {
    const { status, text } = await execute('listWatchlist');
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ meta: { total: 1 } });
  });

  it('shows an open operation with its error answers in less than 3,000 pixels of height', async () => {
    const block = docs.locator('.opblock[id$="-addToWatchlist"]');
    await block.locator('.opblock-summary-control').click();
    await block.locator('button.execute').waitFor();
    const { height = Infinity } = (await block.boundingBox()) ?? {};
    await show('refusals', block);
    await block.locator('.opblock-summary-control').click();
    expect(height).toBeLessThan(3_000);
  });

  it.each(['light', 'dark'] as const)('has enough colour contrast in this colour scheme: %s', async (colorScheme) => {
    await docs.emulateMedia({ colorScheme });
    await docs.locator('.opblock[id$="-checkDomain"] .opblock-summary-control').click();
    await show(colorScheme);
    const isDark = await docs.evaluate("document.documentElement.classList.contains('dark-mode')");
    expect(isDark).toBe(colorScheme === 'dark');
    const unreadable = await accessibilityProblems(docs, { rules: ['color-contrast'] });
    await docs.locator('.opblock[id$="-checkDomain"] .opblock-summary-control').click();
    expect(unreadable).toEqual([]);
  });

  it('opens without a final slash too, and is dark in a dark-mode browser', async () => {
    const other = await openTab(browser, misdeeds, { colorScheme: 'dark' });
    await other.goto(`${proxy.url}/docs`);
    await other.locator('.opblock[id$="-checkDomain"]').waitFor();
    expect(await other.evaluate("document.documentElement.classList.contains('dark-mode')")).toBe(true);
    await other.context().close();
  });
});

describe('all pages that these tests opened', () => {
  it('requested nothing outside the path prefix or from other hosts, and caused no browser error', () => {
    expect(proxy.outside).toEqual([]);
    expect(misdeeds).toEqual(noMisdeeds());
  });
});
