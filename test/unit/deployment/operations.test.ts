import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { runInProcess } from '../../support/programs/command-line.js';
import { fencedBlocks } from '../../support/documents/markdown.js';
import { SETTING_NAMES } from './compose-problems.js';
import { ROOT } from './compose-file.js';

const unit = readFileSync(join(ROOT, 'deploy/systemd/namewatch@.service'), 'utf8');
const valuesOf = (name: string) => [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value);

describe('the systemd unit of a role', () => {
  it('has three sections that contain only assignments', () => {
    const lines = unit.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines.filter((line) => line.startsWith('['))).toEqual(['[Unit]', '[Service]', '[Install]']);
    expect(lines.filter((line) => !/^(\[\w+\]|[A-Z]\w+=\S.*)$/.test(line))).toEqual([]);
  });

  it('runs `namewatch up`, sends the stop signal only to this process, and then waits 40 seconds', () => {
    const [command = ''] = valuesOf('ExecStart');
    expect(command).toBe('/usr/bin/env node node_modules/namewatch/bin/namewatch.mjs up');
    expect(existsSync(join(ROOT, 'bin/namewatch.mjs'))).toBe(true);
    expect([valuesOf('KillMode'), valuesOf('TimeoutStopSec')]).toEqual([['mixed'], ['40']]);
  });

  it('sets only settings that exist', () => {
    const names = valuesOf('Environment').map((value) => value?.split('=')[0] ?? '');
    expect(names.filter((name) => !SETTING_NAMES.has(name))).toEqual([]);
  });

  it('gives each role its own folder, and reads settings files for machine and role', () => {
    expect(valuesOf('Environment')).toEqual(['ROLE=%i', 'DATA_DIR=/var/lib/namewatch-%i']);
    expect(valuesOf('StateDirectory')).toEqual(['namewatch-%i']);
    expect(valuesOf('EnvironmentFile')).toEqual(['-/etc/namewatch.env', '-/etc/namewatch-%i.env']);
  });
});

describe('the Prometheus alerts', () => {
  it('are exactly the alerts that docs/observability.md names', () => {
    const alerts = [...readFileSync(join(ROOT, 'deploy/prometheus/alerts.yaml'), 'utf8').matchAll(/alert: (\w+)/g)];
    const page = readFileSync(join(ROOT, 'docs/observability.md'), 'utf8');
    const advised = [...page.matchAll(/`(Namewatch\w+)`/g)].map(([, name]) => name);
    expect([...new Set(advised)].sort()).toEqual(alerts.map(([, name]) => name).sort());
  });
});

/** Every command that a page names, in its blocks and in its text. */
function commandsOf(markdown: string): string[] {
  const inBlocks = fencedBlocks(markdown).flatMap(({ code }) => [
    ...code.matchAll(/(?:npx namewatch|bin\/namewatch\.mjs) (.+)$/gm),
  ]);
  const inText = [...markdown.matchAll(/`(?:npx )?namewatch ([^`]+)`/g)];
  return [...inBlocks, ...inText].map(([, words = '']) => words.replace(/ (#|&&|\|).*$/, ''));
}

describe('the commands in the docs pages', () => {
  const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => readFileSync(join(ROOT, 'docs', name), 'utf8'));
  const named = [...new Set(pages.flatMap(commandsOf))].filter((command) => /^[a-z]/.test(command));

  it('are found, such as "secrets rotate" and "doctor"', () => {
    expect(named).toEqual(expect.arrayContaining(['secrets rotate', 'up', 'channel list', 'migrate', 'doctor']));
  });

  it.each(named)('exist with their options: namewatch %s', async (command) => {
    const words = command.split(/\s+/);
    const end = words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word));
    const path = end < 0 ? words : words.slice(0, end);
    const { code, out } = await runInProcess([...path, '--help'], {});
    expect({ code, usage: out.split('\n')[0] }).toEqual({
      code: 0,
      usage: expect.stringMatching(new RegExp(`^Usage: namewatch ${path.join(' ')}( [[<]|$)`)),
    });
    for (const flag of command.match(/--[a-z-]+/g) ?? []) expect(out).toMatch(new RegExp(`[ ,]${flag}\\b`));
  });
});
