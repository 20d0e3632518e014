import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { namewatch } from '../../clients/typescript/src/index.js';
import { launchBrowser } from '../../test/support/browser/launch.js';
import { fillAccount } from './screenshots/fill-account.js';
import { SCENES } from './screenshots/scenes.js';
import { setStage } from './screenshots/stage.js';

/**
 * `npm run -s script -- screenshots`: makes the pictures of README in docs/img. `… --into <folder> [part of a name …]`
 * makes all screens, in light, in dark and in a narrow window. They show a service with registries on loopback and
 * invented names.
 */
const IN_README = ['name-light'];

const VARIANTS = [
  { suffix: 'light', colorScheme: 'light', viewport: { width: 1_200, height: 800 } },
  { suffix: 'dark', colorScheme: 'dark', viewport: { width: 1_200, height: 800 } },
  { suffix: 'narrow', colorScheme: 'light', viewport: { width: 360, height: 800 } },
] as const;

const { values, positionals } = parseArgs({ options: { into: { type: 'string' } }, allowPositionals: true });
const folder = values.into === undefined ? join(import.meta.dirname, '../../docs/img') : resolve(values.into);
const isWanted = (picture: string) =>
  values.into === undefined
    ? IN_README.includes(picture)
    : positionals.length === 0 || positionals.some((part) => picture.includes(part));

const stage = await setStage();
const browser = await launchBrowser();
try {
  const client = namewatch({ url: stage.address, key: stage.key });
  await fillAccount(client, stage);
  mkdirSync(folder, { recursive: true });
  for (const { suffix, ...options } of VARIANTS) {
    const context = await browser.newContext({ ...options, reducedMotion: 'reduce', permissions: ['notifications'] });
    const page = await context.newPage();
    for (const { name, show } of SCENES) {
      const picture = `${name}-${suffix}`;
      if (!isWanted(picture)) continue;
      await show(page, stage);
      await page.screenshot({ path: join(folder, `${picture}.png`), animations: 'disabled' });
    }
    await context.close();
  }
} finally {
  await browser.close();
  await stage.close();
}
