import {
  type ArgumentMetadata,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  type PipeTransform,
  type Type,
  UseInterceptors,
} from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validate, type ValidationError } from 'class-validator';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { InvalidRequest, type FieldProblem, pointerTo, unknownField } from '../errors/invalid-request.js';
import type { RouteAccess } from '../route-access.js';
import { UnreadableBody } from './json-body.js';
import { RouteNotFound } from '../hooks/route-table.js';
import { isStorable, rejectUnstorable } from './storable-text.js';
import { LRUCache } from 'lru-cache';

/**
 * Validates bodies and queries against their DTO, and refuses unknown fields. Refuses path parameters that PostgreSQL
 * cannot store.
 */
@Injectable()
export class StrictValidationPipe implements PipeTransform {
  private readonly queries = new QueryValidationCache();

  async transform(value: unknown, { type, metatype, data }: ArgumentMetadata): Promise<unknown> {
    if (type === 'query') rejectUnstorable(data === undefined ? value : { [data]: value }, '#query');
    if (type === 'param' && !isStorablePath(value)) throw new RouteNotFound();
    if ((type !== 'body' && type !== 'query') || !metatype) return value;
    if (value instanceof UnreadableBody) throw value.reason;
    if (!isObject(value)) throw InvalidRequest.malformed('The body must be a JSON object.');
    const dto = metatype as Type<object>;
    if (type === 'body') return validateFields(value, dto, '');
    return this.queries.getOrValidate(value, dto, () => validateFields(value, dto, '#query'));
  }
}

const RULES = { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: false };

/** @throws InvalidRequest that names each field that is unknown, missing or invalid */
async function validateFields(value: object, dto: Type<object>, root: '' | '#query'): Promise<object> {
  const known = knownFields(dto);
  const unknown = unknownFields(value, known, root);
  // Fastify's query object has no prototype; class-transformer needs a plain object.
  const fields = Object.fromEntries(Object.entries(value).filter(([name]) => known.has(name)));
  const instance = plainToInstance(dto, fields);
  const errors = await validate(instance, RULES);
  const reported = new Set(unknown.map(({ pointer }) => pointer));
  const broken = errors
    .flatMap((error) => toFieldProblems(error, root))
    .filter(({ pointer }) => !reported.has(pointer));
  const problems = [...unknown, ...broken];
  if (problems.length > 0) throw InvalidRequest.of(problems);
  return instance;
}

/**
 * Checks whether PostgreSQL can store the path parameters.
 * @param value one parameter, or all parameters by name
 */
function isStorablePath(value: unknown): boolean {
  return (isObject(value) ? Object.values(value) : [value]).every((one) => typeof one !== 'string' || isStorable(one));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Fields with these names are refused at any depth, because class-transformer silently drops some of these names. */
const PROTOTYPE_NAMES = new Set([...Object.getOwnPropertyNames(Object.prototype), 'prototype']);

const KNOWN_FIELDS_BY_DTO = new WeakMap<Type, ReadonlySet<string>>();

/** Returns the fields that have a validation rule in the DTO or its ancestors. */
function knownFields(dto: Type): ReadonlySet<string> {
  const known = KNOWN_FIELDS_BY_DTO.get(dto) ?? fieldsWithRules(dto);
  KNOWN_FIELDS_BY_DTO.set(dto, known);
  return known;
}

function fieldsWithRules(dto: Type): ReadonlySet<string> {
  const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  return new Set(rules.map(({ propertyName }) => propertyName));
}

/**
 * Reports fields without a rule. class-validator alone would accept a field that every object inherits, such as
 * `toString`.
 */
function unknownFields(sent: object, known: ReadonlySet<string>, root: '' | '#query'): FieldProblem[] {
  return Object.entries(sent).flatMap(([name, value]) =>
    known.has(name) ? unknownInside(value, root, name) : [unknownField(root, name)],
  );
}

function unknownInside(value: unknown, root: string, name: string): FieldProblem[] {
  return typeof value === 'object' ? prototypeFields(value, pointerTo(root, name)) : [];
}

/** Finds fields with names such as `constructor`. This recursion is safe, because bodies have a depth limit. */
function prototypeFields(value: unknown, pointer: string): FieldProblem[] {
  if (typeof value !== 'object' || value === null) return [];
  const here = Object.keys(value).filter((name) => PROTOTYPE_NAMES.has(name));
  const below = Object.entries(value).filter(([name]) => !PROTOTYPE_NAMES.has(name));
  return [
    ...here.map((name) => unknownField(pointer, name)),
    ...below.flatMap(([name, inner]) => prototypeFields(inner, pointerTo(pointer, name))),
  ];
}

/** The rules about the type of a field. They are reported before rules about length, range or format. */
const TYPE_RULES = ['isString', 'isInt', 'isNumber', 'isBoolean', 'isArray', 'isObject', 'isDate', 'isIso8601'];

/** Converts an error of class-validator and the errors of nested fields. Each field gets only one reason. */
function toFieldProblems(error: ValidationError, parent: string): FieldProblem[] {
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
  // A query parameter that was given twice is a list, not a text.
  if (parent === '#query' && rule === 'isString')
    return { pointer, code: 'invalid', message: `${property} must be given once` };
  return { pointer, code: 'invalid', message: constraints?.[rule] ?? `${property} is not valid` };
}

const NONE: ReadonlySet<string> = new Set();

/** Rejects any query. Runs after the guards, so that a caller without the scope gets the error about the scope. */
@Injectable()
class RejectQueryInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { query } = context.switchToHttp().getRequest<FastifyRequest>();
    const unknown = unknownFields(query as object, NONE, '#query');
    if (unknown.length > 0) throw InvalidRequest.of(unknown);
    return next.handle();
  }
}

/**
 * Rejects queries on a route without a query DTO. Unsuitable for public links, because other programs add parameters.
 */
export function RejectUnknownQuery(): MethodDecorator {
  return (target, property, descriptor) => {
    if (!hasArgument('QUERY', target.constructor, property))
      UseInterceptors(RejectQueryInterceptor)(target, property, descriptor);
  };
}

export function takesBody(controller: object, handler: string | symbol): boolean {
  return hasArgument('BODY', controller, handler);
}

/** Nest's metadata names each argument by its kind and position, such as `3:0`. */
function hasArgument(kind: 'BODY' | 'QUERY', controller: object, handler: string | symbol): boolean {
  const metadata: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler);
  return Object.keys(metadata ?? {}).some((argument) => argument.startsWith(`${RouteParamtypes[kind]}:`));
}

/** Refuses bodies on routes that would ignore them. */
export function rejectUnaskedBodies(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route) => {
    // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- untyped without the assertion
    const { takesNoBody = false, upload } = (route.config as RouteAccess | undefined) ?? {};
    if (!takesNoBody || upload !== undefined) return;
    route.preValidation = [rejectBody, ...[route.preValidation ?? []].flat()];
  });
}

function rejectBody({ body }: FastifyRequest, _: FastifyReply, done: (error?: Error) => void): void {
  if (body === undefined) return done();
  if (body instanceof UnreadableBody) return done(body.reason);
  if (!isObject(body)) return done(InvalidRequest.malformed('The body must be a JSON object.'));
  const unknown = unknownFields(body, NONE, '');
  done(unknown.length > 0 ? InvalidRequest.of(unknown) : undefined);
}

const CACHE_SIZE = 1_000;
/** Longer queries are not cached, so that callers cannot fill the memory. */
const MAX_QUERY_LENGTH = 512;

/** Caches valid queries by their text. Requests share the results, which are therefore frozen. */
export class QueryValidationCache {
  private readonly cache = new LRUCache<string, object>({ max: CACHE_SIZE });
  private readonly dtoIds = new Map<Type, number>();

  /** @returns the cached or newly validated query; errors are not cached */
  async getOrValidate<Result extends object>(
    query: object,
    dto: Type,
    validate: () => Promise<Result>,
  ): Promise<Result> {
    const text = JSON.stringify(query);
    if (text.length > MAX_QUERY_LENGTH) return validate();
    const key = `${this.dtoId(dto)} ${text}`;
    const known = this.cache.get(key);
    if (known) return known as Result;
    const validated = deepFreeze(await validate());
    this.cache.set(key, validated);
    return validated;
  }

  /** Numbers the DTOs, since class names are not unique. */
  private dtoId(dto: Type): number {
    const id = this.dtoIds.get(dto) ?? this.dtoIds.size;
    this.dtoIds.set(dto, id);
    return id;
  }
}

function deepFreeze<Value extends object>(value: Value): Value {
  for (const inner of Object.values(value))
    if (typeof inner === 'object' && inner !== null) deepFreeze(inner as object);
  return Object.freeze(value);
}
