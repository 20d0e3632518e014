import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  disarmFormula,
  escapeFormula,
  formatTags,
  parseTags,
  unescapeFormula,
} from '../../../../src/watchlist/transfer/csv-cells.js';
import { parseColumns } from '../../../../src/watchlist/transfer/import-columns.js';
import type { DateFormat } from '../../../../src/watchlist/transfer/import-dates.js';
import { ImportFile, parseNdjson } from '../../../../src/watchlist/transfer/import-file.js';

const open = (file: Buffer, columns?: string, isWholeTruth = false, dateFormat: DateFormat | null = null) =>
  new ImportFile(file, { mediaType: 'text/csv', chosen: parseColumns(columns), isWholeTruth, dateFormat });
const openLines = (file: Buffer) =>
  new ImportFile(file, { mediaType: 'application/x-ndjson', chosen: null, isWholeTruth: false, dateFormat: null });

/** A text as the bytes of a file. */
const encode = (text: string, encoding: string) => {
  if (encoding === 'utf8') return Buffer.from(text);
  if (encoding === 'marked') return Buffer.from(`\ufeff${text}`);
  const low = Buffer.from(`\ufeff${text}`, 'utf16le');
  return encoding === 'utf16le' ? low : Buffer.from(low).swap16();
};
const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;

describe('a CSV cell', () => {
  it.each(['=1+1', '+1', '-1', '@x', '\tx', '\rx', "'=x", "''@x"])(
    'is escaped so that spreadsheets run no formula, and restored on import: %j',
    (text) => {
      expect(escapeFormula(text)).toBe(`'${text}`);
      expect(unescapeFormula(escapeFormula(text))).toBe(text);
    },
  );

  it.each([
    ['\n=1', "'\n'=1"],
    ['＝1', "'＝1"],
    ['a;=1', "a;'=1"],
    ['a;-b;+c', "a;'-b;'+c"],
    ['a\n@b', "a\n'@b"],
    ['a\t=b', "a\t'=b"],
    ['a;"=b"', `a;'"=b"`],
    ["a;'=b", "a;''=b"],
  ])('is also escaped after characters at which some programs split cells: %j', (text, cell) => {
    expect(escapeFormula(text)).toBe(cell);
    expect(unescapeFormula(cell)).toBe(text);
  });

  it('keeps its text through export and import, and never contains an active formula', () => {
    const unit = fc.constantFrom(';', "'", '"', '=', '-', '@', '＋', '\t', '\r', '\n', ',', 'x', ' ');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 14 }), (text) => {
        const cell = escapeFormula(text);
        expect(unescapeFormula(cell)).toBe(text);
        expect(cell).not.toMatch(/(?:^|[;\t\r\n])"*[=+\-@＝＋－＠]/);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ["'=1;=2", "'=1;'=2"],
    ["'=1\t=2", "'=1\t'=2"],
    ["'=1", "'=1"],
    ['=1;=2', "'=1;'=2"],
  ])('is escaped where that is still missing, and never twice: %j', (cell, disarmed) => {
    expect(disarmFormula(cell)).toBe(disarmed);
    expect(disarmFormula(disarmed)).toBe(disarmed);
  });

  it('has every tag escaped that begins like a formula, and gives the tags back', () => {
    const cell = formatTags(['brand', '=1', 'a;=b', '-c']);
    expect(cell).toBe("brand;'=1;a\\;'=b;'-c");
    expect(parseTags(cell)).toEqual(['brand', '=1', 'a;=b', '-c']);
  });

  it.each(['plain', "it's", "'quoted'", ' =x', ''])('stays unchanged if its text begins no formula: %j', (text) => {
    expect([escapeFormula(text), unescapeFormula(text)]).toEqual([text, text]);
  });

  it('keeps arbitrary tags through export and import', () => {
    const tag = fc.string({ unit: fc.constantFrom(';', '\\', 'a', '=', "'", '-'), minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.array(tag, { maxLength: 4 }), (tags) => expect(parseTags(formatTags(tags))).toEqual(tags)),
    );
  });

  it('gives its tags without surrounding spaces and empty parts', () =>
    expect(parseTags(' a ; b;;c\\d')).toEqual(['a', 'b', 'c\\d']));
});

describe('JSON lines of an import', () => {
  it('keep their line numbers after a blank line, and are reported if malformed', () => {
    const rows = [...parseNdjson(Buffer.from('{"domain":"a.test","note":null,"status":"x"}\r\n\n{"a":1}\nx'))];
    expect(rows).toMatchObject([
      { line: 1, fields: { domain: 'a.test' } },
      { line: 3, fields: { a: 1 } },
      { line: 4, fault: 'The line is not valid JSON.' },
    ]);
  });

  it('are refused if nested deeper than 20 levels; brackets in texts do not count', () => {
    const deep = `{"note":${'['.repeat(10_000)}${']'.repeat(10_000)}}`;
    expect([...parseNdjson(Buffer.from(`${deep}\n{"a":"[[[[[[[[[[[[[[[[[[[[[["}`))]).toMatchObject([
      { line: 1, fault: 'The line is nested deeper than 20 levels.' },
      { line: 2, fields: { a: '[[[[[[[[[[[[[[[[[[[[[[' } },
    ]);
  });
});

describe('an import file', () => {
  it('is read line by line, and lets other work run in between', async () => {
    const file = Buffer.from(`domain\n${'a.test\n'.repeat(10_000)}`);
    const lines = open(file).lines();
    let turns = 0;
    const count = () => void (turns += 1);
    for (let read = 0; read < 100; read += 1) {
      setImmediate(count);
      expect((await lines.next()).value).toMatchObject({ line: read + 2, domain: 'a.test' });
    }
    expect(turns).toBeGreaterThan(50);
  });

  const read = async (file: Buffer, columns?: string, dateFormat: DateFormat | null = null) => {
    const opened = open(file, columns, false, dateFormat);
    const lines = [];
    for await (const line of opened.lines()) lines.push(line);
    return { opened, lines };
  };
  const REGISTRARS = 'Domain Name;Expiration Date;Labels\r\nExample.com;2027-01-01;a\r\n';
  const utf16 = Buffer.from(`\ufeff${REGISTRARS}`, 'utf16le');

  it('is read completely with any line ends, separator, encoding and quotes', async () => {
    const form = fc.record({
      separator: fc.constantFrom(',', ';', '\t', '|'),
      encoding: fc.constantFrom('utf8', 'marked', 'utf16le', 'utf16be'),
      isQuoted: fc.boolean(),
      width: fc.integer({ min: 1, max: 3 }),
      ends: fc.array(fc.constantFrom('\r', '\n', '\r\n'), { minLength: 1, maxLength: 3 }),
      endsLast: fc.boolean(),
      count: fc.integer({ min: 1, max: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(form, async ({ separator, encoding, isQuoted, width, ends, endsLast, count }) => {
        const rows = [
          ['domain', 'tags', 'note'],
          ...Array.from({ length: count }, (_, n) => [`n${n}.test`, 'b', `=${n}`]),
        ];
        const line = (cells: string[]) =>
          cells
            .slice(0, width)
            .map((cell) => (isQuoted ? quoted(cell) : cell))
            .join(separator);
        const end = (n: number) => (n === count && !endsLast ? '' : (ends[n % ends.length] ?? ''));
        const { lines } = await read(encode(rows.map((row, n) => line(row) + end(n)).join(''), encoding));
        expect(lines.map(({ domain }) => domain)).toEqual(rows.slice(1).map(([name]) => name));
      }),
      { numRuns: 300 },
    );
  });

  it.each(['\r', '\r\n', '\n'])('is read completely if it has JSON lines with the line ends %j', async (end) => {
    const file = Buffer.from(['{"domain":"a.test"}', '', '{"domain":"b.test"}'].join(end));
    const lines = [];
    for await (const line of openLines(file).lines()) lines.push(line);
    expect(lines).toMatchObject([
      { line: 1, domain: 'a.test' },
      { line: 3, domain: 'b.test' },
    ]);
  });

  it('is refused if it has more than 100,000 lines, with any line ends', async () => {
    for (const end of ['\r', '\n', '\r\n'])
      await expect(read(Buffer.from(`domain${end}${`a.test${end}`.repeat(100_001)}`))).rejects.toThrow(/100000 lines/);
  });

  it.each([
    ['UTF-8', Buffer.from(REGISTRARS)],
    ['UTF-8 with a byte-order mark', Buffer.from(`\ufeff${REGISTRARS}`)],
    ['UTF-16, little-endian', utf16],
    ['UTF-16, big-endian', Buffer.from(utf16).swap16()],
    ['separated by tabs', Buffer.from(REGISTRARS.replaceAll(';', '\t'))],
    [
      'separated by vertical bars, with quotes',
      Buffer.from(REGISTRARS.replaceAll(';', '|').replace('Example.com', '"Example.com"')),
    ],
  ])('is read with the column names of a registrar, in this form: %s', async (_, file) => {
    const { opened, lines } = await read(file);
    expect(lines).toMatchObject([
      { line: 2, domain: 'Example.com', settings: { tags: ['a'], renewal: { on: '2027-01-01' } } },
    ]);
    expect(opened.columns).toEqual([
      { name: 'Domain Name', field: 'domain' },
      { name: 'Expiration Date', field: 'renewal_on' },
      { name: 'Labels', field: 'tags' },
    ]);
    expect(opened.firstRows).toEqual([['Example.com', '2027-01-01', 'a']]);
  });

  it('is read with the columns that the user chose, despite a column named "Domain"', async () => {
    const file = Buffer.from('Domain,Host,Client\nno,a.test,x\n');
    const { lines } = await read(file, '{"domain":"Host","note":"Client"}');
    expect(lines).toMatchObject([{ domain: 'a.test', settings: { note: 'x' } }]);
  });

  it.each([
    ['no column has domains', 'Host,Client\nhttps://a.test/,x\n', undefined, /it has Host, Client\./],
    [
      'two columns have names for the domain',
      'Domain,FQDN\na,b\n',
      undefined,
      /Domain and FQDN are both taken for domain/,
    ],
    ['a chosen column does not exist', 'Host\na\n', '{"domain":"Hosts"}', /no column Hosts, or several; it has Host\./],
    ['a chosen column exists twice', 'Host,Host\na,b\n', '{"domain":"Host"}', /no column Host, or several/],
    ['it is a spreadsheet', 'PK\u0003\u0004xl', undefined, /Save the sheet as CSV/],
    ['it is empty', '', undefined, /it has nothing/],
    ['it has only a first line', 'domain,tags\r', undefined, /no line below its first one/],
    ['its line ends are of an unknown kind', 'domain,tags\u0085a.test,b\u0085', undefined, /no line below/],
  ])('is refused as a whole when %s', async (_, text, columns, message) => {
    await expect(read(Buffer.from(text), columns)).rejects.toThrow(message);
  });

  it.each([
    ['a plain list', 'a6.fun\nb6.fun\nc6.fun', 1, ['a6.fun', 'b6.fun', 'c6.fun']],
    ['a plain list of one name', 'a6.fun', 1, ['a6.fun']],
    ['a plain list with line ends of old Macs', 'a6.fun\rb6.fun\r', 1, ['a6.fun', 'b6.fun']],
    ['other cells beside the names, but no header line', 'x;münchen.de\ny;b6.fun', 1, ['münchen.de', 'b6.fun']],
    ['a first line that states the separator', 'sep=;\nDomain;Tags\na2.fun;brand\nb2.fun;\n', 3, ['a2.fun', 'b2.fun']],
    [
      'spaces before quotes',
      'domain, tags, note\na5.fun, brand, "quoted, note"\nb5.fun, x, y',
      2,
      ['a5.fun', 'b5.fun'],
    ],
    ['a domain column with another title', 'Name\tOwner\na.test\tme\nb.test\tyou', 2, ['a.test', 'b.test']],
    ['a domain column beside a name server column', 'Name,NS1\na.test,ns1.b.test', 2, ['a.test']],
  ])('is read without a refused line if it has: %s', async (_, text, line, domains) => {
    const { lines } = await read(Buffer.from(text));
    expect(lines.map((one) => one.domain)).toEqual(domains);
    expect(lines[0]?.line).toBe(line);
    expect(lines.some((one) => 'refusal' in one)).toBe(false);
  });

  it('is read from its first line on if the chosen column has no header', async () => {
    const { lines } = await read(Buffer.from('a6.fun\nb6.fun\n'), '{"domain":"a6.fun"}');
    expect(lines.map(({ domain }) => domain)).toEqual(['a6.fun', 'b6.fun']);
  });

  it('may have several columns for one list, such as name servers or tags', async () => {
    const file = 'Domain,Name Server 1,Name Server 2,Name Server 3\na.test,ns1.b.test,ns2.b.test,\n';
    const { lines } = await read(Buffer.from(file));
    expect(lines).toMatchObject([{ settings: { expected: { nameservers: ['ns1.b.test', 'ns2.b.test'] } } }]);
    const chosen = await read(Buffer.from('D,A,B\na.test,x,y\n'), '{"domain":"D","tags":["A","B"]}');
    expect(chosen.lines).toMatchObject([{ settings: { tags: ['x', 'y'] } }]);
  });

  it('is refused if no date shows the order of day and month and none was chosen', async () => {
    const file = (...dates: string[]) =>
      Buffer.from(['Domain,Expires', ...dates.map((one, n) => `n${n}.test,${one}`)].join('\n'));
    const daysOf = async (...args: Parameters<typeof read>) =>
      (await read(...args)).lines.map((line) => ('settings' in line ? line.settings.renewal?.on : null));
    await expect(read(file('1/5/2027', '2/6/2027'))).rejects.toThrow(/date_format=dmy .* date_format=mdy/);
    expect(await daysOf(file('1/5/2027', '2/6/2027'), undefined, 'mdy')).toEqual(['2027-01-05', '2027-02-06']);
    expect(await daysOf(file('1/5/2027', '31/1/2027'))).toEqual(['2027-05-01', '2027-01-31']);
    expect(await daysOf(file('05.01.2027', '46392', 'never'))).toEqual(['2027-01-05', '2027-01-05', undefined]);
  });

  it('is refused if it has more than 500 columns', async () => {
    await expect(read(Buffer.from(`domain${',x'.repeat(500)}\na.test`))).rejects.toThrow('501 columns');
  });

  it.each([
    ['Latin 1', Buffer.from('domain\nb\xfccher.test', 'latin1'), /not valid UTF-8/],
    ['UTF-16 without its last byte', utf16.subarray(0, -1), /not valid UTF-16/],
  ])('is refused because of this encoding: %s', async (_, file, message) => {
    await expect(read(file)).rejects.toThrow(message);
  });

  it.each([
    'x',
    '[]',
    '{}',
    '{"domain":1}',
    '{"status":"a","domain":"b"}',
    '{"domain":"a","note":"a"}',
    '{"__proto__":"a"}',
  ])('is refused with this malformed choice of columns: %s', (columns) =>
    expect(() => parseColumns(columns)).toThrow(/^columns|^the column/),
  );

  it.each([
    ['Domain,Tagz,Note', /column Tagz\./],
    ['Domain,Expiry;,Owner', /column Expiry;, Owner\./],
  ])('is refused for a sync if a column is unknown: %s', async (names, message) => {
    const lines = open(Buffer.from(`${names}\na.test,b,c\n`), undefined, true).lines();
    await expect(lines.next()).rejects.toThrow(message);
  });

  it.each([
    ['domain,tags,status,Expires_At,last_checked_at,', undefined],
    ['Domain,Tagz,Note', '{"domain":"Domain","note":"Note"}'],
  ])('is accepted for a sync with the columns %s and the chosen columns %s', async (names, columns) => {
    const lines = open(Buffer.from(`${names}\na.test\n`), columns, true).lines();
    expect((await lines.next()).value).toMatchObject({ domain: 'a.test' });
  });

  const refusedLines = async (text: string) => {
    const { opened, lines } = await read(Buffer.from(text));
    const failed = lines.flatMap((line) =>
      'refusal' in line ? [{ ...line, outcome: 'failed' as const, code: 'invalid_request', message: 'not so' }] : [],
    );
    return { opened, failed };
  };

  it('names the column that caused the refusal of a line', async () => {
    const { opened, failed } = await refusedLines('Domain;Interval Minutes\na.test;often\nb.test;60\n');
    expect(failed.map((one) => opened.explain(one).column)).toEqual(['Interval Minutes']);
  });

  it('returns refused lines with the reason and with escaped formulas', async () => {
    const { opened, failed } = await refusedLines('Domain;Days;Note\n"a.test";often;=1+1\nb.test;60\n"x"y\n"');
    expect(opened.refusedHeader).toEqual(['Domain', 'Days', 'Note', 'refused because']);
    expect(failed.map((one) => opened.toRefusedRow(one))).toEqual([
      ['"x"y', '', '', 'line 4: not so'],
      ['', '', '', 'line 5: not so'],
    ]);
    const named = await refusedLines('Domain;=1+1;"a;=2"\n"x"y\n');
    expect(named.opened.refusedHeader).toEqual(['Domain', "'=1+1", "a;'=2", 'refused because']);
    const other = await refusedLines("domain,interval_minutes,note\na.test,often,=1+1\nb.test,rarely,'=1+1\n");
    expect(other.failed.map((one) => other.opened.toRefusedRow(one))).toEqual([
      ['a.test', 'often', "'=1+1", 'line 2: not so'],
      ['b.test', 'rarely', "'=1+1", 'line 3: not so'],
    ]);
  });
});
