import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import type { Page } from '../../../tools/browser.js';
import { builtAssets, gzippedSize } from '../../support/browser/bundle-size.js';
import { openTab } from '../../support/browser/dashboard-page.js';
import { poisonAnswers } from '../../support/browser/hostile-answers.js';
import { noMisdeeds } from '../../support/browser/misdeeds.js';
import { accessibilityProblems, hasRunHostileText, horizontalOverflow } from '../../support/browser/page-checks.js';
import type { RunningDashboard } from '../../support/browser/running-dashboard.js';
import { eventually } from '../../support/eventually.js';

const BUNDLE_LIMIT = 120_000;
const PIXEL = 'https://elsewhere.example/pixel.png';

/** Claims about all pages that the other tests have opened, and about each of their checks: it can fail. */
export function describePlantedFaults(dashboard: RunningDashboard): void {
  describe('the dashboard as a whole', () => {
    it('has asked no other host and broken no rule of its content security policy', () => {
      expect(dashboard.misdeeds).toEqual(noMisdeeds());
    });

    it('comes in a bundle of at most 120 kB', () => {
      expect(gzippedSize(builtAssets())).toBeLessThan(BUNDLE_LIMIT);
    });
  });

  describe('the checks of the dashboard', () => {
    /** A page of the service's own host, with what no page may have. */
    const openPlanted = async (html: string, headers: Record<string, string> = {}) => {
      const misdeeds = noMisdeeds();
      const tab = await openTab(dashboard.browser, misdeeds);
      await tab.route(PIXEL, (route) => route.abort());
      await tab.route('**/planted', (route) => route.fulfill({ contentType: 'text/html', headers, body: html }));
      await tab.route('**/broken.js', (route) =>
        route.fulfill({ contentType: 'text/javascript', body: 'throw new Error("broken")' }),
      );
      await tab.goto(`${dashboard.address}/planted`);
      return { tab, misdeeds };
    };
    const closed = (tab: Page) => tab.context().close();

    it('find a request to another host', async () => {
      const { tab, misdeeds } = await openPlanted(`<img src="${PIXEL}">`);
      expect(misdeeds.elsewhere).toEqual([PIXEL]);
      await closed(tab);
    });

    it('find an inline script, an image of another host and an error, under the policy of the dashboard', async () => {
      const policy = (await fetch(`${dashboard.address}/ui/`)).headers.get('content-security-policy') ?? '';
      const html = `<script>window.hasRun = 1</script><img src="${PIXEL}"><script src="/broken.js"></script>`;
      const { tab, misdeeds } = await openPlanted(html, { 'content-security-policy': policy });
      const complaints = await eventually(
        () => Promise.resolve(misdeeds.complaints),
        ({ length }) => length >= 3,
      );
      expect([...complaints].sort()).toEqual([
        expect.stringMatching(/inline script/),
        expect.stringMatching(/elsewhere\.example/),
        'broken',
      ]);
      expect(await hasRunHostileText(tab)).toBe(false);
      await closed(tab);
    });

    it('find what a screen reader cannot name, and what is wider than the window', async () => {
      const { tab } = await openPlanted('<html lang="en"><title>x</title><input><p style="width: 5000px">wide</p>');
      expect(await accessibilityProblems(tab)).toContain('label: input');
      expect(await horizontalOverflow(tab)).toBeGreaterThan(0);
      await closed(tab);
    });

    it('find hostile text that is taken for markup', async () => {
      const { tab } = await openPlanted('<p>');
      await poisonAnswers(tab);
      await tab.evaluate(
        "fetch('/v1/me').then((r) => r.json()).then(({ detail }) => { document.body.innerHTML = detail })",
      );
      await eventually(() => hasRunHostileText(tab), Boolean);
      await closed(tab);
    });

    it('find a bundle that is too large', () => {
      expect(gzippedSize([...builtAssets(), randomBytes(BUNDLE_LIMIT)])).toBeGreaterThan(BUNDLE_LIMIT);
    });
  });
}
