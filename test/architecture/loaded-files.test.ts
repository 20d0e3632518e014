import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const IMPORT = /^(?:import|export) (?!type )(?:([^;']*?) from )?'([^']+)';/gm;
const TYPES_ONLY = /^\{(\s*type [^,}]+,?)+\s*\}$/;

/** Own files and packages that are loaded with a file, because it imports values of them, or what it imports does. */
function loadedWith(entry: string): ReadonlySet<string> {
  const loaded = new Set([entry]);
  for (const file of loaded) {
    if (!existsSync(file)) continue; // a package
    for (const [, names = '', from = ''] of readFileSync(file, 'utf8').matchAll(IMPORT))
      if (!TYPES_ONLY.test(names))
        loaded.add(from.startsWith('.') ? join(dirname(file), from).replace(/js$/, 'ts') : from);
  }
  return loaded;
}

describe('a process without an API', () => {
  const FOR_REQUESTS = /[.]controllers?[.]ts$|^@nestjs\/swagger$|^@fastify\/static$|^csv-stringify/;

  it('loads no controller and no code of the API document, which take a tenth of its memory', () => {
    expect([...loadedWith('src/app/bootstrap.ts')].filter((file) => FOR_REQUESTS.test(file))).toEqual([]);
  });

  it('loads no mail library before the first mail', () => {
    expect([...loadedWith('src/app/bootstrap.ts')]).not.toContain('nodemailer');
  });

  it('loads no OpenID Connect client before a sign-in by a provider is set up', () => {
    expect([...loadedWith('src/app/bootstrap.ts')]).not.toContain('openid-client');
    const withRoutes = [...loadedWith('src/auth/auth-api.module.ts')];
    expect(withRoutes).toContain('src/auth/sign-in/identity-provider.ts');
    expect(withRoutes).not.toContain('openid-client');
  });

  it('differs from one with an API, whose modules are found', () => {
    expect([...loadedWith('src/app/api.module.ts')]).toEqual(
      expect.arrayContaining(['@nestjs/swagger', 'src/watchlist/entries/entry.controller.ts']),
    );
  });
});
