import { readFileSync } from 'node:fs';
import { AXE_FILE, type Page } from '../../../tools/browser.js';

const axeSource = readFileSync(AXE_FILE, 'utf8');

interface AxeOptions {
  /** All of them unless given, such as `color-contrast`. */
  readonly rules?: readonly string[];
  /** The part of the page that is checked, as a selector. */
  readonly within?: string;
}

/** Violations of WCAG 2.2 AA and of axe's best practices, each with the element concerned. */
export async function accessibilityProblems(page: Page, { rules, within }: AxeOptions = {}): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axeSource);
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: { type: 'rule', values: rules } }) };
  return page.evaluate<string[]>(
    `axe.run(${within === undefined ? 'document' : JSON.stringify(within)}, ${JSON.stringify(options)}).then(
      ({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target.join(' '))))`,
  );
}

/** In light with all rules; in dark with that which colours change. */
export async function accessibilityProblemsInBothSchemes(page: Page, within?: string): Promise<string[]> {
  const part = within === undefined ? {} : { within };
  const light = await accessibilityProblems(page, part);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await accessibilityProblems(page, { ...part, rules: ['color-contrast'] });
  await page.emulateMedia({ colorScheme: 'light' });
  return [...light, ...dark];
}

/** By how many pixels the page is wider than its window. */
export async function horizontalOverflow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/** Whether a text of hostile-answers.ts was taken for markup. */
export async function hasRunHostileText(page: Page): Promise<boolean> {
  return page.evaluate<boolean>("'hasRun' in window || document.querySelector('img[src=x]') !== null");
}
