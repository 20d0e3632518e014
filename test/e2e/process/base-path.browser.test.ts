import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Browser, Page } from '../../../tools/browser.js';
import { build, isStale } from '../../../bin/build.mjs';
import { openScreen, openTab, signIn } from '../../support/browser/dashboard-page.js';
import { launchBrowser } from '../../support/browser/launch.js';
import { noMisdeeds } from '../../support/browser/misdeeds.js';
import { PathProxy } from '../../support/servers/path-proxy.js';
import { startTestService, type TestService } from '../../support/servers/test-service.js';

jest.setTimeout(120_000); // a browser that draws without a graphics card, on a busy machine

const misdeeds = noMisdeeds();
let proxy: PathProxy;
let service: TestService;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  if (isStale()) await build();
  proxy = await PathProxy.start('/namewatch');
  service = await startTestService({ UI: 'on', PUBLIC_URL: `${proxy.url}/` });
  await service.app.listen(0, '127.0.0.1');
  proxy.leadTo(await service.app.getUrl());
  browser = await launchBrowser();
  page = await openTab(browser, misdeeds);
});
afterAll(async () => {
  await browser?.close();
  await proxy?.stop();
  await service?.close();
});

describe('a service below a path that its proxy removes, in a browser', () => {
  it('leads to its dashboard, which signs in, adds a name and hears of its events', async () => {
    await page.goto(`${proxy.url}/`);
    expect(page.url()).toBe(`${proxy.url}/ui/`);
    await signIn(page, proxy.url, service.account.key);
    await page.getByRole('button', { name: 'Watch expiring.test' }).click();
    await page.getByRole('row').filter({ hasText: 'expiring.test' }).getByText('Expiring', { exact: true }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
  });

  it('shows a screen whether a link of the page leads there or its address is opened', async () => {
    await page.getByRole('link', { name: 'expiring.test' }).first().click();
    await page.waitForURL(`${proxy.url}/ui/names/expiring.test`);
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'expiring.test' }).waitFor();
    for (const screen of ['agenda', 'notifications', 'registries', 'audit', 'account']) {
      await openScreen(page, proxy.url, screen);
      expect(new URL(page.url()).pathname).toBe(`/namewatch/ui/${screen}`);
    }
  });

  it('sends requests of the page at /docs to itself', async () => {
    await page.goto(`${proxy.url}/docs`);
    const block = page.locator('.opblock[id$="-getLiveness"]');
    await block.locator('.opblock-summary-control').click();
    await block.locator('button.execute').click();
    const answer = block.locator('.live-responses-table .response').first();
    expect(await answer.locator('.response-col_status').innerText()).toMatch(/^200/);
    expect(await block.locator('.request-url').innerText()).toContain(`${proxy.url}/livez`);
  });

  it('says in a problem where the page about it is', async () => {
    const answer = await fetch(`${proxy.url}/v1/me`);
    const { type, instance } = (await answer.json()) as Record<string, string>;
    expect({ type, instance }).toEqual({
      type: '/namewatch/problems/authentication_required',
      instance: '/namewatch/v1/me',
    });
    await page.goto(new URL(type ?? '', proxy.url).href);
    await page.getByText('Authentication is required').waitFor();
  });

  it('asked for nothing beside its path, and broke no rule of its own', () => {
    expect(proxy.outside).toEqual([]);
    expect(misdeeds).toEqual(noMisdeeds());
  });
});
