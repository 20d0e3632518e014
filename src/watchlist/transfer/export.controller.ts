import { stringify } from 'csv-stringify/sync';
import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { type ExportedEntry, WatchlistExportReader } from './watchlist-export.repository.js';
import { COLUMNS, formatCells, formatJsonLine } from './csv-cells.js';
import type { EntryFilters } from '../domain/entry-filters.js';
import { FilterQuery } from '../entries/list-query.dto.js';
import { ParseFilters } from '../entries/parse-filters.js';
import { INITIAL_SETTINGS, toSettingFields } from '../domain/entry-settings.js';
import { type Caller, CurrentAccount } from '../../auth/index.js';
import { RequiresScope } from '../../auth/views.js';
import { accepts } from '../../platform/http/request.js';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { ChoiceField, TextField } from '../../platform/http/validation/fields.js';

/**
 * A file format of exports. An import takes exported files, and ignores `status`, `expires_at` and `last_checked_at`.
 */
interface FileFormat {
  readonly mediaType: string;
  readonly name: string;
  readonly header: string;
  readonly format: (entries: readonly ExportedEntry[]) => string;
}

/** Also quotes cells with outer spaces or with a lone CR or LF, where some readers end the row. */
const RFC_4180 = { record_delimiter: 'windows', quoted_match: /[\r\n]|^\s|\s$/ } as const;

const csvFormat: FileFormat = {
  mediaType: 'text/csv; charset=utf-8; header=present',
  name: 'watchlist.csv',
  header: `${COLUMNS.join(',')}\r\n`,
  format: (entries) => stringify(entries.map(formatCells), RFC_4180),
};

const ndjsonFormat: FileFormat = {
  mediaType: 'application/x-ndjson',
  name: 'watchlist.ndjson',
  header: '',
  format: (entries) => entries.map((entry) => `${formatJsonLine(entry)}\n`).join(''),
};

const FORMATS = { csv: csvFormat, ndjson: ndjsonFormat } as const;
type Format = keyof typeof FORMATS;

/**
 * How many entries are read at once. With 1,000 entries, V8 would keep them in its old generation, which takes more
 * memory.
 */
const PAGE_SIZE = 200;

class ExportQuery extends FilterQuery {
  @ChoiceField({
    enum: Object.keys(FORMATS),
    description: 'The default is what `Accept` names, else CSV.',
    optional: true,
  })
  format?: Format;

  @TextField({
    maxLength: 253,
    description: 'Only names after this one, to continue an export that broke off: its last complete name.',
    optional: true,
  })
  after?: string;
}

const TEXT = { type: 'string' } as const;
const EXAMPLE_ROW: ExportedEntry = {
  domain: 'expiring.test',
  ...toSettingFields({
    ...INITIAL_SETTINGS,
    intervalMinutes: 60,
    tags: ['brand', 'shop'],
    purpose: 'own',
    remindDays: [90, 30, 7],
  }),
  status: 'expiring',
  expires_at: new Date('2026-12-01T02:00:00Z'),
  last_checked_at: null,
};

@ApiTags('Watchlist')
@Controller('v1/watchlist/export')
export class ExportController {
  constructor(
    private readonly entries: WatchlistExportReader,
    private readonly filters: ParseFilters,
  ) {}

  @Get()
  @RequiresScope('watchlist:read')
  @ApiOperation({
    operationId: 'exportWatchlist',
    summary: 'Export the watchlist, or those that match, as a file',
    description:
      'Sorted by name, in the format of an import. `status` is empty until the registry has answered. In CSV, a spreadsheet runs ' +
      'notes and tags as formulas that begin with `=`, `+`, `-`, `@`, a tab or a line end, also after a `;`. These get a ' +
      "leading `'`, which an import removes.",
  })
  @ApiOkResponse({
    description:
      'All entries, or those that match the filters. The file is streamed: changes during the download may be included.',
    content: {
      'text/csv': { schema: TEXT, example: csvFormat.header + csvFormat.format([EXAMPLE_ROW]) },
      'application/x-ndjson': { schema: TEXT, example: ndjsonFormat.format([EXAMPLE_ROW]) },
    },
    headers: { 'Content-Disposition': { schema: TEXT } },
  })
  @ApiProblems('invalid_request')
  async export(
    @CurrentAccount() { id }: Caller['account'],
    @Query() query: ExportQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { format, after = '' } = query;
    const filters = this.filters.run(id, query);
    const file = format ? FORMATS[format] : accepts(request, ndjsonFormat.mediaType) ? ndjsonFormat : csvFormat;
    // Reads the first page here, so that an error comes before the response starts to stream.
    const first = await this.entries.findAfter(filters, after, PAGE_SIZE);
    const text = Readable.from(this.streamText(filters, file, first), { objectMode: false });
    const headers = { 'content-type': file.mediaType, 'content-disposition': `attachment; filename="${file.name}"` };
    void reply.headers(headers).send(text);
  }

  private async *streamText(filters: EntryFilters, { header, format }: FileFormat, first: readonly ExportedEntry[]) {
    yield header;
    for (let page = first; page.length > 0;) {
      yield format(page);
      const last = page.at(-1)?.domain;
      page =
        last === undefined || page.length < PAGE_SIZE ? [] : await this.entries.findAfter(filters, last, PAGE_SIZE);
    }
  }
}
