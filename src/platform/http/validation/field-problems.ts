import type { ValidationError } from 'class-validator';
import type { FieldProblem } from '../errors/invalid-request.js';
import { pointerTo, unknownField } from './unknown-fields.js';

/** Type errors are reported before length, range or format errors. */
const TYPE_RULES = ['isString', 'isInt', 'isNumber', 'isBoolean', 'isArray', 'isObject', 'isDate', 'isIso8601'];

/** Converts class-validator's errors: one reason per field, nested fields included. */
export function toFieldProblems(error: ValidationError, parent: string): FieldProblem[] {
  const pointer = pointerTo(parent, error.property);
  const rules = Object.keys(error.constraints ?? {});
  const rule = TYPE_RULES.find((type) => rules.includes(type)) ?? rules[0];
  return [
    ...(rule === undefined ? [] : [toFieldProblem(error, rule, parent)]),
    ...(error.children ?? []).flatMap((child) => toFieldProblems(child, pointer)),
  ];
}

function toFieldProblem({ property, value, constraints }: ValidationError, rule: string, parent: string): FieldProblem {
  const pointer = pointerTo(parent, property);
  if (rule === 'whitelistValidation') return unknownField(parent, property);
  if (value === undefined) return { pointer, code: 'required', message: `${property} is required` };
  // Query values are text unless the parameter is repeated.
  if (parent === '#query' && rule === 'isString')
    return { pointer, code: 'invalid', message: `${property} must be given once` };
  return { pointer, code: 'invalid', message: constraints?.[rule] ?? `${property} is not valid` };
}
