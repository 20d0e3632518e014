import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Schema } from '../builders/schema-arbitraries.js';
import type { Answer, Call } from '../servers/test-service.js';

const ROOT = join(import.meta.dirname, '../../..');

type Json = Record<string, unknown>;
interface Media {
  readonly schema: Json;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { value: unknown }>>;
}
interface Response {
  readonly $ref?: string;
  readonly description: string;
  readonly content?: Readonly<Record<string, Media>>;
  readonly links?: Readonly<Record<string, { operationId: string; parameters: Record<string, string> }>>;
}
export interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Json;
  readonly example?: unknown;
}
export interface Operation {
  readonly path: string;
  readonly method: string;
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly 'x-required-scope'?: string;
  readonly tags: readonly string[];
  readonly security: readonly unknown[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Response>>;
}
interface Root {
  readonly openapi: string;
  readonly info: Json;
  readonly servers: unknown;
  readonly tags: readonly { name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly securitySchemes: Json;
    readonly schemas: Readonly<Record<string, Json>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

/** Those that are judged; other formats say something to people and generators only. */
const FORMATS = {
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
  'uri-reference': true,
} as const;
const PROBLEM = 'application/problem+json';

/** An OpenAPI document, read as a client generator or Swagger UI reads it. */
export class ApiDocument {
  readonly root: Root;
  readonly operations: readonly Operation[];
  private readonly schemas = new Map<Json, ValidateFunction>();
  private readonly ajv = new Ajv2020({ strict: false, formats: FORMATS, allErrors: true, logger: false });

  /** As it is in the repository, which openapi.test.ts compares with what the service serves. */
  static committed(): ApiDocument {
    return new ApiDocument(JSON.parse(readFileSync(join(ROOT, 'api/openapi.json'), 'utf8')) as Json);
  }

  constructor(document: Json) {
    this.root = document as unknown as Root;
    this.ajv.addSchema({ $id: 'api', components: this.root.components });
    this.operations = Object.entries(this.root.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({
        ...operation,
        path,
        method: method.toUpperCase(),
        responses: this.resolved(operation.responses),
        parameters: (operation.parameters ?? []).map((one) => this.sharedParameter(one)),
      })),
    );
  }

  operation(operationId: string): Operation {
    const found = this.operations.find((operation) => operation.operationId === operationId);
    if (!found) throw new Error(`the document has no operation ${operationId}`);
    return found;
  }

  /** The operation that this call asks for; undefined for a path or a method that none has. */
  operationOf({ method = 'GET', path }: Call): Operation | undefined {
    const [asked = ''] = path.split('?');
    const toPattern = (template: string) => new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`);
    const own = this.operations.filter((operation) => operation.path === asked);
    const reached = own.length > 0 ? own : this.operations.filter(({ path: one }) => toPattern(one).test(asked));
    return reached.find((operation) => operation.method === method);
  }

  /** The call that a reader makes who sends the examples as they stand, with ids that came from earlier answers. */
  exampleCall(operation: Operation, ids: Readonly<Record<string, string>> = {}): Call {
    const query = new URLSearchParams();
    let path = operation.path;
    for (const { name, in: where, required, schema } of operation.parameters) {
      const value = (where === 'path' ? ids[name] : undefined) ?? schema['example'] ?? schema['default'];
      if (value === undefined && required) throw new Error(`${operation.operationId} has no example for ${name}`);
      if (where === 'path') path = path.replace(`{${name}}`, String(value));
      else if (value !== undefined) query.set(name, JSON.stringify(value).replaceAll('"', ''));
    }
    const call = { method: operation.method, path: query.size > 0 ? `${path}?${query.toString()}` : path };
    const content = Object.entries(operation.requestBody?.content ?? {});
    const [type = '', media] = content.find(([one]) => one === 'application/json') ?? content[0] ?? [];
    const [body] = valuesOf(media);
    return body === undefined ? call : { ...call, body, headers: { 'content-type': type } };
  }

  examples({ requestBody, responses }: Operation): { bodies: unknown[]; successes: unknown[] } {
    const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
    return {
      bodies: valuesOf(requestBody?.content['application/json']),
      successes: successes.flatMap(([, { content }]) => Object.values(content ?? {}).flatMap(valuesOf)),
    };
  }

  /** Parameters of other operations that this answer gives, by the document's links. */
  linked({ responses }: Operation, { status, body }: Answer): Record<string, string> {
    const found = Object.values(responses[status]?.links ?? {}).flatMap(({ parameters }) => Object.entries(parameters));
    return Object.fromEntries(
      found.map(([name, at]) => [name, String(body[at.replace('$response.body#/', '')] as string)]),
    );
  }

  /** Why this answer is none that the document promises; empty when it is one. */
  objections({ responses, operationId }: Operation, { status, headers, body }: Answer): string[] {
    const promised = responses[status];
    if (!promised) return [`${operationId} promises no ${status}`];
    if (!promised.content) return body['text'] === '' ? [] : [`${operationId} promises no body with ${status}`];
    const type = headers['content-type']?.split(';')[0] ?? '';
    const media = promised.content[type];
    if (!media) return [`${operationId} promises no ${type} with ${status}`];
    const known = type !== PROBLEM || codesOf(promised).includes(String(body['code']));
    const value = /\bjson$/.test(type) ? body : body['text'];
    return [...this.breaches(media.schema, value), ...(known ? [] : [`${String(body['code'])} is not documented`])];
  }

  problemCodes({ responses }: Operation): string[] {
    return Object.values(responses).flatMap((response) => (response.content?.[PROBLEM] ? codesOf(response) : []));
  }

  problemInstances({ responses }: Operation): string[] {
    const problems = Object.values(responses).flatMap(({ content }) => valuesOf(content?.[PROBLEM]));
    return problems.map((problem) => (problem as { instance: string }).instance);
  }

  /** Media of requests that no example is beside. */
  unshownRequests({ operationId, requestBody }: Operation): string[] {
    const media = Object.entries(requestBody?.content ?? {});
    return media.filter(([, one]) => valuesOf(one).length === 0).map(([type]) => `${operationId}: ${type}`);
  }

  /** The texts in all examples: of bodies, answers, parameters, schemas and webhooks. */
  exampleTexts(): string[] {
    const visit = (node: unknown, isExample: boolean): string[] => {
      if (typeof node === 'string') return isExample ? [node] : [];
      if (typeof node !== 'object' || node === null) return [];
      return Object.entries(node).flatMap(([name, child]) => visit(child, isExample || /^examples?$/.test(name)));
    };
    return visit(this.root, false);
  }

  /** Examples that break the schema beside them. */
  wrongExamples({ operationId, requestBody, responses }: Operation): string[] {
    const media = [requestBody, ...Object.values(responses)].flatMap((part) => Object.values(part?.content ?? {}));
    return media.flatMap((one) =>
      valuesOf(one).flatMap((value) => this.breaches(one.schema, value).map((breach) => `${operationId}: ${breach}`)),
    );
  }

  /** Where a schema says nothing at all, or an object without saying of what. */
  emptySchemas(): string[] {
    return this.allSchemas()
      .filter(({ schema }) => {
        const { type, properties, additionalProperties, items } = schema;
        if (type === 'object') return !properties && !additionalProperties;
        return type === 'array' ? !items : Object.keys(schema).length === 0;
      })
      .map(({ at }) => at);
  }

  /** Defaults that break their own schema. */
  wrongDefaults(): string[] {
    return this.allSchemas()
      .filter(({ schema }) => 'default' in schema && !this.obeys(schema, schema['default']))
      .map(({ at }) => at);
  }

  readonly resolve = (schema: Schema): Schema => {
    const name = schema.$ref?.replace('#/components/schemas/', '');
    return name === undefined ? schema : (this.root.components.schemas[name] ?? {});
  };

  obeys(schema: object, value: unknown): boolean {
    return this.breaches(schema as Json, value).length === 0;
  }

  private allSchemas(): { readonly at: string; readonly schema: Json }[] {
    const found: { at: string; schema: Json }[] = [];
    const visit = (node: unknown, at: string, isSchema: boolean) => {
      if (typeof node !== 'object' || node === null) return;
      if (isSchema) found.push({ at, schema: node as Json });
      const inSchemas = /\/(properties|schemas)$/.test(at);
      for (const [name, child] of Object.entries(node))
        if (name !== 'examples' && name !== 'example')
          visit(child, `${at}/${name}`, inSchemas || name === 'schema' || name === 'items');
    };
    visit(this.root, '#', false);
    return found;
  }

  private sharedParameter(parameter: Parameter): Parameter {
    const name = parameter.$ref?.split('/').at(-1);
    return name === undefined ? parameter : (this.root.components.parameters[name] ?? parameter);
  }

  private resolved(responses: Operation['responses']): Operation['responses'] {
    const own = Object.entries(responses).map(([status, response]) => {
      const name = response.$ref?.split('/').at(-1);
      return [status, name === undefined ? response : (this.root.components.responses[name] ?? response)] as const;
    });
    return Object.fromEntries(own);
  }

  private breaches(schema: Json, value: unknown): string[] {
    let validate = this.schemas.get(schema);
    if (!validate) {
      const absolute = JSON.stringify(schema).replaceAll('"#/components', '"api#/components');
      validate = this.ajv.compile(JSON.parse(absolute) as Json);
      this.schemas.set(schema, validate);
    }
    return validate(value)
      ? []
      : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? ''}`);
  }
}

/** A refusal's description lists its codes. */
function codesOf({ description }: Response): string[] {
  return [...description.matchAll(/`(\w+)`/g)].map(([, code = '']) => code);
}

/** The examples beside a schema. */
export function valuesOf(media: Media | undefined): unknown[] {
  if (!media) return [];
  const named = Object.values(media.examples ?? {}).map(({ value }) => value);
  return media.example === undefined ? named : [media.example, ...named];
}
