import { Transform } from 'class-transformer';
import { IsOptional } from 'class-validator';
import { ENTRY_STATUSES, type EntryStatus } from '../../domains/language.js';
import { EXPANSIONS, Expansions } from '../../domains/views.js';
import { PageQuery } from '../../platform/http/page.js';
import { ChoiceField, SINGLE_LINE_PATTERN, TextField, TextListField } from '../../platform/http/validation/fields.js';
import { type PageRequest, SORT_KEYS, type SortKey } from './watchlist-page.repository.js';
import { MAX_TAGS } from '../domain/entry-settings.js';
import { TAG } from './entry-settings.dto.js';

const ENTRY_EXPANSIONS = [...EXPANSIONS, 'record', 'failing'] as const;
const LIST_EXPANSIONS = [...ENTRY_EXPANSIONS, 'details'] as const;
export type EntryExpansion = (typeof ENTRY_EXPANSIONS)[number];
export type ListExpansion = (typeof LIST_EXPANSIONS)[number];

const SORT_VALUES = SORT_KEYS.flatMap((key) => [key, `-${key}`]);

export class EntryQuery {
  @IsOptional()
  @Expansions(ENTRY_EXPANSIONS)
  expand?: readonly EntryExpansion[];
}

export class ListQuery extends PageQuery {
  @ChoiceField({ enum: ENTRY_STATUSES, description: 'Only entries of this status.', optional: true })
  status?: EntryStatus;

  @TextField({
    minLength: 1,
    maxLength: 253,
    pattern: SINGLE_LINE_PATTERN,
    description: 'Only names that start with this text, such as `exp`; matches A-labels.',
    optional: true,
  })
  domain?: string;

  @TextListField({
    items: TAG,
    maxItems: MAX_TAGS,
    description: 'Only entries with this tag; repeat it to require several tags.',
    optional: true,
  })
  @Transform(({ value }) => (typeof value === 'string' ? [value] : (value as unknown)))
  tag?: string[];

  @ChoiceField({ enum: SORT_VALUES, default: '-created_at', description: 'Descending with `-`.' })
  sort: string = '-created_at';

  @IsOptional()
  @Expansions(LIST_EXPANSIONS)
  expand?: readonly ListExpansion[];
}

export class RemovedQuery extends PageQuery {
  @TextField({ maxLength: 1_024, description: 'Only this name, whole, in Unicode or A-labels.', optional: true })
  domain?: string;
}

export function toPageRequest(accountId: string, query: ListQuery): PageRequest {
  const { status, domain, tag: tags, sort, page, per_page: perPage, expand } = query;
  const descending = sort.startsWith('-');
  return {
    accountId,
    status,
    domain: domain?.toLowerCase(),
    tags,
    page,
    perPage,
    descending,
    sort: (descending ? sort.slice(1) : sort) as SortKey,
    expanded: expand?.some((section) => section !== 'details') ?? false,
  };
}
