import { type DynamicModule, Module } from '@nestjs/common';
import { ExtensionsController } from './extensions.controller.js';
import { Extensions } from './extensions.js';

/** What callers are told of the extensions; only where routes are served. */
@Module({})
export class ExtensionsApiModule {
  static register(extensions: Extensions): DynamicModule {
    return {
      module: ExtensionsApiModule,
      controllers: [ExtensionsController],
      providers: [{ provide: Extensions, useValue: extensions }],
    };
  }
}
