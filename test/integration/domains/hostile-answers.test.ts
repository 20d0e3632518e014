import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../../../src/config/config.js';
import { StandaloneLookup } from '../../../src/domains/index.js';
import type { LookupResult } from '../../../src/domains/language.js';
import { FakeRegistry } from '../../world/registry.js';
import { FakeWhois, saying as whoisSaying, type WhoisAnswer, whoisFaults } from '../../world/whois.js';
import { registryFaults, type RegistryAnswer, saying } from '../../world/registry-faults.js';
import { cpuMillisecondsSince } from '../../support/cpu-time.js';
import { running } from '../../support/running.js';

const MEGABYTE = 1_024 * 1_024;
const UNUSABLE = 'registry_answer_unusable';

const rdap = running(() => FakeRegistry.start());
const whois = running(() => FakeWhois.start());
const engine = running(async () => {
  const config = readConfig({
    RDAP_BOOTSTRAP_URL: 'off',
    DNS_SERVERS: 'off',
    LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8',
    RDAP_OVERRIDES: `example=${rdap.url}`,
    WHOIS_OVERRIDES: `lan=${whois.host}`,
  });
  return new StandaloneLookup(config);
});

let asked = 0;
const overRdap = (answer: RegistryAnswer): Promise<LookupResult> => {
  const name = `hostile-${(asked += 1)}.example`;
  rdap.says(name, answer);
  return engine.lookUp(name);
};
const overWhois = (answer: WhoisAnswer): Promise<LookupResult> => {
  const name = `hostile-${(asked += 1)}.lan`;
  whois.says(name, answer);
  return engine.lookUp(name);
};

/** The outcome, after checking that nothing else of the answer gets any further. */
function outcomeOf(result: LookupResult): string {
  for (const { excerpt, rule } of result.evidence) {
    expect(excerpt.length).toBeLessThanOrEqual(500);
    expect(excerpt).not.toMatch(/\p{Cc}|\p{Cs}|[\u202a-\u202e\u2066-\u2069]/u);
    expect(rule).toMatch(/^(rdap|whois)\.|^dns\.off$/);
  }
  return result.kind === 'observation' ? result.facts.outcome : result.code;
}

const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe('a hostile RDAP answer', () => {
  it.each<[string, RegistryAnswer]>([
    ['that claims to be compressed with brotli', saying(404, 'x', { 'content-encoding': 'br' })],
    ['with endless headers', registryFaults.onlyHeaders],
    ['nested 200,000 levels deep', saying(404, `{"errorCode":404,"x":${deep(200_000)}}`)],
  ])('is reported as unusable within five seconds of CPU time: one %s', async (_what, answer) => {
    const began = process.threadCpuUsage();
    expect(outcomeOf(await overRdap(answer))).toBe(UNUSABLE);
    expect(cpuMillisecondsSince(began)).toBeLessThan(5_000);
  });
});

describe('a hostile WHOIS answer', () => {
  it('is reported as unusable when it is HTTP', async () => {
    const page = 'HTTP/1.0 404 Not Found\r\nContent-Type: text/html\r\n\r\n<h1>Not Found</h1>';
    expect(outcomeOf(await overWhois(whoisSaying(page)))).toBe(UNUSABLE);
  });

  it('causes no second query when it refers to the same server', async () => {
    const refer = [`refer: ${whois.host}`, `whois: ${whois.host}`, `Registrar WHOIS Server: ${whois.host}`];
    whois.says(
      'referred.lan',
      whoisSaying(['Domain Name: referred.lan', ...refer, `ReferralServer: whois://${whois.host}`]),
    );
    const before = whois.queries.length;
    await engine.lookUp('referred.lan');
    expect(whois.queries.length - before).toBe(1);
  });
});

describe('the memory of the process', () => {
  const grown = async (work: () => Promise<unknown>) => {
    await work(); // whatever is made once is made now
    const before = process.memoryUsage().rss;
    for (let round = 0; round < 4; round += 1) await work();
    return process.memoryUsage().rss - before;
  };

  it.each<[string, () => Promise<LookupResult>]>([
    ['gigabytes over RDAP', () => overRdap(registryFaults.endless)],
    ['endless headers over RDAP', () => overRdap(registryFaults.onlyHeaders)],
    ['gzip bombs over RDAP', () => overRdap(registryFaults.gzipBomb)],
    ['endless text over WHOIS', () => overWhois(whoisFaults.floods)],
  ])('grows by less than 96 MB when registries keep sending %s', async (_what, attack) => {
    const attacks = () => Promise.all(Array.from({ length: 8 }, attack));
    expect(await grown(attacks)).toBeLessThan(96 * MEGABYTE);
  });
});

describe('a query to a registry', () => {
  it('contains only the ASCII form of the name (A-label)', async () => {
    rdap.holds('xn--bcher-kva.example');
    await engine.lookUp('BÜCHER.example.');
    await engine.lookUp('bücher.lan');
    expect(rdap.queries('xn--bcher-kva.example')).toBe(1);
    expect(whois.queries.at(-1)).toBe('xn--bcher-kva.lan');
    for (const query of whois.queries) expect(query).toMatch(/^[a-z0-9.-]+$/);
  });

  it.each([
    'a.example\r\nb.example',
    'a.example b',
    'a.example/../x',
    'a%2eexample',
    'a.example?x',
    '=a.lan',
    '-T dn a.lan',
  ])('is not sent for a name with injected characters: %j', async (input) => {
    const before = whois.queries.length;
    await expect(engine.lookUp(input)).rejects.toMatchObject({ code: expect.stringMatching(/^(domain|not|tld)_/) });
    expect(whois.queries).toHaveLength(before);
  });
});
