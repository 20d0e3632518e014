import { UnderscoreNamingStrategy } from '@mikro-orm/core';

interface Mapping {
  readonly meta: { readonly properties: object };
}

const naming = new UnderscoreNamingStrategy();

/**
 * The columns of a mapping as a select list, each under the name of its property: `d.event_id as "eventId"`.
 * @param prefix of these names, where a row has several entities
 */
export function selectColumns({ meta }: Mapping, alias: string, prefix = ''): string {
  const properties = Object.entries(meta.properties as Record<string, { readonly fieldName?: string }>);
  return properties
    .map(([name, { fieldName = naming.propertyToColumnName(name) }]) => `${alias}.${fieldName} as "${prefix}${name}"`)
    .join(', ');
}
