import type { Page } from '../../browser.js';
import { makeClientPage, namewatch } from '../../../clients/typescript/src/index.js';
import { isSignedOut } from '../../../test/support/browser/dashboard-page.js';
import { agencyNames } from './agency.js';
import { MOVING, type Stage } from './stage.js';

interface Scene {
  /** The name of the file, without the variant. */
  readonly name: string;
  readonly show: (page: Page, stage: Stage) => Promise<void>;
}

/** Time for requests that a screen makes besides its list. */
const SETTLED_MS = 400;

/** Opens the screen at a path below /ui, and waits for a text on it. */
const screen =
  (path: string, text: string) =>
  async (page: Page, { address, key }: Stage): Promise<void> => {
    await page.goto(`${address}/ui/`);
    if (await isSignedOut(page)) await page.evaluate(`sessionStorage.setItem('namewatch.key', ${JSON.stringify(key)})`);
    await page.goto(`${address}/ui/${path}`);
    await page.getByText(text).first().waitFor();
    await page.locator('.loading').first().waitFor({ state: 'detached' });
    await page.waitForTimeout(SETTLED_MS);
  };

export const SCENES: readonly Scene[] = [
  {
    name: 'sign-in',
    show: async (page, { address }) => {
      await page.goto(`${address}/ui/`);
      await page.evaluate('sessionStorage.clear()');
      await page.goto(`${address}/ui/`);
      await page.getByLabel('API key').waitFor();
    },
  },
  { name: 'watchlist', show: screen('', 'harbour-lights.shop') },
  {
    name: 'found',
    show: async (page, stage) => {
      await screen('?search=shop', 'harbour-lights.shop')(page, stage);
      await page.getByRole('button', { name: '+ Purpose' }).click();
      await page.getByRole('button', { name: 'Ours' }).click();
      await page.getByRole('button', { name: '+ Tag' }).click();
      await page.waitForTimeout(SETTLED_MS);
    },
  },
  {
    name: 'import',
    show: async (page, stage) => {
      await screen('', 'harbour-lights.shop')(page, stage);
      await page.getByRole('button', { name: 'Import a file' }).click();
      const lines = [
        'Host;Client;Renewal',
        'newharbour.shop;Brand team;auto',
        'www.tealight.app;Shop;off',
        'no name;;',
      ];
      const file = { name: 'registrar.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\n')) };
      await page.locator('input[type=file]').setInputFiles(file);
      await page.getByLabel('Use Host as').selectOption('Name');
      await page.getByLabel('Use Client as').selectOption('Tags');
      await page.getByText('Looking at the file').waitFor({ state: 'detached' });
    },
  },
  {
    name: 'change-many',
    show: async (page, stage) => {
      await screen('', 'harbour-lights.shop')(page, stage);
      await page.getByRole('checkbox', { name: 'Select harbour-lights.shop' }).check();
      await page.getByRole('button', { name: 'Select the whole page' }).click();
      await page.getByRole('button', { name: 'Change…' }).click();
      await page.getByRole('textbox', { name: 'Add tags' }).fill('reviewed');
      await page.getByRole('button', { name: 'Preview' }).click();
      await page.getByText('to change').waitFor();
    },
  },
  { name: 'name', show: screen('names/brasslantern.shop', 'brasslantern.shop') },
  {
    name: 'record',
    show: async (page, stage) => {
      await screen(`names/${MOVING}`, 'Registration record')(page, stage);
      await page.evaluate("document.getElementById('record').closest('section').scrollIntoView(); scrollBy(0, -20)");
    },
  },
  {
    name: 'check',
    show: async (page, stage) => {
      await screen('check', 'Is it free?')(page, stage);
      const names = page.getByRole('textbox', { name: 'Names' });
      await names.fill('https://www.harbour-lights.shop/tea, newharbour.shop brasslantern.shop glasshouse.dev co.uk');
      await page.keyboard.press('Enter');
      await page.getByText('No answer', { exact: true }).waitFor();
      await page.getByText('waiting for its registry').first().waitFor({ state: 'detached' });
      await page.waitForTimeout(SETTLED_MS);
    },
  },
  {
    name: 'grid',
    show: async (page, stage) => {
      await screen('check', 'Is it free?')(page, stage);
      await page.getByRole('textbox', { name: 'Names' }).fill('harbour-lights');
      await page.getByLabel(/^Endings/).fill('shop, app, dev, test, nowhere');
      await page.keyboard.press('Enter');
      await page.locator('.check-grid').first().waitFor();
      await page.waitForTimeout(4 * SETTLED_MS);
    },
  },
  {
    name: 'look-alikes',
    show: async (page, stage) => {
      await screen('names/harbour-lights.shop', 'harbour-lights.shop')(page, stage);
      const [button, results] = [
        page.getByRole('button', { name: 'See which are taken' }),
        page.locator('.check-list'),
      ];
      await button.or(results).first().waitFor();
      if (await button.isVisible()) await button.click();
      await results.first().waitFor();
      await page.getByText('waiting for its registry').first().waitFor({ state: 'detached' });
      await page.evaluate("document.querySelector('.check-results').scrollIntoView(); scrollBy(0, -20)");
      await page.waitForTimeout(SETTLED_MS);
    },
  },
  { name: 'agenda', show: screen('agenda', 'harbour-lights.shop') },
  {
    name: 'client-page',
    show: async (page, { address, key }) => {
      const client = namewatch({ url: address, key });
      const [{ client: tag } = { client: '' }] = agencyNames();
      const body = { title: `Names of ${tag}`, tags: [tag] };
      const { data } = await makeClientPage({ client, throwOnError: true, body });
      await page.goto(new URL(data.url, address).href);
    },
  },
  {
    name: 'client-pages',
    show: screen('client-pages', 'Names of'),
  },
  {
    name: 'palette',
    show: async (page, stage) => {
      await screen('', 'harbour-lights.shop')(page, stage);
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').locator('input').fill('har');
      await page.waitForTimeout(2 * SETTLED_MS);
    },
  },
  {
    name: 'calendar',
    show: async (page, stage) => {
      await screen('agenda', 'harbour-lights.shop')(page, stage);
      await page.getByText('In your calendar').scrollIntoViewIfNeeded();
    },
  },
  { name: 'notifications', show: screen('notifications', 'Email') },
  {
    name: 'add-channel',
    show: async (page, stage) => {
      await screen('notifications', 'Email')(page, stage);
      await page.getByRole('button', { name: 'Add a channel' }).click();
      await page.getByLabel('Kind').selectOption('telegram');
    },
  },
  {
    name: 'channel',
    show: async (page, stage) => {
      await screen('notifications', 'Email')(page, stage);
      await page.getByRole('link', { name: 'Shop system' }).click();
      await page.locator('.attempts').first().waitFor();
      await page.locator('.attempts summary').first().click();
    },
  },
  {
    name: 'summary',
    show: async (page, stage) => {
      await screen('notifications', 'Email')(page, stage);
      await page.getByRole('link', { name: 'Domains desk' }).click();
      await page.getByRole('button', { name: 'Summary…' }).click();
    },
  },
  { name: 'registries', show: screen('registries', 'sandbox') },
  {
    name: 'members',
    show: screen('members', 'Invitations'),
  },
  { name: 'audit', show: screen('audit', 'Added a channel') },
  { name: 'account', show: screen('account', 'status page') },
  {
    name: 'issue-key',
    show: async (page, stage) => {
      await screen('account', 'status page')(page, stage);
      await page.getByRole('button', { name: 'Issue a key' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('backup script');
    },
  },
];
