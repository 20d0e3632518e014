import { describe, expect, it } from '@jest/globals';
import { chooseColumn } from '../../../ui/src/screens/watchlist/choose-column.js';
import { groupErrors, someOf } from '../../../ui/src/screens/watchlist/import-errors.js';
import { countLines, toImportSource } from '../../../ui/src/screens/watchlist/import-file.js';

describe('a file imported in the dashboard', () => {
  it.each([
    ['names.csv', 'domain,tags\nexample.com,brand\n', 'text/csv'],
    ['names', 'tags,domain\nbrand,example.com\n', 'text/csv'],
    ['names.txt', '{"domain":"example.com"}\n', 'application/x-ndjson'],
  ])('is sent unchanged: the file %s with the text %j, as %s', (name, text, mediaType) => {
    expect(toImportSource(name, text)).toEqual({ text, mediaType });
  });

  it.each(['\r', '\r\n', '\n'])('is recognized as CSV and has its lines counted, with these line ends: %j', (end) => {
    const source = toImportSource('names.txt', ['tags,domain', 'a,a.test', 'b,b.test', ''].join(end));
    expect(source.mediaType).toBe('text/csv');
    expect(countLines(source)).toBe(2);
  });

  it('is converted to one JSON line per name if it is a plain list of names', () => {
    const source = toImportSource('names.txt', 'example.com\r\nexample.org, example.net\n\n');
    expect(source).toEqual({
      mediaType: 'application/x-ndjson',
      text: '{"domain":"example.com"}\n{"domain":"example.org"}\n{"domain":"example.net"}\n',
    });
    expect(countLines(source)).toBe(3);
  });
});

describe('the refused lines of an imported file', () => {
  const refused = (line: number, message: string, column?: string) => ({
    ...{ line, domain: `n${line}.test`, code: 'invalid', message },
    ...(column !== undefined && { column }),
  });

  it('are grouped by column and reason, and the largest group comes first', () => {
    const errors = [
      refused(2, 'No domain in this line'),
      refused(3, 'is no day', 'Renewal'),
      refused(4, 'is no day', 'Until'),
      refused(5, 'is no day', 'Renewal'),
    ];
    expect(groupErrors(errors).map(({ column, lines }) => [column, lines.map(({ line }) => line)])).toEqual([
      ['Renewal', [3, 5]],
      [null, [2]],
      ['Until', [4]],
    ]);
    expect(groupErrors([])).toEqual([]);
  });

  it('are shown as the first three of a group and the number of the others', () => {
    expect([['1'], ['1', '2', '3'], ['1', '2', '3', '4']].map(someOf)).toEqual(['1', '1, 2, 3', '1, 2, 3 and 1 more']);
  });
});

describe('the choice of fields for file columns', () => {
  const columns = [
    { name: 'Host', field: 'domain' },
    { name: 'NS1', field: 'expected_nameservers' },
    { name: 'NS2', field: 'expected_nameservers' },
    { name: 'Remarks', field: null },
    { name: 'Text', field: 'note' },
  ];
  const others = { domain: 'Host', expected_nameservers: ['NS1', 'NS2'] };

  it('keeps the fields of the other columns when one column gets another field', () => {
    expect(chooseColumn(columns, 'Text', '')).toEqual(others);
    expect(chooseColumn(columns, 'Remarks', 'expected_nameservers')).toEqual({
      domain: 'Host',
      expected_nameservers: ['NS1', 'NS2', 'Remarks'],
      note: 'Text',
    });
    expect(chooseColumn(columns, 'NS2', '')).toEqual({ domain: 'Host', expected_nameservers: 'NS1', note: 'Text' });
  });

  it('keeps only the column chosen last if a field takes a single column', () => {
    expect(chooseColumn(columns, 'Remarks', 'note')).toEqual({ ...others, note: 'Remarks' });
  });
});
