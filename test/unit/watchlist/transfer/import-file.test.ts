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

describe('a cell', () => {
  it.each(['=1+1', '+1', '-1', '@x', '\tx', '\rx', "'=x", "''@x"])('is no formula when it says %j', (text) => {
    expect(escapeFormula(text)).toBe(`'${text}`);
    expect(unescapeFormula(escapeFormula(text))).toBe(text);
  });

  it.each([
    ['\n=1', "'\n'=1"],
    ['＝1', "'＝1"],
    ['a;=1', "a;'=1"],
    ['a;-b;+c', "a;'-b;'+c"],
    ['a\n@b', "a\n'@b"],
    ['a\t=b', "a\t'=b"],
    ['a;"=b"', `a;'"=b"`],
    ["a;'=b", "a;''=b"],
  ])('begins no formula in programs with another separator: %j', (text, cell) => {
    expect(escapeFormula(text)).toBe(cell);
    expect(unescapeFormula(cell)).toBe(text);
  });

  it('survives export and import unchanged, and has no active formula after any separator', () => {
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
  ])('is escaped after each separator, even if one is escaped already: %j', (cell, disarmed) => {
    expect(disarmFormula(cell)).toBe(disarmed);
    expect(disarmFormula(disarmed)).toBe(disarmed);
  });

  it('with several tags has none that begins a formula', () => {
    const cell = formatTags(['brand', '=1', 'a;=b', '-c']);
    expect(cell).toBe("brand;'=1;a\\;'=b;'-c");
    expect(parseTags(cell)).toEqual(['brand', '=1', 'a;=b', '-c']);
  });

  it.each(['plain', "it's", "'quoted'", ' =x', ''])('stays as it is when it says %j', (text) => {
    expect([escapeFormula(text), unescapeFormula(text)]).toEqual([text, text]);
  });

  it('keeps arbitrary tags through export and import', () => {
    const tag = fc.string({ unit: fc.constantFrom(';', '\\', 'a', '=', "'", '-'), minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.array(tag, { maxLength: 4 }), (tags) => expect(parseTags(formatTags(tags))).toEqual(tags)),
    );
  });

  it('holds tags as people write them', () => expect(parseTags(' a ; b;;c\\d')).toEqual(['a', 'b', 'c\\d']));
});

describe('lines of JSON', () => {
  it('keep their line numbers, and treat null as absent', () => {
    const rows = [...parseNdjson(Buffer.from('{"domain":"a.test","note":null,"status":"x"}\r\n\n{"a":1}\nx'))];
    expect(rows).toMatchObject([
      { line: 1, fields: { domain: 'a.test' } },
      { line: 3, fields: { a: 1 } },
      { line: 4, fault: 'The line is not valid JSON.' },
    ]);
  });

  it('that are nested too deep are reported, and no other line is', () => {
    const deep = `{"note":${'['.repeat(10_000)}${']'.repeat(10_000)}}`;
    expect([...parseNdjson(Buffer.from(`${deep}\n{"a":"[[[[[[[[[[[[[[[[[[[[[["}`))]).toMatchObject([
      { line: 1, fault: 'The line is nested deeper than 20 levels.' },
      { line: 2, fields: { a: '[[[[[[[[[[[[[[[[[[[[[[' } },
    ]);
  });
});

describe('a file', () => {
  it('is read on demand, and yields to other work in between', async () => {
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

  it('is read whole with any line ends, separator, encoding and quotes', async () => {
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

  it.each(['\r', '\r\n', '\n'])('of JSON is read whole with the line ends %j', async (end) => {
    const file = Buffer.from(['{"domain":"a.test"}', '', '{"domain":"b.test"}'].join(end));
    const lines = [];
    for await (const line of openLines(file).lines()) lines.push(line);
    expect(lines).toMatchObject([
      { line: 1, domain: 'a.test' },
      { line: 3, domain: 'b.test' },
    ]);
  });

  it('with very many lines is refused, whatever ends them', async () => {
    for (const end of ['\r', '\n', '\r\n'])
      await expect(read(Buffer.from(`domain${end}${`a.test${end}`.repeat(100_001)}`))).rejects.toThrow(/100000 lines/);
  });

  it.each([
    ['UTF-8', Buffer.from(REGISTRARS)],
    ['UTF-8 with a byte-order mark', Buffer.from(`\ufeff${REGISTRARS}`)],
    ['UTF-16, low bytes first', utf16],
    ['UTF-16, high bytes first', Buffer.from(utf16).swap16()],
    ['tabs', Buffer.from(REGISTRARS.replaceAll(';', '\t'))],
    ['bars and quotes', Buffer.from(REGISTRARS.replaceAll(';', '|').replace('Example.com', '"Example.com"'))],
  ])('is read with the columns of a registrar, in %s', async (_, file) => {
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

  it('is read with the columns that were chosen, whatever their names', async () => {
    const file = Buffer.from('Domain,Host,Client\nno,a.test,x\n');
    const { lines } = await read(file, '{"domain":"Host","note":"Client"}');
    expect(lines).toMatchObject([{ domain: 'a.test', settings: { note: 'x' } }]);
  });

  it.each([
    ['no column has domains', 'Host,Client\nhttps://a.test/,x\n', undefined, /it has Host, Client\./],
    ['two columns are the domain', 'Domain,FQDN\na,b\n', undefined, /Domain and FQDN are both taken for domain/],
    ['a chosen column is not there', 'Host\na\n', '{"domain":"Hosts"}', /no column Hosts, or several; it has Host\./],
    ['a chosen column is there twice', 'Host,Host\na,b\n', '{"domain":"Host"}', /no column Host, or several/],
    ['it is a spreadsheet', 'PK\u0003\u0004xl', undefined, /Save the sheet as CSV/],
    ['it is empty', '', undefined, /it has nothing/],
    ['it has its first line only', 'domain,tags\r', undefined, /no line below its first one/],
    ['its lines end in a way that nobody knows', 'domain,tags\u0085a.test,b\u0085', undefined, /no line below/],
  ])('is refused as a whole when %s', async (_, text, columns, message) => {
    await expect(read(Buffer.from(text), columns)).rejects.toThrow(message);
  });

  it.each([
    ['a plain list', 'a6.fun\nb6.fun\nc6.fun', 1, ['a6.fun', 'b6.fun', 'c6.fun']],
    ['a plain list of one name', 'a6.fun', 1, ['a6.fun']],
    ['a plain list with line ends of a Mac', 'a6.fun\rb6.fun\r', 1, ['a6.fun', 'b6.fun']],
    ['a list with other cells and no line of names', 'x;münchen.de\ny;b6.fun', 1, ['münchen.de', 'b6.fun']],
    ['a line that says what separates cells', 'sep=;\nDomain;Tags\na2.fun;brand\nb2.fun;\n', 3, ['a2.fun', 'b2.fun']],
    [
      'spaces before quotes',
      'domain, tags, note\na5.fun, brand, "quoted, note"\nb5.fun, x, y',
      2,
      ['a5.fun', 'b5.fun'],
    ],
    ['a column of domains by another name', 'Name\tOwner\na.test\tme\nb.test\tyou', 2, ['a.test', 'b.test']],
    ['a column of domains beside name servers', 'Name,NS1\na.test,ns1.b.test', 2, ['a.test']],
  ])('is read with %s', async (_, text, line, domains) => {
    const { lines } = await read(Buffer.from(text));
    expect(lines.map((one) => one.domain)).toEqual(domains);
    expect(lines[0]?.line).toBe(line);
    expect(lines.some((one) => 'refusal' in one)).toBe(false);
  });

  it('loses no domain name if the chosen column has no header', async () => {
    const { lines } = await read(Buffer.from('a6.fun\nb6.fun\n'), '{"domain":"a6.fun"}');
    expect(lines.map(({ domain }) => domain)).toEqual(['a6.fun', 'b6.fun']);
  });

  it('is read with several columns for one list', async () => {
    const file = 'Domain,Name Server 1,Name Server 2,Name Server 3\na.test,ns1.b.test,ns2.b.test,\n';
    const { lines } = await read(Buffer.from(file));
    expect(lines).toMatchObject([{ settings: { expected: { nameservers: ['ns1.b.test', 'ns2.b.test'] } } }]);
    const chosen = await read(Buffer.from('D,A,B\na.test,x,y\n'), '{"domain":"D","tags":["A","B"]}');
    expect(chosen.lines).toMatchObject([{ settings: { tags: ['x', 'y'] } }]);
  });

  it('leads to one question about the order of day and month, and to none if another date decides it', async () => {
    const file = (...dates: string[]) =>
      Buffer.from(['Domain,Expires', ...dates.map((one, n) => `n${n}.test,${one}`)].join('\n'));
    const daysOf = async (...args: Parameters<typeof read>) =>
      (await read(...args)).lines.map((line) => ('settings' in line ? line.settings.renewal?.on : null));
    await expect(read(file('1/5/2027', '2/6/2027'))).rejects.toThrow(/date_format=dmy .* date_format=mdy/);
    expect(await daysOf(file('1/5/2027', '2/6/2027'), undefined, 'mdy')).toEqual(['2027-01-05', '2027-02-06']);
    expect(await daysOf(file('1/5/2027', '31/1/2027'))).toEqual(['2027-05-01', '2027-01-31']);
    expect(await daysOf(file('05.01.2027', '46392', 'never'))).toEqual(['2027-01-05', '2027-01-05', undefined]);
  });

  it('has at most 500 columns', async () => {
    await expect(read(Buffer.from(`domain${',x'.repeat(500)}\na.test`))).rejects.toThrow('501 columns');
  });

  it.each([
    ['Latin 1', Buffer.from('domain\nb\xfccher.test', 'latin1'), /not valid UTF-8/],
    ['half of UTF-16', utf16.subarray(0, -1), /not valid UTF-16/],
  ])('is refused in %s', async (_, file, message) => {
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
  ])('has no columns such as %s', (columns) => expect(() => parseColumns(columns)).toThrow(/^columns|^the column/));

  it.each([
    ['Domain,Tagz,Note', /column Tagz\./],
    ['Domain,Expiry;,Owner', /column Expiry;, Owner\./],
  ])('for a sync may not have the columns %s', async (names, message) => {
    const lines = open(Buffer.from(`${names}\na.test,b,c\n`), undefined, true).lines();
    await expect(lines.next()).rejects.toThrow(message);
  });

  it.each([
    ['domain,tags,status,Expires_At,last_checked_at,', undefined],
    ['Domain,Tagz,Note', '{"domain":"Domain","note":"Note"}'],
  ])('for a sync may have the columns %s with %s', async (names, columns) => {
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

  it('says of a refused line which column is to blame', async () => {
    const { opened, failed } = await refusedLines('Domain;Interval Minutes\na.test;often\nb.test;60\n');
    expect(failed.map((one) => opened.explain(one).column)).toEqual(['Interval Minutes']);
  });

  it('gives refused lines back with the reason, and without formulas', async () => {
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
