import { ArrayType, type EntityProperty, type EntitySchema, Type } from '@mikro-orm/core';
import { PostgreSqlPlatform } from '@mikro-orm/postgresql';

const platform = new PostgreSqlPlatform();
const naming = new (platform.getNamingStrategy())();

interface MappedColumn<Fields> {
  readonly property: keyof Fields & string;
  readonly name: string;
  readonly sqlType: string;
  /** null if the driver's value needs no conversion. */
  readonly type: Type<unknown, unknown> | null;
}

/** Lists the columns of an ORM mapping for SQL that bypasses the ORM. */
export class MappedColumns<Fields extends object> {
  private constructor(private readonly columns: readonly MappedColumn<Fields>[]) {}

  static of<Fields extends object>(mapping: EntitySchema): MappedColumns<Fields> {
    const properties = Object.entries(mapping.meta.properties as unknown as Record<string, ColumnProperty>);
    return new MappedColumns<Fields>(
      properties.map(([property, declared]) => toColumn(property as keyof Fields & string, declared)),
    );
  }

  pick<Name extends keyof Fields & string>(...properties: readonly Name[]): MappedColumns<Pick<Fields, Name>> {
    const picked = this.columns.filter(({ property }) => (properties as readonly string[]).includes(property));
    return new MappedColumns<Pick<Fields, Name>>(picked as unknown as readonly MappedColumn<Pick<Fields, Name>>[]);
  }

  without<Name extends keyof Fields & string>(...properties: readonly Name[]): MappedColumns<Omit<Fields, Name>> {
    const others = this.columns.filter(({ property }) => !(properties as readonly string[]).includes(property));
    return new MappedColumns<Omit<Fields, Name>>(others as unknown as readonly MappedColumn<Omit<Fields, Name>>[]);
  }

  /** Lists the columns as `domain, revision, …`. In the template, `?` stands for each column. */
  list(template = '?'): string {
    return this.columns.map(({ name }) => template.replaceAll('?', name)).join(', ');
  }

  /** Returns the column definitions for `json_to_recordset`: `domain text, revision int, …`. */
  get definitions(): string {
    return this.columns.map(({ name, sqlType }) => `${name} ${sqlType}`).join(', ');
  }

  /** Returns the values by column. Leaves out nulls, since `json_to_recordset` reads a missing member as null. */
  toRow(fields: Fields): Record<string, unknown> {
    const row: Record<string, unknown> = {};
    for (const { property, name, type } of this.columns) {
      const value: unknown = fields[property];
      if (value !== null) row[name] = type ? type.convertToDatabaseValue(value, platform) : value;
    }
    return row;
  }

  toFields(row: Readonly<Record<string, unknown>>): Fields {
    const fields: Record<string, unknown> = {};
    for (const { property, name, type } of this.columns)
      fields[property] = type ? type.convertToJSValue(row[name], platform) : row[name];
    return fields as Fields;
  }
}

interface ColumnProperty {
  readonly type: Type<unknown, unknown> | (new () => Type<unknown, unknown>);
  readonly fieldName?: string;
}

function toColumn<Property extends string>(property: Property, { type: declared, fieldName }: ColumnProperty) {
  const type = declared instanceof Type ? declared : new declared();
  const converts = !(type instanceof ArrayType) && type.convertToJSValue !== Type.prototype.convertToJSValue;
  return {
    property,
    name: fieldName ?? naming.propertyToColumnName(property),
    sqlType: type.getColumnType({} as EntityProperty, platform),
    type: converts ? type : null,
  };
}

/** Makes a class with a private constructor fit the ORM's types. The ORM never calls the constructor. */
export type Mappable<Entity> = new () => Entity;

/** Quotes every element. The ORM's own array type would store the text `null` as NULL and strip spaces. */
export class TextArrayColumn extends ArrayType<string> {
  override convertToDatabaseValue(values: string[] | null): string | null {
    return values && `{${values.map(quote).join(',')}}`;
  }
}

function quote(element: string): string {
  return `"${element.replace(/["\\]/g, '\\$&')}"`;
}
