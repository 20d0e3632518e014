import type { Json } from './breaking-changes.js';
import { format } from '../../prettier.js';

type Schema = Readonly<Record<string, unknown>>;

const MAX_NAMES = 100_000;

/**
 * Makes the JSON Schema of files for `namewatch apply` from the body of `POST /v1/watchlist`. A file may set the same
 * fields, except `paused` and `notify_current`, which is an option of the command.
 */
export function watchlistFileSchema(document: Json): Promise<string> {
  const { schemas } = document['components'] as { readonly schemas: Readonly<Record<string, Schema>> };
  const { domain, paused: _paused, notify_current: _asked, ...settings } = propertiesOf(schemas['AddWatchBody'] ?? {});
  const tag = (settings['tags'] as { readonly items: Schema }).items;
  const definitions = {
    domain: { ...domain, description: 'In Unicode or ASCII.', minLength: 1 },
    tag,
    ...settings,
    tags: { ...settings['tags'], description: 'Further tags, beside that of the file.' },
  };
  const references = Object.fromEntries(Object.keys(settings).map((name) => [name, referenceTo(name)]));
  const named = objectWith({ domain: referenceTo('domain'), ...references }, ['domain']);
  const file = objectWith(
    {
      version: { const: 1 },
      tag: {
        description: 'The tag of all entries of this file. An entry without it is never changed or removed.',
        ...referenceTo('tag'),
      },
      defaults: { description: 'Settings of every name that does not give its own.', ...objectWith(references) },
      names: {
        description: 'Names, alone or with settings.',
        type: 'array',
        minItems: 1,
        maxItems: MAX_NAMES,
        items: { if: { type: 'object' }, then: named, else: referenceTo('domain') },
      },
    },
    ['version', 'tag', 'names'],
  );
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Namewatch watchlist',
    description: 'The entries of one tag, for `namewatch apply`.',
    ...file,
    definitions,
  };
  return format(JSON.stringify(schema), { parser: 'json', printWidth: 120 });
}

function propertiesOf({ properties = {} }: Schema): Readonly<Record<string, Schema>> {
  const schemas = Object.entries(properties as Readonly<Record<string, Schema>>);
  return Object.fromEntries(schemas.map(([name, schema]) => [name, forFile(schema)]));
}

/** Leaves out examples, formats, null (a file has no line for what it does not set), and sentences about PATCH. */
function forFile({ example: _example, format: _format, type, properties, description, ...rest }: Schema): Schema {
  const types = [type].flat().filter((one) => one !== 'null');
  return {
    type: types.length === 1 ? types[0] : types,
    ...(typeof description === 'string' && { description: description.replace(/ A PATCH [^.]*\./, '') }),
    ...rest,
    ...(properties === undefined ? {} : { properties: propertiesOf({ properties }) }),
  };
}

function referenceTo(name: string): Schema {
  return { $ref: `#/definitions/${name}` };
}

function objectWith(properties: Schema, required: readonly string[] = []): Schema {
  const isRequired = required.length > 0 ? { required } : {};
  return { type: 'object', ...isRequired, additionalProperties: false, properties };
}
