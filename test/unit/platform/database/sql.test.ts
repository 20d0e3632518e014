import { describe, expect, it } from '@jest/globals';
import { sql, sqlText } from '../../../../src/platform/database/sql.js';

const named = (name: string) => sql`name = ${name}`;

describe('an SQL statement from a template', () => {
  it('passes its values as parameters', () => {
    expect(sql`select 1 from names where id = ${7} and name = ${"it's"}`).toMatchObject({
      text: 'select 1 from names where id = $1 and name = $2',
      values: [7, "it's"],
    });
  });

  it('can contain other statements, and numbers the parameters of all in order', () => {
    expect(sql`select ${sqlText('id')} where id = ${1} and (${named('a')} or ${named('b')}) limit ${9}`).toMatchObject({
      text: 'select id where id = $1 and (name = $2 or name = $3) limit $4',
      values: [1, 'a', 'b', 9],
    });
  });
});
