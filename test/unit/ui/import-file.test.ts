import { describe, expect, it } from '@jest/globals';
import { countLines, toImportSource } from '../../../ui/src/screens/watchlist/import-file.js';

describe('a file in the import of the dashboard', () => {
  it.each([
    ['names.csv', 'domain,tags\nexample.com,brand\n', 'text/csv'],
    ['names', 'tags,domain\nbrand,example.com\n', 'text/csv'],
    ['names.txt', '{"domain":"example.com"}\n', 'application/x-ndjson'],
  ])('%s is sent as it is: %j is %s', (name, text, mediaType) => {
    expect(toImportSource(name, text)).toEqual({ text, mediaType });
  });

  it.each(['\r', '\r\n', '\n'])('is known by its first line, and counted, with the line ends %j', (end) => {
    const source = toImportSource('names.txt', ['tags,domain', 'a,a.test', 'b,b.test', ''].join(end));
    expect(source.mediaType).toBe('text/csv');
    expect(countLines(source)).toBe(2);
  });

  it('becomes a line for each name of a list', () => {
    const source = toImportSource('names.txt', 'example.com\r\nexample.org, example.net\n\n');
    expect(source).toEqual({
      mediaType: 'application/x-ndjson',
      text: '{"domain":"example.com"}\n{"domain":"example.org"}\n{"domain":"example.net"}\n',
    });
    expect(countLines(source)).toBe(3);
  });
});
