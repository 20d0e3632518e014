import { type Browser, chromium } from '../../../tools/browser.js';
import { chromiumForTests } from '../programs/chromium.mjs';

/** Chromium without a window, which asks nothing of the internet by itself. */
export function launchBrowser(): Promise<Browser> {
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : []; // as root it would not start
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-gpu'];
  return chromium.launch({ executablePath: chromiumForTests() ?? '', args: [...sandbox, ...quiet] });
}
