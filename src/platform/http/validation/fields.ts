import { applyDecorators, type Type as Class } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateBy,
  ValidateIf,
  ValidateNested,
  type ValidationOptions,
} from 'class-validator';
import { parseInstant } from '../../../kernel/instant.js';
import { HIDDEN_CHARACTERS } from '../../../kernel/printable-line.js';

/** Options of the decorators in this file. The API document shows the options that are JSON Schema keywords. */
interface FieldOptions {
  readonly description?: string;
  readonly example?: unknown;
  readonly default?: unknown;
  /** Lets the field be left out. A field with a `default` may be left out without this option. */
  readonly optional?: true;
  /**
   * Allows null in a field that may be left out. In a change of a stored object, null clears the field. Elsewhere, null
   * counts as a missing field.
   */
  readonly nullable?: true;
}

interface TextOptions {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  /** The values that the API document shows. Other texts are accepted too. */
  readonly enum?: readonly string[];
}

/** Completes the error message `… must be <expected>`. */
interface ExpectedText {
  readonly expected?: string;
}

interface IntegerOptions {
  readonly minimum: number;
  readonly maximum: number;
}

interface ChoiceOptions {
  readonly enum: readonly string[];
}

interface ListOptions extends FieldOptions {
  readonly minItems?: 1;
  readonly maxItems?: number;
  readonly uniqueItems?: true;
}

/**
 * Matches one line without control characters or lone surrogates. Emoji match, because the pattern compares code
 * points.
 */
export const SINGLE_LINE_PATTERN = String.raw`^[^\u0000-\u001f\u007f-\u009f\ud800-\udfff]*$`;
/** The rule for new texts. Filters use `SINGLE_LINE_PATTERN`, so that they find texts stored under older rules. */
export const VISIBLE_LINE = {
  pattern: `^[^${HIDDEN_CHARACTERS}]*$`,
  expected: 'one line without hidden characters',
} as const;
/** Like `SINGLE_LINE_PATTERN`, but allows tab, line feed and carriage return. */
export const MULTI_LINE_PATTERN = String.raw`^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ud800-\udfff]*$`;

/** The schema of a date with time, in requests and responses. */
export const INSTANT = { type: 'string', format: 'date-time' } as const;
export const UTC = { ...INSTANT, example: '2026-11-21T02:00:00.000Z' } as const;

export function TextField(options: FieldOptions & TextOptions & ExpectedText): PropertyDecorator {
  const { expected: _, ...schema } = options;
  return field({ type: 'string', ...schema }, textRules(options));
}

export function ChoiceField(schema: FieldOptions & ChoiceOptions): PropertyDecorator {
  return field({ type: 'string', ...schema, enum: [...schema.enum] }, [IsIn(schema.enum)]);
}

export function TextListField(schema: ListOptions & { readonly items: TextOptions & ExpectedText }): PropertyDecorator {
  const { expected: _, ...items } = schema.items;
  return listField(schema, { type: 'string', ...items }, textRules(schema.items, { each: true }));
}

/** A list of texts in a query. The client repeats the parameter for each text. */
export function QueryTextListField(schema: Parameters<typeof TextListField>[0]): PropertyDecorator {
  return applyDecorators(
    TextListField(schema),
    Transform(({ value }) => (typeof value === 'string' ? [value] : (value as unknown))),
  );
}

export function ChoiceListField(schema: ListOptions & { readonly items: ChoiceOptions }): PropertyDecorator {
  const { enum: choices } = schema.items;
  return listField(schema, { type: 'string', enum: [...choices] }, [IsIn(choices, { each: true })]);
}

export function IntegerField(schema: FieldOptions & IntegerOptions): PropertyDecorator {
  return field({ type: 'integer', ...schema }, integerRules(schema));
}

export function IntegerListField(schema: ListOptions & { readonly items: IntegerOptions }): PropertyDecorator {
  return listField(schema, { type: 'integer', ...schema.items }, integerRules(schema.items, { each: true }));
}

/** An integer in a query. Accepts only digits, so it refuses `10abc`, `1e3` and an empty value. */
export function QueryIntegerField(schema: FieldOptions & IntegerOptions): PropertyDecorator {
  const { minimum, maximum } = schema;
  const message = `$property must be a whole number from ${minimum} to ${maximum}`;
  return field({ type: 'integer', ...schema }, [
    Transform(({ value }) =>
      typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : (value as unknown),
    ),
    ...integerRules(schema, { message }),
  ]);
}

export function BooleanField(schema: FieldOptions): PropertyDecorator {
  return field({ type: 'boolean', ...schema }, [IsBoolean()]);
}

/** `true` or `false` in a query. */
export function QueryBooleanField(schema: FieldOptions): PropertyDecorator {
  return field({ type: 'boolean', ...schema }, [
    Transform(({ value }) => (value === 'true' ? true : value === 'false' ? false : (value as unknown))),
    IsBoolean({ message: '$property must be true or false' }),
  ]);
}

/** A text with date, time and zone, such as 2026-11-21T02:00:00Z. */
export function InstantField(schema: FieldOptions = {}): PropertyDecorator {
  const isInstant = (value: unknown) => typeof value === 'string' && parseInstant(value) !== null;
  const message = '$property must be an instant such as 2026-11-21T02:00:00Z';
  return field({ ...INSTANT, ...schema }, [
    ValidateBy({ name: 'isIso8601', validator: { validate: isInstant } }, { message }),
  ]);
}

/**
 * A cursor marks where a page begins. This field checks only the length, because decryption detects an invalid cursor.
 */
export function CursorField(schema: Omit<FieldOptions, 'optional'>): PropertyDecorator {
  return field({ type: 'string', ...schema, optional: true }, [MaxLength(100)]);
}

/** A nested object whose class uses the decorators of this file. The API document shows its fields inline. */
export function ObjectField(fields: Class<object>, schema: FieldOptions): PropertyDecorator {
  const declared = [...(declaredFields.get(fields.prototype as object) ?? [])];
  const properties = Object.fromEntries(declared.map(([name, { optional: _, ...inner }]) => [name, inner]));
  const required = declared.filter(([, inner]) => !mayBeLeftOut(inner)).map(([name]) => name);
  const { optional: _, ...described } = schema;
  const shape = { properties, ...(required.length > 0 && { required }), selfRequired: !mayBeLeftOut(schema) };
  const shown = { type: 'object', ...shape, additionalProperties: false, ...described } as ApiPropertyOptions;
  return applyDecorators(
    ApiProperty(shown),
    ...presence(schema),
    IsObject(),
    ValidateNested(),
    Type(() => fields),
  );
}

/** Refuses this field if the other field is given too. */
export function ExcludedBy(other: string): PropertyDecorator {
  const isGiven = (body: object) => (body as Readonly<Record<string, unknown>>)[other] !== undefined;
  return ValidateBy({
    name: 'excludedBy',
    validator: {
      validate: (_, validated) => validated === undefined || !isGiven(validated.object),
      defaultMessage: () => `$property cannot be combined with ${other}`,
    },
  });
}

/** Lets a field be left out. In contrast to `IsOptional`, null is validated. */
export function Optional(): PropertyDecorator {
  return ValidateIf((_, value) => value !== undefined);
}

/** The declared fields of each class, by its prototype. */
const declaredFields = new WeakMap<object, Map<string, FieldOptions>>();

/** @param rules decorators of class-validator and class-transformer */
function field<Schema extends FieldOptions>(schema: Schema, rules: readonly PropertyDecorator[]): PropertyDecorator {
  const { optional: _, ...described } = schema;
  const shown = { ...described, ...(mayBeLeftOut(schema) && { required: false }) } as unknown as ApiPropertyOptions;
  return (target, property) => {
    const declared = declaredFields.get(target) ?? new Map<string, FieldOptions>();
    declaredFields.set(target, declared.set(String(property), schema));
    applyDecorators(ApiProperty(shown), ...presence(schema), ...rules)(target, property);
  };
}

function listField(schema: ListOptions, items: object, rules: readonly PropertyDecorator[]): PropertyDecorator {
  const { minItems, maxItems, uniqueItems } = schema;
  const counts = [
    ...(minItems === undefined ? [] : [ArrayNotEmpty()]),
    ...(maxItems === undefined ? [] : [ArrayMaxSize(maxItems)]),
    ...(uniqueItems ? [ArrayUnique()] : []),
  ];
  return field({ type: 'array', ...schema, items } as FieldOptions & { type: string }, [
    IsArray(),
    ...counts,
    ...rules,
  ]);
}

function mayBeLeftOut(schema: FieldOptions): boolean {
  return schema.optional === true || schema.default !== undefined;
}

function presence(schema: FieldOptions): PropertyDecorator[] {
  if (!mayBeLeftOut(schema)) return [];
  return [schema.nullable ? IsOptional() : Optional()];
}

function textRules(
  { minLength = 0, maxLength = Infinity, pattern, expected }: TextOptions & ExpectedText,
  options: ValidationOptions = {},
): PropertyDecorator[] {
  const mismatch = expected === undefined ? 'have no control characters' : `be ${expected}`;
  return [
    IsString(options),
    ...(minLength > 0 || maxLength < Infinity ? [HasLength(minLength, maxLength, options)] : []),
    ...(pattern === undefined
      ? []
      : [Matches(new RegExp(pattern, 'u'), { ...options, message: `$property must ${mismatch}` })]),
  ];
}

/** Limits the length of a text. Counts code points, as JSON Schema does. */
function HasLength(minimum: number, maximum: number, options: ValidationOptions): PropertyDecorator {
  const limits =
    maximum === Infinity ? `at least ${minimum}` : minimum > 0 ? `${minimum} to ${maximum}` : `at most ${maximum}`;
  const validate = (text: unknown) =>
    typeof text === 'string' && [...text].length >= minimum && [...text].length <= maximum;
  return ValidateBy(
    { name: 'hasLength', validator: { validate } },
    { ...options, message: `$property must have ${limits} characters` },
  );
}

function integerRules({ minimum, maximum }: IntegerOptions, options: ValidationOptions = {}): PropertyDecorator[] {
  return [IsInt(options), Min(minimum, options), Max(maximum, options)];
}
