import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsIn, IsOptional, IsString, Length, Matches, MaxLength } from 'class-validator';
import { ENTRY_STATUSES, type EntryStatus } from '../../domains/language.js';
import { Expansions } from '../../domains/views.js';
import { PageQuery } from '../../platform/http/page.js';
import { SINGLE_LINE_PATTERN, SINGLE_LINE } from '../../platform/http/validation/text-patterns.js';
import { Optional } from '../../platform/http/validation/strict-validation.pipe.js';
import { type PageRequest, SORT_KEYS, type SortKey } from './watchlist-page-reader.js';
import { MAX_TAGS } from '../domain/entry-settings.js';
import { ENTRY_EXPANSIONS, type EntryExpansion, LIST_EXPANSIONS, type ListExpansion } from './entry-expansions.js';
import { TAG_PATTERN, TAG_SCHEMA } from './entry-settings.dto.js';

const SORT_VALUES = SORT_KEYS.flatMap((key) => [key, `-${key}`]);

export class EntryQuery {
  @IsOptional()
  @Expansions(ENTRY_EXPANSIONS)
  expand?: readonly EntryExpansion[];
}

export class ListQuery extends PageQuery {
  @ApiPropertyOptional({ enum: ENTRY_STATUSES, description: 'Only entries of this status.' })
  @Optional()
  @IsIn(ENTRY_STATUSES)
  status?: EntryStatus;

  @ApiPropertyOptional({
    ...{ minLength: 1, maxLength: 253, pattern: SINGLE_LINE_PATTERN },
    description: 'Only names that start with this text, such as `exp`; matches A-labels.',
  })
  @Optional()
  @IsString()
  @Length(1, 253)
  @Matches(SINGLE_LINE)
  domain?: string;

  @ApiPropertyOptional({
    ...{ type: 'array', items: TAG_SCHEMA, maxItems: MAX_TAGS },
    description: 'Only entries with this tag; repeat it to require several tags.',
  })
  @Optional()
  @Transform(({ value }) => (typeof value === 'string' ? [value] : (value as unknown)))
  @ArrayMaxSize(MAX_TAGS)
  @Matches(TAG_PATTERN, { each: true })
  tag?: string[];

  @ApiPropertyOptional({ enum: SORT_VALUES, default: '-created_at', description: 'Descending with `-`.' })
  @Optional()
  @IsIn(SORT_VALUES)
  sort: string = '-created_at';

  @IsOptional()
  @Expansions(LIST_EXPANSIONS)
  expand?: readonly ListExpansion[];
}

export class RemovedQuery extends PageQuery {
  @ApiPropertyOptional({ maxLength: 1_024, description: 'Only this name, whole, in Unicode or A-labels.' })
  @Optional()
  @IsString()
  @MaxLength(1_024)
  domain?: string;
}

export function toPageRequest(accountId: string, query: ListQuery): PageRequest {
  const { status, domain, tag: tags, sort, page, per_page: perPage, expand } = query;
  const descending = sort.startsWith('-');
  return {
    ...{ accountId, status, domain: domain?.toLowerCase(), tags, page, perPage, descending },
    sort: (descending ? sort.slice(1) : sort) as SortKey,
    expanded: expand?.some((section) => section !== 'details') ?? false,
  };
}
