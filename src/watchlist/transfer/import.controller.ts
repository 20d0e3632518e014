import { Controller, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { stringify } from 'csv-stringify/sync';
import { Readable } from 'node:stream';
import { type Caller, CurrentAccount, endOfAuthorization } from '../../auth/index.js';
import { RequiresScope } from '../../auth/views.js';
import { accepts, NDJSON } from '../../platform/http/request.js';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { getMediaType } from '../../platform/http/validation/json-body.js';
import { resume, sendJsonLines } from '../../platform/http/json-lines.js';
import { AcceptsUpload } from '../../platform/http/uploads.js';
import { IdempotentByClaim } from '../../platform/idempotency/idempotent.interceptor.js';
import { WRITABLE_COLUMNS } from './csv-cells.js';
import { type ImportOutcome, Turns } from './import-lines.js';
import { ImportWatchlist } from './import-watchlist.js';
import { parseColumns } from './import-columns.js';
import { CSV, ImportFile } from './import-file.js';
import {
  IMPORT_BODIES,
  IMPORT_STREAM_EXAMPLE,
  IMPORT_EXAMPLE,
  REFUSED_LINES_EXAMPLE,
  ImportQuery,
  ImportSummary,
  ImportView,
  toImportMode,
} from './import.dto.js';

const MAX_FILE_BYTES = 10 * 1_024 * 1_024;

@ApiTags('Watchlist')
@ApiExtraModels(ImportView)
@Controller('v1/watchlist/import')
export class ImportController {
  constructor(private readonly imports: ImportWatchlist) {}

  @Post()
  @IdempotentByClaim()
  @HttpCode(200)
  @AcceptsUpload({ mediaTypes: [CSV, NDJSON], maxBytes: MAX_FILE_BYTES })
  @RequiresScope('watchlist:write')
  @ApiOperation({
    operationId: 'importWatchlist',
    summary: 'Watch every domain of a file',
    requestBody: { required: true, content: IMPORT_BODIES },
    description:
      `CSV whose first line names its columns (\`${WRITABLE_COLUMNS.join(',')}\`; ` +
      'only `domain` is required, `;` separates tags and days), or one JSON object per line. At most 10 MiB and 100 000 lines, ' +
      'in UTF-8, or UTF-16 with a byte-order mark. A line ends with LF, CR or both; commas, semicolons, tabs or bars separate cells. Columns are found by ' +
      'their names, such as `Domain Name`, by what they have, or by `columns`; others are ignored. A plain list of names is a CSV too. An invalid line is reported with its number and does not affect other lines; at most 200 lines are one ' +
      'transaction. Importing a file again changes nothing. A process runs one import per account and three in all; ' +
      'beyond that it answers `too_many_concurrent_requests` or `overloaded`, and the file can be sent again.\n\n' +
      'With `mode=sync` the file is the whole truth about the entries with the tag `scope_tag`: what a line omits has its ' +
      'default, a name that is watched without the tag fails, and if any line fails nothing is written. A column that is not ' +
      'understood is refused then, and so is a file in which no name was read.\n\n' +
      'With `Accept: text/csv` the answer is a CSV of the refused lines with the reason of each, to be corrected and imported ' +
      'again; with `dry_run=true` also after the import.\n\n' +
      'An import that breaks off ends with a problem with `written` and `last_line`, in a stream as the last line. ' +
      'Send the whole file again then: that is safe, and does the rest.',
  })
  @ApiOkResponse({
    description:
      'The outcome of the import; with `Accept: application/x-ndjson` each line as it is written, then the summary.',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(ImportView) }, example: IMPORT_EXAMPLE },
      [NDJSON]: { schema: { type: 'string' }, example: IMPORT_STREAM_EXAMPLE },
      [CSV]: { schema: { type: 'string' }, example: REFUSED_LINES_EXAMPLE },
    },
  })
  @ApiProblems('too_many_removals')
  async import(
    @CurrentAccount() account: Caller['account'],
    @Query() query: ImportQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ImportView | Readable> {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const mode = toImportMode(query);
    const file = new ImportFile(body, {
      mediaType: getMediaType(request),
      chosen: parseColumns(query.columns),
      isWholeTruth: typeof mode === 'object',
      dateFormat: query.date_format ?? null,
    });
    const run = query.dry_run ? null : this.imports.startRun(account.id, mode, endOfAuthorization(request));
    const summary = new ImportSummary(run, mode, file);
    const outcomes = this.imports.run(account, () => file.lines(), mode, run, query.notify_current);
    const first = await outcomes.next(); // throws for an invalid file, before the response starts
    const lines = resume(first, outcomes);
    if (accepts(request, CSV)) {
      void reply.header('content-type', CSV);
      return Readable.from(streamRefused(lines, file), { objectMode: false });
    }
    if (!accepts(request, NDJSON)) {
      for await (const line of lines) summary.add(file.explain(line));
      return summary.view;
    }
    return sendJsonLines(withSummary(lines, file, summary), request, reply);
  }
}

async function* withSummary(
  lines: AsyncIterable<ImportOutcome>,
  file: ImportFile,
  summary: ImportSummary,
): AsyncGenerator<object, void, void> {
  for await (const outcome of lines) {
    const line = file.explain(outcome);
    summary.add(line);
    yield line;
  }
  yield summary.view;
}

/** Yields the refused lines as CSV. Starts with a byte-order mark, by which spreadsheets recognize UTF-8. */
async function* streamRefused(outcomes: AsyncIterable<ImportOutcome>, file: ImportFile) {
  yield `\ufeff${stringify([file.refusedHeader])}`;
  const turns = new Turns();
  for await (const outcome of outcomes) {
    const row = file.toRefusedRow(outcome);
    if (row) yield stringify([row]);
    await turns.after(row ?? []);
  }
}
