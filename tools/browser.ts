import { fileURLToPath } from 'node:url';

export { chromium } from 'playwright-core';
export type { Browser, BrowserContext, BrowserContextOptions, Locator, Page, Route } from 'playwright-core';

/** The script that checks a page for what keeps people from using it. */
export const AXE_FILE = fileURLToPath(import.meta.resolve('axe-core/axe.min.js'));
