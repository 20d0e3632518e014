import { describe, expect, it } from '@jest/globals';
import { parseWatchlistFile } from '../../../src/cli/commands/watchlist-file.js';

const parse = (text: string | Buffer) => parseWatchlistFile('list.yaml', Buffer.from(text));
const HEAD = 'version: 1\ntag: brand\n';
const withNames = (...names: readonly string[]) => `${HEAD}names:\n${names.map((name) => `  - ${name}\n`).join('')}`;

describe('a watchlist file', () => {
  it('gives each name its settings, the defaults, and its line and column', async () => {
    const text = [
      'version: 1',
      'tag: brand',
      'defaults: { purpose: own, tags: [a], remind_days: [] }',
      'names:',
      '  - example.com',
      '  - domain: münchen.de # ours',
      '    tags: [b]',
      '    note: "no"',
      '    renewal: { on: 2027-03-01 }',
    ];
    expect(await parse(text.join('\r\n'))).toEqual({
      tag: 'brand',
      rows: [
        { row: { domain: 'example.com', purpose: 'own', tags: ['a'], remind_days: [] }, position: { line: 5, col: 5 } },
        {
          row: {
            domain: 'münchen.de',
            purpose: 'own',
            tags: ['b'],
            remind_days: [],
            note: 'no',
            renewal: { on: '2027-03-01' },
          },
          position: { line: 6, col: 5 },
        },
      ],
    });
  });

  it.each(['\r', '\n', '\r\n'])('gives every name if its lines end with %j, even after a comment', async (end) => {
    const lines = ['version: 1', 'tag: brand # ours', 'names:', '  - a.com # one', '  - b.com', ''];
    const { rows } = await parse(lines.join(end));
    expect(rows.map(({ row, position }) => [row.domain, position.line])).toEqual([
      ['a.com', 4],
      ['b.com', 5],
    ]);
  });

  it.each<[string, string, string]>([
    ['an unknown key of a name', withNames('a.com', '{ domain: b.com, colour: red }'), '5:22: unknown key "colour"'],
    ['an unknown key', `${withNames('a.com')}prune: true\n`, '5:1: unknown key "prune"'],
    ['a number as a note', withNames('{ domain: b.com, note: 1 }'), '4:28: names[0].note must be string'],
    ['a number for a name', withNames('12'), '4:5: names[0] must be string'],
    ['an unknown purpose', withNames('{ domain: b.com, purpose: buy }'), '4:31: names[0].purpose must be equal'],
    ['a missing domain', withNames('{ note: x }'), '4:5: names[0] must have required property'],
    ['an unsupported version', 'version: 2\ntag: a\nnames: [a.com]', '1:10: version must be equal to constant: 1'],
    ['no tag', 'version: 1\nnames: [a.com]', "1:1: the file must have required property 'tag'"],
    ['no names', `${HEAD}names: []`, '3:8: names must NOT have fewer than 1 items'],
    ['null as a note', withNames('{ domain: b.com, note: null }'), '4:28: names[0].note must be string'],
    ['a name in two spellings', withNames('münchen.de', 'XN--mnchen-3ya.de'), '5:5: XN--mnchen-3ya.de is in line 4'],
    ['the same key twice', `${HEAD}tag: other\nnames: [a.com]`, '3:1: Map keys must be unique'],
    ['an alias', withNames('&one a.com', '*one'), '4:5: anchors are not allowed'],
    ['a YAML tag', withNames('!!binary YQ=='), '4:5: YAML tags are not allowed'],
    ['a YAML directive', `%YAML 1.1\n---\n${withNames('a.com')}`, '1:1: YAML directives are not allowed'],
    ['two documents', `${withNames('a.com')}---\na: 1\n`, '5:1: Source contains multiple documents'],
    ['no text at all', '', '1:1: the file must be object'],
    ['HTML', '<html>\n<p>no</p>', '1:1: the file must be object'],
    ['an unclosed list', `${HEAD}names: [a.com`, '3:14: Flow sequence in block collection'],
    ['a tab as indentation', `${HEAD}names:\n\t- a.com`, '4:1: '],
    ['a NUL in a note', withNames('{ domain: b.com, note: "\\0" }'), '4:28: names[0].note must match pattern'],
    ['a deeply nested list', `names: ${'['.repeat(30)}`, '1:28: nested deeper than 20 levels'],
    ['a deeply nested block', `names:\n${'- '.repeat(30)}a`, '2:41: nested deeper than 20 levels'],
  ])('is rejected with line and column if it contains %s', async (_, text, message) => {
    const end = expect.stringMatching(/^list\.yaml:\d+:\d+: \S/);
    await expect(parse(text)).rejects.toMatchObject({ exitCode: 5, message: end });
    await expect(parse(text)).rejects.toThrow(`list.yaml:${message}`);
  });

  it.each<[string, () => Buffer]>([
    ['10 MiB of brackets', () => Buffer.alloc(10 << 20, '[')],
    ['more than 10 MiB', () => Buffer.alloc((10 << 20) + 1, 'a')],
    ['three million names', () => Buffer.from('- a\n'.repeat(2_500_000))],
    ['another encoding', () => Buffer.from(withNames('münchen.de'), 'latin1')],
  ])('is rejected without using 200 MB of memory if it contains %s', async (_, content) => {
    const before = process.memoryUsage().heapTotal;
    await expect(parse(content())).rejects.toMatchObject({ exitCode: 5 });
    expect(process.memoryUsage().heapTotal - before).toBeLessThan(200e6);
  });
});
