import 'reflect-metadata';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';

/** The baseline: Nest on Fastify with one route that does nothing. */
@Controller()
class EmptyController {
  @Get('empty')
  empty(): object {
    return {};
  }
}

@Module({ controllers: [EmptyController] })
class EmptyModule {}

const app = await NestFactory.create<NestFastifyApplication>(EmptyModule, new FastifyAdapter(), { logger: false });
await app.listen(0, '127.0.0.1');
console.log(`ready at ${await app.getUrl()}`);
process.once('SIGTERM', () => void app.close());
