import { describe, expect, it } from '@jest/globals';
import type { Page } from '../../../tools/browser.js';
import { noMisdeeds } from '../../support/browser/misdeeds.js';
import { openTab, signIn } from '../../support/browser/dashboard-page.js';
import { hasRunHostileText, horizontalOverflow } from '../../support/browser/page-checks.js';
import type { RunningDashboard } from '../../support/browser/running-dashboard.js';
import { eventually } from '../../support/eventually.js';

const IMAGE = '"><img src=x onerror="window.hasRun=1">';
const LINK = '<a href="javascript:window.hasRun=1">x</a>';
const TEMPLATE = '{{hasRun=1}}${hasRun=1}<%= hasRun=1 %>';
const BIDI = '\u202egnp.exe\u2067';
const WORD = 'W'.repeat(10_000);
/** Text from writers who are not held to one line of printable text: registries and receivers. */
const PRINTABLE = `${IMAGE}<script>window.hasRun=1</script>${LINK}javascript:window.hasRun=1 ${TEMPLATE}${WORD}`;
const ALL = `${BIDI}\u001b[31m\u0007${PRINTABLE}`;
const DOMAIN = 'hostile.example';
/** The answer about this name is not usable: a text with control characters is not believed. */
const REFUSED = 'refused.example';

/** Through real answers: unlike poisoned ones, these have passed the parsers, the database and the API. */
export function describeHostileTexts(dashboard: RunningDashboard): void {
  describe('texts of a hostile registry, receiver and colleague', () => {
    const add = async (path: string, body: object) => {
      const added = await dashboard.post(path, body);
      if (typeof added['id'] !== 'string') throw new Error(`not added: ${JSON.stringify(added)}`);
      return added['id'];
    };
    /** Adds what each of them writes. @returns the id of the channel */
    const plant = async () => {
      const { registry, receiver } = dashboard;
      registry.holds(DOMAIN, {
        expiresAt: new Date(Date.now() + 10 * 86_400_000),
        registeredAt: new Date(0),
        registrar: { name: PRINTABLE.slice(0, 300), ianaId: IMAGE },
        statuses: ['active', IMAGE, LINK, TEMPLATE],
        nameservers: ['ns1.example.net', `${'w'.repeat(63)}.${'w'.repeat(63)}.example`],
      });
      registry.holds(REFUSED, { registrar: ALL, nameservers: [IMAGE] });
      receiver.answers((reply, { path }) =>
        path === '/hostile' ? reply.writeHead(500).end(ALL) : reply.writeHead(204).end(),
      );
      const tags = [IMAGE, TEMPLATE, 'W'.repeat(50)];
      const target = receiver.url(`/hostile?${encodeURIComponent(IMAGE)}${'w'.repeat(1_500)}`);
      const headers = { [`x-${'w'.repeat(60)}`]: LINK };
      const label = `${IMAGE}${'W'.repeat(60)}`.slice(0, 60);
      await add('/v1/notifications', { type: 'webhook', target, tags, headers, label });
      const body = { type: 'webhook', target: receiver.url('/hostile'), tags, label: `${TEMPLATE}x` };
      const id = await add('/v1/notifications', body);
      await add('/v1/keys', { name: `${IMAGE}${TEMPLATE}`, scopes: ['watchlist:read'] });
      const renewal = { on: '2028-02-29', note: LINK };
      const expected = { nameservers: [`${'w'.repeat(63)}.example`], registrar_id: '1' };
      await add('/v1/watchlist', {
        domain: DOMAIN,
        tags,
        purpose: 'own',
        renewal,
        expected,
        note: `${ALL.replaceAll(/\p{Cc}/gu, '').slice(0, 900)}\njavascript:window.hasRun=1`,
      });
      const agent = { 'user-agent': `${IMAGE}${LINK}${'w'.repeat(500)}`, authorization: 'Bearer nw_no-key' };
      await fetch(`${dashboard.address}/v1/me`, { headers: agent });
      const checked = await dashboard.send({ path: `/v1/domains/check?domain=${DOMAIN}&max_age=0` });
      expect(checked).toMatchObject({ status: 'expiring' });
      await add('/v1/watchlist', { domain: REFUSED, tags });
      await eventually(
        () => dashboard.send({ path: `/v1/notifications/${id}/deliveries` }),
        ({ data }) => JSON.stringify(data).includes('onerror'),
        30_000,
      );
      return id;
    };

    /** Everything that is closed or cut, so that it is drawn too. */
    const openAll = async (tab: Page) => {
      await tab.evaluate(`document.querySelectorAll('details').forEach((each) => { each.open = true; })`);
      await tab.evaluate(
        `document.querySelectorAll('main .link-button[aria-expanded="false"]').forEach((each) => each.click())`,
      );
    };
    /** Links that lead neither to a screen nor to the API's documents, and elements that no screen has. */
    const strangers = (tab: Page) =>
      tab.evaluate<string[]>(`[
        ...[...document.querySelectorAll('[href], [src], [action]')].map((each) => each.href || each.src || each.action)
          .filter((url) => !url.startsWith(location.origin + '/')),
        ...[...document.querySelectorAll('main img, main script, main iframe, main object, main a[href^="javascript:"]')]
          .map((each) => each.outerHTML),
      ]`);

    it('are shown as text on every screen: no script, no link, nothing wider than the window', async () => {
      const channelId = await plant();
      const misdeeds = noMisdeeds();
      const tab = await openTab(dashboard.browser, misdeeds);
      const dialogs: string[] = [];
      tab.on('dialog', (dialog) => void (dialogs.push(dialog.message()), dialog.dismiss()));
      await signIn(tab, dashboard.address, dashboard.key);
      const screens: Readonly<Record<string, string>> = {
        '': DOMAIN,
        [`names/${DOMAIN}`]: 'Timeline',
        [`names/${REFUSED}`]: REFUSED,
        check: 'the registry said so',
        agenda: DOMAIN,
        notifications: 'hostile',
        [`notifications/${channelId}`]: 'Deliveries',
        registries: 'sandbox',
        extensions: 'onerror',
        'extensions/acme/page': 'onerror',
        audit: 'Audit trail',
        account: 'onerror',
      };
      const found: Record<string, unknown> = {};
      for (const [path, text] of Object.entries(screens)) {
        await tab.goto(`${dashboard.address}/ui/${path}`);
        if (path === 'check') {
          await tab.getByRole('textbox', { name: 'Names' }).fill(`${DOMAIN} ${REFUSED} ${IMAGE} ${LINK}`);
          await tab.keyboard.press('Enter');
        }
        await tab.getByText(text).first().waitFor();
        await tab.locator('.loading').first().waitFor({ state: 'detached' });
        await openAll(tab);
        const overflow: number[] = [];
        for (const width of [360, 1_280]) {
          await tab.setViewportSize({ width, height: 800 });
          overflow.push(await horizontalOverflow(tab));
        }
        found[path] = { overflow, hasRun: await hasRunHostileText(tab), strangers: await strangers(tab) };
      }
      const harmless = { overflow: [0, 0], hasRun: false, strangers: [] };
      expect(found).toEqual(Object.fromEntries(Object.keys(screens).map((path) => [path, harmless])));
      expect({ misdeeds, dialogs }).toEqual({ misdeeds: noMisdeeds(), dialogs: [] });
      await tab.goto(`${dashboard.address}/ui/names/${DOMAIN}`);
      await tab.getByText('Timeline').waitFor();
      expect(await tab.getByText('onerror').count()).toBeGreaterThan(2); // it is there to be read
      await tab.evaluate(
        `document.querySelector('main').insertAdjacentHTML('beforeend', '<a href="javascript:0">x</a>')`,
      );
      expect(await strangers(tab)).toHaveLength(2); // such a link would be found, by both
      await tab.context().close();
    });
  });
}
