import { readFileSync } from 'node:fs';

/** The version of package.json, which stands above both `src` and `dist`. */
export const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
