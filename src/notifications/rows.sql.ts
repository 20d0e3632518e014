import { UnderscoreNamingStrategy } from '@mikro-orm/core';

/**
 * Makes an entity from its row as the ORM does, but outside the identity map. For hundreds of rows per transaction,
 * change detection would cost more than the writes.
 */
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
 * Returns the columns of an entity as a select list, each under the name of its property: `d.event_id as "eventId"`.
 * @param prefix stands before these names if a row has several entities
 */
export function selectColumns({ meta }: Mapping, alias: string, prefix = ''): string {
  const properties = Object.entries(meta.properties as Record<string, { readonly fieldName?: string }>);
  return properties
    .map(([name, { fieldName = naming.propertyToColumnName(name) }]) => `${alias}.${fieldName} as "${prefix}${name}"`)
    .join(', ');
}

/** Returns one array parameter per column, for `unnest`. */
export function unnestParams<Row>(rows: readonly Row[]) {
  return (column: keyof Row) => rows.map((row) => row[column]);
}
