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

  it('loads no controllers and no code of the API document', () => {
    expect([...loadedWith('src/app/bootstrap.ts')].filter((file) => FOR_REQUESTS.test(file))).toEqual([]);
  });

  it('loads no mail library at its start', () => {
    expect([...loadedWith('src/app/bootstrap.ts')]).not.toContain('nodemailer');
  });

  it('loads no OpenID Connect client at its start, and neither do the sign-in routes', () => {
    expect([...loadedWith('src/app/bootstrap.ts')]).not.toContain('openid-client');
    const withRoutes = [...loadedWith('src/auth/auth-api.module.ts')];
    expect(withRoutes).toContain('src/auth/sign-in/identity-provider.ts');
    expect(withRoutes).not.toContain('openid-client');
  });

  it('differs from a process with an API, which loads Swagger and the controllers', () => {
    expect([...loadedWith('src/app/api.module.ts')]).toEqual(
      expect.arrayContaining(['@nestjs/swagger', 'src/watchlist/entries/entry.controller.ts']),
    );
  });
});
