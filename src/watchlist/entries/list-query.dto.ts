import { IntersectionType } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { ENTRY_STATUSES, type EntryStatus, LIFECYCLE_PHASES, type LifecyclePhase } from '../../domains/language.js';
import { EXPANSIONS, Expansions } from '../../domains/views.js';
import { PageQuery } from '../../platform/http/page.js';
import {
  ChoiceField,
  QueryBooleanField,
  QueryIntegerField,
  SINGLE_LINE_PATTERN,
  TextField,
  QueryTextListField,
} from '../../platform/http/validation/fields.js';
import type { EntryFilters } from '../domain/entry-filters.js';
import { type PageRequest, SORT_KEYS, type SortKey } from './watchlist-page.repository.js';
import { PURPOSES, type Purpose, MAX_TAGS } from '../domain/entry-settings.js';
import { SOUGHT_TAG } from './entry-settings.dto.js';

export const ENTRY_ID_PARAM = {
  name: 'id',
  schema: { type: 'string', pattern: '^wl_[0-9a-z]{26}$' },
  description: 'The `id` of an entry: add one, or take one from the list.',
} as const;

const ENTRY_EXPANSIONS = [...EXPANSIONS, 'record', 'failing'] as const;
const LIST_EXPANSIONS = [...ENTRY_EXPANSIONS, 'details', 'phases'] as const;
export type EntryExpansion = (typeof ENTRY_EXPANSIONS)[number];
export type ListExpansion = (typeof LIST_EXPANSIONS)[number];

/** Sorts by `expires_at`, but puts entries without a date last. */
const SOONEST_EXPIRY = 'soonest_expiry';
const SORT_VALUES = [...SORT_KEYS.flatMap((key) => [key, `-${key}`]), SOONEST_EXPIRY];

export class EntryQuery {
  @IsOptional()
  @Expansions(ENTRY_EXPANSIONS)
  expand?: readonly EntryExpansion[];
}

/** Filters for lists and exports. An entry must match all of them. */
export class FilterQuery {
  @TextField({
    minLength: 1,
    maxLength: 253,
    pattern: SINGLE_LINE_PATTERN,
    description: 'Only entries with this text in their name (Unicode or A-label), a tag or the note, in any case.',
    optional: true,
  })
  search?: string;

  @TextField({
    minLength: 1,
    maxLength: 253,
    pattern: SINGLE_LINE_PATTERN,
    description: 'Only names that start with this text, such as `exp`; matches A-labels.',
    optional: true,
  })
  domain?: string;

  @QueryTextListField({
    items: SOUGHT_TAG,
    maxItems: MAX_TAGS,
    description: 'Only entries with this tag; repeat it to require several tags.',
    optional: true,
  })
  tag?: string[];

  @ChoiceField({ enum: ENTRY_STATUSES, description: 'Only entries of this status.', optional: true })
  status?: EntryStatus;

  @ChoiceField({ enum: LIFECYCLE_PHASES, description: 'Only entries in this phase.', optional: true })
  phase?: LifecyclePhase;

  @ChoiceField({ enum: PURPOSES, description: 'Only entries with this purpose.', optional: true })
  purpose?: Purpose;

  @QueryIntegerField({
    minimum: 1,
    maximum: 3_650,
    description: 'Only names whose expiry date is within so many days from now; not those that have expired.',
    optional: true,
  })
  expires_within_days?: number;

  @TextField({
    pattern: '^[0-9]{4}-(?:0[1-9]|1[0-2])$',
    expected: 'a month, such as 2027-03',
    description: 'Only names whose expiry date is in this month, in UTC, such as `2027-03`.',
    optional: true,
  })
  expires_in_month?: string;

  @QueryBooleanField({ description: 'Whether checks fail at the moment.', optional: true })
  failing?: boolean;

  @QueryBooleanField({ description: '`false`: only names whose registry has never answered.', optional: true })
  answered?: boolean;

  @QueryBooleanField({ description: 'Whether the registration record differs from `expected`.', optional: true })
  drift?: boolean;

  @QueryBooleanField({ description: 'Whether checks are paused.', optional: true })
  paused?: boolean;

  @TextField({
    minLength: 1,
    maxLength: 253,
    pattern: SINGLE_LINE_PATTERN,
    description: 'Only names of this registry operator, as `GET /v1/watchlist/operators` names it.',
    optional: true,
  })
  operator?: string;

  @QueryTextListField({
    items: { pattern: '^wl_[0-9a-z]{1,40}$', expected: 'ids of entries, such as wl_01jd6z0v8q3m4n5p6r7s8t9vwx' },
    maxItems: 100,
    description: 'Only these entries; repeat it for several.',
    optional: true,
  })
  id?: string[];

  @TextField({
    pattern: '^(?:run|aud)_[0-9a-z]{1,40}$',
    expected: 'the id of a run, such as run_01jd6z0v8q3m4n5p6r7s8t9vwx',
    description: 'Only entries that this import added: its `import_id`, which is the `run_id` of its audit records.',
    optional: true,
  })
  import?: string;
}

export class ListQuery extends IntersectionType(PageQuery, FilterQuery) {
  @ChoiceField({
    enum: SORT_VALUES,
    default: '-created_at',
    description: 'Descending with `-`. `expires_at` puts names without a date first, `soonest_expiry` last.',
  })
  sort: string = '-created_at';

  @IsOptional()
  @Expansions(LIST_EXPANSIONS)
  expand?: readonly ListExpansion[];
}

export class RemovedQuery extends PageQuery {
  @TextField({ maxLength: 1_024, description: 'Only this name, whole, in Unicode or A-labels.', optional: true })
  domain?: string;
}

export function toPageRequest(filters: EntryFilters, query: ListQuery): PageRequest {
  const { sort, page, per_page: perPage, expand } = query;
  const descending = sort.startsWith('-');
  const isSoonestFirst = sort === SOONEST_EXPIRY;
  return {
    filters,
    page,
    perPage,
    descending,
    sort: isSoonestFirst ? 'expires_at' : ((descending ? sort.slice(1) : sort) as SortKey),
    unknownLast: isSoonestFirst,
    expanded: expand?.some((section) => section !== 'details' && section !== 'phases') ?? false,
  };
}
