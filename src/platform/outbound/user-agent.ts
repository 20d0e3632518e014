import { readFileSync } from 'node:fs';

const packageFile = new URL('../../../package.json', import.meta.url);
export const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string };

/** The `User-Agent` header of requests to registries and webhook receivers. */
export const USER_AGENT = `namewatch/${version}`;
