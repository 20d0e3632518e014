import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import type { RunningDashboard } from '../../support/browser/running-dashboard.js';

/** Two names that the tests before have put on the watchlist. */
const [ONE, OTHER] = ['expiring.test', 'registered.test'] as const;

export function describeEntries(dashboard: RunningDashboard): void {
  const press = (name: string, tab = dashboard.page) => tab.getByRole('button', { name, exact: true }).click();
  const row = (domain: string) => dashboard.page.getByRole('row').filter({ hasText: domain });

  describe('watched names', () => {
    it('say where their record is not as expected, on their screen and in the list', async () => {
      const { page } = dashboard;
      await dashboard.goTo(`names/${ONE}`);
      await press('Expected values…');
      await page.getByRole('textbox', { name: 'Name servers' }).fill('ns1.sandbox.test\nns1.harbour.example');
      await press('Save');
      expect(await page.getByRole('note', { name: 'Not as expected' }).innerText()).toContain(
        'missing: ns1.harbour.example; not expected: ns2.sandbox.test',
      );
      await dashboard.goTo('');
      await row(ONE).getByText('Not as expected').waitFor();
    });

    it('are tagged several at once', async () => {
      const { page } = dashboard;
      for (const domain of [ONE, OTHER]) await page.getByRole('checkbox', { name: `Select ${domain}` }).check();
      await press('Add a tag…');
      await page.getByRole('dialog').getByRole('textbox', { name: 'Tag' }).fill('harbour');
      await press('Add the tag');
      await page.getByText('2 names are tagged harbour').waitFor();
      for (const domain of [ONE, OTHER]) await row(domain).locator('.tag', { hasText: 'harbour' }).waitFor();
      await press('Close message');
    });

    it('are on the agenda, those to renew today first, and in a calendar', async () => {
      const { page } = dashboard;
      const domain = 'agenda--expired-grace.test';
      const { id } = await dashboard.post('/v1/watchlist', { domain });
      await eventually(
        () => dashboard.send({ method: 'GET', path: `/v1/watchlist/${String(id)}` }),
        ({ phase }) => phase === 'expired_grace',
      );
      await dashboard.goTo('agenda');
      const urgent = page.getByRole('region', { name: 'In grace: renew today' });
      await urgent.getByRole('link', { name: domain }).waitFor();
      await press('Make an address');
      const address = await page.locator('.shown-once code').innerText();
      expect(address).toMatch(/\/calendar\/nwcal_[\w-]{43}\.ics$/);
      const calendar = await fetch(address);
      expect(await calendar.text()).toContain(`${domain} is in its grace period`);
      await press('I have kept it');
      expect(await page.content()).not.toContain('nwcal_');
      await press('Revoke it…');
      await press('Revoke');
      await page.getByText('There is no address yet.').waitFor();
      expect((await fetch(address)).status).toBe(404);
      await dashboard.send({ method: 'DELETE', path: `/v1/watchlist/${String(id)}` });
    });

    it('show their history after they were removed, by the link of the audit trail', async () => {
      const { page } = dashboard;
      const domain = 'left--expiring.test';
      const { id } = await dashboard.post('/v1/watchlist', { domain });
      await dashboard.send({ method: 'DELETE', path: `/v1/watchlist/${String(id)}` });
      // The trail lists a record once no older transaction of the server runs, of other suites too.
      await eventually(
        () => dashboard.send({ method: 'GET', path: '/v1/audit?action=watchlist.removed&limit=1000' }),
        (records) => JSON.stringify(records).includes(String(id)),
      );
      await dashboard.goTo('audit');
      await row(domain).filter({ hasText: 'Removed a name' }).getByRole('link', { name: 'Its history' }).click();
      await page.getByText(/Removed on .* by /).waitFor();
      await page.getByRole('heading', { name: 'History' }).waitFor();
    });

    it('lead to the history of the entry that was removed last, by the page of the name', async () => {
      const { page } = dashboard;
      const domain = 'gone--expiring.test';
      const ids: string[] = [];
      for (let n = 0; n < 2; n += 1) {
        const { id } = await dashboard.post('/v1/watchlist', { domain });
        await dashboard.send({ method: 'DELETE', path: `/v1/watchlist/${String(id)}` });
        ids.push(String(id));
      }
      await dashboard.goTo(`names/${domain}`);
      await page.getByRole('link', { name: /^Removed on / }).click();
      await page.getByText(/Watched from .* Removed on .* by /).waitFor();
      expect(page.url()).toContain(`removed=${ids[1]}`);
      await dashboard.goTo('names/never--expiring.test');
      await page.getByText('This name is not on your watchlist').waitFor();
      expect(await page.getByRole('link', { name: /^Removed on / }).count()).toBe(0);
    });

    it('keep what one tab has saved when another one saves what it read before', async () => {
      const other = await dashboard.openSignedInTab();
      for (const tab of [dashboard.page, other]) {
        await dashboard.goTo(`names/${OTHER}`, tab);
        await press('Settings', tab);
        await tab.getByLabel('Note', { exact: true }).waitFor();
      }
      await dashboard.page.getByLabel('Note', { exact: true }).fill('of the first tab');
      await press('Save');
      await dashboard.page.getByRole('dialog').waitFor({ state: 'detached' });
      await other.getByLabel('Tags, separated by commas').fill('of the second tab');
      await press('Save', other);
      const dialog = other.getByRole('dialog');
      expect(await dialog.getByRole('alert').innerText()).toContain('The resource changed since you read it');
      await press('Read it again', other);
      await press('Save', other);
      await dialog.waitFor({ state: 'detached' });
      for (const text of ['of the first tab', 'of the second tab']) await other.getByText(text).waitFor();
      await other.close();
    });
  });
}
