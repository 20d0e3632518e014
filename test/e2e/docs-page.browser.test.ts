import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { chromiumForTests } from '../support/programs/chromium.mjs';
import { faint } from '../support/documents/contrast.mjs';
import { startTestService, type TestService } from '../support/servers/test-service.js';

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

const tried = new Set<string>();

/**
 * Resolves the references of all operations at once. The page does it for each that is opened, and copies those before
 * it again: for thirty of them, a third of the time.
 */
const RESOLVE_ALL = `new Promise((resolve) => {
  ui.specActions.requestResolvedSubtree(['paths']);
  const poll = () => (ui.specSelectors.specResolvedSubtree(['paths', '/v1/me', 'get']) ? resolve() : setTimeout(poll, 50));
  poll();
})`;

/** Opens an operation, as its id, and sends what stands there; or what is filled in first. */
async function execute(operationId: string, fill: (block: Locator) => Promise<void> = () => Promise.resolve()) {
  tried.add(operationId);
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

  it('resolves the references of an operation that is opened', async () => {
    expect(await execute('getLiveness')).toMatchObject({ status: 200 });
    await page.evaluate(RESOLVE_ALL);
  });

  /** Ids that earlier answers gave, by their prefix; an operation that needs one says where to take it from. */
  const ids: Record<string, string> = {};
  const fillId = (prefix: string) => async (block: Locator) => {
    await expect(block.locator('.parameters').first().innerText()).resolves.toMatch(/take one from/);
    await block.locator('input[placeholder="id"]').fill(ids[prefix] ?? '');
  };

  it.each<[string, number, string | null]>([
    ['checkDomain', 200, null],
    ['checkDomains', 200, null],
    ['listRegistries', 200, null],
    ['addToWatchlist', 201, null],
    ['importWatchlist', 200, null],
    ['listWatchlist', 200, null],
    ['exportWatchlist', 200, null],
    ['listRemovedEntries', 200, null],
    ['getWatchlistEntry', 200, 'wl'],
    ['changeWatchlistEntry', 200, 'wl'],
    ['getWatchlistHistory', 200, 'wl'],
    ['getWatchlistChanges', 200, 'wl'],
    ['listEntryDeliveries', 200, 'wl'],
    ['addNotificationChannel', 201, null],
    ['listNotificationChannels', 200, null],
    ['getNotificationChannel', 200, 'nc'],
    ['testNotificationChannel', 202, 'nc'],
    ['listDeliveries', 200, 'nc'],
    ['replayDeliveries', 202, 'nc'],
    ['redeliver', 409, 'dl'], // the one that is there waits for a worker, and says so
    ['rotateNotificationSecret', 200, 'nc'],
    ['listEvents', 200, null],
    ['streamEvents', 200, null],
    ['issueKey', 201, null],
    ['listKeys', 200, null],
    ['getMe', 200, null],
    ['listAuditRecords', 200, null],
    ['getReadiness', 200, null],
    ['getProblem', 200, null],
    ['removeFromWatchlist', 204, 'wl'],
    ['changeNotificationChannel', 200, 'nc'],
    ['removeNotificationChannel', 204, 'nc'],
    ['revokeKey', 204, 'key'],
  ])('executes %s as it stands', async (operationId, status, prefix) => {
    const answer = await execute(operationId, prefix === null ? undefined : fillId(prefix));
    expect(answer).toMatchObject({ status });
    for (const [, id = '', kind = ''] of answer.text.matchAll(/"id": "(([a-z]+)_[0-9a-z]{26})"/g)) ids[kind] ??= id;
  });

  it('shows what was added, with no filter set', async () => {
    const { text } = await execute('listWatchlist');
    const { total } = (JSON.parse(text) as { meta: { total: number } }).meta;
    expect(total).toBeGreaterThan(0);
    expect((await execute('checkDomain')).text).not.toContain('lifecycle');
  });

  it('has tried every operation but those of links in mails', async () => {
    const shown = await page.locator('.opblock').evaluateAll((all: { id: string }[]) => all.map(({ id }) => id));
    const others = shown.filter((id) => !tried.has(id.split('-').at(-1) ?? ''));
    expect(others).toEqual(shown.filter((id) => id.includes('Links_in_mails') || id.includes('webhook')));
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
    const pendingDelivery = expect.stringContaining('status of 409'); // of redeliver, see above
    expect({ elsewhere, complaints }).toEqual({ elsewhere: [], complaints: [pendingDelivery] });
  });
});
