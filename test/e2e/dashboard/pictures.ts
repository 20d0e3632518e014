import { describe, expect, it } from '@jest/globals';
import type { Page } from '../../../tools/browser.js';
import type { RunningDashboard } from '../../support/browser/running-dashboard.js';
import { eventually } from '../../support/eventually.js';

const YEAR = [
  { phase: 'active', since: new Date(Date.now() - 90 * 86_400_000).toISOString() },
  { phase: 'redemption', since: new Date(Date.now() - 86_400_000).toISOString() },
];

/** From now on the page sees a registry that was asked this hour, and a name whose phase has changed. */
async function addPast(page: Page, domain: string): Promise<void> {
  const change = (path: RegExp, part: (one: Record<string, unknown>) => object) =>
    page.route(path, async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { data: Record<string, unknown>[] };
      await route.fulfill({ response, json: { ...body, data: body.data.map((one) => ({ ...one, ...part(one) })) } });
    });
  const hours = [{ hour: new Date().toISOString(), answers: 3, errors: 1, average_ms: 40 }];
  await change(/\/v1\/registries\?/, () => ({ hours }));
  await change(/\/v1\/watchlist\?/, (one) => (one['domain'] === domain ? { phases: YEAR } : {}));
}

export function describePictures(dashboard: RunningDashboard): void {
  describe('a chart in the dashboard', () => {
    it('links to the names, the timeline or the deliveries that the chart summarizes', async () => {
      const domain = 'picture-of-a-long-name--redemption.test';
      const { id } = await dashboard.post('/v1/watchlist', { domain, tags: ['kontor', 'shop'] });
      const channel = await dashboard.post('/v1/notifications', {
        type: 'webhook',
        target: dashboard.receiver.url('/picture'),
        tags: ['no-name-has-this-tag'],
      });
      await eventually(
        () => dashboard.send({ method: 'GET', path: `/v1/watchlist/${String(id)}` }),
        ({ phase }) => phase === 'redemption',
      );
      const tab = await dashboard.openSignedInTab();
      await addPast(tab, domain);
      const focused = () => tab.locator('h2:focus').innerText();

      await dashboard.goTo('registries', tab);
      const bars = tab.getByRole('link', { name: /3 answers, 1 error, 40 ms on average ?: your names of sandbox$/ });
      await bars.first().click();
      await tab.getByText('Registry: sandbox').waitFor();
      const row = tab.getByRole('row').filter({ hasText: domain });
      await row.getByText('Sandbox Registrar').waitFor();
      expect((await row.boundingBox())?.height).toBeLessThanOrEqual(44);
      await row.getByRole('link', { name: / since .*: go to the timeline$/ }).click();
      await tab.getByRole('heading', { level: 1, name: domain }).waitFor();
      await tab.getByRole('button', { name: /today is .*Go to the timeline$/ }).click();
      expect(await focused()).toBe('Timeline');
      await dashboard.goTo(`notifications/${String(channel['id'])}`, tab);
      await tab.getByRole('button', { name: /^The last thirty days: .*Go to the deliveries$/ }).click();
      expect(await focused()).toBe('Deliveries');

      await tab.close();
      await dashboard.send({ method: 'DELETE', path: `/v1/watchlist/${String(id)}` });
      await dashboard.send({ method: 'DELETE', path: `/v1/notifications/${String(channel['id'])}` });
    });
  });
}
