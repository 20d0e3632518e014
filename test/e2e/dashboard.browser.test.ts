import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { build, isStale } from '../../bin/build.mjs';
import {
  accessibilityProblems,
  horizontalOverflow,
  type Misdeeds,
  openScreen,
  openTab,
  signIn,
} from '../support/browser/dashboard-page.js';
import { poisonAnswers } from '../support/browser/hostile-answers.js';
import { eventually } from '../support/eventually.js';
import { launchBrowser } from '../support/browser/launch.js';
import { startTestService, type TestService } from '../support/servers/test-service.js';

jest.setTimeout(60_000); // a browser that draws without a graphics card, on a busy machine

const ASSETS = join(import.meta.dirname, '../../dist/ui/assets');
const MASTER_KEY = randomBytes(32).toString('base64');

let service: TestService;
let address: string;
let browser: Browser;
let page: Page;
/** Of the account that the tests share. A service that starts again opens another one too. */
let key: string;
const misdeeds: Misdeeds = { elsewhere: [], complaints: [] };

async function startService(settings: Readonly<Record<string, string>> = {}, port = 0): Promise<void> {
  service = await startTestService({ ROLE: 'all', UI: 'on', MASTER_KEY, ...settings });
  await service.app.listen(port, '127.0.0.1');
  address = await service.app.getUrl();
}

beforeAll(async () => {
  if (isStale()) await build();
  [browser] = await Promise.all([launchBrowser(), startService()]);
  key = service.account.key;
  page = await openTab(browser, misdeeds, { viewport: { width: 1_280, height: 900 } });
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

/** The answer's body. */
const send = async (path: string, body: object) => (await service.call({ method: 'POST', path, body, key })).body;
const issueKey = async (...scopes: string[]) =>
  (await send('/v1/keys', { name: `for ${scopes.join()}`, scopes })) as { id: string; key: string };
const row = (domain: string, of = page) => of.getByRole('row').filter({ hasText: domain });

describe('the dashboard', () => {
  it('leads from the first visit to the first watched name', async () => {
    await page.goto(`${address}/`);
    expect(page.url()).toBe(`${address}/ui/`);
    await signIn(page, address, key);
    await page.getByRole('button', { name: 'Watch expiring.test' }).click();
    await row('expiring.test').getByText('Expiring', { exact: true }).waitFor();
  });

  it('shows a name changing, without being asked to', async () => {
    await send('/v1/watchlist', { domain: 'lifecycle-12s.test', interval_minutes: 5 });
    await openScreen(page, address, '');
    const badge = row('lifecycle-12s.test').locator('.badge').first();
    const before = await badge.innerText();
    await eventually(
      () => badge.innerText(),
      (text) => text !== before,
    );
  });

  it('says which lines of an import are refused and why, and what is wrong with a file', async () => {
    await openScreen(page, address, '');
    const importFile = async (name: string, text: string) => {
      await page.getByRole('button', { name: 'Import a file' }).click();
      const file = { name, mimeType: 'text/csv', buffer: Buffer.from(text) };
      await page.getByRole('dialog').locator('input[type=file]').setInputFiles(file);
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Import/ })
        .click();
    };
    await importFile('names.csv', 'domain,note\nregistered.test,ok\nnot a name,<b>x</b>\n');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('not a name').waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await importFile('names.csv', 'url\nregistered.test\n');
    expect(await dialog.getByRole('alert').innerText()).toMatch(/domain/);
    await page.keyboard.press('Escape');
  });

  it('says that the service is away when it restarts, and goes on', async () => {
    const { databaseUrl } = service;
    const port = Number(new URL(address).port);
    await openScreen(page, address, '');
    await page.getByText('Live', { exact: true }).waitFor();
    await service.close();
    await page.getByText('Connection to the service lost').waitFor();
    await startService({ DATABASE_URL: databaseUrl }, port);
    await page.getByText('Connected again').waitFor();
    await page.getByRole('link', { name: 'Agenda' }).click();
    await page.getByRole('link', { name: 'expiring.test' }).waitFor();
  });

  it('asks each tab for its key, and signs out only that whose key is revoked', async () => {
    const second = await issueKey('watchlist:read');
    const other = await page.context().newPage();
    await signIn(other, address, second.key);
    await openScreen(other, address, 'account');
    await service.call({ method: 'DELETE', path: `/v1/keys/${second.id}`, key });
    const signInField = other.getByLabel('API key');
    const next = async () => {
      await other.reload();
      await signInField
        .or(other.getByRole('navigation', { name: 'Main' }))
        .first()
        .waitFor();
      return signInField.isVisible();
    };
    await eventually(next, Boolean); // processes believe a key for a second
    expect(await other.getByRole('alert').innerText()).toContain('The API key is not valid');
    await openScreen(page, address, 'account');
    expect(await page.getByRole('row').filter({ hasText: 'for watchlist:read' }).count()).toBe(0);
    await other.close();
  });
});

/** Every screen that a signed-in person reaches, by its path below /ui, with a text that its data puts there. */
const screens = () => [
  ...[
    ['', 'expiring.test'] as const,
    ['names/expiring.test', 'expiring.test'] as const,
    ['agenda', 'expiring.test'] as const,
  ],
  ...[['notifications', 'Slack'] as const, [`notifications/${channelId}`, 'Deliveries'] as const],
  ...[
    ['registries', 'sandbox'] as const,
    ['account', 'Issue a key'] as const,
    ['nowhere', 'nothing at this address'] as const,
  ],
];
let channelId: string;

describe('every screen of the dashboard', () => {
  beforeAll(async () => {
    const target = 'https://hooks.slack.com/services/T00000000/B00000000/abcdefghijklmnopqrstuvwx';
    const channel = await send('/v1/notifications', { type: 'webhook', format: 'slack', target });
    channelId = String(channel['id']);
    await send(`/v1/notifications/${channelId}/test`, {});
  });

  it('can be used with a keyboard and a screen reader, in light and in dark', async () => {
    const problems: Record<string, string[]> = {};
    for (const [path, text] of screens()) {
      await openScreen(page, address, path);
      await page.getByText(text).first().waitFor();
      await page.emulateMedia({ colorScheme: 'light' });
      const light = await accessibilityProblems(page);
      await page.emulateMedia({ colorScheme: 'dark' });
      const dark = await accessibilityProblems(page, ['color-contrast']); // what a colour scheme changes
      problems[path] = [...light, ...dark];
    }
    await page.emulateMedia({ colorScheme: 'light' });
    expect(problems).toEqual(Object.fromEntries(screens().map(([path]) => [path, []])));
  });

  it.each([360, 1_280])('shows hostile text as text, in a window of %i pixels', async (width) => {
    const tab = await openTab(browser, misdeeds, { viewport: { width, height: 800 } });
    await signIn(tab, address, key);
    await poisonAnswers(tab);
    const found: Record<string, unknown> = {};
    for (const [path] of screens()) {
      await openScreen(tab, address, path);
      const hasRun = await tab.evaluate("'hasRun' in window || document.querySelector('img[src=x]') !== null");
      found[path] = { hasRun, overflow: await horizontalOverflow(tab) };
    }
    expect(found).toEqual(Object.fromEntries(screens().map(([path]) => [path, { hasRun: false, overflow: 0 }])));
    await tab.context().close();
  });

  it('names the scope that a key lacks', async () => {
    const tab = await openTab(browser, misdeeds);
    await signIn(tab, address, (await issueKey('notifications:read')).key);
    const missing: Record<string, string> = {
      '': 'watchlist:read',
      agenda: 'watchlist:read',
      registries: 'domains:read',
    };
    for (const [path, scope] of Object.entries(missing)) {
      await openScreen(tab, address, path);
      await tab.getByText(`It lacks the scope ${scope}`).waitFor();
    }
    await openScreen(tab, address, `notifications/${channelId}`);
    await tab.getByText('a key needs the scope notifications:write').waitFor();
    await tab.context().close();
  });

  it('has asked no other host and broken no rule of its content security policy', () => {
    expect(misdeeds).toEqual({ elsewhere: [], complaints: [] });
  });

  it('comes in a bundle of at most 120 kB', () => {
    const sizes = readdirSync(ASSETS).map((name) => gzipSync(readFileSync(join(ASSETS, name))).length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(120_000);
  });
});
