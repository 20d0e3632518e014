import { describe, expect, it } from '@jest/globals';
import type { Page } from '../../../tools/browser.js';
import { isSignedOut } from '../../support/browser/dashboard-page.js';
import type { RunningDashboard } from '../../support/browser/running-dashboard.js';
import { eventually } from '../../support/eventually.js';

const REFUSED = 'The API key is not valid: it is unknown, expired or revoked.';

export function describeKeys(dashboard: RunningDashboard): void {
  /** Goes from screen to screen, as a person does, until the service no longer accepts the key. */
  const useUntilRefused = async (tab: Page): Promise<string> => {
    const nextScreen = async () => {
      for (const name of ['Agenda', 'Watchlist'])
        await tab
          .getByRole('link', { name, exact: true })
          .click({ timeout: 1_000 })
          .catch(() => undefined); // the sign-in has no links
      return isSignedOut(tab);
    };
    await eventually(nextScreen, Boolean);
    return tab.getByRole('alert').innerText();
  };

  describe('an API key in the dashboard', () => {
    it('is shown once when issued, and signs out only its own tab when revoked', async () => {
      const { page } = dashboard;
      await dashboard.goTo('account');
      await page.getByRole('button', { name: 'Issue a key' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('status page');
      expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(0);
      expect(await page.getByRole('button', { name: 'Issue', exact: true }).isDisabled()).toBe(true);
      await page.getByRole('checkbox', { name: 'watchlist:read' }).check();
      await page.getByRole('button', { name: 'Issue', exact: true }).click();
      const issued = await page.locator('.shown-once code').innerText();
      await page.getByRole('button', { name: 'Done, I’ve saved it' }).click();
      expect(await page.content()).not.toContain(issued);
      const row = page.getByRole('row').filter({ hasText: 'status page' });
      expect(await row.locator('.tag').allInnerTexts()).toEqual(['watchlist:read']);

      const other = await dashboard.openSignedInTab(issued);
      await row.getByRole('button', { name: 'Revoke status page' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
      await row.waitFor({ state: 'detached' });
      expect(await useUntilRefused(other)).toContain(REFUSED);
      await other.close();
      expect(await isSignedOut(page)).toBe(false);
    });

    it('returns an open page to the sign-in screen, with the reason, when the key expires', async () => {
      const { id, key } = await dashboard.issueKey('watchlist:read');
      const tab = await dashboard.openSignedInTab(key);
      // As if the time for which the key was issued were over.
      await dashboard.query('update api_keys set expires_at = now() where id = $1', [id]);
      expect(await useUntilRefused(tab)).toContain(REFUSED);
      expect(await tab.evaluate('sessionStorage.length')).toBe(0);
      await tab.close();
    });

    it('makes each screen name the scope that the key lacks', async () => {
      const lackingScopes = async (scope: string, paths: readonly string[]) => {
        const tab = await dashboard.openSignedInTab((await dashboard.issueKey(scope)).key);
        const texts: string[] = [];
        for (const path of paths) {
          await dashboard.goTo(path, tab);
          const [, lacking = 'nothing'] =
            /lacks the scope ([a-z:]+)/.exec(await tab.getByRole('main').innerText()) ?? [];
          texts.push(lacking);
        }
        await dashboard.goTo('account', tab);
        await tab.getByText('To see, issue and revoke keys, a key needs the scope admin').waitFor();
        await tab.close();
        return texts;
      };
      expect(await lackingScopes('notifications:read', ['', 'names/expiring.test', 'agenda', 'registries'])).toEqual([
        'watchlist:read',
        'watchlist:read',
        'watchlist:read',
        'domains:read',
      ]);
      expect(await lackingScopes('watchlist:read', ['', 'notifications', 'notifications/any'])).toEqual([
        'watchlist:write',
        'notifications:read',
        'notifications:read',
      ]);
    });
  });
}
