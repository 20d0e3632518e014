import type { Browser, BrowserContext, BrowserContextOptions, Page } from '../../../tools/browser.js';

const MAIN_NAVIGATION = { name: 'Main' };

/** Acts that no page of the dashboard may do; collected while the pages are open. */
interface Misdeeds {
  /** Requests to other hosts. */
  readonly elsewhere: string[];
  /** Errors of scripts, and what the content security policy blocked. */
  readonly complaints: string[];
}

export const noMisdeeds = (): Misdeeds => ({ elsewhere: [], complaints: [] });

/** A tab of its own, with nothing kept from other tabs. */
export async function openTab(
  browser: Browser,
  misdeeds: Misdeeds,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  recordMisdeeds(context, misdeeds);
  context.setDefaultTimeout(45_000); // of a page that a busy machine draws
  return context.newPage();
}

export async function signIn(page: Page, address: string, key: string): Promise<void> {
  await page.goto(`${address}/ui/`);
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', MAIN_NAVIGATION).waitFor();
}

/** Opens a screen by its address, as a link from elsewhere does, and waits for what it shows. */
export async function openScreen(page: Page, address: string, path: string): Promise<void> {
  await page.goto(`${address}/ui/${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('.loading').first().waitFor({ state: 'detached' });
}

/** Goes to a screen as a link of the page does, which is loaded already, and waits for what the screen shows. */
export async function goToScreen(page: Page, path: string): Promise<void> {
  await page.evaluate(`{
    const path = ${JSON.stringify(`/ui/${path}`)};
    if (location.pathname !== path) {
      document.querySelector('h1').dataset.left = 'yes'; // the screen before may stay for a moment
      history.pushState(null, '', path);
      dispatchEvent(new PopStateEvent('popstate'));
    }
  }`);
  await page.locator('h1:not([data-left])').waitFor();
  await page.locator('.loading').first().waitFor({ state: 'detached' });
}

/** Whether the page has come back to the sign-in; waits until it is either there or signed in. */
export async function isSignedOut(page: Page): Promise<boolean> {
  const field = page.getByLabel('API key');
  await field.or(page.getByRole('navigation', MAIN_NAVIGATION)).first().waitFor();
  return field.isVisible();
}

/** Failed requests are logged by the browser itself; tests that cause them see what the page says. */
const FAILED_REQUEST = /^Failed to load resource/;

/** Adds what every page of the context does wrong from now on, including pages that it opens later. */
function recordMisdeeds(context: BrowserContext, { elsewhere, complaints }: Misdeeds): void {
  context.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (hostname !== '127.0.0.1' && !['data:', 'blob:'].includes(protocol)) elsewhere.push(request.url());
  });
  context.on('weberror', (error) => complaints.push(error.error().message));
  context.on('console', (message) => {
    if (message.type() === 'error' && !FAILED_REQUEST.test(message.text())) complaints.push(message.text());
  });
}
