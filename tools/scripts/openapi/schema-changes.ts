import type { Json } from './breaking-changes.js';

/** Data that clients send must still be accepted. Data that they get as an answer must still be understood. */
type Way = 'sent' | 'answered';

interface Bounds {
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly minimum?: number;
  readonly minLength?: number;
  readonly minItems?: number;
  readonly minProperties?: number;
}
interface Schema extends Bounds {
  readonly pattern?: string;
  readonly format?: string;
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly discriminator?: { readonly propertyName: string; readonly mapping?: Readonly<Record<string, string>> };
}

const UPPER_BOUNDS = ['maximum', 'maxLength', 'maxItems', 'maxProperties'] as const;
const LOWER_BOUNDS = ['minimum', 'minLength', 'minItems', 'minProperties'] as const;
const FORMS = ['pattern', 'format'] as const;
const COMBINATIONS = ['allOf', 'anyOf', 'oneOf'] as const;

/** Compares schemas of two documents, each with its own references. */
export class SchemaChanges {
  /** The references being compared, since schemas may contain themselves. */
  private readonly open = new Set<string>();

  constructor(
    private readonly before: Json,
    private readonly after: Json,
  ) {}

  ofSent(before: Json, after: Json, at: string): string[] {
    return this.between(before, after, at, 'sent');
  }

  ofAnswered(before: Json, after: Json, at: string): string[] {
    return this.between(before, after, at, 'answered');
  }

  private between(before: Schema, after: Schema, at: string, way: Way): string[] {
    const pair = `${before.$ref} ${after.$ref} ${way}`;
    const isReference = before.$ref !== undefined && after.$ref !== undefined;
    if (isReference && this.open.has(pair)) return [];
    if (isReference) this.open.add(pair);
    const [old, now] = [resolved(before, this.before), resolved(after, this.after)];
    const changes =
      isUnion(old) || isUnion(now) ? this.unionChanges(old, now, at, way) : this.changesOf(old, now, at, way);
    this.open.delete(pair);
    return changes;
  }

  private changesOf(old: Schema, now: Schema, at: string, way: Way): string[] {
    return [
      ...typeChanges(old, now, at, way),
      ...(way === 'sent' ? narrowings(old, now, at) : []),
      ...requiredChanges(old, now, at, way),
      ...this.propertyChanges(old, now, at, way),
      ...this.combinationChanges(old, now, at, way),
      ...(old.items ? this.between(old.items, now.items ?? {}, `${at}[]`, way) : []),
      ...this.otherProperties(old, now, at, way),
    ];
  }

  /**
   * Compares each alternative of a union with the former alternative for the same value. In answers a new alternative
   * breaks nothing, and alternatives may replace one open schema.
   */
  private unionChanges(before: Schema, after: Schema, at: string, way: Way): string[] {
    if (!isUnion(after)) return [`${at} is no longer a union`];
    const now = alternatives(after);
    if (!isUnion(before)) {
      if (way === 'sent') return [`${at} has other alternatives`];
      return [...new Set([...now].flatMap(([, schema]) => this.between(before, schema, at, way)))];
    }
    return [...alternatives(before)].flatMap(([value, schema]) => {
      const its = now.get(value);
      if (its) return this.between(schema, its, `${at}(${value})`, way);
      return [`${at}(${value}) is no longer ${way === 'sent' ? 'taken' : 'answered'}`];
    });
  }

  private propertyChanges(before: Schema, after: Schema, at: string, way: Way): string[] {
    return Object.entries(before.properties ?? {}).flatMap(([name, old]) => {
      const now = after.properties?.[name];
      if (now) return this.between(old, now, `${at}.${name}`, way);
      return [`${at}.${name} is no longer ${way === 'sent' ? 'taken' : 'answered'}`];
    });
  }

  private otherProperties(before: Schema, after: Schema, at: string, way: Way): string[] {
    const [old, now] = [before.additionalProperties ?? true, after.additionalProperties ?? true];
    if (way === 'sent' && old !== false && now === false) return [`${at} takes no other fields`];
    return typeof old === 'object' && typeof now === 'object' ? this.between(old, now, `${at}.*`, way) : [];
  }

  private combinationChanges(before: Schema, after: Schema, at: string, way: Way): string[] {
    return COMBINATIONS.flatMap((kind) => {
      const [old = [], now = []] = [before[kind], after[kind]];
      if (old.length !== now.length) return [`${at} has other alternatives`];
      return old.flatMap((one, index) => this.between(one, now[index] ?? {}, at, way));
    });
  }
}

function isUnion({ oneOf, discriminator }: Schema): boolean {
  return oneOf !== undefined && discriminator?.mapping !== undefined;
}

/** Returns each alternative by the value of the field that distinguishes them. */
function alternatives({ discriminator }: Schema): ReadonlyMap<string, Schema> {
  const mapping = Object.entries(discriminator?.mapping ?? {});
  return new Map(mapping.map(([value, $ref]) => [value, { $ref }]));
}

function resolved(schema: Schema, document: Json): Schema {
  if (schema.$ref === undefined) return schema;
  const steps = schema.$ref.replace('#/', '').split('/');
  const found = steps.reduce<unknown>((node, step) => (node as Json | undefined)?.[step], document);
  return resolved(found ?? {}, document);
}

function typeChanges(before: Schema, after: Schema, at: string, way: Way): string[] {
  const [given, takes] = way === 'sent' ? [before, after] : [after, before];
  if (takes.type === undefined) return [];
  const taken = [takes.type].flat();
  const isTaken = (type: string) => taken.includes(type) || (type === 'integer' && taken.includes('number'));
  const fits = given.type !== undefined && [given.type].flat().every(isTaken);
  return fits ? [] : [`${at} is ${[after.type ?? 'anything'].flat().join(' or ')}`];
}

function requiredChanges(before: Schema, after: Schema, at: string, way: Way): string[] {
  const [old = [], now = []] = [before.required, after.required];
  if (way === 'sent') return now.filter((name) => !old.includes(name)).map((name) => `${at}.${name} is required`);
  const kept = (name: string) => after.properties?.[name] !== undefined;
  return old.filter((name) => !now.includes(name) && kept(name)).map((name) => `${at}.${name} may be absent`);
}

/** Returns a line for each limit that now refuses values which were accepted before. */
function narrowings(before: Schema, after: Schema, at: string): string[] {
  const number = (schema: Bounds, bound: keyof Bounds, none: number) => schema[bound] ?? none;
  const lower = UPPER_BOUNDS.filter((bound) => number(after, bound, Infinity) < number(before, bound, Infinity));
  const higher = LOWER_BOUNDS.filter((bound) => number(after, bound, -Infinity) > number(before, bound, -Infinity));
  const formed = FORMS.filter((form) => after[form] !== undefined && after[form] !== before[form]);
  const values = after.enum && (before.enum ?? ['any']).filter((value) => !after.enum?.includes(value));
  return [
    ...[...lower, ...higher, ...formed].map((bound) => `${at} has the ${bound} ${String(after[bound])}`),
    ...(values ?? []).map((value) => `${at} takes ${String(value)} no longer`),
  ];
}
