import type { Type } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

const CACHE_SIZE = 1_000;
/** Longer ones are rare, and what anybody sends must not fill the memory; characters. */
const MAX_QUERY_LENGTH = 512;

/**
 * Queries that passed, by what was sent: callers repeat theirs, and the rules of a DTO look at nothing else. What is
 * kept is given to many requests, so none of them can change it.
 */
export class QueryValidationCache {
  private readonly cache = new LRUCache<string, object>({ max: CACHE_SIZE });
  private readonly dtoIds = new Map<Type, number>();

  /** @returns what the same query became before, or what it becomes now; a refusal is thrown, and not kept */
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

  /** Two DTOs may bear one name. */
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
