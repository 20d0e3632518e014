import { describe, expect, it } from '@jest/globals';
import { defineEntity, p, Type } from '@mikro-orm/core';
import { MappedColumns } from '../../../src/platform/database/mapped-columns.js';

class JsonColumn extends Type<object | null, string | null> {
  override convertToDatabaseValue(value: object | null): string | null {
    return value === null ? null : JSON.stringify(value);
  }

  override convertToJSValue(text: string | null): object | null {
    return text === null ? null : (JSON.parse(text) as object);
  }

  override getColumnType(): string {
    return 'text';
  }
}

class Parcel {
  constructor(
    readonly trackingId: string,
    readonly weight: number,
    readonly sentAt: Date | null,
    readonly labels: readonly string[],
    readonly route: object | null,
  ) {}
}

const columns = MappedColumns.of<Parcel>(
  defineEntity({
    class: Parcel,
    tableName: 'parcels',
    properties: {
      trackingId: p.text().primary(),
      weight: p.smallint().fieldName('grams'),
      sentAt: p.datetime(3).nullable(),
      labels: p.array().$type<readonly string[]>(),
      route: p.type(JsonColumn).nullable(),
    },
  }),
);
const sentAt = new Date('2026-11-21T12:00:00Z');

describe('the database columns of an entity', () => {
  it('are listed by their names in the table', () => {
    expect(columns.list()).toBe('tracking_id, grams, sent_at, labels, route');
    expect(columns.pick('route', 'weight').list('? = n.?')).toBe('grams = n.grams, route = n.route');
  });

  it('can be listed without chosen columns', () =>
    expect(columns.without('route', 'weight').list()).toBe('tracking_id, sent_at, labels'));

  it('can be listed with their SQL types', () => {
    expect(columns.definitions).toBe(
      'tracking_id text, grams smallint, sent_at timestamptz, labels text[], route text',
    );
  });

  it('convert an entity into a row without nulls, and a row into entity fields', () => {
    const parcel = new Parcel('a', 5, null, ['x'], { via: 'sea' });
    const row = { tracking_id: 'a', grams: 5, labels: ['x'], route: '{"via":"sea"}' };
    expect(columns.toRow(parcel)).toEqual(row);
    expect(columns.toFields({ ...row, sent_at: sentAt, route: null })).toEqual({
      trackingId: 'a',
      weight: 5,
      sentAt,
      labels: ['x'],
      route: null,
    });
  });
});
