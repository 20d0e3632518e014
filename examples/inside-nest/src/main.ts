import { NestFactory } from '@nestjs/core';
import { readNamewatchConfig } from 'namewatch';
import { ShopModule } from './shop.module.js';

const app = await NestFactory.create(ShopModule.forConfig(readNamewatchConfig));
app.setGlobalPrefix('shop').enableShutdownHooks();
await app.listen(3_000);
