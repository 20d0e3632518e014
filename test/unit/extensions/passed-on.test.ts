import { describe, expect, it } from '@jest/globals';
import * as common from '@nestjs/common';
import * as core from '@nestjs/core';
import * as swagger from '@nestjs/swagger';
import * as migrations from '@mikro-orm/migrations';
import * as postgresql from '@mikro-orm/postgresql';
import * as transformer from 'class-transformer';
import * as validator from 'class-validator';
import * as mikroOrm from 'namewatch/mikro-orm';
import * as nest from 'namewatch/nest';

/** Names that are not passed on as this package's own: a module leaves out what two packages have, without a word. */
function findMissing(passedOn: object, from: object): string[] {
  const own = Object.entries(from).filter(([name]) => !['default', '__esModule', 'module.exports'].includes(name));
  return own.filter(([name, value]) => (passedOn as Record<string, unknown>)[name] !== value).map(([name]) => name);
}

describe('the exports namewatch/nest and namewatch/mikro-orm', () => {
  it.each([
    ['@nestjs/common', nest, common],
    ['@nestjs/core', nest, core],
    ['@nestjs/swagger', nest, swagger],
    ['class-transformer', nest, transformer],
    ['class-validator', nest, validator],
    ['@mikro-orm/postgresql', mikroOrm, postgresql],
  ])('include everything that %s exports, from the same installed copy', (_name, passedOn, from) => {
    expect(findMissing(passedOn, from)).toEqual([]);
  });

  it('include the class Migration of MikroORM', () => {
    expect(mikroOrm.Migration).toBe(migrations.Migration);
  });
});
