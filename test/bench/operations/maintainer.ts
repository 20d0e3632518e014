import 'reflect-metadata';
import { join } from 'node:path';
import { NestFactory } from '@nestjs/core';
import type { openAdminContext as OpenAdminContext } from '../../../src/app/admin.js';
import type { AppModule as ProductModule } from '../../../src/app/app.module.js';
import type { readConfig as ReadConfig } from '../../../src/config/config.js';
import type { PurgeEvents as ProductPurgeEvents } from '../../../src/notifications/events/purge-events.js';
import type { FollowAccounts as ProductFollowing } from '../../../src/watchlist/upkeep/follow-accounts.js';
import type { PurgeHistory as ProductPurgeHistory } from '../../../src/watchlist/upkeep/purge-history.js';
import { answerOrders } from '../child.js';
import { measureWork } from './rss.js';

/** Use cases of the product that a process of its own runs, one after the other, when a message says so. */
export type Order = { readonly operation: 'plan' | 'history' | 'events' | 'delete'; readonly account: string };

const built = async <Module>(path: string) =>
  (await import(join(import.meta.dirname, '../../../dist', path))) as Module;
const { readConfig } = await built<{ readConfig: typeof ReadConfig }>('config/config.js');
const { AppModule } = await built<{ AppModule: typeof ProductModule }>('app/app.module.js');
const { openAdminContext } = await built<{ openAdminContext: typeof OpenAdminContext }>('app/admin.js');
const watchlist = 'watchlist/upkeep';
const { FollowAccounts } = await built<{ FollowAccounts: typeof ProductFollowing }>(`${watchlist}/follow-accounts.js`);
const { PurgeHistory } = await built<{ PurgeHistory: typeof ProductPurgeHistory }>(`${watchlist}/purge-history.js`);
const { PurgeEvents } = await built<{ PurgeEvents: typeof ProductPurgeEvents }>('notifications/events/purge-events.js');

const config = readConfig(process.env);
const service = await NestFactory.createApplicationContext(AppModule.forConfig(config), { logger: ['error', 'warn'] });
const { accounts, close } = await openAdminContext(config);
const part = <Part>(token: abstract new (...wants: never[]) => Part): Part => service.get(token, { strict: false });

const OPERATIONS: Record<Order['operation'], (account: string) => Promise<unknown>> = {
  plan: () => part(FollowAccounts).run(),
  history: () => part(PurgeHistory).run(),
  events: () => part(PurgeEvents).run(),
  delete: (account) => accounts.delete(account),
};

answerOrders(
  ({ operation, account }: Order) => measureWork(process.pid, () => OPERATIONS[operation](account)),
  () => Promise.all([service.close(), close()]),
);
