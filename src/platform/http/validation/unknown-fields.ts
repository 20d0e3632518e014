import type { Type } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';
import type { FieldProblem } from '../errors/invalid-request.js';

/** Nest and class-transformer silently drop these names at any depth; we report them. */
const PROTOTYPE_NAMES = new Set([...Object.getOwnPropertyNames(Object.prototype), 'prototype']);

const KNOWN_FIELDS_BY_DTO = new WeakMap<Type, ReadonlySet<string>>();

/** Field names with a rule in the DTO or its ancestors. */
export function knownFields(dto: Type): ReadonlySet<string> {
  const known = KNOWN_FIELDS_BY_DTO.get(dto) ?? fieldsWithRules(dto);
  KNOWN_FIELDS_BY_DTO.set(dto, known);
  return known;
}

function fieldsWithRules(dto: Type): ReadonlySet<string> {
  const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  return new Set(rules.map(({ propertyName }) => propertyName));
}

/**
 * Reports own names without a rule. class-validator finds rules in a plain object, which also finds `toString` and
 * the like.
 */
export function unknownFields(sent: object, known: ReadonlySet<string>, root: '' | '#query'): FieldProblem[] {
  return Object.entries(sent).flatMap(([name, value]) =>
    known.has(name) ? unknownInside(value, root, name) : [unknownField(root, name)],
  );
}

function unknownInside(value: unknown, root: string, name: string): FieldProblem[] {
  return typeof value === 'object' ? prototypeFields(value, pointerTo(root, name)) : [];
}

/** @param parent pointer of the containing object */
export function unknownField(parent: string, name: string): FieldProblem {
  return { pointer: pointerTo(parent, name), code: 'unknown_field', message: `${name} is not known here` };
}

/** Escapes `~` and `/` (RFC 6901). */
export function pointerTo(parent: string, name: string): string {
  return `${parent}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The depth limit of bodies keeps this recursion safe. */
function prototypeFields(value: unknown, pointer: string): FieldProblem[] {
  if (typeof value !== 'object' || value === null) return [];
  const here = Object.keys(value).filter((name) => PROTOTYPE_NAMES.has(name));
  const below = Object.entries(value).filter(([name]) => !PROTOTYPE_NAMES.has(name));
  return [
    ...here.map((name) => unknownField(pointer, name)),
    ...below.flatMap(([name, inner]) => prototypeFields(inner, pointerTo(pointer, name))),
  ];
}
