import { readFileSync } from 'node:fs';

const packageFile = new URL('../../../package.json', import.meta.url);
export const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string };

/** How this service introduces itself to registries and receivers. */
export const USER_AGENT = `namewatch/${version}`;
