import { applyDecorators, type ArgumentMetadata, Injectable, ValidationPipe } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsInt, Max, Min, type ValidationError } from 'class-validator';
import { InvalidRequest } from './invalid-request.js';

/** Validates bodies and queries against their DTO: nothing unknown, nothing coerced but query numbers. */
@Injectable()
export class StrictValidation extends ValidationPipe {
  constructor() {
    super({ whitelist: true, forbidNonWhitelisted: true, transform: true });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (metadata.type !== 'body' && metadata.type !== 'query') return value;
    if (metadata.type === 'body' && !isObject(value)) throw InvalidRequest.malformed('The body must be a JSON object.');
    try {
      // A query has no prototype; class-transformer wants a plain object.
      return (await super.transform(isObject(value) ? { ...value } : value, metadata)) as unknown;
    } catch (error) {
      if (error instanceof RejectedFields)
        throw InvalidRequest.of(error.errors, metadata.type === 'query' ? 'query' : 'body');
      throw error;
    }
  }

  override createExceptionFactory() {
    return (errors: ValidationError[] = []) => new RejectedFields(errors);
  }
}

class RejectedFields extends Error {
  constructor(readonly errors: readonly ValidationError[]) {
    super('rejected fields');
  }
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
