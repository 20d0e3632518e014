import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import type { RunningDashboard } from '../../support/browser/running-dashboard.js';

/** Two names that the tests before have put on the watchlist. */
const [ONE, OTHER] = ['expiring.test', 'registered.test'] as const;

export function describeEntries(dashboard: RunningDashboard): void {
  const press = (name: string, tab = dashboard.page) => tab.getByRole('button', { name, exact: true }).click();
  const row = (domain: string) => dashboard.page.getByRole('row').filter({ hasText: domain });

  describe('watched names', () => {
    it('show on their page and in the list that name servers differ from the expected ones', async () => {
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

    it('stop showing "Not as expected" after a bulk change to the registry’s current values', async () => {
      const { page } = dashboard;
      const dialog = page.getByRole('dialog');
      for (const domain of [ONE, OTHER]) await page.getByRole('checkbox', { name: `Select ${domain}` }).check();
      await press('Change…');
      await dialog.getByText('Renewal and expected values').click();
      await dialog.getByRole('combobox', { name: 'Expected values' }).selectOption('as the registry says now');
      await press('Preview');
      await dialog.getByText('expected values as the registry says now').waitFor();
      await press('Change 2 names');
      await dialog.getByText('2 names: 2 changed').waitFor();
      await press('Done');
      await row(ONE).getByText('Not as expected').waitFor({ state: 'detached' });
      await press('Clear selection');
    });

    it('can be tagged together, after a preview of how many will change', async () => {
      const { page } = dashboard;
      const dialog = page.getByRole('dialog');
      for (const domain of [ONE, OTHER]) await page.getByRole('checkbox', { name: `Select ${domain}` }).check();
      await press('Change…');
      await dialog.getByRole('textbox', { name: 'Add tags' }).fill('harbour, <b>pier');
      await press('Preview');
      await dialog.getByText('2 names: 2 to change, 0 unchanged, 0 refused.').waitFor();
      await press('Back');
      await dialog.getByRole('textbox', { name: 'Add tags' }).fill('harbour');
      await press('Preview');
      await press('Change 2 names');
      await dialog.getByText('2 names: 2 changed, 0 unchanged, 0 refused.').waitFor();
      await press('Done');
      for (const domain of [ONE, OTHER]) await row(domain).locator('.tag', { hasText: 'harbour' }).waitFor();
      await press('Clear selection');
    });

    it('can be changed, removed and restored by a selection across all pages of the list', async () => {
      const { page } = dashboard;
      const dialog = page.getByRole('dialog');
      const names = Array.from({ length: 59 }, (_, n) => `page${n}--registered.test`);
      await dashboard.goTo('');
      await press('Import a file');
      const file = { name: 'pages.txt', mimeType: 'text/plain', buffer: Buffer.from(names.join('\n')) };
      await dialog.locator('input[type=file]').setInputFiles(file);
      await press('Import 59 names');
      await dialog.getByRole('link', { name: 'See what it added' }).click();
      await page.getByRole('button', { name: 'No longer filter by Added by one import' }).waitFor();
      const selectAll = page.getByRole('checkbox', { name: 'Select all names of this page' });
      await selectAll.check();
      await page.getByText('50 names selected').waitFor();
      await press('Select all 59 names that match');
      await page.getByText('All 59 names that match are selected').waitFor();
      await press('Change…');
      await dialog.getByRole('combobox', { name: 'Check', exact: true }).selectOption({ label: 'every hour' });
      await press('Preview');
      await press('Change 59 names');
      await dialog.getByText('59 names: 59 changed, 0 unchanged, 0 refused.').waitFor();
      await press('Done');
      const changed = await dashboard.send({ method: 'GET', path: `/v1/watchlist?search=page58--&expand=details` });
      expect(changed['data']).toMatchObject([{ interval_minutes: 60 }]);
      const remove = async () => {
        await press('Remove…');
        await dialog.getByText('59 names on all pages will no longer be watched').waitFor();
        await press('Remove 59 names');
      };
      await remove();
      await press('Undo');
      await selectAll.check();
      await press('Select all 59 names that match');
      await remove();
      await page.getByText('59 names removed').waitFor();
      await page.getByText('No name matches').waitFor();
      // An older open transaction, of a check for example, keeps a record out of the list.
      const { data } = await eventually(
        () => dashboard.send({ method: 'GET', path: '/v1/audit?action=watchlist.removed_many' }),
        (records) => (records['data'] as object[]).length > 0,
      );
      expect(data).toMatchObject([{ after: { matched: 59, removed: 59 } }]);
      await dashboard.goTo('audit');
      await page.getByRole('link', { name: 'What it added' }).first().waitFor();
      const run = row('Removed many names').first();
      await run.getByText('Its records').click();
      await run.locator('ol li').first().waitFor();
      expect(await run.locator('ol').innerText()).toMatch(/removed: 59/);
      await dashboard.goTo('');
    });

    it('appear on the agenda in their grace period, and in a calendar feed that can be revoked', async () => {
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
      await press('Done, I’ve saved it');
      expect(await page.content()).not.toContain('nwcal_');
      await press('Revoke it…');
      await press('Revoke');
      await page.getByText('There is no address yet.').waitFor();
      expect((await fetch(address)).status).toBe(404);
      await dashboard.send({ method: 'DELETE', path: `/v1/watchlist/${String(id)}` });
    });

    it('still show their history after removal, through a link in the audit trail', async () => {
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

    it('link on their page to the history of the entry that was removed last', async () => {
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

    it('keep the changes of both tabs when two tabs edit the same name', async () => {
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
