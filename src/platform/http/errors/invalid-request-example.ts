import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { toFieldProblems } from '../validation/field-problems.js';
import { type FieldProblem, InvalidRequest } from './invalid-request.js';
import { knownFields, unknownField } from '../validation/unknown-fields.js';

/** Invalid for every field type but text, and not a field name. */
const INVALID_VALUE = 'x';
type Root = '' | '#query';

/**
 * An example of a likely invalid request, from the route's own rules: a missing required field, else the first field
 * that rejects `x`, else an unknown parameter.
 */
export function invalidRequestExample(controller: object, handler: string | symbol): InvalidRequest {
  const [body, query] = (['BODY', 'QUERY'] as const).map((kind) => argumentType(controller, handler, kind));
  const problems = [...(body ? likelyProblems(body, '') : []), ...(query ? likelyProblems(query, '#query') : [])];
  const required = problems.filter(({ code }) => code === 'required');
  if (required.length > 0)
    return InvalidRequest.of(required.filter(({ pointer }) => isSameSource(required[0], pointer)));
  return InvalidRequest.of(problems.length > 0 ? problems.slice(0, 1) : [unknownField('#query', INVALID_VALUE)]);
}

function likelyProblems(dto: Type<object>, root: Root): FieldProblem[] {
  const required = validate(dto, {}, root);
  if (required.length > 0) return required;
  return [...knownFields(dto)].flatMap((name) => validate(dto, { [name]: INVALID_VALUE }, root));
}

function validate(dto: Type<object>, sent: object, root: Root): FieldProblem[] {
  return validateSync(plainToInstance(dto, sent), { forbidUnknownValues: false }).flatMap((error) =>
    toFieldProblems(error, root),
  );
}

/** Whether both concern the query, or both the body. */
function isSameSource(problem: FieldProblem | undefined, pointer: string): boolean {
  return problem?.pointer.startsWith('#') === pointer.startsWith('#');
}

/** The DTO class of the route's body or query argument, if any. */
function argumentType(controller: object, handler: string | symbol, kind: 'BODY' | 'QUERY'): Type<object> | undefined {
  const metadata = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller.constructor, handler) ?? {}) as object;
  const argument = Object.keys(metadata).find((name) => name.startsWith(`${RouteParamtypes[kind]}:`));
  const types = (Reflect.getMetadata('design:paramtypes', controller, handler) ?? []) as Type<object>[];
  return argument === undefined ? undefined : types[Number(argument.split(':')[1])];
}
