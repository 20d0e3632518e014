import type { Type } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

const QUERIES_HELD = 1_000;
/** Longer ones are rare, and what anybody sends must not fill the memory; characters. */
const LONGEST = 512;

/**
 * Queries that passed, by what was sent: callers repeat theirs, and the rules of a DTO look at nothing else. What is
 * kept is given to many requests, so none of them can change it.
 */
export class JudgedQueries {
  private readonly passed = new LRUCache<string, object>({ max: QUERIES_HELD });
  private readonly ranks = new Map<Type, number>();

  /** @returns what the same query became before, or what it becomes now; a refusal is thrown, and not kept */
  async of<Result extends object>(query: object, dto: Type, judge: () => Promise<Result>): Promise<Result> {
    const text = JSON.stringify(query);
    if (text.length > LONGEST) return judge();
    const key = `${this.rankOf(dto)} ${text}`;
    const known = this.passed.get(key);
    if (known) return known as Result;
    const judged = frozen(await judge());
    this.passed.set(key, judged);
    return judged;
  }

  /** Two DTOs may bear one name. */
  private rankOf(dto: Type): number {
    const rank = this.ranks.get(dto) ?? this.ranks.size;
    this.ranks.set(dto, rank);
    return rank;
  }
}

function frozen<Value extends object>(value: Value): Value {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) frozen(inner as object);
  return Object.freeze(value);
}
