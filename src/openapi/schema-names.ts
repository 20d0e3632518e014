import type { OpenAPIObject } from '@nestjs/swagger';

const SCHEMAS = '#/components/schemas/';

/**
 * Readers of the document see a `Check`, not the class behind it: schemas in alphabetical order, without `View`.
 * @throws when two classes would share a name
 */
export function withSchemaNames(document: OpenAPIObject): OpenAPIObject {
  const classes = Object.keys(document.components?.schemas ?? {});
  const names = new Map(classes.map((name) => [name, name.replace(/View$/, '')]));
  if (new Set(names.values()).size < names.size) throw new Error(`two schemas share a name: ${classes.join(', ')}`);
  const renamed = renameReferences(document, names);
  const schemas = Object.entries(renamed.components?.schemas ?? {}).map(
    ([name, schema]) => [names.get(name) ?? name, schema] as const,
  );
  const sorted = schemas.sort(([one], [other]) => (one < other ? -1 : 1));
  return { ...renamed, components: { ...renamed.components, schemas: Object.fromEntries(sorted) } };
}

/** In `$ref` and in the mappings of discriminators: wherever a text is a reference to a schema. */
function renameReferences(document: OpenAPIObject, names: ReadonlyMap<string, string>): OpenAPIObject {
  const renamed = (_key: string, value: unknown): unknown => {
    if (typeof value !== 'string' || !value.startsWith(SCHEMAS)) return value;
    const name = value.slice(SCHEMAS.length);
    return SCHEMAS + (names.get(name) ?? name);
  };
  return JSON.parse(JSON.stringify(document), renamed) as OpenAPIObject;
}
