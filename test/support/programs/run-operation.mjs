/**
 * One maintenance task of the built service, in a process of its own that a test can kill. The other roles' tasks do not
 * run in it.
 */
import 'reflect-metadata';
import { join } from 'node:path';
import { NestFactory } from '@nestjs/core';

const TASKS = {
  'follow-accounts': ['watchlist/upkeep/follow-accounts.js', 'FollowAccounts'],
  'purge-history': ['watchlist/upkeep/purge-history.js', 'PurgeHistory'],
  'purge-events': ['notifications/events/purge-events.js', 'PurgeEvents'],
};

const built = (path) => import(join(import.meta.dirname, '../../../dist', path));
const { readConfig } = await built('config/config.js');
const { AppModule } = await built('app/app.module.js');
const [path, name] = TASKS[process.argv[2]];
const { [name]: Task } = await built(path);
const service = await NestFactory.createApplicationContext(AppModule.forConfig(readConfig(process.env)), {
  logger: ['error'],
});
await service.get(Task, { strict: false }).run();
await service.close();
