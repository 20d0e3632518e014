import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCorpus } from '../../../tools/scripts/corpus/run-corpus.js';
import { readConfig } from '../../../src/config/config.js';
import { RegistryCheck, type RegistryReport } from '../../../src/domains/index.js';
import { budgetsFile } from '../../support/builders/budgets-file.js';
import { CertificateAuthority } from '../../support/builders/certificates.js';
import { rdapRecord } from '../../support/builders/rdap-answers.js';
import { eventually } from '../../support/eventually.js';
import { FakeRegistry } from '../../world/registry.js';
import { FakeWhois, saying as whoisSaying, whoisFaults } from '../../world/whois.js';
import { type RegistryAnswer, registryFaults, saying } from '../../world/registry-faults.js';
import { runInProcess } from '../../support/programs/command-line.js';

const folder = mkdtempSync(join(tmpdir(), 'namewatch-registries-'));
const started: { stop(): Promise<unknown> }[] = [];
const rdap = new Map<string, string>();
const whois = new Map<string, string>();

async function startRdap(tld: string, toEverything: RegistryAnswer | null = null): Promise<FakeRegistry> {
  const registry = await FakeRegistry.start();
  started.push(registry);
  registry.saysToEverything(toEverything);
  registry.holds(`nic.${tld}`, { expiresAt: new Date('2029-06-01T12:00:00Z') });
  rdap.set(tld, registry.url);
  return registry;
}

async function startWhois(tld: string): Promise<FakeWhois> {
  const registry = await FakeWhois.start();
  started.push(registry);
  registry.holds(`nic.${tld}`);
  whois.set(tld, registry.host);
  return registry;
}

let works: FakeRegistry;
beforeAll(async () => {
  works = await startRdap('works');
  works.holds('registry.works');
  rdap.set('elsewhere', 'https://rdap.registry.works/'); // whence it is known that registry.works exists
  await startRdap('both');
  const contact = ['Registrant Name: Quirina Zweistein', 'Registrant Email: quirina@example.net'];
  const record = ['Domain Name: NIC.BOTH', 'Domain Status: ok', 'Creation Date: 2019-06-01T12:00:00Z'];
  (await startWhois('both')).says('nic.both', whoisSaying([...record, ...contact]));
  await startWhois('elder');
  await startRdap('busy', registryFaults.throttled('120'));
  (await startWhois('limited')).says('nic.limited', whoisSaying('Query limit exceeded for 203.0.113.7'));
  await startRdap('web', registryFaults.htmlNotFound);
  await startRdap('broken', registryFaults.halfJson);
  await startRdap('wild', (reply, name) => saying(200, rdapRecord(name))(reply, name));
  await startRdap('split');
  (await startWhois('split')).releases('nic.split');
  await startRdap('liar');
  rdap.set('another', 'https://rdap.registry.liar/');
  await startRdap('empty').then((registry) => registry.releases('nic.empty'));
  const certificate = await (await CertificateAuthority.create()).issue(['127.0.0.1']);
  const unknown = await FakeRegistry.start(certificate);
  started.push(unknown);
  rdap.set('untrusted', unknown.url).set('refused', 'http://127.0.0.1:1/rdap/');
});
afterAll(async () => {
  await Promise.all(started.map((each) => each.stop()));
  rmSync(folder, { recursive: true, force: true });
});

function settings(): Record<string, string> {
  const list = (servers: ReadonlyMap<string, string>) => [...servers].map((each) => each.join('=')).join(',');
  return {
    RDAP_BOOTSTRAP_URL: 'off',
    LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8',
    RDAP_OVERRIDES: list(rdap),
    WHOIS_OVERRIDES: list(whois),
    DATA_DIR: join(folder, 'no-data'),
  };
}

const ASKED = 'works,both,elder,busy,limited,web,broken,wild,split,liar,empty,untrusted,refused,nowhere';

interface Result {
  readonly ok: boolean;
  readonly registries: readonly { readonly tld: string; readonly state: string; readonly reason: string }[];
  readonly answers: number;
}

function score(file: string): { readonly code: number; readonly figures: Record<string, number> } {
  const out: string[] = [];
  const log = jest.spyOn(console, 'log').mockImplementation((line) => void out.push(String(line)));
  try {
    const code = runCorpus([file, '--json']);
    return { code, figures: JSON.parse(out.join('')) as Record<string, number> };
  } finally {
    log.mockRestore();
  }
}

const linesOf = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n');

describe('namewatch doctor --registries', () => {
  it('says for each TLD whether its registry works, and if not, why', async () => {
    const out = join(folder, 'all.jsonl');
    const run = await runInProcess(['doctor', '--registries', '--tlds', ASKED, '--out', out], settings());
    const table = run.out.split('\n').map((line) => line.split(/ {2,}/));
    expect(table[0]).toEqual(['TLD', 'registry', 'asked by', 'why']);
    const rows = new Map(table.slice(1).map(([tld = '', ...cells]) => [tld, cells.join(' | ')]));
    expect(rows.get('works')).toBe('works | rdap');
    expect(rows.get('both')).toBe('works | rdap, whois');
    expect(rows.get('elder')).toBe('works | whois');
    expect(rows.get('busy')).toBe(
      'throttled | rdap | RDAP wants fewer queries for 120 s (rdap.429: {"errorCode":429})',
    );
    expect(rows.get('limited')).toContain(
      'throttled | whois | WHOIS wants fewer queries (whois.throttled.limit_exceeded',
    );
    expect(rows.get('web')).toContain('unusable | rdap | RDAP gives an answer that no rule knows (rdap.404.not_json');
    expect(rows.get('broken')).toContain(
      'unusable | rdap | RDAP gives an answer that no rule knows (rdap.200.not_json',
    );
    expect(rows.get('wild')).toMatch(/^contradictory \| rdap \| RDAP has a record of [a-z]{24}\.wild, a random name$/);
    expect(rows.get('split')).toBe('contradictory | rdap, whois | RDAP has a record of nic.split, WHOIS has none');
    expect(rows.get('liar')).toBe('contradictory | rdap | RDAP has no record of registry.liar, which exists');
    expect(rows.get('empty')).toBe('unproven | rdap | no record of nic.empty, and no other name is known to exist');
    expect(rows.get('untrusted')).toMatch(/^unusable \| rdap \| RDAP cannot be reached \(rdap\.tls: /);
    expect(rows.get('refused')).toMatch(/^unusable \| rdap \| RDAP cannot be reached \(rdap\.connect: /);
    expect(rows.get('nowhere')).toBe('unusable | - | no RDAP or WHOIS server is known');
    expect(run.code).toBe(1);
    expect(run.out).toContain('14 of 14 TLDs asked: works 3, throttled 2, unusable 5, contradictory 3, unproven 1');
    expect(works.queries('registry.works')).toBe(1);
  });

  it('saves the registry answers for "npm run corpus", without personal data or IP addresses', () => {
    const file = join(folder, 'all.jsonl');
    const text = readFileSync(file, 'utf8');
    expect(text).not.toMatch(/mustermann|erika|quirina|203\.0\.113/i);
    const { code, figures } = score(file);
    // A name that exists is not available, even if its registry says so.
    expect({ code, figures }).toMatchObject({
      code: 1,
      figures: { entries: linesOf(file).length, false_available: 1 },
    });
    const misses = linesOf(file).filter((line) => !/"domain":"registry\.liar"/.test(line));
    writeFileSync(join(folder, 'others.jsonl'), `${misses.join('\n')}\n`);
    const judged = misses.filter((line) => !line.includes('"expect":null')).length;
    expect(score(join(folder, 'others.jsonl'))).toMatchObject({ code: 0, figures: { verdict_right: judged } });
  });

  it('checks every TLD with a known server by default, and exits with 0 if all work', async () => {
    const out = join(folder, 'known.jsonl');
    const two = { RDAP_OVERRIDES: `works=${rdap.get('works')}`, WHOIS_OVERRIDES: `elder=${whois.get('elder')}` };
    const run = await runInProcess(['doctor', '--registries', '--json', '--out', out], { ...settings(), ...two });
    const { ok, registries, answers } = JSON.parse(run.out) as Result;
    expect({ code: run.code, ok, states: registries.map(({ tld, state }) => `${tld} ${state}`) }).toEqual({
      code: 0,
      ok: true,
      states: ['elder works', 'works works'],
    });
    expect(answers).toBe(linesOf(out).length);
    expect(run.err).toContain('2/2');
    expect(existsSync(join(folder, 'no-data'))).toBe(false);
  });

  it('prints and saves the results so far when stopped with Ctrl-C', async () => {
    await startRdap('silent', registryFaults.silence);
    const out = join(folder, 'interrupted.jsonl');
    const running = runInProcess(['doctor', '--registries', '--tlds', 'silent,works', '--out', out], settings());
    await eventually(
      () => Promise.resolve(existsSync(out) && readFileSync(out, 'utf8')),
      (text) => text !== false && text.includes('nic.works'),
    );
    process.emit('SIGINT');
    const run = await running;
    expect(run).toMatchObject({ code: 130, err: expect.stringContaining('interrupted: the others were not asked') });
    expect(run.out).toMatch(/^works +works +rdap$/m);
    expect(run.out).toContain('1 of 2 TLDs asked: works 1');
    expect(run.out).not.toContain('silent');
    expect(score(out)).toMatchObject({ code: 0, figures: { entries: 3 } });
  });

  it.each([
    [
      'an output path that exists',
      ['--registries', '--tlds', 'works', '--out', folder],
      'exists already: nothing is overwritten',
    ],
    ['an output folder that does not exist', ['--registries', '--out', join(folder, 'no/file')], 'does not exist'],
    ['a suffix that is not a TLD', ['--registries', '--tlds', 'works,co.uk'], '"co.uk" is not a top-level domain'],
    ['an empty TLD', ['--registries', '--tlds', 'works,,'], '"" is not a top-level domain'],
    ['--tlds without --registries', ['--tlds', 'works'], '--tlds needs --registries'],
    ['--out without --registries', ['--out', 'x'], '--out needs --registries'],
  ])('refuses %s, and queries no registry', async (_, words, complaint) => {
    const asked = works.arrivals.length;
    const run = await runInProcess(['doctor', ...words], settings());
    expect(run).toMatchObject({ code: 2, out: '', err: expect.stringContaining(complaint) });
    expect(works.arrivals.length).toBe(asked);
  });

  it('writes no file if no registry answers', async () => {
    const out = join(folder, 'none.jsonl');
    const run = await runInProcess(['doctor', '--registries', '--tlds', 'refused', '--out', out], settings());
    expect(run).toMatchObject({ code: 1, out: expect.stringContaining('no answer to keep') });
    expect(existsSync(out)).toBe(false);
  });
});

describe('the check of a registry', () => {
  async function check(tlds: readonly string[], changes: Record<string, string> = {}): Promise<RegistryReport[]> {
    Logger.overrideLogger(false);
    const reports: RegistryReport[] = [];
    const engine = new RegistryCheck(readConfig({ ...settings(), ...changes }), 300);
    try {
      await engine.run(tlds, new AbortController().signal, (report) => void reports.push(report));
    } finally {
      await engine.close();
    }
    return reports;
  }

  it('sends only one query to a registry that does not answer in time', async () => {
    await startRdap('stalls', registryFaults.silence);
    (await startWhois('drips')).says('nic.drips', whoisFaults.drips);
    const startedAt = performance.now();
    const reports = await check(['stalls', 'drips']);
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    for (const { verdict, answers } of reports) {
      expect(verdict).toMatchObject({ state: 'unusable', reason: expect.stringContaining('does not answer in time') });
      expect(answers).toHaveLength(1);
    }
  });

  it('queries a registry no more often than the budget of its operator allows', async () => {
    const registry = await startRdap('paced');
    rdap.set('paced-too', registry.url);
    registry.holds('nic.paced-too');
    const operators = { paced: { hosts: [registry.host], per_second: 10, burst: 1, concurrency: 1 } };
    const reports = await check(['paced', 'paced-too'], { LOOKUP_BUDGETS_FILE: budgetsFile({ operators }) });
    expect(reports.map(({ verdict }) => verdict.state)).toEqual(['works', 'works']);
    const [first = 0, ...later] = registry.arrivals.map(({ at }) => at);
    expect(later).toHaveLength(3);
    expect((later.at(-1) ?? 0) - first).toBeGreaterThan(200); // three more at ten a second, and the first may have come late
  });
});
