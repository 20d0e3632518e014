import { ArrayType } from '@mikro-orm/core';

/**
 * A `text[]` column. The ORM's own type quotes only what contains punctuation, so PostgreSQL would read the element
 * `null` as NULL and strip spaces.
 */
export class TextArrayColumn extends ArrayType<string> {
  override convertToDatabaseValue(values: string[] | null): string | null {
    return values && `{${values.map(quote).join(',')}}`;
  }
}

function quote(element: string): string {
  return `"${element.replace(/["\\]/g, '\\$&')}"`;
}
