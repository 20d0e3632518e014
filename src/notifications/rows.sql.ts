import { UnderscoreNamingStrategy } from '@mikro-orm/core';

/** Makes an entity without the ORM's change tracking, which for hundreds of rows would cost more than the writes. */
export function hydrate<Entity extends object>(
  entityClass: { readonly prototype: Entity },
  fields: Partial<Entity>,
): Entity {
  return Object.assign(Object.create(entityClass.prototype) as Entity, fields);
}

interface Mapping {
  readonly meta: { readonly properties: object };
}

const naming = new UnderscoreNamingStrategy();

/**
 * Returns a select list such as `d.event_id as "eventId"`.
 * @param prefix precedes the names if a row has several entities
 */
export function selectColumns({ meta }: Mapping, alias: string, prefix = ''): string {
  const properties = Object.entries(meta.properties as Record<string, { readonly fieldName?: string }>);
  return properties
    .map(([name, { fieldName = naming.propertyToColumnName(name) }]) => `${alias}.${fieldName} as "${prefix}${name}"`)
    .join(', ');
}

/** Returns a function that lists all values of a column, as `unnest` takes them. */
export function unnestParams<Row>(rows: readonly Row[]) {
  return (column: keyof Row) => rows.map((row) => row[column]);
}
