import { describe, expect, it } from '@jest/globals';
import type { CheckedName } from '../../../ui/src/screens/check/check-run.js';
import { toGrid } from '../../../ui/src/screens/check/grid.js';
import { commandsFor } from '../../../ui/src/shell/commands.js';

const screen = (label: string) => ({ key: label, label, icon: 'list' as const, path: `/${label}` });
const places = {
  screens: [screen('Watchlist'), screen('Agenda')],
  namePath: (domain: string) => `/names/${domain}`,
  checkPath: (text: string) => `/check ${text}`,
  addPath: (text: string) => `/add ${text}`,
};
const labels = (text: string, found: readonly string[] = [], other = {}) =>
  commandsFor(text, found, { ...places, ...other }).map(({ label }) => label);

describe('the command palette', () => {
  it('offers all screens and actions before anything is typed', () => {
    expect(labels(' ')).toEqual(['Watchlist', 'Agenda', 'Check a name', 'Add names']);
  });

  it('offers matching watched names first, then matching screens, then actions with the typed text', () => {
    expect(labels('agen', ['agency.test'])).toEqual(['agency.test', 'Agenda', 'Is agen free?', 'Watch agen']);
  });

  it('offers no action that the API key does not allow, and at most eight matching names', () => {
    const many = Array.from({ length: 20 }, (_, n) => `n${n}.test`);
    expect(labels('zzz', many, { checkPath: null, addPath: null })).toEqual(many.slice(0, 8));
  });

  it('keeps typed HTML as plain text in the commands', () => {
    const [check] = commandsFor('<img src=x>', [], places);
    expect(check).toMatchObject({ label: 'Is <img src=x> free?', path: '/check <img src=x>' });
  });
});

describe('the grid of checked words and TLDs', () => {
  const name = (domain: string, answer: object = { kind: 'waiting' }) =>
    ({ domain, shown: domain, foundIn: null, kind: null, entryId: null, answer }) as CheckedName;
  const endings = ['com', 'net', 'co.uk', 'org'];

  it('has a cell for each TLD that says whether the name is free, taken or unknown', () => {
    const answers = [
      { kind: 'answered', check: { available: true } },
      { kind: 'answered', check: { available: false } },
      { kind: 'unknown' },
      { kind: 'refused' },
    ];
    const grid = toGrid(endings.map((ending, n) => name(`acme.${ending}`, answers[n])));
    expect(grid?.rows).toMatchObject([
      {
        word: 'acme',
        cells: [
          { ending: '.com', state: 'free' },
          { ending: '.net', state: 'taken' },
          { ending: '.co.uk', state: 'unknown' },
          { ending: '.org', state: 'none' },
        ],
      },
    ]);
  });

  it('has a row for each word', () => {
    const names = ['acme', 'brand'].flatMap((word) => endings.map((ending) => name(`${word}.${ending}`)));
    expect(toGrid(names)?.rows.map(({ word }) => word)).toEqual(['acme', 'brand']);
  });

  it('is not shown for three TLDs, for four words under one TLD or for look-alikes', () => {
    expect(toGrid(endings.slice(0, 3).map((ending) => name(`acme.${ending}`)))).toBeNull();
    expect(toGrid(['a.com', 'b.com', 'c.com', 'd.com'].map((domain) => name(domain)))).toBeNull();
    expect(toGrid(endings.map((ending) => ({ ...name(`acme.${ending}`), kind: 'tld' as const })))).toBeNull();
  });
});
