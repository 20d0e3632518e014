import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ExtensionPackages } from '../../support/builders/extension-packages.js';
import { runInProcess, runAsProcess } from '../../support/programs/command-line.js';
import { FakeWhois, saying } from '../../world/whois.js';

const folder = mkdtempSync(join(tmpdir(), 'namewatch-explain-'));
let registry: FakeWhois;

beforeAll(async () => {
  registry = await FakeWhois.start();
});
afterAll(async () => {
  await registry.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Works without a service and without a database. */
function explain(...words: string[]) {
  return runInProcess(['explain', ...words], settings());
}
function settings() {
  const { PATH = '' } = process.env;
  return {
    PATH,
    RDAP_BOOTSTRAP_URL: 'off',
    DNS_SERVERS: 'off',
    LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8',
    WHOIS_OVERRIDES: `lan=${registry.host}`,
  };
}

function saved(answer: string): string {
  const file = join(folder, 'answer');
  writeFileSync(file, answer);
  return file;
}

describe('namewatch explain', () => {
  it('asks the registry, and shows which server answered what and which rule applied', async () => {
    registry.holds('example.lan', '2099-06-01T12:00:00Z');
    const { code, out } = await explain('example.lan');
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('example.lan: registered') });
    expect(out).toContain(`whois ${registry.host}: found by whois.found`);
    expect(out).toContain('expires at    2099-06-01T12:00:00.000Z');
  });

  it('writes logs to stderr only, and never writes colours', async () => {
    registry.holds('example.lan', '2099-06-01T12:00:00Z');
    const unreachable = { ...settings(), RDAP_BOOTSTRAP_URL: 'http://127.0.0.1:9/dns.json' };
    const { code, out, err } = await runAsProcess(['explain', 'example.lan', '--json'], unreachable);
    expect({ code, parsed: JSON.parse(out) as unknown }).toMatchObject({ code: 0, parsed: { outcome: 'found' } });
    expect(err).toMatch(/^warning: The RDAP bootstrap is unavailable: not refreshed/);
    for (const mark of ['\u001b', '[Nest]']) expect(out + err).not.toContain(mark);
  });

  it('exits with 1 and shows why a lookup gave no status', async () => {
    registry.says('throttled.lan', saying('Query limit exceeded, try again in 30 seconds'));
    const { code, out } = await explain('throttled.lan');
    expect(code).toBe(1);
    expect(out).toMatch(/no status, registry_throttled\n {2}ask again in {2}30 s/);
  });

  it('reads an answer from a file as if the registry had just sent that answer', async () => {
    const whois = saved('Domain: example.nl\r\nStatus: in quarantine\r\nRegistrar: Example\r\n');
    const answer = await explain('example.nl', '--from-file', whois, '--server', 'whois.example', '--json');
    expect(JSON.parse(answer.out)).toMatchObject({
      domain: 'example.nl',
      outcome: 'found',
      quarantine: 'redemption',
      publishes_expiry: false,
      evidence: [{ source: 'whois', server: 'whois.example', rule: 'whois.found.quarantine', http_status: null }],
    });
    const rdap = saved('{"errorCode":404}');
    const other = await explain('example.nl', '--from-file', rdap, '--protocol', 'rdap', '--http-status', '404');
    expect(other.out).toContain('example.nl: available');
  });

  it('does not call a name available by a saved 404 answer that cannot be trusted', async () => {
    const notFound = ['--protocol', 'rdap', '--http-status', '404'];
    const empty = ['example.nl', '--from-file', saved(''), ...notFound];
    expect((await explain(...empty)).out).toContain('registry_answer_unusable');
    const marked = await explain(...empty, '--media-type', 'Application/RDAP+JSON; charset=utf-8');
    expect(marked.out).toContain('example.nl: available');
    const ofOthers = await explain('x.gov.uk', '--from-file', saved('{"errorCode":404}'), ...notFound);
    expect(ofOthers.out).toContain('inconclusive by rdap.404.other_zone');
  });

  it('exits with an error for an unsupported TLD, a malformed name or a missing file', async () => {
    expect(await explain('example.nl')).toMatchObject({ code: 5, err: expect.stringContaining('tld_unsupported') });
    expect(await explain('not a name')).toMatchObject({ code: 5, err: expect.stringContaining('domain_malformed') });
    expect(await explain('example.nl', '--from-file', join(folder, 'missing'))).toMatchObject({ code: 2 });
    expect(await explain('example.nl', '--http-status', 'x')).toMatchObject({ code: 2 });
  });
});

describe('namewatch explain with an extension', () => {
  const SOURCE = `import { absent, defineExtension, LookupSource } from 'namewatch';
    class Acme extends LookupSource {
      constructor(name = 'acme') { super(); Object.assign(this, { name, role: 'only' }); }
      servers() { return new Map([['acme', { host: 'api.acme.example', port: 443 }]]); }
      async ask() { return { kind: 'facts', facts: absent, rule: 'free', excerpt: 'free', httpStatus: 200 }; }
    }
    class Taken extends Acme { constructor() { super('rdap'); } }
    const define = (...lookupSources) => defineExtension({ name: 'acme', compatibility: '*', lookupSources });`;
  let packages: ExtensionPackages;
  beforeAll(() => {
    packages = ExtensionPackages.create();
    packages.write('acme.mjs', `${SOURCE}\nexport default define(Acme);`);
    packages.write('taken.mjs', `${SOURCE}\nexport default define(Taken);`);
  });
  afterAll(() => packages.delete());
  const explainWith = (EXTENSIONS: string) => runInProcess(['explain', 'free.acme'], { ...settings(), EXTENSIONS });

  it('asks the lookup source of the extension', async () => {
    const { code, out } = await explainWith('./acme.mjs');
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('free.acme: available') });
    expect(out).toContain('acme api.acme.example: absent by acme.free, HTTP 200');
  });

  it('refuses an extension that names its lookup source like a built-in one', async () => {
    expect(await explainWith('./taken.mjs')).toMatchObject({
      code: 78,
      err: 'the lookup source "rdap" of the extension acme is neither acme nor acme.<word>',
    });
  });
});
