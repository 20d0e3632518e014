import { existsSync } from 'node:fs';

/**
 * Whether the tools are installed that the `*.tools.test.ts` and `*.browser.test.ts` suites need; else they are left out.
 * With REQUIRE_TOOLS they are never left out.
 */
export function areToolsInstalled() {
  if (existsSync(new URL('../../../tools/node_modules', import.meta.url))) return true;
  if (process.env.REQUIRE_TOOLS) throw new Error('REQUIRE_TOOLS is set, but "npm ci --prefix tools" was not run');
  return false;
}
