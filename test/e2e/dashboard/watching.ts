import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import type { Page } from '../../../tools/browser.js';
import { signIn } from '../../support/browser/dashboard-page.js';
import type { RunningDashboard } from '../../support/browser/running-dashboard.js';
import { accessibilityProblemsInBothSchemes, horizontalOverflow } from '../../support/browser/page-checks.js';
import { eventually } from '../../support/eventually.js';

/** A whole life in twelve seconds, of which most phases are long enough to be seen. */
const SHORT_LIFE = 'lifecycle-12s.test';

/** Keeps what the first badge of a name's row says, for as long as the page is not reloaded. */
const RECORD_PHASES = `
  window.phases = [];
  new MutationObserver(() => {
    const row = [...document.querySelectorAll('tr')].find((row) => row.textContent.includes('${SHORT_LIFE}'));
    const phase = row?.querySelector('.badge')?.textContent;
    if (phase !== undefined && phase !== window.phases.at(-1)) window.phases.push(phase);
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
`;

/** The first tests: they sign in the tab that the others use. */
export function describeWatching(dashboard: RunningDashboard): void {
  const row = (domain: string) => dashboard.page.getByRole('row').filter({ hasText: domain });

  describe('the dashboard', () => {
    it('opens at the root URL, and lets a new user watch a first name', async () => {
      const { page, address, key } = dashboard;
      await page.goto(`${address}/`);
      expect(page.url()).toBe(`${address}/ui/`);
      await signIn(page, address, key);
      await page.getByRole('button', { name: 'Watch expiring.test' }).click();
      await row('expiring.test').getByText('Expiring', { exact: true }).waitFor();
    });

    it('lists the refused lines of an import, and asks for the name column if none is found', async () => {
      const { page } = dashboard;
      const dialog = page.getByRole('dialog');
      const importFile = async (name: string, text: string) => {
        await page.getByRole('button', { name: 'Import a file' }).click();
        const file = { name, mimeType: 'text/csv', buffer: Buffer.from(text) };
        await dialog.locator('input[type=file]').setInputFiles(file);
      };
      const importIt = () => dialog.getByRole('button', { name: 'Import 1 name' }).click();
      await importFile('names.csv', 'Domain;Client;Note\nregistered.test;One;ok\nnot a name;Two;<b>x</b>\n');
      await dialog.getByText('to add').waitFor();
      expect(await dialog.getByLabel('Use Client as').inputValue()).toBe('');
      await importIt();
      await dialog.getByText('not a name').waitFor();
      const saved = page.waitForEvent('download');
      await dialog.getByRole('button', { name: 'Save the refused lines' }).click();
      expect(readFileSync(await (await saved).path(), 'utf8')).toMatch(
        /^\ufeffDomain,Client,Note,refused because\nnot a name,Two,/,
      );
      await dialog.getByRole('button', { name: 'Done' }).click();
      await importFile('names.csv', 'Host,Client\nhttps://www.mapped.test/,One\n');
      expect(await dialog.getByRole('alert').innerText()).toMatch(/has Host, Client/);
      await dialog.getByLabel('Use Host as').selectOption('Name');
      await dialog.getByRole('button', { name: 'Watch mapped.test' }).click();
      await dialog.getByText('1 added').waitFor();
      await dialog.getByRole('button', { name: 'Done' }).click();
      await row('mapped.test').waitFor();
    });

    it('links from "1 expire within 30 days" to a list with that filter in its URL', async () => {
      const { page } = dashboard;
      await page.getByRole('link', { name: /1 expire within 30 days/ }).click();
      await row('registered.test').waitFor({ state: 'detached' });
      await row('expiring.test').waitFor();
      expect(page.url()).toContain('?expires_within_days=30&paused=false');
      await page.getByRole('button', { name: '+ Tag' }).click();
      await page.getByText('No tag.').waitFor();
      await page.setViewportSize({ width: 360, height: 800 });
      expect(await horizontalOverflow(page)).toBe(0);
      expect(await accessibilityProblemsInBothSchemes(page)).toEqual([]);
      await page.setViewportSize({ width: 1_280, height: 900 });
      await page.keyboard.press('Escape');
      expect(await page.evaluate('document.activeElement.textContent')).toBe('+ Tag');
      await page.getByLabel('Name, tag or note contains').fill('REGIST');
      await page.getByText('No name matches').waitFor();
      await page.getByRole('button', { name: 'No longer filter by Expires within 30 days' }).click();
      await row('registered.test').waitFor();
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await page.getByRole('link', { name: /: 1 name expires/ }).click();
      await page.getByRole('button', { name: /^No longer filter by Expires in / }).waitFor();
      await row('expiring.test').waitFor();
    });

    it('reports a lost connection during a service restart, and then continues without a reload', async () => {
      const { page } = dashboard;
      await page.getByText('Live', { exact: true }).waitFor();
      await dashboard.stopService();
      await page.getByText('Connection to the service lost').waitFor();
      await dashboard.startService();
      await page.getByText('Connected again').waitFor();
      await page.getByRole('link', { name: 'Agenda' }).click();
      await page.getByRole('link', { name: 'expiring.test' }).waitFor();
    });
  });
}

/** A page that is open from here on; what it has shown is asked for when the other tests have had their time. */
export function describeLiveUpdates(dashboard: RunningDashboard, others: () => void): void {
  describe('the dashboard while two other tabs stay open', () => {
    let tabs: readonly Page[];

    it('asks for the API key in each of these two tabs', async () => {
      await dashboard.post('/v1/watchlist', { domain: SHORT_LIFE, interval_minutes: 5 });
      tabs = [await dashboard.openTab(), await dashboard.openTab()];
      for (const tab of tabs) {
        await signIn(tab, dashboard.address, dashboard.key);
        await tab.evaluate(RECORD_PHASES);
      }
    });

    others();

    it('shows at least three phases of a changing name in both tabs, without a reload', async () => {
      for (const tab of tabs)
        await eventually(
          () => tab.evaluate<string[]>('window.phases'),
          (phases) => new Set(phases).size >= 3,
        );
      for (const tab of tabs) await tab.close();
    });
  });
}
