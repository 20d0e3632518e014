import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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

function measure(...flags: string[]) {
  const words = ['--import', 'tsx', 'scripts/corpus.ts', folder, ...flags];
  return new Promise<{ code: number; out: string }>((resolve) => {
    execFile(process.execPath, words, { cwd: root }, (error, out) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out: out.trim() });
    });
  });
}

const RECORD = 'Domain Name: example.tld\nRegistrar: Example\nRegistry Expiry Date: 2027-06-01';

describe('the corpus runner', () => {
  it('counts what the engine reads right, as one line', async () => {
    given(
      { text: RECORD, accept: ['registered'], expires: '2027-06-01' },
      { text: RECORD, accept: ['registered'], expires: '2028-06-01', unseen: true },
      { text: 'No match', accept: ['available'] },
      { text: 'quota exceeded', accept: ['registered'], unseen: true },
      { kind: 'rdap', text: '{"errorCode":404}', httpStatus: 404, accept: ['available'] },
    );
    expect(await measure('--json')).toEqual({
      code: 0,
      out:
        '{"entries":5,"verdict_right":4,"false_available":0,"expiry_scored":2,"expiry_right":1,' +
        '"unseen_entries":2,"unseen_right":1}',
    });
  });

  it('fails over a single false "available", and names it', async () => {
    given({ text: 'No match', accept: ['registered'] });
    const { code, out } = await measure('--misses');
    expect(code).toBe(1);
    expect(out).toContain('set/0 (example.tld): available by whois.absent.no_match, not registered');
  });
});
