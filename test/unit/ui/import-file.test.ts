import { describe, expect, it } from '@jest/globals';
import { chooseColumn } from '../../../ui/src/screens/watchlist/choose-column.js';
import { groupErrors, someOf } from '../../../ui/src/screens/watchlist/import-errors.js';
import { countLines, toImportSource } from '../../../ui/src/screens/watchlist/import-file.js';

describe('a file in the import of the dashboard', () => {
  it.each([
    ['names.csv', 'domain,tags\nexample.com,brand\n', 'text/csv'],
    ['names', 'tags,domain\nbrand,example.com\n', 'text/csv'],
    ['names.txt', '{"domain":"example.com"}\n', 'application/x-ndjson'],
  ])('%s is sent unchanged: %j as %s', (name, text, mediaType) => {
    expect(toImportSource(name, text)).toEqual({ text, mediaType });
  });

  it.each(['\r', '\r\n', '\n'])(
    'is recognized by its first line, and its lines are counted, with the line ends %j',
    (end) => {
      const source = toImportSource('names.txt', ['tags,domain', 'a,a.test', 'b,b.test', ''].join(end));
      expect(source.mediaType).toBe('text/csv');
      expect(countLines(source)).toBe(2);
    },
  );

  it('is made with one line per name from a typed list', () => {
    const source = toImportSource('names.txt', 'example.com\r\nexample.org, example.net\n\n');
    expect(source).toEqual({
      mediaType: 'application/x-ndjson',
      text: '{"domain":"example.com"}\n{"domain":"example.org"}\n{"domain":"example.net"}\n',
    });
    expect(countLines(source)).toBe(3);
  });
});

describe('the lines of a file that were refused', () => {
  const refused = (line: number, message: string, column?: string) => ({
    ...{ line, domain: `n${line}.test`, code: 'invalid', message },
    ...(column !== undefined && { column }),
  });

  it('are grouped by reason, the most frequent reason first', () => {
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

  it('are listed up to the third one per reason', () => {
    expect([['1'], ['1', '2', '3'], ['1', '2', '3', '4']].map(someOf)).toEqual(['1', '1, 2, 3', '1, 2, 3 and 1 more']);
  });
});

describe('the columns of a file in the dashboard', () => {
  const columns = [
    { name: 'Host', field: 'domain' },
    { name: 'NS1', field: 'expected_nameservers' },
    { name: 'NS2', field: 'expected_nameservers' },
    { name: 'Remarks', field: null },
    { name: 'Text', field: 'note' },
  ];
  const others = { domain: 'Host', expected_nameservers: ['NS1', 'NS2'] };

  it('keep their choices when one column is assigned to another field', () => {
    expect(chooseColumn(columns, 'Text', '')).toEqual(others);
    expect(chooseColumn(columns, 'Remarks', 'expected_nameservers')).toEqual({
      domain: 'Host',
      expected_nameservers: ['NS1', 'NS2', 'Remarks'],
      note: 'Text',
    });
    expect(chooseColumn(columns, 'NS2', '')).toEqual({ domain: 'Host', expected_nameservers: 'NS1', note: 'Text' });
  });

  it('are limited to one per single-valued field: the last that was chosen', () => {
    expect(chooseColumn(columns, 'Remarks', 'note')).toEqual({ ...others, note: 'Remarks' });
  });
});
