import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROOT } from '../../unit/deployment/compose-file.js';

const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
/** The last stage ships. */
const shipped = dockerfile.split(/^FROM /m).at(-1) ?? '';
const lines = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

describe('the image', () => {
  it('runs as an unprivileged user', () => {
    expect(shipped.match(/^USER .+$/gm)).toEqual(['USER node']);
    expect(shipped.indexOf('USER node')).toBeLessThan(shipped.indexOf('ENTRYPOINT'));
  });

  it('starts the service with the launcher, listening on all interfaces', () => {
    expect(shipped).toContain('ENTRYPOINT ["node", "/app/bin/namewatch.mjs"]\nCMD ["up"]');
    expect(shipped).toMatch(/^ENV .*\bHOST=0\.0\.0\.0\b/m);
  });

  it('has the namewatch command that the docs run in a container', () => {
    expect(shipped).toContain('ln -s /app/bin/namewatch.mjs /usr/local/bin/namewatch');
    expect(statSync(join(ROOT, 'bin/namewatch.mjs')).mode & 0o111).toBe(0o111);
  });

  it('contains neither development packages nor optional packages', () => {
    const stage = dockerfile.split(/^FROM /m).find((text) => text.includes('node:24.21.0-slim AS packages'));
    expect(stage).toContain('RUN npm ci --omit=dev --omit=optional');
    expect(shipped.match(/^COPY --from=\S+ \S*node_modules.*$/gm)).toEqual([
      'COPY --from=packages /app/node_modules node_modules',
    ]);
  });

  it('drops docs, tests and type files of packages, and keeps code and licences', () => {
    const [, command = 'false'] = /^RUN (find (?:[^\n\\]|\\[^])+)$/m.exec(dockerfile) ?? [];
    const folder = mkdtempSync(join(tmpdir(), 'namewatch-packages-'));
    const kept = [
      '@a/test/index.js',
      'a/LICENSE.md',
      'a/NOTICE.md',
      'a/data.json',
      'a/index.js',
      'a/lib/test/index.js',
      'a/node_modules/docs/index.js',
      'a/package.json',
    ];
    const dropped = [
      'a/README.md',
      'a/docs/logo.png',
      'a/node_modules/@b/b/tests/b.js',
      'a/index.d.ts',
      'a/index.js.map',
      'a/src/index.cts',
      'a/test/a.js',
    ];
    for (const name of [...kept, ...dropped]) {
      mkdirSync(join(folder, 'node_modules', dirname(name)), { recursive: true });
      writeFileSync(join(folder, 'node_modules', name), '');
    }
    execFileSync('sh', ['-c', command], { cwd: folder });
    const left = readdirSync(join(folder, 'node_modules'), { recursive: true, encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect(left.filter((name) => name.includes('.')).sort()).toEqual(kept);
  });

  it('uses the same Node version in every build stage', () => {
    expect(new Set(dockerfile.match(/^FROM \S+/gm))).toEqual(new Set(['FROM node:24.21.0-slim']));
  });

  it('gets no secret from ARG, ENV or a copy of the whole folder', () => {
    expect(dockerfile).not.toMatch(/^(ARG|ENV) .*(KEY|PASSWORD|SECRET|TOKEN|_URL)/m);
    expect(dockerfile).not.toMatch(/^COPY (--\S+ )*\. /m);
  });

  it('is built only from the files that the Dockerfile copies, never from .env', () => {
    const [everything, ...kept] = lines(readFileSync(join(ROOT, '.dockerignore'), 'utf8'));
    expect(everything).toBe('*');
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) =>
      names.split(' '),
    );
    expect(kept.map((line) => line.replace('!', '')).sort()).toEqual([...new Set(copied)].sort());
  });

  it('cannot get .env from the repository, because .gitignore lists .env', () => {
    expect(lines(readFileSync(join(ROOT, '.gitignore'), 'utf8'))).toContain('.env');
  });
});

describe('the image’s health check', () => {
  const [, command = '[]'] = /^HEALTHCHECK [^[]*CMD (\[.+\])$/m.exec(dockerfile) ?? [];

  async function health(port: number): Promise<unknown> {
    const [program = '', ...args] = JSON.parse(command) as string[];
    const check = spawn(program, args, { env: { ...process.env, PORT: String(port) }, stdio: 'ignore' });
    const [code] = (await once(check, 'exit')) as unknown[];
    return code;
  }

  it('has no option that Docker versions before 25 refuse', () => {
    expect(dockerfile).not.toMatch(/^HEALTHCHECK .*--start-interval/m);
  });

  it.each([
    [200, 0],
    [503, 1],
  ])('answers the readiness status %i with exit code %i', async (status, code) => {
    const service = createServer(({ url }, response) => response.writeHead(url === '/readyz' ? status : 404).end());
    await once(service.listen(0, '127.0.0.1'), 'listening');
    expect(await health((service.address() as AddressInfo).port)).toBe(code);
    service.close();
  });

  it('exits with 1 while the port is closed', async () => {
    const service = createServer();
    await once(service.listen(0, '127.0.0.1'), 'listening');
    const { port } = service.address() as AddressInfo;
    await new Promise((closed) => service.close(closed));
    expect(await health(port)).toBe(1);
  });
});
