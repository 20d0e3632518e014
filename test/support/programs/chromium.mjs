import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The first has no window at all, and takes half of the processor that the others take for a page. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/**
 * The browser of the `*.browser.test.ts` suites: the program that CHROMIUM names, else one on PATH, else null, and they
 * are left out. With REQUIRE_CHROMIUM they are never left out.
 */
export function chromiumForTests() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = process.env.CHROMIUM ?? NAMES.flatMap((name) => folders.map((at) => join(at, name))).find(isProgram);
  if (found) return found;
  if (process.env.REQUIRE_CHROMIUM) throw new Error('REQUIRE_CHROMIUM is set, but there is no chromium on PATH');
  return null;
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
