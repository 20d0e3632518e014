import type { BrowserContext } from '../../../tools/browser.js';

/** Acts that no page of the dashboard may do; collected while the pages are open. */
export interface Misdeeds {
  /** Requests to other hosts. */
  readonly elsewhere: string[];
  /** Errors of scripts, and what the content security policy blocked. */
  readonly complaints: string[];
}

export const noMisdeeds = (): Misdeeds => ({ elsewhere: [], complaints: [] });

/** Failed requests are logged by the browser itself; tests that cause them see what the page says. */
const FAILED_REQUEST = /^Failed to load resource/;

/** Adds what every page of the context does wrong from now on, including pages that it opens later. */
export function recordMisdeeds(context: BrowserContext, { elsewhere, complaints }: Misdeeds): void {
  context.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (hostname !== '127.0.0.1' && !['data:', 'blob:'].includes(protocol)) elsewhere.push(request.url());
  });
  context.on('weberror', (error) => complaints.push(error.error().message));
  context.on('console', (message) => {
    if (message.type() === 'error' && !FAILED_REQUEST.test(message.text())) complaints.push(message.text());
  });
}
