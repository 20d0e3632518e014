import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { InvalidRequest } from '../../platform/http/errors/invalid-request.js';
import { ChoiceField, QueryBooleanField, QueryIntegerField, TextField } from '../../platform/http/validation/fields.js';
import type { ImportFile } from './import-file.js';
import type { ImportOutcome } from './import-lines.js';
import type { ImportMode } from './import-rules.js';
import { DATE_FORMATS, type DateFormat } from './import-dates.js';
import { TAG } from '../entries/entry-settings.dto.js';

/** How many errors are described at most. Further errors are only counted. */
const MAX_REPORTED_ERRORS = 1_000;
const MODES = ['add', 'sync'] as const;
const EXISTING = ['keep', 'update'] as const;

export class ImportQuery {
  @QueryBooleanField({ default: false, description: 'With `true`, validate the file and write nothing.' })
  dry_run: boolean = false;

  @TextField({
    maxLength: 2_000,
    description:
      'Which column of a CSV has which field, where their names do not say it: JSON such as `{"domain":"Host"}`. ' +
      'All others are ignored. Tags and name servers may have several: `{"domain":"Host","tags":["A","B"]}`.',
    optional: true,
  })
  columns?: string;

  @ChoiceField({
    enum: DATE_FORMATS,
    description:
      'Whether dates such as `1/5/2027` in a CSV begin with the day (`dmy`) or the month (`mdy`). Without it other dates of ' +
      'the file say so, and if none does, the file is refused.',
    optional: true,
  })
  date_format?: DateFormat;

  @ChoiceField({
    enum: MODES,
    default: 'add',
    description:
      'With `sync`, make the entries with the tag `scope_tag` equal to the file: entries are added, changed where they ' +
      'differ, and removed within `max_removals`.',
  })
  mode: (typeof MODES)[number] = 'add';

  @ChoiceField({
    enum: EXISTING,
    default: 'keep',
    description:
      'With `update`, names that are watched already get what their lines say; what a line leaves out stays. A sync ' +
      'changes them anyway.',
  })
  existing: (typeof EXISTING)[number] = 'keep';

  @QueryBooleanField({
    default: false,
    description:
      'With `true`, channels are told what is so already: which names are available, for example. Without it that is shown, ' +
      'and only what changes later is told.',
  })
  notify_current: boolean = false;

  @TextField({
    ...TAG,
    description: 'Required with `mode=sync`: every line gets this tag, and no entry without it is changed or removed.',
    optional: true,
  })
  scope_tag?: string;

  @QueryIntegerField({
    minimum: 0,
    maximum: 1_000_000,
    description:
      'With `mode=sync`: remove the entries with the tag that the file does not name. If they are more than this, nothing ' +
      'is written. Without it they are `unlisted` and stay.',
    optional: true,
  })
  max_removals?: number;
}

/** @throws InvalidRequest for options that do not belong to the mode */
export function toImportMode(query: ImportQuery): ImportMode {
  const { mode, existing, scope_tag: scopeTag, max_removals: maxRemovals = null } = query;
  if (mode === 'sync') {
    if (existing === 'update')
      throw invalidParameter('existing', 'existing needs mode=add: a sync changes all that differ');
    if (scopeTag === undefined) throw invalidParameter('scope_tag', 'scope_tag is required with mode=sync');
    return { scopeTag, maxRemovals };
  }
  if (scopeTag !== undefined) throw invalidParameter('scope_tag', 'scope_tag needs mode=sync');
  if (maxRemovals !== null) throw invalidParameter('max_removals', 'max_removals needs mode=sync');
  return existing;
}

function invalidParameter(name: string, message: string): InvalidRequest {
  return InvalidRequest.of([{ pointer: `#query/${name}`, code: 'invalid', message }]);
}

class ImportErrorView {
  @ApiProperty({ type: 'integer', example: 3, description: 'Line number in the file, from 1.' }) line: number;
  @ApiPropertyOptional({
    example: 'Domain Name',
    description: 'The column whose cell was refused, as the file calls it.',
  })
  column?: string;
  @ApiProperty({ type: String, nullable: true, example: 'www.registered.test' }) domain: string | null;
  @ApiProperty({ example: 'not_registrable', description: 'As the code of a problem.' }) code: string;
  @ApiProperty({ example: 'Only registered.test can be registered.' }) message: string;
  @ApiPropertyOptional({
    example: 'registered.test',
    description: 'Of a name below another one, a URL or a mail address: the name that can be registered.',
  })
  registrable_domain?: string;
}

class ImportColumnView {
  @ApiProperty({ example: 'Domain Name' }) name: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'domain',
    description: 'The field that it fills; null: ignored.',
  })
  field: string | null;
}

export class ImportView {
  @ApiProperty({ example: false }) dry_run: boolean;
  @ApiProperty({ type: 'integer', example: 3, description: 'Lines that are not blank.' }) total: number;
  @ApiProperty({ type: 'integer', example: 1 }) created: number;
  @ApiProperty({
    type: 'integer',
    example: 1,
    description: 'Watched before, or added by an earlier line; in a sync also as the file says.',
  })
  existing: number;
  @ApiProperty({ type: 'integer', example: 1 }) failed: number;
  @ApiPropertyOptional({
    type: 'integer',
    example: 1,
    description: 'In a sync, and with `existing=update`: entries that differed from their lines.',
  })
  changed?: number;
  @ApiPropertyOptional({ type: 'integer', example: 0, description: 'In a sync: entries that the file does not name.' })
  removed?: number;
  @ApiPropertyOptional({
    type: 'integer',
    example: 2,
    description: 'In a sync: entries with the tag that the file does not name, and that stay.',
  })
  unlisted?: number;
  @ApiPropertyOptional({
    type: 'integer',
    example: 0,
    description: 'In a sync: valid lines of a file that was not applied, because other lines failed.',
  })
  skipped?: number;
  @ApiProperty({ type: [ImportErrorView], description: `The first ${MAX_REPORTED_ERRORS}.` }) errors: ImportErrorView[];
  @ApiPropertyOptional({
    example: 'run_01jd6z0v8q3m4n5p6r7s8t9vwx',
    description:
      'Where entries were added: the `run_id` of its audit records. `DELETE /v1/watchlist?import=` with it takes the import ' +
      'back: it removes these entries again.',
  })
  import_id?: string;
  @ApiPropertyOptional({ type: [ImportColumnView], description: 'Of a CSV: its columns.' })
  columns?: ImportColumnView[];
  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'array', items: { type: 'string' } },
    example: [['registered.test', '2027-01-01']],
    description: 'Of a CSV: the cells of its first lines, as they are.',
  })
  first_rows?: string[][];
}

/** Counts lines by outcome. A sync also counts entries that are missing in the file, as `removed` or `unlisted`. */
export class ImportSummary {
  readonly errors: ImportErrorView[] = [];
  private readonly lines = { created: 0, existing: 0, failed: 0 };
  private readonly synced = { changed: 0, removed: 0, unlisted: 0, skipped: 0 };

  constructor(
    private readonly run: { readonly id: string } | null,
    private readonly mode: ImportMode,
    private readonly file: Pick<ImportFile, 'columns' | 'firstRows'>,
  ) {}

  add(result: ImportOutcome): void {
    const { outcome } = result;
    if (outcome === 'created' || outcome === 'existing' || outcome === 'failed') this.lines[outcome] += 1;
    else this.synced[outcome] += 1;
    if (result.outcome !== 'failed' || this.errors.length === MAX_REPORTED_ERRORS) return;
    const { outcome: _, ...error } = result;
    this.errors.push(error);
  }

  get view(): ImportView {
    const { created, existing, failed } = this.lines;
    const { changed, skipped } = this.synced;
    const total = created + existing + failed + changed + skipped;
    const { columns, firstRows } = this.file;
    return {
      dry_run: this.run === null,
      total,
      ...this.lines,
      ...(this.mode === 'update' && { changed }),
      ...(typeof this.mode === 'object' && this.synced),
      errors: this.errors,
      ...(this.run && created > 0 && { import_id: this.run.id }),
      ...(columns && { columns: [...columns], first_rows: firstRows.map((row) => [...row]) }),
    };
  }
}

const CSV_FILE = 'domain,interval_minutes,tags\nexpiring.test,60,brand;shop\nregistered.test,,\n';
const NDJSON_FILE = '{"domain":"expiring.test","interval_minutes":60,"tags":["brand"]}\n{"domain":"registered.test"}\n';

export const IMPORT_BODIES = {
  'text/csv': { schema: { type: 'string' }, example: CSV_FILE },
  'application/x-ndjson': { schema: { type: 'string' }, example: NDJSON_FILE },
} as const;

const REFUSED_LINE = {
  line: 3,
  domain: 'www.registered.test',
  code: 'not_registrable',
  message: 'Only registered.test can be registered.',
  registrable_domain: 'registered.test',
};
const LINE_EXAMPLES = [
  { line: 2, domain: 'expiring.test', outcome: 'created', id: 'wl_01jd6z0v8q3m4n5p6r7s8t9vwx' },
  { ...REFUSED_LINE, outcome: 'failed' },
];

export const IMPORT_EXAMPLE: ImportView = {
  dry_run: false,
  total: 3,
  created: 1,
  existing: 1,
  failed: 1,
  errors: [REFUSED_LINE],
  import_id: 'run_01jd6z0v8q3m4n5p6r7s8t9vwx',
};
export const REFUSED_LINES_EXAMPLE =
  'domain,refused because\nwww.registered.test,line 3: Only registered.test can be registered.\n';
export const IMPORT_STREAM_EXAMPLE = [...LINE_EXAMPLES, IMPORT_EXAMPLE]
  .map((one) => `${JSON.stringify(one)}\n`)
  .join('');
