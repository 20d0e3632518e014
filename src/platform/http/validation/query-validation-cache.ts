import type { Type } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

const CACHE_SIZE = 1_000;
/** Longer queries are not cached, so that callers cannot fill the memory; characters. */
const MAX_QUERY_LENGTH = 512;

/**
 * Caches valid queries by their text: callers repeat them, and DTO rules depend on nothing else. Results are shared
 * between requests and therefore frozen.
 */
export class QueryValidationCache {
  private readonly cache = new LRUCache<string, object>({ max: CACHE_SIZE });
  private readonly dtoIds = new Map<Type, number>();

  /** @returns the cached or newly validated query; errors are thrown and not cached */
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

  /** Class names are not unique. */
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
