import { ValidateBy } from 'class-validator';
import { parseInstant } from '../../../kernel/instant.js';

/** A text with date, time and zone. */
export function IsInstant(): PropertyDecorator {
  return ValidateBy(
    {
      name: 'isIso8601',
      validator: { validate: (value) => typeof value === 'string' && parseInstant(value) !== null },
    },
    { message: '$property must be an instant such as 2026-11-21T02:00:00Z' },
  );
}
