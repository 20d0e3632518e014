import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from '../../../tools/browser.js';
import { poisonAnswers } from '../../support/browser/hostile-answers.js';
import {
  accessibilityProblemsInBothSchemes,
  hasRunHostileText,
  horizontalOverflow,
} from '../../support/browser/page-checks.js';
import type { RunningDashboard } from '../../support/browser/running-dashboard.js';

interface Screen {
  /** Below /ui; `:channel` stands for the id of a channel. */
  readonly path: string;
  /** A text that its data puts there. */
  readonly text: string;
  /** Names of the buttons that open its dialogs. */
  readonly dialogs: readonly (string | RegExp)[];
  /** Makes it show what it shows only when asked to. */
  readonly show?: (tab: Page) => Promise<void>;
}

async function checkNames(tab: Page): Promise<void> {
  await tab
    .getByRole('textbox', { name: 'Names' })
    .fill(`available.test timeout.test ${'w'.repeat(60)}.${'w'.repeat(60)}`);
  await tab.keyboard.press('Enter');
  await tab.getByText('No answer', { exact: true }).first().waitFor();
}

async function showLookAlikes(tab: Page): Promise<void> {
  await tab.getByRole('button', { name: 'See which are taken' }).click();
  await tab.locator('.check-row').first().waitFor();
}

async function openFilters(tab: Page): Promise<void> {
  await tab.getByRole('button', { name: '+ Registry' }).click();
  await tab.locator('.menu-choice').first().waitFor();
}

async function selectNames(tab: Page): Promise<void> {
  await tab.getByRole('checkbox', { name: 'Select all names of this page' }).check();
}

/** Two members: the first was invited, the second came by a group. */
const MEMBERS = `
  with person as (
    insert into people (id, issuer, subject, name, email, created_at, signed_in_at)
    select 'per_' || rpad(n::text, 26, '0'), 'https://login.example', n, 'Member ' || n, n || '@example.test', now(), now()
    from generate_series(1, 2) n returning id, subject)
  insert into members (account_id, person_id, role, added_by, added_at)
  select (select id from accounts order by created_at limit 1), id, 'admin',
    case subject when '1' then 'invitation' else 'group' end, now() from person`;

/** Every screen that a signed-in person reaches. */
const SCREENS: readonly Screen[] = [
  { path: '', text: 'expiring.test', dialogs: ['Add names', 'Import a file'] },
  {
    path: 'names/expiring.test',
    text: 'Evidence',
    dialogs: ['Settings', 'Expected values…'],
    show: showLookAlikes,
  },
  { path: '?search=expiring', text: 'expiring.test', dialogs: ['Change…'], show: selectNames },
  { path: 'check', text: 'Is it free?', dialogs: [], show: checkNames },
  { path: 'agenda', text: 'expiring.test', dialogs: ['Make a new address…', 'Revoke it…'] },
  { path: 'client-pages', text: 'Names of Acme', dialogs: ['Make a page', /^Revoke /] },
  { path: '?search=exp', text: 'expiring.test', dialogs: [], show: openFilters },
  { path: 'notifications', text: 'Signed webhook', dialogs: ['Add a channel'] },
  {
    path: 'notifications/:channel',
    text: 'Send a test',
    dialogs: ['Replay…', 'Rotate the secret…', 'Label…', 'Summary…', 'Which events…', 'Remove…'],
  },
  { path: 'registries', text: 'sandbox', dialogs: [] },
  { path: 'extensions', text: 'Lookup sources', dialogs: [] },
  { path: 'extensions/acme/page', text: '<!doctype html>', dialogs: [] },
  { path: 'audit', text: 'Audit trail', dialogs: [] },
  {
    path: 'members',
    text: 'zoe@example.test',
    dialogs: ['Invite somebody', 'Open an account', /^Remove /],
  },
  { path: 'account', text: 'Issue a key', dialogs: ['Issue a key', /^Revoke /] },
  { path: 'nowhere', text: 'nothing at this address', dialogs: [] },
];

const WIDTHS = [360, 1_280, 3_840];

export function describeScreens(dashboard: RunningDashboard): void {
  describe('the dashboard’s screens', () => {
    let channelId: string;
    const pathOf = (screen: Screen) => screen.path.replace(':channel', channelId);
    beforeAll(async () => {
      const channel = { type: 'webhook', target: 'https://receiver.example/namewatch' };
      await dashboard.post('/v1/calendar', {});
      await dashboard.post('/v1/client-pages', { tags: ['acme'], title: 'Names of Acme' });
      await dashboard.post('/v1/invitations', { email: 'zoe@example.test', role: 'editor' });
      await dashboard.query(MEMBERS);
      channelId = String((await dashboard.post('/v1/notifications', channel))['id']);
    });

    it.each(SCREENS.map((screen) => [screen.path, screen] as const))(
      'have no accessibility problems in light or dark mode, in the page and its dialogs: /%s',
      async (_, screen) => {
        const { page } = dashboard;
        await dashboard.goTo(pathOf(screen));
        await page.getByText(screen.text).first().waitFor();
        await screen.show?.(page);
        const problems = await accessibilityProblemsInBothSchemes(page);
        for (const name of screen.dialogs) {
          await page.getByRole('button', { name }).first().click();
          problems.push(...(await accessibilityProblemsInBothSchemes(page, 'dialog')));
          await page.keyboard.press('Escape');
        }
        expect(problems).toEqual([]);
      },
    );

    it('have no accessibility problems at the sign-in, even after a refused key', async () => {
      const tab = await dashboard.openTab();
      await tab.goto(`${dashboard.address}/ui/`);
      await tab.getByLabel('API key').fill('nw_not-a-key');
      const empty = await accessibilityProblemsInBothSchemes(tab);
      await tab.keyboard.press('Enter');
      await tab.getByRole('alert').waitFor();
      const refused = await accessibilityProblemsInBothSchemes(tab);
      expect({ empty, refused }).toEqual({ empty: [], refused: [] });
      await tab.close();
    });

    it('show hostile text as plain text, and never scroll sideways at three window widths', async () => {
      const tab = await dashboard.openSignedInTab();
      await poisonAnswers(tab);
      await dashboard.open('', tab);
      const found: Record<string, unknown> = {};
      for (const screen of SCREENS) {
        await dashboard.goTo(pathOf(screen), tab);
        await screen.show?.(tab);
        const overflow: number[] = [];
        for (const width of WIDTHS) {
          await tab.setViewportSize({ width, height: 800 });
          overflow.push(await horizontalOverflow(tab));
        }
        found[screen.path] = { hasRun: await hasRunHostileText(tab), overflow };
      }
      const expected = { hasRun: false, overflow: WIDTHS.map(() => 0) };
      expect(found).toEqual(Object.fromEntries(SCREENS.map(({ path }) => [path, expected])));
      await tab.close();
    });
  });
}
