import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsBoolean } from 'class-validator';
import { Optional } from '../../../platform/http/validation/strict-validation.pipe.js';
import type { LineOutcome } from '../../application/import/import-watchlist.js';

/** Further errors are only counted. */
const MAX_REPORTED_ERRORS = 1_000;

export class ImportQuery {
  @ApiPropertyOptional({
    type: Boolean,
    default: false,
    description: 'With `true`, validate the file and write nothing.',
  })
  @Optional()
  @Transform(({ value }) => (value === 'true' ? true : value === 'false' ? false : (value as unknown)))
  @IsBoolean({ message: '$property must be true or false' })
  dry_run: boolean = false;
}

class ImportErrorView {
  @ApiProperty({ type: 'integer', example: 3, description: 'Line number in the file, from 1.' }) line: number;
  @ApiProperty({ type: String, nullable: true, example: 'co.uk' }) domain: string | null;
  @ApiProperty({ example: 'domain_is_public_suffix', description: 'As the code of a problem.' }) code: string;
  @ApiProperty({ example: 'This is a public suffix; names are registered below it.' }) message: string;
}

export class ImportView {
  @ApiProperty({ example: false }) dry_run: boolean;
  @ApiProperty({ type: 'integer', example: 3, description: 'Lines that are not blank.' }) total: number;
  @ApiProperty({ type: 'integer', example: 1 }) created: number;
  @ApiProperty({ type: 'integer', example: 1, description: 'Watched before, or added by an earlier line.' })
  existing: number;
  @ApiProperty({ type: 'integer', example: 1 }) failed: number;
  @ApiProperty({ type: [ImportErrorView], description: `The first ${MAX_REPORTED_ERRORS}.` }) errors: ImportErrorView[];
}

/** Counts the outcomes of all lines. */
export class ImportSummary {
  readonly errors: ImportErrorView[] = [];
  private readonly counts = { created: 0, existing: 0, failed: 0 };

  constructor(private readonly dryRun: boolean) {}

  add(result: LineOutcome): void {
    this.counts[result.outcome] += 1;
    if (result.outcome !== 'failed' || this.errors.length === MAX_REPORTED_ERRORS) return;
    const { line, domain, code, message } = result;
    this.errors.push({ line, domain, code, message });
  }

  get view(): ImportView {
    const { created, existing, failed } = this.counts;
    return { dry_run: this.dryRun, total: created + existing + failed, ...this.counts, errors: this.errors };
  }
}

const CSV_FILE = 'domain,interval_minutes,tags\nexpiring.test,60,brand;shop\nregistered.test,,\n';
const NDJSON_FILE = '{"domain":"expiring.test","interval_minutes":60,"tags":["brand"]}\n{"domain":"registered.test"}\n';

export const IMPORT_BODIES = {
  'text/csv': { schema: { type: 'string' }, example: CSV_FILE },
  'application/x-ndjson': { schema: { type: 'string' }, example: NDJSON_FILE },
} as const;

const LINE_EXAMPLES = [
  { line: 2, domain: 'expiring.test', outcome: 'created', id: 'wl_01jd6z0v8q3m4n5p6r7s8t9vwx' },
  {
    line: 3,
    domain: 'co.uk',
    outcome: 'failed',
    code: 'domain_is_public_suffix',
    message: 'This is a public suffix; …',
  },
] as const;

export const IMPORT_EXAMPLE: ImportView = {
  ...{ dry_run: false, total: 3, created: 1, existing: 1, failed: 1 },
  errors: [
    { line: 3, domain: 'co.uk', code: 'domain_is_public_suffix', message: 'This is a public suffix; names are …' },
  ],
};
export const IMPORT_STREAM_EXAMPLE = [...LINE_EXAMPLES, IMPORT_EXAMPLE]
  .map((one) => `${JSON.stringify(one)}\n`)
  .join('');
