import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { chromiumForTests } from '../support/chromium.mjs';
import { faint } from '../support/contrast.mjs';
import { startTestService, type TestService } from '../support/service.js';

jest.setTimeout(120_000); // a browser that draws without a graphics card, on a busy machine

/** `SCREENSHOTS=<folder>` keeps what the browser showed. */
const FOLDER = process.env['SCREENSHOTS'];

let service: TestService;
let browser: Browser;
let page: Page;
const elsewhere: string[] = [];
const complaints: string[] = [];
beforeAll(async () => {
  service = await startTestService({ ROLE: 'api' });
  await service.app.listen(0, '127.0.0.1');
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : []; // as root it would not start
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-gpu'];
  browser = await chromium.launch({ executablePath: chromiumForTests() ?? '', args: [...sandbox, ...quiet] });
  page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.route('**/*', (route) => {
    const { protocol, hostname } = new URL(route.request().url());
    if (hostname === '127.0.0.1' || ['data:', 'blob:'].includes(protocol)) return route.continue();
    elsewhere.push(route.request().url());
    return route.abort();
  });
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.setDefaultTimeout(20_000);
  await page.goto(`${await service.app.getUrl()}/docs/`);
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

async function show(name: string, target: Page | Locator = page): Promise<void> {
  if (FOLDER === undefined) return;
  mkdirSync(FOLDER, { recursive: true });
  await target.screenshot({ path: join(FOLDER, `${name}.png`) });
}

/** Opens an operation, as its id, and sends what stands there; or what is filled in first. */
async function execute(operationId: string, fill: (block: Locator) => Promise<void> = () => Promise.resolve()) {
  const block = page.locator(`.opblock[id$="-${operationId}"]`);
  await block.locator('.opblock-summary-control').click();
  await block.locator('button.execute').waitFor();
  await fill(block);
  await block.locator('button.execute').click();
  const answer = block.locator('.live-responses-table .response').first();
  const status = Number(await answer.locator('.response-col_status').innerText());
  const body = answer.locator('.highlight-code code').first();
  const text = (await body.count()) > 0 ? await body.innerText() : '';
  await show(operationId, block);
  await block.locator('.opblock-summary-control').click();
  return { status, text };
}

describe('the page at /docs, in a browser without the internet', () => {
  it('takes the first key', async () => {
    await page.locator('button.authorize').first().click();
    const dialog = page.locator('.dialog-ux');
    await dialog.locator('input').first().fill(service.account.key);
    await dialog.locator('button.authorize').click();
    await dialog.locator('button', { hasText: 'Logout' }).waitFor();
    await show('authorised');
    await dialog.locator('button.btn-done').click();
  });

  it('makes the six calls as they stand', async () => {
    expect(await execute('checkDomain')).toMatchObject({
      status: 200,
      text: expect.stringContaining('"available": true'),
    });
    const added = await execute('addToWatchlist');
    expect(added.status).toBe(201);
    const id = /wl_[0-9a-z]{26}/.exec(added.text)?.[0] ?? '';
    expect(await execute('listWatchlist')).toMatchObject({ status: 200, text: expect.stringContaining(id) });
    expect((await execute('addNotificationChannel')).status).toBe(201);
    const channels = await execute('listNotificationChannels');
    expect(channels).toMatchObject({ status: 200, text: expect.stringContaining('hooks.example.test') });
    const removed = await execute('removeFromWatchlist', (block) => block.locator('input[placeholder="id"]').fill(id));
    expect(removed.status).toBe(204);
  });

  it.each(['light', 'dark'] as const)('is legible in the %s', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await page.locator('.opblock[id$="-checkDomain"] .opblock-summary-control').click();
    await show(colorScheme);
    const isDark = await page.evaluate("document.documentElement.classList.contains('dark-mode')");
    expect(isDark).toBe(colorScheme === 'dark');
    const unreadable = await page.evaluate(faint, 4.5);
    await page.locator('.opblock[id$="-checkDomain"] .opblock-summary-control').click();
    expect(unreadable).toEqual([]);
  });

  it('has asked nobody else, and has nothing to complain of', () => {
    expect({ elsewhere, complaints }).toEqual({ elsewhere: [], complaints: [] });
  });
});
