import { describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { HOSTILE_LABEL, HOSTILE_PAGE } from '../../support/browser/dashboard-extension.js';
import { hasRunHostileText } from '../../support/browser/page-checks.js';
import type { RunningDashboard } from '../../support/browser/running-dashboard.js';

export function describeExtensions(dashboard: RunningDashboard): void {
  /** The pager's arrivals, once there are so many. */
  const pagers = async (count: number) => {
    const { received } = dashboard.receiver;
    for (let total = count; ; total += 1) {
      const here = (await received.waitFor(total)).filter(({ path }) => path === '/pager');
      if (here.length >= count) return here;
    }
  };

  describe('an extension in the dashboard', () => {
    it('has a screen that shows the answers behind its links, and saves one as a file', async () => {
      const { page } = dashboard;
      await page.getByRole('navigation').getByRole('link', { name: 'Extensions' }).click();
      await page.getByRole('heading', { name: 'acme', exact: true }).waitFor();
      await page.getByRole('link', { name: 'Pages', exact: true }).click();
      const text = page.getByRole('region', { name: 'Text of the answer' });
      expect(await text.innerText()).toContain('"of": "ACME"');
      await page.getByRole('link', { name: 'All extensions' }).click();
      await page.getByRole('link', { name: 'Report' }).click();
      expect(await text.innerText()).toContain('blue,7');
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Save as a file' }).click(),
      ]);
      expect(download.suggestedFilename()).toBe('report.csv');
      expect(await readFile(await download.path(), 'utf8')).toBe('team,pages\nblue,7\n');
    });

    it('shows HTML in its labels and answers as plain text, and runs no script', async () => {
      const { page } = dashboard;
      const text = page.getByRole('region', { name: 'Text of the answer' });
      await dashboard.goTo('extensions/acme/page');
      expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(HOSTILE_LABEL);
      expect(await text.innerText()).toBe(HOSTILE_PAGE);
      await dashboard.goTo('extensions/acme/refusal');
      await page.getByText('The extension refused it with 401').waitFor();
      expect(await text.innerText()).toBe(HOSTILE_PAGE);
      await dashboard.goTo('extensions/acme/broken');
      await page.getByRole('alert').getByText('internal_error').waitFor();
      await dashboard.goTo('extensions/acme/elsewhere');
      await page.getByRole('alert').getByText('This link leads elsewhere').waitFor();
      await dashboard.goTo('extensions/acme/huge');
      await page.getByText('It is longer than 5 MB').waitFor();
      expect((await text.innerText()).length).toBe(100_000);
      expect(await page.getByRole('button', { name: 'Save as a file' }).isDisabled()).toBe(true);
      expect(await hasRunHostileText(page)).toBe(false);
      await dashboard.goTo('extensions/acme/unlisted');
      await page.getByText('There is no such link').waitFor();
    });

    it('shows a link only to keys with its scope, and offers that scope for new keys', async () => {
      const { page } = dashboard;
      await dashboard.goTo('account');
      await page.getByRole('button', { name: 'Issue a key' }).click();
      await page.getByRole('checkbox', { name: 'acme:read' }).check();
      await page.getByRole('textbox', { name: 'Name' }).fill('pages');
      await page.getByRole('button', { name: 'Issue', exact: true }).click();
      await page.getByRole('button', { name: 'Done, I’ve saved it' }).click();
      await page.getByRole('row', { name: 'pages' }).getByText('acme:read').waitFor();
      const tab = await dashboard.openSignedInTab((await dashboard.issueKey('domains:read')).key);
      await dashboard.goTo('extensions', tab);
      await tab.getByRole('link', { name: 'Report' }).waitFor();
      expect(await tab.getByRole('link', { name: 'Pages', exact: true }).count()).toBe(0);
      await dashboard.goTo('registries', tab);
      const row = tab
        .getByRole('region', { name: /sources of extensions/ })
        .getByRole('row', { name: /acme.registry/ });
      expect(await row.innerText()).toContain('.zoo');
      await tab.close();
    });

    it('adds a channel type to the form for new channels, with a credential that can be replaced', async () => {
      const { page, receiver } = dashboard;
      await dashboard.goTo('notifications');
      await page.getByRole('button', { name: 'Add a channel' }).click();
      await page.getByLabel('Kind').selectOption('extension acme');
      await page.getByLabel('Target').fill(receiver.url('/pager'));
      await page.getByLabel('Credential').fill('t0ken-of-the-pager');
      await page.getByText(/^Which events/).click();
      await page.getByLabel('Only names with one of these tags').fill('no-name-has-this-tag');
      await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByRole('link', { name: 'Open the channel' }).click();
      await page.getByRole('heading', { name: 'acme', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Send a test' }).click();
      await pagers(1);
      expect(await page.content()).not.toContain('t0ken-of-the-pager');
      await page.getByRole('button', { name: 'Replace the credential…' }).click();
      await page.locator('input[name=credential]').fill('n3w-token');
      await page.getByRole('button', { name: 'Replace it' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Send a test' }).click();
      expect((await pagers(2)).map(({ headers }) => headers['authorization'])).toEqual([
        'Bearer t0ken-of-the-pager',
        'Bearer n3w-token',
      ]);
    });
  });
}
