import type { Json } from './breaking-changes.js';
import { format } from '../../prettier.js';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}
interface Header {
  readonly name: string;
  readonly description: string;
  readonly example?: string;
  readonly examples?: Readonly<Record<string, { readonly value: string }>>;
}
interface Reference {
  readonly $ref: string;
}
interface Webhook {
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Reference[];
  readonly requestBody: { readonly content: { readonly 'application/json': { schema: Reference; example: Json } } };
  readonly responses: Readonly<Record<string, Reference>>;
}

const HEAD = `# Events

After this page your program reads every event. A webhook brings an event as the body of a signed POST, \`GET /v1/events\` lists it,
and \`GET /v1/events/stream\` has it as \`data\`, with the same bytes everywhere. An event is
\`{"id", "type", "timestamp", "data"}\`; \`type\` says what \`data\` holds. Ignore fields and types that you do not know: new
ones may come. Fields are never renamed and never change their type.

[Receivers](../examples/receivers) for Express, Fastify and Python verify and handle events.
[notifications.md](notifications.md) says how often a webhook is sent again, and when a channel is disabled.

\`npm run -s openapi\` makes this page from the \`webhooks\` of \`openapi.json\`, which has an example of each type.
`;

/** Returns the documentation page about event types. */
export async function eventPages(document: Json): Promise<string> {
  const webhooks = Object.entries(document['webhooks'] as Readonly<Record<string, { readonly post: Webhook }>>);
  const resolve = <Found>({ $ref }: Reference) => resolved(document, $ref) as Found;
  const all = webhooks.map(([type, { post }]) => ({ type, ...post }));
  const [first] = all;
  const text = [
    HEAD,
    '## Types\n',
    list(all.map(({ type, summary, description }) => [`\`${type}\``, `${summary}. ${description}`] as const)),
    ...(first
      ? [
          headers(
            first.type,
            first.parameters.map((one) => resolve<Header>(one)),
          ),
          answers(first, resolve),
        ]
      : []),
    ...dataSections(all, resolve),
  ];
  return format(text.join('\n'), { parser: 'markdown', printWidth: 120 });
}

function headers(type: string, found: readonly Header[]): string {
  const lines = found.map(({ name, example, examples }) => `${name}: ${example ?? examples?.[type]?.value ?? ''}`);
  const rows = found.map(({ name, description }) => [`\`${name}\``, description] as const);
  const sent = `The headers of the example of \`${type}\` below:\n\n\`\`\`http\n${lines.join('\n')}\n\`\`\`\n`;
  return `## Headers of a webhook\n\n${list(rows)}\n${sent}`;
}

function answers({ responses }: Webhook, resolve: <Found>(reference: Reference) => Found): string {
  const byStatus = Object.entries(responses).sort(([one], [other]) => one.localeCompare(other, 'en'));
  const rows = byStatus.map(([status, response]) => {
    const { description } = resolve<{ readonly description: string }>(response);
    return [status === 'default' ? 'any other' : status, description] as const;
  });
  return `## What a receiver answers\n\n${list(rows)}`;
}

type Properties = Readonly<Record<string, Schema>>;
type Data = Readonly<Record<string, unknown>>;

/** Types with the same data share a section. Events about a name only show how they differ from the first. */
function dataSections(
  all: readonly (Webhook & { readonly type: string })[],
  resolve: <Found>(reference: Reference) => Found,
): string[] {
  const dataOf = ({ requestBody }: Webhook) => {
    const event = resolve<Schema>(requestBody.content['application/json'].schema);
    return event.properties?.['data']?.$ref ?? '';
  };
  const sections = [...Map.groupBy(all, dataOf)].map(([$ref, types]) => ({
    properties: resolve<Schema>({ $ref }).properties ?? {},
    types: types.map(({ type }) => type),
    example: types[0]?.requestBody.content['application/json'].example ?? {},
  }));
  const [base] = sections;
  return sections.map(({ properties, types, example }) => {
    const names = types.map((type) => `\`${type}\``).join(', ');
    const isAlike = base !== undefined && base.properties !== properties && 'entry_id' in properties;
    const rows = fieldRows(properties, isAlike ? base.properties : {});
    const missing = isAlike ? Object.keys(base.properties).filter((name) => !(name in properties)) : [];
    const data = (example['data'] ?? {}) as Data;
    const shown = isAlike ? { data: Object.fromEntries(rows.map(([name]) => [name, data[name]])) } : example;
    return [
      `## The data of ${names}\n`,
      isAlike ? `Like the data of \`${base.types[0] ?? ''}\`, except for:\n` : '',
      list(rows.map(([name, type, meaning]) => [type === '' ? `\`${name}\`` : `\`${name}\` (${type})`, meaning])),
      missing.length > 0 ? `There is no ${missing.map((name) => `\`${name}\``).join(', ')}.\n` : '',
      `\`\`\`json\n${JSON.stringify(shown, null, 2)}\n\`\`\`\n`,
    ].join('\n');
  });
}

/** Returns the fields that the other data lacks or has differently. */
function fieldRows(
  properties: Properties,
  others: Properties,
): (readonly [name: string, type: string, about: string])[] {
  const known = new Set(Object.entries(others).map(([name, schema]) => rowOf(name, schema).join('|')));
  return Object.entries(properties)
    .map(([name, schema]) => rowOf(name, schema))
    .filter((row) => !known.has(row.join('|')));
}

function rowOf(name: string, schema: Schema): readonly [name: string, type: string, about: string] {
  return [name, typeText(schema), schema.description ?? ''];
}

function typeText({ type = '', format: form, enum: values, items }: Schema): string {
  if (values) return values.map((value) => `\`${String(value)}\``).join(', ');
  const types = [type].flat().map((one) => (one === 'string' && form === 'date-time' ? 'time' : one));
  return items ? `list of ${typeText(items)}` : types.join(' or ');
}

function list(items: readonly (readonly [what: string, meaning: string])[]): string {
  return `${items.map(([what, meaning]) => `- ${what}: ${meaning}`).join('\n')}\n`;
}

function resolved(document: Json, reference: string): unknown {
  const steps = reference.replace('#/', '').split('/');
  return steps.reduce<unknown>((node, step) => (node as Json | undefined)?.[step], document);
}
