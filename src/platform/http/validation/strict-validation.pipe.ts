import { applyDecorators, type ArgumentMetadata, Injectable, type Type, ValidationPipe } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsInt, Max, Min, ValidateBy, ValidateIf, type ValidationError } from 'class-validator';
import { toFieldProblems } from './field-problems.js';
import { InvalidRequest, type FieldProblem } from '../errors/invalid-request.js';
import { UnreadableBody } from './json-body.js';
import { QueryValidationCache } from './query-validation-cache.js';
import { RouteNotFound } from '../hooks/route-table.js';
import { isStorable, rejectUnstorable } from './storable-text.js';
import { knownFields, unknownFields } from './unknown-fields.js';

/**
 * Validates bodies and queries against their DTO: no unknown fields, no coercion except query numbers. What PostgreSQL
 * cannot store is in no parameter of any route, those of extensions included.
 */
@Injectable()
export class StrictValidationPipe extends ValidationPipe {
  private readonly queries = new QueryValidationCache();

  constructor() {
    super({ whitelist: true, forbidNonWhitelisted: true, transform: true });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const { type, metatype, data } = metadata;
    if (type === 'query') rejectUnstorable(data === undefined ? value : { [data]: value }, '#query');
    if (type === 'param' && !isStorablePath(value)) throw new RouteNotFound();
    if ((type !== 'body' && type !== 'query') || !metatype) return value;
    if (value instanceof UnreadableBody) throw value.reason;
    if (!isObject(value)) throw InvalidRequest.malformed('The body must be a JSON object.');
    if (type === 'body') return this.validateFields(value, metatype, metadata, '');
    return this.queries.getOrValidate(value, metatype, () => this.validateFields(value, metatype, metadata, '#query'));
  }

  private async validateFields(
    value: object,
    dto: Type,
    metadata: ArgumentMetadata,
    root: '' | '#query',
  ): Promise<object> {
    const known = knownFields(dto);
    const unknown = unknownFields(value, known, root);
    // Fastify's query object has no prototype; class-transformer needs a plain object.
    const fields = Object.fromEntries(Object.entries(value).filter(([name]) => known.has(name)));
    const outcome = await this.runRules(fields, metadata, root);
    if (outcome.problems.length + unknown.length > 0) throw InvalidRequest.of([...unknown, ...outcome.problems]);
    return outcome.instance;
  }

  private async runRules(fields: object, metadata: ArgumentMetadata, root: string): Promise<ValidationOutcome> {
    try {
      return { instance: (await super.transform(fields, metadata)) as object, problems: [] };
    } catch (error) {
      if (!(error instanceof RejectedFields)) throw error;
      return { instance: {}, problems: error.errors.flatMap((one) => toFieldProblems(one, root)) };
    }
  }

  override createExceptionFactory() {
    return (errors: ValidationError[] = []) => new RejectedFields(errors);
  }
}

interface ValidationOutcome {
  readonly instance: object;
  readonly problems: readonly FieldProblem[];
}

class RejectedFields extends Error {
  constructor(readonly errors: readonly ValidationError[]) {
    super('rejected fields');
  }
}

/** An optional field. Unlike `IsOptional`, null is validated. */
export function Optional(): PropertyDecorator {
  return ValidateIf((_, value) => value !== undefined);
}

/** A field that is rejected when the other one is given too. */
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

/** An integer in a query: digits only; `10abc`, `1e3` and empty values are rejected. */
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

/** @param value of one parameter, or of all by their names */
function isStorablePath(value: unknown): boolean {
  return (isObject(value) ? Object.values(value) : [value]).every((one) => typeof one !== 'string' || isStorable(one));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
