import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page, Route } from '../../../tools/browser.js';
import type { RunningDashboard } from '../../support/browser/running-dashboard.js';

export function describeChecking(dashboard: RunningDashboard): void {
  describe('domain names in the dashboard', () => {
    const row = (domain: string, tab = dashboard.page) => tab.getByRole('listitem').filter({ hasText: domain }).first();
    const results = (title: string, tab = dashboard.page) => tab.getByRole('region', { name: title });
    const fill = (text: string, tab: Page = dashboard.page) => tab.getByRole('textbox', { name: 'Names' }).fill(text);

    /** Answers the next check in the service's place. */
    const once = (answer: (route: Route) => Promise<void>) =>
      dashboard.page.route('**/v1/domains/check*', answer, { times: 1 });
    const watched = async () => {
      const { data } = await dashboard.send({ path: '/v1/watchlist?per_page=100' });
      return (data as readonly { readonly id: string }[]).map(({ id }) => id);
    };
    /** Other entries that the tests of this file watch; later tests count the list. */
    let others: readonly string[];
    beforeAll(async () => {
      others = await watched();
    });
    afterAll(async () => {
      for (const id of await watched())
        if (!others.includes(id)) await dashboard.send({ method: 'DELETE', path: `/v1/watchlist/${id}` });
    });

    describe('the availability check', () => {
      it('opens with Alt+C, except in a text field or a dialog', async () => {
        const { page } = dashboard;
        await dashboard.goTo('account');
        await page.getByRole('button', { name: 'Issue a key' }).click();
        await page.keyboard.press('Alt+c');
        await page.getByRole('dialog').waitFor();
        await page.keyboard.press('Escape');
        await page.keyboard.press('Alt+c');
        await page.getByRole('heading', { name: 'Is it free?' }).waitFor();
        await page.keyboard.type('available.test');
        await page.keyboard.press('Enter');
        await row('available.test').getByText('Available', { exact: true }).waitFor();
        await row('available.test').getByText('the registry said so').waitFor();
        await dashboard.goTo('');
        await page.locator('main input').first().focus();
        await page.keyboard.press('Alt+c');
        expect(page.url()).not.toContain('/check');
        await page.getByRole('link', { name: 'Is it free?' }).click();
        await row('available.test').waitFor(); // it is still there
      });

      it('accepts pasted text with web addresses, and shows a result or "No answer" for each name', async () => {
        const { page } = dashboard;
        await fill('https://www.registered.test/a,b; timeout.test, co.uk\nexpiring.test "reserved.test"');
        await page.getByRole('button', { name: 'Check 5 names' }).click();
        const list = results('5 names');
        await list.getByText('in https://www.registered.test/a').waitFor();
        await row('timeout.test').getByText('No answer').waitFor();
        await row('timeout.test').getByText('Whether it is free is not known').waitFor();
        expect(await row('timeout.test').getByText('Available').count()).toBe(0);
        await row('co.uk').getByText('names are registered below it').waitFor();
        await row('expiring.test').getByRole('link', { name: 'Watched' }).waitFor();
        await list.getByRole('button', { name: 'No answer 1' }).click();
        expect(await list.getByRole('listitem').count()).toBe(1);
        await list.getByRole('button', { name: /^All/ }).click();
        await row('reserved.test').getByText('Evidence').click();
      });

      it('checks a word under several TLDs, and can watch an available result', async () => {
        const { page } = dashboard;
        await fill('free--available');
        await page.getByRole('button', { name: 'All endings that this service knows' }).click();
        await page.getByRole('button', { name: /^Check [1-9] names/ }).waitFor(); // those of this service alone
        await page.getByLabel(/^Endings/).fill('.test, nowhere');
        await page.getByRole('button', { name: 'Check 2 names' }).click();
        await row('free--available.nowhere').getByText('No registry is known').waitFor();
        await page.getByRole('button', { name: 'Watch free--available.test' }).click();
        await page.getByRole('link', { name: 'Watched: free--available.test' }).waitFor();
      });

      it('finds look-alikes of a name, and can watch all of them with a tag', async () => {
        const { page } = dashboard;
        await page.getByRole('button', { name: 'Look-alikes of free--available.test' }).click();
        const list = results('Look-alikes of free--available.test');
        await list.getByText('Tags and purpose of what you watch').click();
        await list.getByRole('textbox', { name: /^Tags/ }).fill('look-alike');
        await list.getByRole('combobox', { name: 'Purpose' }).selectOption('Want to buy');
        await list.getByText('waiting for its registry').first().waitFor({ state: 'detached' });
        const all = list.getByRole('button', { name: /^Watch all/ });
        const count = Number(/\d+/.exec(await all.innerText())?.[0]);
        expect(count).toBeGreaterThanOrEqual(40); // no registry is known for other endings
        await all.click();
        await list.getByRole('button', { name: `Watched ${count}` }).waitFor();
        await list.getByRole('button', { name: /^Check the other/ }).waitFor();
        const tagged = await dashboard.send({ path: '/v1/watchlist?tag=look-alike&purpose=acquire&per_page=1' });
        expect(tagged['meta']).toMatchObject({ total: count });
        await list.getByRole('button', { name: /^Close/ }).click();
      });

      it('keeps its results when the connection breaks, and can continue with the remaining names', async () => {
        const { page } = dashboard;
        const names = Array.from({ length: 4 }, (_, n) => `r${n}--available.test`);
        await once(async (route) => {
          const answer = await route.fetch();
          const [first = ''] = (await answer.text()).split('\n');
          await route.fulfill({ response: answer, body: `${first}\n` }); // the connection ends after one name
        });
        await fill(names.join(' '));
        await page.getByRole('button', { name: 'Check 4 names' }).click();
        const list = results('4 names');
        await list.getByText('The connection to the service broke').waitFor();
        expect(await list.getByText('Available', { exact: true }).count()).toBe(1);
        await list.getByRole('button', { name: 'Go on with 3 names' }).click();
        await list.getByRole('button', { name: 'Available 4' }).waitFor();
        await list.getByRole('button', { name: /^Close/ }).click();
      });
    });

    describe('the page of a name', () => {
      it('shows whether look-alikes of the name are registered, and can watch one with a click', async () => {
        const { page } = dashboard;
        await dashboard.goTo('names/expiring.test');
        await page.getByRole('button', { name: 'See which are taken' }).click();
        const list = results('Look-alikes of expiring.test');
        await list
          .getByRole('listitem')
          .filter({ hasText: 'looks alike' })
          .first()
          .getByText(/Available|Registered/)
          .waitFor();
        await list
          .getByRole('button', { name: /^Watch (?!all)/ })
          .first()
          .click();
        await list.getByRole('link', { name: /^Watched: / }).waitFor();
        await list.getByRole('button', { name: /^Close/ }).click();
        await page.getByRole('button', { name: 'See which are taken' }).waitFor();
      });
    });

    describe('the page at the URL of an unwatchable name', () => {
      it('does not offer to watch a single label, and links from a subdomain to its domain', async () => {
        const { page } = dashboard;
        await dashboard.goTo('names/notadomain');
        await page.getByRole('heading', { name: 'The name has a single label' }).waitFor();
        expect(await page.getByRole('button', { name: 'Watch it' }).count()).toBe(0);
        await dashboard.goTo('names/www.registered.test');
        await page.getByRole('link', { name: 'Go to registered.test' }).click();
        await page.getByRole('heading', { name: 'registered.test', level: 1 }).waitFor();
      });
    });

    describe('the form for adding names', () => {
      it('offers to watch the domain names found in pasted web addresses', async () => {
        const { page } = dashboard;
        const dialog = page.getByRole('dialog');
        await dashboard.goTo('');
        await page.getByRole('button', { name: 'Add names' }).click();
        await fill('https://www.in-url--registered.test/shop');
        await dialog.getByRole('button', { name: 'Watch', exact: true }).click();
        await dialog.getByRole('alert').getByText('the one in it is in-url--registered.test').waitFor();
        expect(await dialog.getByRole('alert').innerText()).not.toMatch(/\/domain|domain_malformed|request/);
        await dialog.getByRole('button', { name: 'Watch in-url--registered.test' }).click();
        await page.getByText('Watching in-url--registered.test').waitFor();
        await page.getByRole('button', { name: 'Close message' }).last().click();
        await page.getByRole('button', { name: 'Add names' }).click();
        await fill('www.one--registered.test https://two--registered.test/ free--available.test');
        await dialog.getByRole('button', { name: 'Watch 3 names' }).click();
        expect(await dialog.getByRole('columnheader', { name: 'Line' }).count()).toBe(0);
        await dialog.getByRole('button', { name: 'Watch the 2 names in them' }).click();
        await page.getByText('2 names are watched').waitFor();
        await page.getByRole('button', { name: 'Close message' }).last().click();
      });
    });
  });
}
