import { describe, expect, it } from '@jest/globals';
import type { Page } from '../../../tools/browser.js';
import { accessibilityProblems } from '../../support/browser/page-checks.js';
import { isSignedOut, openScreen } from '../../support/browser/dashboard-page.js';
import type { RunningDashboard } from '../../support/browser/running-dashboard.js';
import { eventually } from '../../support/eventually.js';

export function describeSessions(dashboard: RunningDashboard): void {
  const staySignedIn = async (): Promise<Page> => {
    const page = await dashboard.openTab();
    await page.goto(`${dashboard.address}/ui/account`);
    await page.getByLabel('API key').fill(dashboard.key);
    await page.getByLabel('Stay signed in').check();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Where you are signed in' }).waitFor();
    return page;
  };

  describe('a browser that stays signed in', () => {
    it('has no API key where scripts can read it, and opens new tabs signed in', async () => {
      const page = await staySignedIn();
      expect(await page.evaluate('sessionStorage.length + localStorage.length')).toBe(0);
      expect(await page.evaluate('document.cookie')).toBe('');
      const bookmark = await page.context().newPage();
      await openScreen(bookmark, dashboard.address, 'agenda');
      expect(await isSignedOut(bookmark)).toBe(false);
      await bookmark.getByText('Live', { exact: true }).waitFor();
      await page.context().close();
    });

    it('can also make changes, such as issuing an API key', async () => {
      const page = await staySignedIn();
      await page.getByRole('button', { name: 'Issue a key' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('by cookie');
      await page.getByRole('checkbox', { name: 'domains:read' }).check();
      await page.getByRole('button', { name: 'Issue', exact: true }).click();
      await page.getByRole('button', { name: 'Done, I’ve saved it' }).click();
      await page.getByRole('row').filter({ hasText: 'by cookie' }).waitFor();
      await page.context().close();
    });

    it('can sign out all other browsers, and then itself in all its tabs', async () => {
      const [page, other] = [await staySignedIn(), await staySignedIn()];
      await page.reload();
      await page.getByRole('button', { name: 'Sign out all others' }).click();
      await page.getByRole('button', { name: 'Sign out all others' }).waitFor({ state: 'detached' });
      expect(await accessibilityProblems(page)).toEqual([]);
      await eventually(() => afterReload(other), Boolean);
      const tab = await page.context().newPage();
      await openScreen(tab, dashboard.address, 'agenda');
      await page.getByRole('button', { name: 'Sign out this browser' }).click();
      await page.getByLabel('API key').waitFor();
      await eventually(() => afterReload(tab), Boolean);
      await page.context().close();
      await other.context().close();
    });
  });

  async function afterReload(page: Page): Promise<boolean> {
    await page.reload();
    return isSignedOut(page);
  }
}
