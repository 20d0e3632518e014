import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCorpus } from '../../../tools/scripts/corpus/run-corpus.js';

const root = join(import.meta.dirname, '../../..');
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'namewatch-corpus-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Answer {
  readonly kind?: 'whois' | 'rdap';
  readonly text: string;
  readonly accept: readonly string[];
  readonly expires?: string;
  readonly httpStatus?: number;
  readonly unseen?: boolean;
}

/** A set of answers about example.tld, in the form that the runner reads. */
function given(...answers: readonly Answer[]): void {
  const lines = answers.map(({ kind = 'whois', text, accept, expires, httpStatus, unseen = false }, at) => {
    writeFileSync(join(folder, `${at}.txt`), text);
    const expiry = {
      expires_at: expires ?? null,
      expires_stated: expires ? 'value' : 'unstated',
      expires_precision: 'date',
    };
    const about = {
      id: `set/${at}`,
      kind,
      tld: 'tld',
      zone: 'tld',
      domain: 'example.tld',
      http_status: httpStatus ?? null,
    };
    return JSON.stringify({ ...about, file: `${at}.txt`, expect: { accept, ...expiry }, tld_holdout_only: unseen });
  });
  writeFileSync(join(folder, 'index.jsonl'), lines.join('\n'));
}

interface Measured {
  readonly code: number;
  readonly out: string;
  readonly complaint: string;
}

function measureAsProcess(...flags: string[]): Promise<Measured> {
  const words = ['--import', './tools/scripts/typescript.mjs', 'tools/scripts/corpus.ts', folder, ...flags];
  return new Promise((resolve) => {
    execFile(process.execPath, words, { cwd: root }, (error, out, complaint) => {
      const code = typeof error?.code === 'number' ? error.code : 0;
      resolve({ code, out: out.trim(), complaint: complaint.trim() });
    });
  });
}

/** The same in this process, which has loaded what it needs. */
function measure(...flags: string[]): Measured {
  return measureCorpus(folder, ...flags);
}

function measureCorpus(corpus: string, ...flags: string[]): Measured {
  const [out, complaint]: [string[], string[]] = [[], []];
  const spies = [
    jest.spyOn(console, 'log').mockImplementation((line) => void out.push(String(line))),
    jest.spyOn(console, 'error').mockImplementation((line) => void complaint.push(String(line))),
  ];
  try {
    return { code: runCorpus([corpus, ...flags]), out: out.join('\n').trim(), complaint: complaint.join('\n').trim() };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

const RECORD = 'Domain Name: example.tld\nRegistrar: Example\nRegistry Expiry Date: 2027-06-01';

describe('npm run corpus', () => {
  it('prints one line that counts how many registry answers were read correctly', () => {
    given(
      { text: RECORD, accept: ['registered'], expires: '2027-06-01' },
      { text: RECORD, accept: ['registered'], expires: '2028-06-01', unseen: true },
      { text: 'No match', accept: ['available'] },
      { text: 'quota exceeded', accept: ['registered'], unseen: true },
      { kind: 'rdap', text: '{"errorCode":404}', httpStatus: 404, accept: ['available'] },
    );
    expect(measure('--json')).toMatchObject({
      code: 0,
      out:
        '{"entries":5,"verdict_right":4,"false_available":0,"expiry_scored":2,"expiry_right":1,' +
        '"unseen_entries":2,"unseen_right":1}',
    });
  });

  it('fails if one registered name is read as available, and prints which', async () => {
    given({ text: 'No match', accept: ['registered'] });
    const { code, out } = await measureAsProcess('--misses');
    expect(code).toBe(1);
    expect(out).toContain('set/0 (example.tld): available by whois.absent.no_match, not registered');
  });

  it('takes the domain name from the answer if the corpus does not state it', () => {
    const entry = { id: 'set/0', kind: 'whois', tld: 'tld', domain: null, file: '0.txt' };
    const expected = { accept: ['registered'], expires_at: null, expires_stated: 'unstated', expires_precision: null };
    writeFileSync(
      join(folder, '0.txt'),
      'See whois.nic.tld\nNombre de Dominio: other.tld\nRegistrar: Example\nCreated: 2019-06-01',
    );
    writeFileSync(join(folder, 'index.jsonl'), JSON.stringify({ ...entry, expect: expected }));
    expect(measure('--json').out).toContain('"entries":1,"verdict_right":1');
  });

  it('accepts a not-found answer only with the evidence that the service requires', () => {
    const about = { tld: 'uk', zone: 'uk', domain: 'x.gov.uk', file: '0.txt', expect: null };
    writeFileSync(join(folder, '0.txt'), '');
    writeFileSync(join(folder, '1.txt'), 'No match');
    const entries = [
      { id: 'a', kind: 'rdap', ...about, domain: 'x.co.uk', http_status: 404, content_type: 'text/html' },
      { id: 'b', kind: 'rdap', ...about, domain: 'x.co.uk', http_status: 404, content_type: 'application/rdap+json' },
      { id: 'c', kind: 'whois', ...about, file: '1.txt' },
      { id: 'd', kind: 'whois', ...about, file: '1.txt', zone: 'gov.uk' },
    ];
    writeFileSync(join(folder, 'index.jsonl'), entries.map((entry) => JSON.stringify(entry)).join('\n'));
    const { out } = measure('--misses');
    expect(out.match(/^verdict +\S+/gm)).toEqual(['verdict  b', 'verdict  d']);
  });

  it('reads the file of "doctor --registries", even if its last line is cut off', () => {
    const entry = { id: 'a', kind: 'whois', tld: 'tld', domain: 'example.tld', answer: RECORD };
    const expected = { accept: ['registered'], expires_at: null, expires_stated: 'unstated', expires_precision: null };
    const line = JSON.stringify({ ...entry, expect: expected });
    const file = join(folder, 'answers.jsonl');
    writeFileSync(file, `${line}\n${line}\n${line.slice(0, 40)}`);
    const cut = measureCorpus(file, '--json');
    expect(cut).toMatchObject({ code: 0, out: expect.stringContaining('"entries":2,"verdict_right":2') });
    writeFileSync(file, `${line.slice(0, 40)}\n${line}\n`);
    const broken = measureCorpus(file, '--json');
    expect(broken).toMatchObject({ code: 2, complaint: expect.stringContaining('answers.jsonl:1 is not JSON') });
  });
});
