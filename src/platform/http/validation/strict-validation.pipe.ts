import { applyDecorators, type ArgumentMetadata, Injectable, type Type, ValidationPipe } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsInt, Max, Min, ValidateIf, type ValidationError } from 'class-validator';
import { fieldProblems } from './field-problems.js';
import { InvalidRequest, type FieldProblem } from '../errors/invalid-request.js';
import { UnreadableBody } from './json-body.js';
import { JudgedQueries } from './query-validation-cache.js';
import { knownFields, unknownFields } from './unknown-fields.js';

/** Validates bodies and queries against their DTO: nothing unknown, nothing coerced but query numbers. */
@Injectable()
export class StrictValidation extends ValidationPipe {
  private readonly queries = new JudgedQueries();

  constructor() {
    super({ whitelist: true, forbidNonWhitelisted: true, transform: true });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const { type, metatype } = metadata;
    if ((type !== 'body' && type !== 'query') || !metatype) return value;
    if (value instanceof UnreadableBody) throw value.reason;
    if (!isObject(value)) throw InvalidRequest.malformed('The body must be a JSON object.');
    if (type === 'body') return this.strict(value, metatype, metadata, '');
    return this.queries.of(value, metatype, () => this.strict(value, metatype, metadata, '#query'));
  }

  private async strict(value: object, dto: Type, metadata: ArgumentMetadata, root: '' | '#query'): Promise<object> {
    const known = knownFields(dto);
    const unknown = unknownFields(value, known, root);
    // A query has no prototype; class-transformer wants a plain object.
    const fields = Object.fromEntries(Object.entries(value).filter(([name]) => known.has(name)));
    const judged = await this.judge(fields, metadata, root);
    if (judged.problems.length + unknown.length > 0) throw InvalidRequest.of([...unknown, ...judged.problems]);
    return judged.instance;
  }

  private async judge(fields: object, metadata: ArgumentMetadata, root: string): Promise<Judged> {
    try {
      return { instance: (await super.transform(fields, metadata)) as object, problems: [] };
    } catch (error) {
      if (!(error instanceof RejectedFields)) throw error;
      return { instance: {}, problems: error.errors.flatMap((one) => fieldProblems(one, root)) };
    }
  }

  override createExceptionFactory() {
    return (errors: ValidationError[] = []) => new RejectedFields(errors);
  }
}

interface Judged {
  readonly instance: object;
  readonly problems: readonly FieldProblem[];
}

class RejectedFields extends Error {
  constructor(readonly errors: readonly ValidationError[]) {
    super('rejected fields');
  }
}

/** A field that may be left out. Unlike `IsOptional`, null is judged as the value that it is. */
export function Optional(): PropertyDecorator {
  return ValidateIf((_, value) => value !== undefined);
}

/** A whole number in a query: digits only, so that `10abc`, `1e3` and an empty value are refused. */
export function QueryInteger(min: number, max: number): PropertyDecorator {
  const message = `$property must be a whole number from ${min} to ${max}`;
  return applyDecorators(
    Transform(({ value }) =>
      typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : (value as unknown),
    ),
    IsInt({ message }),
    Min(min, { message }),
    Max(max, { message }),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
