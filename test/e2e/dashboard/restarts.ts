import { describe, it } from '@jest/globals';
import type { Locator, Page } from '../../../tools/browser.js';
import type { RunningDashboard } from '../../support/browser/running-dashboard.js';

/** A dialog that was filled in; what sends it, and what shows that it was done. */
interface FilledDialog {
  readonly screen: string;
  readonly fill: (page: Page, dialog: Locator) => Promise<void>;
  readonly send: string;
  readonly done: (page: Page, dialog: Locator) => Locator;
}

const button = (name: string, within: Page | Locator) => within.getByRole('button', { name, exact: true });
const row = (text: string, page: Page) => page.getByRole('row').filter({ hasText: text });
const openBy = (name: string, page: Page) => button(name, page).click();

const DIALOGS: readonly FilledDialog[] = [
  {
    screen: '',
    fill: async (page, dialog) => {
      await openBy('Add names', page);
      await dialog.getByLabel('Names').fill('restart-added--registered.test');
    },
    send: 'Watch',
    done: (page) => row('restart-added--registered.test', page),
  },
  {
    screen: '',
    fill: async (page, dialog) => {
      await openBy('Import a file', page);
      const names = 'restart-one--registered.test\nrestart-two--registered.test\n';
      const file = { name: 'names.txt', mimeType: 'text/plain', buffer: Buffer.from(names) };
      await dialog.locator('input[type=file]').setInputFiles(file);
      await button('Import 2 names', dialog).waitFor();
    },
    send: 'Import 2 names',
    done: (_, dialog) => dialog.getByText('2 added'),
  },
  {
    screen: '',
    fill: async (page, dialog) => {
      await page.getByRole('checkbox', { name: 'Select expiring.test' }).check();
      await openBy('Change…', page);
      await dialog.getByRole('textbox', { name: 'Add tags' }).fill('restarted');
    },
    send: 'Preview',
    done: (_, dialog) => dialog.getByText('1 name: 1 to change'),
  },
  {
    screen: 'names/expiring.test',
    fill: async (page, dialog) => {
      await openBy('Settings', page);
      await dialog.getByLabel('Note', { exact: true }).fill('written before the restart');
    },
    send: 'Save',
    done: (page) => page.getByText('written before the restart'),
  },
  {
    screen: 'names/registered.test',
    fill: async (page, dialog) => {
      await openBy('Expected values…', page);
      await dialog.getByRole('textbox', { name: 'Name servers' }).fill('ns1.restart.example');
    },
    send: 'Save',
    done: (page) => page.getByText('missing: ns1.restart.example'),
  },
  {
    screen: 'notifications',
    fill: async (page, dialog) => {
      await openBy('Add a channel', page);
      await page.getByLabel('Kind').selectOption('webhook');
      await dialog.getByLabel('HTTPS URL').fill('https://restart.example/hook');
    },
    send: 'Add',
    done: (page) => page.locator('.shown-once code'),
  },
  {
    screen: 'account',
    fill: async (page) => {
      await openBy('Issue a key', page);
      await page.getByRole('textbox', { name: 'Name' }).fill('restart');
      await page.getByRole('checkbox', { name: 'watchlist:read' }).check();
    },
    send: 'Issue',
    done: (page) => page.locator('.shown-once code'),
  },
];

export function describeRestarts(dashboard: RunningDashboard): void {
  describe('a dialog open during a service restart', () => {
    it('keeps the values that the user entered, and can send them after the restart', async () => {
      for (const domain of ['expiring.test', 'registered.test']) await dashboard.post('/v1/watchlist', { domain });
      const opened = await Promise.all(DIALOGS.map(open));
      await dashboard.stopService();
      try {
        for (const { dialog, send } of opened) {
          await button(send, dialog).click();
          await dialog.getByText('The service does not answer').waitFor();
        }
      } finally {
        await dashboard.startService(); // other tests need it
      }
      for (const { page, dialog, send, done } of opened) {
        await button(send, dialog).click();
        await done(page, dialog).first().waitFor();
        await page.context().close();
      }
    });
  });

  async function open({ screen, fill, send, done }: FilledDialog) {
    const page = await dashboard.openSignedInTab();
    await dashboard.goTo(screen, page);
    const dialog = page.getByRole('dialog');
    await fill(page, dialog);
    return { page, dialog, send, done };
  }
}
