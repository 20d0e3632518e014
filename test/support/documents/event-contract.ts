import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

type Json = Readonly<Record<string, unknown>>;
interface Webhook {
  readonly parameters: readonly { readonly $ref: string }[];
  readonly requestBody: { readonly content: { readonly 'application/json': { readonly schema: Json; example: Json } } };
  readonly responses: Json;
}
interface Header {
  readonly name: string;
  readonly required: boolean;
  readonly example?: string;
  readonly examples?: Readonly<Record<string, { readonly value: string }>>;
}

/** Those that the API document uses for events. */
const FORMATS = {
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  date: /^\d{4}-\d\d-\d\d$/,
};

/**
 * The API document's promise about events. Stricter than readers are asked to be: a field that the document lacks is a
 * breach as well.
 */
export class EventContract {
  private readonly ajv = new Ajv2020({ strict: false, formats: FORMATS, allErrors: true });
  private readonly schemas = new Map<string, ValidateFunction>();

  constructor(private readonly document: Json) {
    this.ajv.addSchema({ $id: 'api', components: closed(document['components']) });
  }

  static committed(): EventContract {
    const file = join(import.meta.dirname, '../../../api/openapi.json');
    return new EventContract(JSON.parse(readFileSync(file, 'utf8')) as Json);
  }

  get types(): string[] {
    return Object.keys(this.webhooks);
  }

  webhook(type: string): Webhook {
    const found = this.webhooks[type]?.post;
    if (!found) throw new Error(`the API document has no webhook ${type}`);
    return found;
  }

  headers(type: string): Header[] {
    return this.webhook(type).parameters.map(({ $ref }) => this.referred($ref) as unknown as Header);
  }

  /** The faults of a webhook as it arrived; empty when there are none. */
  breachesOf({ headers, body }: { readonly headers: object; readonly body: Buffer | string }): string[] {
    const event = JSON.parse(body.toString()) as { type: string };
    const given = headers as Readonly<Record<string, unknown>>;
    const missing = this.headers(event.type).filter(({ name, required }) => required && given[name] === undefined);
    return [...missing.map(({ name }) => `${event.type} without ${name}`), ...this.breachesOfEvent(event)];
  }

  /** By the schema of its webhook, and by the union that `/v1/events` answers. */
  breachesOfEvent(event: { readonly type: string }): string[] {
    const { type } = event;
    const own = this.webhook(type).requestBody.content['application/json'].schema['$ref'];
    const schemas = [String(own), '#/components/schemas/Events/properties/data/items'];
    return schemas.flatMap((schema) => {
      const validate = this.compiled(schema);
      const errors = validate(event) ? [] : (validate.errors ?? []);
      return errors.map((error) => `${type}${error.instancePath} ${error.message ?? ''}`);
    });
  }

  private get webhooks(): Readonly<Record<string, { readonly post: Webhook }>> {
    return (this.document['webhooks'] ?? {}) as Readonly<Record<string, { readonly post: Webhook }>>;
  }

  private compiled(reference: string): ValidateFunction {
    const known = this.schemas.get(reference) ?? this.ajv.compile({ $ref: `api${reference}` });
    this.schemas.set(reference, known);
    return known;
  }

  private referred(reference: string): Json {
    const steps = reference.replace('#/', '').split('/');
    return steps.reduce<Json>((node, step) => node[step] as Json, this.document);
  }
}

function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const all = Object.fromEntries(Object.entries(node).map(([name, child]) => [name, closed(child)]));
  return { ...('type' in all && 'properties' in all ? { additionalProperties: false } : {}), ...all };
}
