import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { namewatch } from '../../clients/typescript/src/index.js';
import { launchBrowser } from '../../test/support/browser/launch.js';
import { fillAccount } from './screenshots/fill-account.js';
import { SCENES } from './screenshots/scenes.js';
import { setStage } from './screenshots/stage.js';

/**
 * `npm run -s script -- screenshots [part of a name …]`: makes pictures of the dashboard in docs/img. They show a
 * service with registries on loopback and invented names.
 */
const FOLDER = join(import.meta.dirname, '../../docs/img');

const VARIANTS = [
  { suffix: 'light', colorScheme: 'light', viewport: { width: 1_200, height: 800 } },
  { suffix: 'dark', colorScheme: 'dark', viewport: { width: 1_200, height: 800 } },
  { suffix: 'narrow', colorScheme: 'light', viewport: { width: 360, height: 800 } },
] as const;

const wanted = process.argv.slice(2);
const stage = await setStage();
const browser = await launchBrowser();
try {
  await fillAccount(namewatch({ url: stage.address, key: stage.key }), stage);
  mkdirSync(FOLDER, { recursive: true });
  for (const { suffix, ...options } of VARIANTS) {
    const context = await browser.newContext({ ...options, reducedMotion: 'reduce' });
    const page = await context.newPage();
    for (const { name, show } of SCENES) {
      if (wanted.length > 0 && !wanted.some((part) => name.includes(part))) continue;
      await show(page, stage);
      await page.screenshot({ path: join(FOLDER, `${name}-${suffix}.png`), animations: 'disabled' });
    }
    await context.close();
  }
} finally {
  await browser.close();
  await stage.close();
}
