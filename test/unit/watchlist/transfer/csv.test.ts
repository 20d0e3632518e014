import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { escapeFormula, parseCells } from '../../../../src/watchlist/transfer/csv-cells.js';
import { type CsvRecord, readCsvRecords } from '../../../../src/watchlist/transfer/csv-records.js';
import { parseDate } from '../../../../src/watchlist/transfer/import-dates.js';

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;

const recordsOf = (text: string) => [...readCsvRecords(Buffer.from(text), { separator: ',', offset: 0, line: 1 })];

describe('the records read from a CSV file', () => {
  it.each<[string, string, string[]]>([
    ['one record per line', 'a\nb\n', ['1: a', '2: b']],
    ['Windows line ends', 'a\r\nb\r\n', ['1: a', '2: b']],
    ['line ends of old Macs', 'a\rb\r', ['1: a', '2: b']],
    ['all kinds of line ends in one file', 'a\rb\r\nc\nd\r\r\ne', ['1: a', '2: b', '3: c', '4: d', '6: e']],
    ['all kinds of line ends inside quotes', '"a\rb\r\nc\nd"\re', ['1: a\rb\r\nc\nd', '5: e']],
    ['an unclosed quote, with line ends of old Macs', 'a\r"b\rc', ['1: a', '2! A quoted cell is not closed.', '3: c']],
    ['no line end after the last line', 'a\nb', ['1: a', '2: b']],
    ['blank lines', 'a\n\n \t\n,\nb', ['1: a', '5: b']],
    ['line breaks inside quotes', 'a,"b\n\nc"\nd', ['1: a|b\n\nc', '4: d']],
    ['quotes inside quotes', '"a""\n""b"\nc', ['1: a"\n"b', '3: c']],
    ['spaces before and after quotes', 'a, "b,c" ,d\n', ['1: a|b,c|d']],
    [
      'quotes that do not enclose a whole cell',
      'a"b\nc\n"x"y\nd',
      [
        '1! The line is not valid CSV: quotes enclose whole cells.',
        '2: c',
        '3! The line is not valid CSV: quotes enclose whole cells.',
        '4: d',
      ],
    ],
    ['an unclosed quote', 'a\n"b\nc\nd', ['1: a', '2! A quoted cell is not closed.', '3: c', '4: d']],
    ['a line that is too long', `a\n${'x'.repeat(100_000)}\nc`, ['1: a', '2! A line may have at most 32 KiB.', '3: c']],
    [
      'an unclosed quote in a long file',
      `a\n"b\n${'c,d\n'.repeat(20_000)}`,
      ['1: a', '2! A quoted cell is not closed.', ...Array.from({ length: 20_000 }, (_, n) => `${n + 3}: c|d`)],
    ],
  ])('are complete, with their line numbers: %s', (_, text, records) => {
    const show = ({ line, cells, fault }: CsvRecord) => line + (fault === null ? `: ${cells.join('|')}` : `! ${fault}`);
    expect(recordsOf(text).map(show)).toEqual(records);
  });

  it('are complete and correctly numbered in a file of 30,000 records', () => {
    const lines = Array.from({ length: 30_000 }, (_, n) =>
      n % 7 === 0 ? `${quoted(`n${n}\r\n`)},ü` : `n${n}.test,${quoted('a, "b"')}`,
    );
    const read = recordsOf(lines.join('\r\n'));
    expect(read.map(({ cells: [first] }) => first?.trim().replace('.test', ''))).toEqual(lines.map((_, n) => `n${n}`));
    expect(read.every(({ fault }) => fault === null)).toBe(true);
    expect(read.at(-1)?.line).toBe(30_000 + Math.ceil(29_999 / 7));
  });

  it('are one per line, even if 8,001 lines have an unclosed quote', () => {
    expect(recordsOf('"a\n'.repeat(8_001))).toHaveLength(8_001);
  });
});

describe('a CSV file', () => {
  it('returns any note unchanged that was written with quotes and escapes', () => {
    const cell = fc.string({
      unit: fc.constantFrom('"', ',', '\n', '\r', ';', "'", '=', 'x', ' ', 'ü', '🙂'),
      maxLength: 12,
    });
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 5 }), (notes) => {
        const text = notes.map((note) => `a.test,${quoted(escapeFormula(note))}`).join('\r\n');
        const read = recordsOf(text).map(({ cells }) => parseCells(['domain', 'note'], cells, null)['note'] ?? '');
        expect(read).toEqual(notes);
      }),
      { numRuns: 300 },
    );
  });

  it('is read with ascending, valid line numbers even if it is malformed', () => {
    const rubbish = fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r', 'a', '\\'), maxLength: 60 });
    fc.assert(
      fc.property(rubbish, (text) => {
        const lines = recordsOf(text).map(({ line }) => line);
        expect(lines).toEqual(lines.toSorted((a, b) => a - b));
        expect(new Set(lines).size).toBe(lines.length);
        expect(lines.every((line) => line >= 1 && line <= text.split(/\r\n|\r|\n/).length)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a date in an imported file', () => {
  it.each([
    ['2027-01-05', '2027-01-05'],
    ['2027-01-05T23:59:59Z', '2027-01-05'],
    ['2027-01-05 10:00:00 UTC', '2027-01-05'],
    ['2027/1/5', '2027-01-05'],
    ['20270105', '2027-01-05'],
    ['05.01.2027', '2027-01-05'],
    ['5. 1. 2027', '2027-01-05'],
    ['13/1/2027', '2027-01-13'],
    ['1/13/2027', '2027-01-13'],
    ['05-Jan-2027', '2027-01-05'],
    ['5 January 2027', '2027-01-05'],
    ['Jan 5, 2027', '2027-01-05'],
    ['46392', '2027-01-05'],
    ['46392.75', '2027-01-05'],
    ['n/a', ''],
    ['-', ''],
    ['soon', 'soon'],
    ['1/5/27', '1/5/27'],
  ])('is read, if written as "%s", as "%s"', (text, date) => expect(parseDate(text, null)).toBe(date));

  it('is read in the chosen order of day and month if the text is ambiguous', () => {
    expect([parseDate('1/5/2027', 'dmy'), parseDate('1-5-2027', 'mdy')]).toEqual(['2027-05-01', '2027-01-05']);
  });
});
