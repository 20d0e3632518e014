import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { fencedBlocks, relativeLinks } from '../../support/markdown.js';
import { SETTINGS } from './compose-problems.js';
import { ROOT } from './compose-file.js';

const page = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
const unit = fencedBlocks(page).find(({ language }) => language === 'ini')?.code ?? '';
const valuesOf = (name: string) => [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value);

describe('the systemd unit of docs/operations.md', () => {
  it('has its three sections, and nothing but assignments in them', () => {
    const lines = unit.split('\n').filter((line) => line !== '');
    expect(lines.filter((line) => line.startsWith('['))).toEqual(['[Unit]', '[Service]', '[Install]']);
    expect(lines.filter((line) => !/^(\[\w+\]|[A-Z]\w+=\S.*)$/.test(line))).toEqual([]);
  });

  it('starts the launcher, stops it alone, and waits for the drain', () => {
    const [command = ''] = valuesOf('ExecStart');
    expect(command).toBe('/usr/bin/env node bin/namewatch.mjs up');
    expect(existsSync(join(ROOT, 'bin/namewatch.mjs'))).toBe(true);
    expect([valuesOf('KillMode'), valuesOf('TimeoutStopSec')]).toEqual([['mixed'], ['40']]);
  });

  it('names settings that exist', () => {
    const names = valuesOf('Environment').map((value) => value?.split('=')[0] ?? '');
    expect(names.filter((name) => !SETTINGS.has(name) && name !== 'NODE_ENV')).toEqual([]);
  });
});

describe('docs/operations.md', () => {
  it('links to pages that exist', () => {
    for (const link of relativeLinks(page)) expect([link, existsSync(join(ROOT, 'docs', link))]).toEqual([link, true]);
  });
});
