import { describe, expect, it } from '@jest/globals';
import { IsObject } from 'class-validator';
import type { InvalidRequest } from '../../../../src/platform/http/errors/invalid-request.js';
import {
  IntegerField,
  ObjectField,
  Optional,
  SINGLE_LINE_PATTERN,
  TextField,
  TextListField,
} from '../../../../src/platform/http/validation/fields.js';
import { StrictValidationPipe } from '../../../../src/platform/http/validation/strict-validation.pipe.js';

class Named {
  @TextField({ maxLength: 5 })
  name: string;
}

class Order extends Named {
  @IntegerField({ minimum: 1, maximum: 9, optional: true })
  amount?: number;

  @TextListField({ items: { minLength: 1, maxLength: 2, pattern: SINGLE_LINE_PATTERN }, maxItems: 2, optional: true })
  tags?: string[];

  @Optional()
  @IsObject()
  labels?: Record<string, unknown>;

  @ObjectField(Named, { optional: true })
  buyer?: Named;
}

const judge = async (value: unknown, type: 'body' | 'query' = 'body') =>
  new StrictValidationPipe().transform(value, { type, metatype: Order }) as Promise<Order>;
const refusal = async (text: string, type: 'body' | 'query' = 'body') =>
  judge(JSON.parse(text), type).then(
    () => 'accepted',
    (error: unknown) => (error as InvalidRequest).fields,
  );

describe('a request body', () => {
  it('becomes an object of its DTO class, with inherited fields', async () => {
    const order = await judge({ name: 'a', amount: 2, labels: { to: 'x' } });
    expect(order).toBeInstanceOf(Order);
    expect(order).toEqual({ name: 'a', amount: 2, labels: { to: 'x' } });
  });

  it.each([
    ['color', '/color'],
    ['a/b~c', '/a~1b~0c'],
    ['toString', '/toString'],
    ['hasOwnProperty', '/hasOwnProperty'],
    ['constructor', '/constructor'],
    ['c\\u006fnstructor', '/constructor'],
    ['prototype', '/prototype'],
    ['__proto__', '/__proto__'],
    ['__pr\\u006fto__', '/__proto__'],
    ['\\u005f_proto__', '/__proto__'],
  ])('is refused for the unknown field %s', async (name, pointer) => {
    for (const value of ['1', 'null', '{"x":1}'])
      expect(await refusal(`{"name":"a","${name}":${value}}`)).toMatchObject([{ pointer, code: 'unknown_field' }]);
  });

  it('is refused for prototype fields in nested objects', async () => {
    const text = '{"name":"a","labels":{"fine":[{"__proto__":{"x":1}}],"toString":"y"}}';
    expect(await refusal(text)).toMatchObject([
      { pointer: '/labels/toString', code: 'unknown_field' },
      { pointer: '/labels/fine/0/__proto__', code: 'unknown_field' },
    ]);
  });

  it.each(['prototype', '__proto__', 'toString', 'color'])(
    'is refused with one error for the unknown field %s in a nested object',
    async (name) => {
      expect(await refusal(`{"name":"a","buyer":{"name":"b","${name}":1}}`)).toMatchObject([
        { pointer: `/buyer/${name}`, code: 'unknown_field' },
      ]);
    },
  );

  it('is refused with all of its errors at once', async () => {
    expect(await refusal('{"color":"red","amount":99}')).toMatchObject([
      { pointer: '/color', message: 'color is not known here' },
      { pointer: '/amount', message: 'amount must not be greater than 9' },
      { pointer: '/name', code: 'required', message: 'name is required' },
    ]);
  });

  it.each([
    ['{"name":5}', '/name', 'name must be a string'],
    ['{"name":null}', '/name', 'name must be a string'],
    ['{"name":"a","amount":"2"}', '/amount', 'amount must be an integer number'],
    ['{"name":"a","amount":null}', '/amount', 'amount must be an integer number'],
    ['{"name":"a","labels":[]}', '/labels', 'labels must be an object'],
    ['{"name":"a","labels":null}', '/labels', 'labels must be an object'],
  ])('is refused with one error about the type if a field has the wrong type: %s', async (text, pointer, message) => {
    expect(await refusal(text)).toEqual([{ pointer, code: 'invalid', message }]);
  });

  it('has the lengths of its texts counted in Unicode code points', async () => {
    for (const tag of ['ab', '🙂🙂', '❤️'])
      expect(await refusal(JSON.stringify({ name: 'a', tags: [tag] }))).toBe('accepted');
    for (const tag of ['', 'abc', '❤️🙂'])
      expect(await refusal(JSON.stringify({ name: 'a', tags: [tag] }))).toMatchObject([
        { pointer: '/tags', message: 'tags must have 1 to 2 characters' },
      ]);
  });

  it('is refused for control characters in a text, and for too many items in a list', async () => {
    expect(await refusal('{"name":"a","tags":["\\n"]}')).toMatchObject([
      { message: 'tags must have no control characters' },
    ]);
    expect(await refusal('{"name":"a","tags":["a","b","c"]}')).toMatchObject([{ pointer: '/tags' }]);
  });
});

describe('a query string', () => {
  it('is refused if a parameter is repeated, and the error says so', async () => {
    const message = 'name must be given once';
    expect(await refusal('{"name":["a","b"]}', 'query')).toEqual([
      { pointer: '#query/name', code: 'invalid', message },
    ]);
  });

  it('is refused if a parameter has the name of a property of the object prototype', async () => {
    expect(await refusal('{"name":"a","__proto__":"1","valueOf":"1"}', 'query')).toMatchObject([
      { pointer: '#query/__proto__', code: 'unknown_field' },
      { pointer: '#query/valueOf', code: 'unknown_field' },
    ]);
  });
});
