import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What no page of the dashboard may do; collected while the pages are open. */
export interface Misdeeds {
  /** Requests to other hosts. */
  readonly elsewhere: string[];
  /** Errors of scripts, and what the content security policy blocked. */
  readonly complaints: string[];
}

/** Failed requests are logged by the browser itself; tests that cause them see what the page says. */
const FAILED_REQUEST = /^Failed to load resource/;

/** A tab of its own, with nothing kept from other tabs. */
export async function openTab(
  browser: Browser,
  misdeeds: Misdeeds,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (hostname !== '127.0.0.1' && !['data:', 'blob:'].includes(protocol)) misdeeds.elsewhere.push(request.url());
  });
  page.on('pageerror', (error) => misdeeds.complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !FAILED_REQUEST.test(message.text())) misdeeds.complaints.push(message.text());
  });
  return page;
}

export async function signIn(page: Page, address: string, key: string): Promise<void> {
  await page.goto(`${address}/ui/`);
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
}

/** Opens a screen by its address, as a link from elsewhere does, and waits for what it shows. */
export async function openScreen(page: Page, address: string, path: string): Promise<void> {
  await page.goto(`${address}/ui/${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('.loading').first().waitFor({ state: 'detached' });
}

/** Violations of WCAG 2.2 AA and of axe's best practices, each with the elements concerned. */
export async function accessibilityProblems(page: Page, rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(axeSource);
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: { type: 'rule', values: rules } }) };
  return page.evaluate<string[]>(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target.join(' '))))`,
  );
}

/** By how many pixels the page is wider than its window. */
export async function horizontalOverflow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}
