import { describe, expect, it } from '@jest/globals';
import { verified } from '../../world/receiver.js';
import type { RunningDashboard } from '../../support/browser/running-dashboard.js';

export function describeChannels(dashboard: RunningDashboard): void {
  /** Fills the form for a new channel in and sends it. @param tag of names whose events it takes */
  const add = async (kind: string, field: string, target: string, tag = '') => {
    const { page } = dashboard;
    await dashboard.goTo('notifications');
    await page.getByRole('button', { name: 'Add a channel' }).click();
    await page.getByLabel('Kind').selectOption(kind);
    await page.getByLabel(field).fill(target);
    await page.getByText(/^Which events/).click();
    await page.getByLabel('Only names with one of these tags').fill(tag);
    await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
  };
  const press = (name: string) => dashboard.page.getByRole('button', { name, exact: true }).click();
  /** The arrivals at a path of the receiver, once there are so many. */
  const arrivals = async (path: string, count: number) => {
    const { received } = dashboard.receiver;
    for (let total = count; ; total += 1) {
      const here = (await received.waitFor(total)).filter((one) => one.path === path);
      if (here.length >= count) return here;
    }
  };

  describe('notification channels', () => {
    let secret: string;

    it('explain in the form that a webhook URL must use https', async () => {
      await add('webhook', 'HTTPS URL', 'http://127.0.0.1/hook');
      await dashboard.page.getByRole('dialog').getByRole('alert').getByText(/https/i).first().waitFor();
      await press('Cancel');
    });

    it('show the signing secret of a new webhook only once, and sign a test with it', async () => {
      const { page, receiver } = dashboard;
      await add('webhook', 'HTTPS URL', receiver.url('/signed'), 'no-name-has-this-tag');
      secret = await page.locator('.shown-once code').innerText();
      for (let times = 0; times < 3; times += 1) await page.keyboard.press('Escape'); // it is shown this once
      expect(await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).count()).toBe(0);
      await page.getByRole('link', { name: 'Open the channel' }).click();
      await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
      expect(await page.content()).not.toContain(secret);
      await press('Send a test');
      const [webhook] = await arrivals('/signed', 1);
      expect(webhook && verified(webhook, secret)).toMatchObject({ type: 'channel.test' });
      await page.getByText('Delivered', { exact: true }).waitFor();
    });

    it('can send one event again, or all events of a period', async () => {
      const { page } = dashboard;
      await page.getByRole('button', { name: /^Redeliver/ }).click();
      await arrivals('/signed', 2);
      await press('Replay…');
      await press('Replay');
      await page.getByText('1 event is sent again').waitFor();
      const ids = (await arrivals('/signed', 3)).map(({ headers }) => headers['webhook-id']);
      expect(new Set(ids).size).toBe(1);
    });

    it('sign with the new secret only, after the secret is replaced', async () => {
      const { page } = dashboard;
      await press('Rotate the secret…');
      await page.getByLabel('How long the old secret signs too').selectOption({ label: 'Not at all: it has leaked' });
      await press('Make a new secret');
      const next = await page.locator('.shown-once code').innerText();
      await press('Done, I’ve saved it');
      await press('Send a test');
      const webhook = (await arrivals('/signed', 4)).at(-1);
      expect(webhook && verified(webhook, next)).toMatchObject({ type: 'channel.test' });
      expect(() => webhook && verified(webhook, secret)).toThrow();
    });

    it('show the domain of a delivery, and list the delivery on the page of that domain', async () => {
      const { page, receiver } = dashboard;
      const filters = { event_types: ['watchlist.status_changed'], tags: ['told'] };
      const body = { type: 'webhook', target: receiver.url('/told'), ...filters };
      const { id } = await dashboard.post('/v1/notifications', body);
      const { id: entryId } = await dashboard.post('/v1/watchlist', {
        domain: 'told--redemption.test',
        tags: ['told'],
        notify_current: true,
      });
      await arrivals('/told', 1);
      await dashboard.goTo('notifications');
      await dashboard.goTo(`notifications/${String(id)}`);
      const row = page.getByRole('row', { name: /told--redemption\.test/ });
      await row.getByText('First answer: Redemption').waitFor();
      await row.getByRole('link', { name: 'told--redemption.test' }).click();
      const told = page.getByRole('region', { name: 'Timeline' });
      await told.getByText('First answer: Redemption').waitFor();
      await told.getByText('Delivered').waitFor();
      await told.getByRole('link', { name: receiver.url('/told') }).waitFor();
      await dashboard.send({ method: 'DELETE', path: `/v1/watchlist/${String(entryId)}` });
    });

    it('still offer an event filter set through the API after a user unticks it', async () => {
      const { page, receiver } = dashboard;
      const body = { type: 'webhook', target: receiver.url('/filtered'), event_types: ['watchlist.*', 'channel.test'] };
      const { id } = await dashboard.post('/v1/notifications', body);
      await dashboard.goTo(`notifications/${String(id)}`);
      await press('Which events…');
      for (const name of ['Everything about names', 'A test']) {
        const choice = page.getByRole('checkbox', { name });
        await choice.uncheck();
        await choice.check();
      }
      await press('Save');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(await dashboard.send({ method: 'GET', path: `/v1/notifications/${String(id)}` })).toMatchObject(body);
    });

    it('can get a label, shown as plain text, and a weekly summary', async () => {
      const { page, receiver } = dashboard;
      const body = { type: 'webhook', target: receiver.url('/labelled') };
      const { id } = await dashboard.post('/v1/notifications', body);
      await dashboard.goTo('notifications');
      await dashboard.goTo(`notifications/${String(id)}`);
      await press('Label…');
      await page.getByRole('dialog').getByLabel('Label').fill('<b>Shop</b> team');
      await press('Save');
      await page.getByRole('heading', { name: '<b>Shop</b> team' }).waitFor();
      await press('Summary…');
      await page.getByRole('dialog').getByLabel('Day').selectOption('Wednesday');
      await page.getByLabel('Time zone').fill('Europe/Berlin');
      await press('Save');
      await page.getByText('every Wednesday at 08:00 (Europe/Berlin)').waitFor();
      await dashboard.goTo('notifications');
      await page.getByRole('link', { name: '<b>Shop</b> team' }).waitFor();
      await dashboard.send({ method: 'DELETE', path: `/v1/notifications/${String(id)}` });
    });

    it('do not show the URL of a Slack webhook, and send a text message to Slack', async () => {
      const { page, receiver } = dashboard;
      await add('slack', 'Webhook URL', receiver.url('/services/T0/B0/token-of-the-chat'), 'no-name-has-this-tag');
      await page.getByRole('link', { name: 'Open the channel' }).click();
      await page.getByRole('heading', { name: 'Slack' }).waitFor();
      expect(await page.content()).not.toContain('token-of-the-chat');
      await press('Send a test');
      const [message] = await arrivals('/services/T0/B0/token-of-the-chat', 1);
      expect(JSON.parse(String(message?.body))).toMatchObject({ text: expect.any(String) as unknown });
    });
  });
}
