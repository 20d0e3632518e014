import { describe, expect, it } from '@jest/globals';
import type { Page } from '../../../tools/browser.js';
import type { RunningDashboard } from '../../support/browser/running-dashboard.js';

interface FocusStop {
  /** Of the element that has the focus, as it is read out. */
  readonly name: string;
  readonly isOutlined: boolean;
  readonly isInDialog: boolean;
}

const STOP = `(() => {
  const element = document.activeElement;
  if (element === document.body) return { name: 'the browser', isOutlined: true, isInDialog: true };
  const name = element.getAttribute('aria-label') ?? element.labels?.[0]?.querySelector('.field-label')?.textContent ??
    element.id ?? '';
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  return {
    name: (name || element.textContent).trim(),
    isOutlined: outlineStyle !== 'none' && outlineWidth !== '0px',
    isInDialog: element.closest('dialog') !== null,
  };
})()`;

const MOST_STOPS = 60;

/** Presses a key until the focus is where it is wanted. @returns all stops, with that one at the end */
async function walk(page: Page, key: string, until: (stop: FocusStop) => boolean): Promise<readonly FocusStop[]> {
  const stops: FocusStop[] = [];
  while (stops.length < MOST_STOPS) {
    await page.keyboard.press(key);
    const stop = await page.evaluate<FocusStop>(STOP);
    stops.push(stop);
    if (until(stop)) return stops;
  }
  throw new Error(`not reached: ${stops.map(({ name }) => name).join(', ')}`);
}

const namesOf = (stops: readonly FocusStop[]) => stops.map(({ name }) => name);
const named = (wanted: string) => (stop: FocusStop) => stop.name === wanted;

export function describeKeyboard(dashboard: RunningDashboard): void {
  describe('a keyboard user', () => {
    let tab: Page;

    it('can sign in, and then move through the navigation or skip it', async () => {
      tab = await dashboard.openTab();
      await tab.goto(`${dashboard.address}/ui/`);
      await tab.getByLabel('API key').waitFor();
      await tab.keyboard.type(dashboard.key);
      await tab.keyboard.press('Enter');
      await tab.getByRole('link', { name: 'expiring.test' }).waitFor();
      const backwards = await walk(tab, 'Shift+Tab', named('Skip to content'));
      expect(namesOf(backwards).slice(0, 3)).toEqual(['Sign out', 'API docs', 'Find…']);
      expect(namesOf(backwards).slice(-3)).toEqual(['Watchlist', 'Namewatch', 'Skip to content']);
      expect(backwards.filter(({ isOutlined }) => !isOutlined)).toEqual([]);
      expect((await tab.getByRole('link', { name: 'Skip to content' }).boundingBox())?.y).toBeGreaterThanOrEqual(0);
      await tab.keyboard.press('Enter');
      const [next] = await walk(tab, 'Tab', () => true);
      expect(next?.name).toBe('Export');
    });

    it('can add a name in a dialog, which holds the focus and returns it on Escape', async () => {
      await walk(tab, 'Tab', named('Add names'));
      await tab.keyboard.press('Enter');
      const forwards = await walk(tab, 'Tab', (stop) => stop.name === 'Names');
      const around = await walk(tab, 'Tab', (stop) => stop.name === 'Names');
      const backwards = await walk(tab, 'Shift+Tab', (stop) => stop.name === 'Names');
      expect([...forwards, ...around, ...backwards].filter(({ isInDialog }) => !isInDialog)).toEqual([]);
      await tab.keyboard.press('Escape');
      expect(await tab.evaluate<FocusStop>(STOP)).toMatchObject({ name: 'Add names', isInDialog: false });

      await tab.keyboard.press('Enter');
      await walk(tab, 'Tab', named('Names'));
      await tab.keyboard.type('ci--reserved.test');
      await walk(tab, 'Tab', named('Watch'));
      await tab.keyboard.press('Enter');
      await tab.getByRole('link', { name: 'ci--reserved.test' }).waitFor();
      // The message goes by itself after seconds: it is reached from the last control before it, to be there in time.
      await tab.locator('main :is(a[href], button)').last().focus();
      await walk(tab, 'Tab', named('Close message'));
      await tab.keyboard.press('Enter');
    });

    it('can reach every control of the list, and always sees which one has the focus', async () => {
      await tab.getByRole('heading', { level: 1 }).focus();
      const controls = await tab.locator('main :is(a[href], button, input, select, summary)').count();
      const stops = await walk(tab, 'Tab', named('the browser'));
      expect(namesOf(stops)).toHaveLength(controls + 1);
      expect(stops.filter(({ isOutlined }) => !isOutlined)).toEqual([]);
      await tab.close();
    });

    it('can open a name or a screen by the command palette, which returns the focus on Escape', async () => {
      const domain = 'palette--registered.test';
      const { id } = await dashboard.post('/v1/watchlist', { domain });
      const page = await dashboard.openSignedInTab();
      const palette = page.getByRole('dialog', { name: 'Go to, find, check or add' });
      const goTo = async (typed: string, choice: string) => {
        await page.keyboard.press('Control+k');
        await palette.waitFor();
        await page.keyboard.type(typed);
        await palette.getByRole('option', { name: choice, exact: true, selected: true }).waitFor();
        await page.keyboard.press('Enter');
        await palette.waitFor({ state: 'detached' });
        await page.getByRole('heading', { level: 1, name: choice }).waitFor();
      };
      await goTo('palette--', domain);
      await goTo('agen', 'Agenda');
      await page.getByRole('link', { name: 'API docs' }).focus();
      await page.keyboard.press('Control+k');
      await palette.waitFor();
      expect(await page.evaluate<FocusStop>(STOP)).toMatchObject({ name: 'Command', isInDialog: true });
      await page.keyboard.press('Escape');
      await palette.waitFor({ state: 'detached' });
      expect(await page.evaluate<FocusStop>(STOP)).toMatchObject({ name: 'API docs', isInDialog: false });
      await page.close();
      await dashboard.send({ method: 'DELETE', path: `/v1/watchlist/${String(id)}` });
    });
  });
}
