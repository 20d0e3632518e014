import 'reflect-metadata';
import { expect, it } from '@jest/globals';
import { Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { oldData, Retention, RetentionModule } from '../../../../src/platform/scheduling/retention.js';

class Shelf {
  readonly emptied: string[] = [];
}

const old = (name: string, failure?: Error) =>
  oldData({
    name,
    service: Shelf,
    forget({ emptied }) {
      if (failure) return Promise.reject(failure);
      emptied.push(name);
      return Promise.resolve();
    },
  });

it('old data of each kind is deleted, even if deleting another kind fails', async () => {
  class Shelves {}
  const providers = [Shelf, old('letters'), old('bills', new Error('jammed')), old('papers')];
  Module({ imports: [ScheduleModule.forRoot(), RetentionModule], providers })(Shelves as Type);
  const app = await NestFactory.createApplicationContext(Shelves, { logger: false });
  await app.get(Retention).run(new AbortController().signal);
  expect(app.get(Shelf).emptied).toEqual(['letters', 'papers']);
  await app.get(Retention).run(AbortSignal.abort());
  expect(app.get(Shelf).emptied).toHaveLength(2);
  await app.close();
});
