import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { AuditAttributes } from '../../auth/index.js';
import { InvalidRequest } from '../../platform/http/errors/invalid-request.js';
import {
  BooleanField,
  ExcludedBy,
  QueryBooleanField,
  QueryIntegerField,
  TextListField,
} from '../../platform/http/validation/fields.js';
import { flattenSettings, FLAT_FIELDS, MAX_TAGS, SETTING_KEYS, toSettingFields } from '../domain/entry-settings.js';
import type { ManyChange } from '../domain/many-change.js';
import { ChangeWatchBody, SOUGHT_TAG, TAG, toEntrySettings } from '../entries/entry-settings.dto.js';
import { NOTES } from '../entries/entry-audit.js';
import { FilterQuery } from '../entries/list-query.dto.js';
import type { ManySummary } from './change-many.js';

/** Selects entries by the same filters as the list. */
export class ManyQuery extends FilterQuery {
  @QueryBooleanField({
    default: false,
    example: true,
    description: 'With `true`, say what would happen and write nothing.',
  })
  dry_run: boolean = false;

  @QueryIntegerField({
    minimum: 0,
    maximum: 100_000_000,
    description: 'How many entries you expect to match. With another number nothing is written (412).',
    optional: true,
  })
  expect?: number;

  @QueryBooleanField({
    default: false,
    description: '`true`: all entries of the account; instead of filters, which otherwise are required.',
  })
  all: boolean = false;
}

const SOME_TAGS = { maxItems: MAX_TAGS, optional: true } as const;

/** The fields of a change of one entry, and tags that each matching entry gains or loses. */
export class ChangeManyBody extends ChangeWatchBody {
  @TextListField({
    ...SOME_TAGS,
    items: TAG,
    example: ['brand'],
    description: 'Tags that each entry gains, beside those it has.',
  })
  @ExcludedBy('tags')
  add_tags?: string[];

  @TextListField({ ...SOME_TAGS, items: SOUGHT_TAG, example: ['old'], description: 'Tags that each entry loses.' })
  @ExcludedBy('tags')
  remove_tags?: string[];

  @BooleanField({
    default: false,
    example: true,
    description:
      '`true`: each entry expects what its own record shows now. An entry is refused whose record shows nothing to expect.',
    optional: true,
  })
  @ExcludedBy('expected')
  expect_current?: boolean;
}

/**
 * Returns the filters as text for the audit record.
 * @throws InvalidRequest if there are neither filters nor `all`, or both
 */
export function describeFilters({ dry_run: _, expect: __, all, ...filters }: ManyQuery): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(filters) as [string, string | number | boolean | string[] | undefined][])
    for (const one of Array.isArray(value) ? value : value === undefined ? [] : [value])
      given.append(name, String(one));
  const message =
    given.size === 0 && !all
      ? 'give a filter, or all=true for all entries of the account'
      : given.size > 0 && all
        ? 'all cannot be combined with filters'
        : null;
  if (message !== null) throw InvalidRequest.of([{ pointer: '#query/all', code: 'invalid', message }]);
  return all ? 'all' : given.toString();
}

/** @throws InvalidRequest if the body changes nothing, or adds and removes the same tag */
export function toManyChange(body: ChangeManyBody): ManyChange {
  const { add_tags: addTags = [], remove_tags: removeTags = [] } = body;
  const { expect_current: expectCurrent = false, notify_current: notifyCurrent = false } = body;
  const change = { settings: toEntrySettings(body), addTags, removeTags, expectCurrent, notifyCurrent };
  const both = change.addTags.find((tag) => change.removeTags.includes(tag));
  if (both !== undefined)
    throw InvalidRequest.of([{ pointer: '/add_tags', code: 'invalid', message: `${both} is in remove_tags too` }]);
  const isEmpty = change.addTags.length + change.removeTags.length === 0;
  if (isEmpty && !expectCurrent && SETTING_KEYS.every((key) => change.settings[key] === undefined))
    throw InvalidRequest.of([{ pointer: '', code: 'invalid', message: 'the body changes nothing' }]);
  return change;
}

/** Describes the change for the audit record. Says that notes are set, but does not repeat them. */
export function describeChange({ settings, addTags, removeTags, expectCurrent }: ManyChange): AuditAttributes {
  const fields = toSettingFields(settings);
  const values = flattenSettings(fields);
  const given = FLAT_FIELDS.filter(({ field }) => fields[field] !== undefined);
  const flat = given.map(({ name }) => [name, values[name]] as const);
  const isNote = ([name]: readonly [string, unknown]) => NOTES.some((note) => note === name);
  const notes = flat.filter(isNote).map(([name]) => name);
  return {
    ...(Object.fromEntries(flat.filter((one) => !isNote(one))) as AuditAttributes),
    ...(notes.length > 0 && { changed_notes: notes }),
    ...(addTags.length > 0 && { add_tags: addTags }),
    ...(removeTags.length > 0 && { remove_tags: removeTags }),
    ...(expectCurrent && { expect_current: true }),
  };
}

class RefusalView {
  @ApiProperty({ example: 'interval_not_allowed', description: 'As the code of a problem.' }) code: string;
  @ApiProperty({ example: 'The free plan does not allow an interval of 5 minutes.' }) message: string;
  @ApiProperty({ type: 'integer', example: 2 }) entries: number;
  @ApiProperty({ type: [String], example: ['a.test', 'b.test'], description: 'The first ten names.' }) first: string[];
}

export class ManyEntriesView {
  @ApiProperty({ example: false }) dry_run: boolean;
  @ApiProperty({ type: 'integer', example: 59, description: 'Entries that matched when it began.' }) matched: number;
  @ApiPropertyOptional({ type: 'integer', example: 50, description: 'Of a change: with `dry_run`, would change.' })
  changed?: number;
  @ApiPropertyOptional({ type: 'integer', example: 59, description: 'Of a removal: with `dry_run`, would be removed.' })
  removed?: number;
  @ApiProperty({ type: 'integer', example: 7, description: 'They are as the change wants them.' }) unchanged: number;
  @ApiProperty({ type: 'integer', example: 2, description: 'The plan or a rule refuses the change of them.' })
  refused: number;
  @ApiProperty({ type: 'integer', example: 0, description: 'Removed meanwhile, or they stopped matching.' })
  gone: number;
  @ApiProperty({ type: [RefusalView], description: 'Why, each reason once.' }) refusals: RefusalView[];
  @ApiProperty({ type: [String], example: ['c.test'], description: 'The first ten names that change.' })
  first: string[];
}

export function toManyView(summary: ManySummary): ManyEntriesView {
  const { matched, written, unchanged, refused, gone, refusals, first, isRemoval, isDryRun } = summary;
  return {
    dry_run: isDryRun,
    matched,
    ...(isRemoval ? { removed: written } : { changed: written }),
    ...{ unchanged, refused, gone },
    refusals: refusals.map((refusal) => ({ ...refusal, first: [...refusal.first] })),
    first: [...first],
  };
}

export const MANY_EXAMPLE: ManyEntriesView = {
  ...{ dry_run: false, matched: 59, changed: 50, unchanged: 7, refused: 2, gone: 0 },
  refusals: [
    {
      code: 'interval_not_allowed',
      message: 'The free plan does not allow an interval of 5 minutes.',
      entries: 2,
      first: ['a.test', 'b.test'],
    },
  ],
  first: ['c.test'],
};
export const REMOVAL_EXAMPLE: ManyEntriesView = {
  ...{ dry_run: false, matched: 59, removed: 59, unchanged: 0, refused: 0, gone: 0 },
  refusals: [],
  first: ['a.test'],
};
export const toStreamExample = (view: ManyEntriesView) =>
  [{ done: view.matched, matched: view.matched }, view].map((line) => `${JSON.stringify(line)}\n`).join('');

export const CHANGE_MANY_EXAMPLES = {
  interval: { summary: 'Another interval for all that match', value: { interval_minutes: 60 } },
  tags: { summary: 'Another tag', value: { add_tags: ['renew'], remove_tags: ['old'] } },
  record: { summary: 'Expect of each name what its registry says now', value: { expect_current: true } },
};
