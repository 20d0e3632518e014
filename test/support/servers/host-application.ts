import { EntitySchema } from '@mikro-orm/core';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import { EntityManager, PostgreSqlDriver } from '@mikro-orm/postgresql';
import { BullModule, getQueueToken, Processor, WorkerHost } from '@nestjs/bullmq';
import {
  type ArgumentsHost,
  Body,
  Catch,
  Controller,
  type DynamicModule,
  type ExceptionFilter,
  Get,
  HttpException,
  Module,
  type PipeTransform,
  Post,
} from '@nestjs/common';
import { APP_FILTER, APP_PIPE, HttpAdapterHost, NestFactory } from '@nestjs/core';
import type { INestApplication } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Job, Queue } from 'bullmq';
import { NamewatchModule } from '../../../src/app/namewatch.module.js';
import type { Config } from '../../../src/config/config.js';
import { freshDatabase } from '../database/database.js';
import { testRedis } from './test-redis.js';

export type HostKind = 'Express' | 'Fastify';

interface Note {
  id: number;
  text: string;
}

const noteSchema = new EntitySchema<Note>({
  name: 'Note',
  tableName: 'notes',
  properties: { id: { type: 'integer', primary: true, autoincrement: true }, text: { type: 'text' } },
});

@Controller('notes')
class NotesController {
  constructor(private readonly entityManager: EntityManager) {}

  @Get()
  list(): Promise<unknown> {
    return this.entityManager.fork().find(noteSchema, {});
  }

  @Post()
  async add(@Body() body: { text: string }): Promise<unknown> {
    const em = this.entityManager.fork();
    const note = em.create(noteSchema, { text: body.text });
    await em.persist(note).flush();
    return note;
  }
}

/** Changes every text of a body: visible wherever it runs. */
class UpperCasePipe implements PipeTransform {
  transform(value: unknown): unknown {
    const text = (value as { text?: unknown } | undefined)?.text;
    return typeof text === 'string' ? { text: text.toUpperCase() } : value;
  }
}

@Catch()
class HostFilter implements ExceptionFilter {
  constructor(private readonly adapterHost: HttpAdapterHost) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const status = error instanceof HttpException ? error.getStatus() : 500;
    this.adapterHost.httpAdapter.reply(host.switchToHttp().getResponse(), { answeredBy: 'host' }, status);
  }
}

/** Works on a queue of the host's, on BullMQ's default store, which is Redis. */
@Processor('host-mails')
class HostMails extends WorkerHost {
  readonly done = Promise.withResolvers<unknown>();

  process({ data }: Job<unknown>): Promise<void> {
    return Promise.resolve(this.done.resolve(data));
  }
}

@Module({
  imports: [
    BullModule.forRootAsync({ useFactory: () => ({ connection: { url: testRedis() } }) }),
    BullModule.registerQueue({ name: 'host-mails' }),
  ],
  providers: [HostMails],
})
class HostQueueModule {}

@Module({})
class HostModule {
  static on(databaseUrl: string, namewatch: DynamicModule, queueFirst: boolean): DynamicModule {
    const orm = MikroOrmModule.forRoot({ driver: PostgreSqlDriver, clientUrl: databaseUrl, entities: [noteSchema] });
    const both = queueFirst ? [HostQueueModule, namewatch] : [namewatch, HostQueueModule];
    return {
      module: HostModule,
      imports: [...both, orm],
      controllers: [NotesController],
      providers: [
        { provide: APP_PIPE, useClass: UpperCasePipe },
        { provide: APP_FILTER, useClass: HostFilter },
      ],
    };
  }
}

export interface HostApplication {
  readonly app: INestApplication;
  readonly url: string;
  /** The lines of the host's own logger. */
  readonly logLines: readonly unknown[];
  /** Adds a job to the host's own queue and waits until its worker got it. */
  runJob(data: object): Promise<unknown>;
}

/** Another team's Nest application with its own controller, prefix, pipe, filter, ORM and queue, and Namewatch at /names. */
export async function startHostApplication(kind: HostKind, config: Config): Promise<HostApplication> {
  const databaseUrl = await freshDatabase();
  const namewatch = NamewatchModule.forRootAsync({ useFactory: () => ({ config }), path: '/names' });
  const logLines: unknown[] = [];
  const write = (line: unknown) => void logLines.push(line);
  const logger = { log: write, warn: write, error: write };
  const adapter = kind === 'Express' ? new ExpressAdapter() : new FastifyAdapter();
  const module = HostModule.on(databaseUrl, namewatch, kind === 'Express');
  const app = await NestFactory.create(module, adapter, { logger, abortOnError: false });
  app.setGlobalPrefix('api');
  await app.get(EntityManager).execute('create table notes (id serial primary key, text text not null)');
  await app.listen(0, '127.0.0.1');
  const queue = app.get<Queue>(getQueueToken('host-mails'), { strict: false });
  const { done } = app.get(HostMails, { strict: false });
  const runJob = async (data: object) => {
    await queue.add('mail', data);
    return done.promise;
  };
  return { app, url: await app.getUrl(), logLines, runJob };
}
