import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Locator, Page } from '../../../tools/browser.js';
import { launchBrowser } from '../../support/browser/launch.js';
import { faint } from '../../support/documents/contrast.mjs';
import { startTestService, type TestService } from '../../support/servers/test-service.js';

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
  browser = await launchBrowser();
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

/** Opens an operation and sends what stands there. */
async function execute(operationId: string) {
  const block = page.locator(`.opblock[id$="-${operationId}"]`);
  await block.locator('.opblock-summary-control').click();
  await block.locator('button.execute').waitFor();
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

  // That every operation succeeds as it stands, openapi.test.ts shows.
  it('executes a request with a body as it stands', async () => {
    const { status, text } = await execute('addToWatchlist');
    expect(status).toBe(201);
    expect(JSON.parse(text)).toMatchObject({ id: expect.stringMatching(/^wl_/) });
  });

  it('executes a request with parameters, of which none is set, as it stands', async () => {
    const { status, text } = await execute('listWatchlist');
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ meta: { total: 1 } });
  });

  it('shows an operation, an answer and all refusals in half the height of each refusal with an example', async () => {
    const block = page.locator('.opblock[id$="-addToWatchlist"]');
    await block.locator('.opblock-summary-control').click();
    await block.locator('button.execute').waitFor();
    const { height = Infinity } = (await block.boundingBox()) ?? {};
    await show('refusals', block);
    await block.locator('.opblock-summary-control').click();
    expect(height).toBeLessThan(3_000);
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

  it('is the same without a slash at its end', async () => {
    const other = await browser.newPage({ colorScheme: 'dark' });
    other.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    await other.goto(`${await service.app.getUrl()}/docs`);
    await other.locator('.opblock[id$="-checkDomain"]').waitFor();
    expect(await other.evaluate("document.documentElement.classList.contains('dark-mode')")).toBe(true);
    await other.close();
  });

  it('has sent requests to no other host, and logs no other error', () => {
    expect({ elsewhere, complaints }).toEqual({ elsewhere: [], complaints: [] });
  });
});
